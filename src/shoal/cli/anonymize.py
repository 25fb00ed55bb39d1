"""``shoal anonymize``: from a table to a verified release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from shoal.cli import options
from shoal.cli.flag_values import options_of_flags, options_of_job_file, override
from shoal.cli.screen import Screen, print_json, progress_bar
from shoal.cli.shell_lines import command, flags_of_job, flags_of_options
from shoal.errors import Cancelled, ParameterError
from shoal.io import STANDARD_STREAM
from shoal.io.databases import is_database

if TYPE_CHECKING:
    from shoal.io import Source
    from shoal.options import Job
    from shoal.pipeline.facts import Facts
    from shoal.pipeline.release import Release
    from shoal.pipeline.writing import Outputs


@options.takes("anonymize")
def anonymize(
    data: options.Data,
    *,
    output: options.Output,
    facts: options.FactsOut = None,
    custody: options.CustodyOut = None,
    job: options.JobIn = None,
    save_job: options.JobOut = None,
    report: options.ReportFile = None,
    public_report: options.PublicReportFile = None,
    report_format: options.ReportFormat = None,
    dictionary: options.DictionaryOut = None,
    force: options.Force = False,
    if_exists: options.IfExists = "fail",
    resume: options.Resume = False,
    master: options.Master = None,
    json: options.Json = False,
    **flags: Any,
) -> int:
    r"""Release a table in which every record hides among at least k.

    Lists are separated by commas, and flags may be repeated. A comma within a name is written \,
    and an equals sign within a column's name \=.

    Nothing is written unless the independent verifier accepts the release.
    """
    from shoal.pipeline.compatibility import make_release_job
    from shoal.pipeline.writing import Outputs

    given = options_of_flags(flags)
    chosen = make_release_job(
        override(options_of_job_file(job), given) if job is not None else given
    )
    outputs = Outputs(
        release=output,
        facts=facts,
        custody=custody,
        job=save_job,
        report=report,
        public_report=public_report,
        report_format=report_format,
        dictionary=dictionary,
        if_exists=if_exists,
        source=None if data == STANDARD_STREAM or is_database(data) else Path(data).name,
    )
    if chosen.engine != "local":
        from shoal.cli.large import anonymize_stored

        return anonymize_stored(
            data, chosen, outputs, master=master, resume=resume, force=force, json=json
        )
    if master is not None:
        raise ParameterError(
            "`master` names a cluster for Spark.", remedy="Add `engine='spark'`, or leave it out."
        )
    if resume:
        raise ParameterError(
            "A run in memory leaves nothing to resume.", remedy="Leave `resume` out."
        )
    in_database = chosen.table is not None and is_database(data)
    source_address = f"{data}#{quote(chosen.table or '')}" if in_database else data
    inputs = [source_address] if job is None else [source_address, job]
    outputs.check(chosen, inputs=inputs, force=force, standard_output_taken=json)
    try:
        release, source, written = _make(data, chosen, outputs)
    except KeyboardInterrupt:
        raise Cancelled("Interrupted: nothing was written.") from None
    if json:
        # What was noticed in the source is for its custodian, not for the published facts.
        reading = {"reading": list(source.notes)} if source.notes else {}
        print_json(written.to_dict() | reading)
    else:
        _summarize(data, outputs, release, source, chosen)
    return 0


def _make(data: str, job: Job, outputs: Outputs) -> tuple[Release[Any], Source, Facts]:
    """Read, release, verify and write, in this order."""
    from shoal.cli.announcement import announce
    from shoal.engines.memory import require_room
    from shoal.io import ReadOptions, options_of_source, read_source
    from shoal.pipeline.progress import Stages
    from shoal.pipeline.run import run_job
    from shoal.pipeline.writing import write_release

    require_room(data, job)
    with progress_bar() as watch:
        stages = Stages(watch)
        with stages.stage("read"):
            reading = ReadOptions.of(job.reading())
            source = read_source(data, options_of_source(reading, data, outputs.release))
        announce(source.frame, job)
        if source.encoding is not None:
            # A guess that was taken is part of the job: it must not change with the next file.
            job = job.model_copy(update={"encoding": source.encoding})
        release = run_job(source.frame, job, stages=stages, source_sha256=source.sha256)
        with stages.stage("write"):
            written = write_release(release, outputs)
    return release, source, written


def _as_given(job: Job, chosen: Job) -> Job:
    """Return a job without what was pinned: the same table is read the same way again."""
    return job.model_copy(
        update={"kind": chosen.kind, "order": chosen.order, "columns": chosen.columns}
    )


def _summarize(
    data: str, outputs: Outputs, release: Release[Any], source: Source, chosen: Job
) -> None:
    from shoal.cli.summary import show_notes, show_release
    from shoal.options.hierarchy_paths import listed_hierarchies

    next_command = None
    by_row_map = bool(
        chosen.aggregate or chosen.notation == "midpoint" or chosen.personal_k or chosen.person
    )
    if STANDARD_STREAM not in (data, outputs.release):
        arguments = (
            ["--facts", outputs.facts]
            if outputs.facts not in (None, STANDARD_STREAM)
            else flags_of_job(_as_given(release.job, chosen), options.names_of("verify"))
        )
        if arguments[:1] == ["--facts"]:
            # Facts leave out hierarchies that the job lists in full.
            arguments += flags_of_options({"hierarchy": listed_hierarchies(release.job.hierarchy)})
            # Nor do they tell what was read from a database.
            arguments += flags_of_job(chosen, ("table", "query"))
        # Only the row map shows which records a statistic is computed from, or whose a class holds.
        if by_row_map:
            arguments += ["--custody", outputs.custody or "CUSTODY.json"]
        next_command = command("verify", data, outputs.release, *arguments)
    screen = Screen(stderr=STANDARD_STREAM in outputs.named.values())
    show_notes(screen, (*source.notes, *_about_formulas(outputs.release, release)))
    show_release(
        screen,
        release,
        list(outputs.named.items()),
        next_command,
        needs_custody=by_row_map and outputs.custody is None,
    )


def _about_formulas(path: str, release: Release[Any]) -> list[str]:
    """Return what to know about cells that a spreadsheet would run."""
    from shoal.io.formulas import columns_with_formulas, is_csv

    in_workbook = not is_database(path) and path.lower().endswith(".xlsx")
    found = columns_with_formulas(release.table) if in_workbook or is_csv(path) else []
    if not found:
        return []
    listed = ", ".join(map(repr, found))
    if in_workbook:
        return [f"What looks like formulas in {listed} is written as text, which Excel never runs."]
    if release.job.escape_formulas:
        return [f"What a spreadsheet would run in {listed} begins with an apostrophe."]
    advice = "add `escape_formulas=True`, or write .xlsx, if the release is opened in one"
    return [f"A spreadsheet would run names or cells of {listed} as formulas; {advice}."]
