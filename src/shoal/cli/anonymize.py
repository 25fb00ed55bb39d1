"""``shoal anonymize``: from a table to a verified release."""

from __future__ import annotations

import time
from dataclasses import dataclass
from json import dumps
from typing import TYPE_CHECKING, Any

from shoal.cli import options
from shoal.cli.custody import (
    checksum,
    checksum_of_standard_input,
    custody_text,
    refuse_neighbour,
)
from shoal.cli.screen import Screen, print_json, progress_bar
from shoal.cli.shell_lines import command, flags_of_job, with_flags
from shoal.cli.words import hierarchies_from, override, words_of_flags, words_of_job
from shoal.errors import Cancelled

if TYPE_CHECKING:
    from shoal.io import Source
    from shoal.options import Job
    from shoal.pipeline.release import Release

_STANDARD_STREAM = "-"


@dataclass(frozen=True, slots=True)
class _Files:
    """Where everything comes from and goes to."""

    data: str
    release: str
    facts: str | None
    custody: str | None
    job_in: str | None
    job_out: str | None
    on_standard_output: bool

    @property
    def outputs(self) -> dict[str, str]:
        """What is written, and where; the release is the first."""
        named = {
            "release": self.release,
            "facts": self.facts,
            "custody": self.custody,
            "job": self.job_out,
        }
        return {noun: path for noun, path in named.items() if path is not None}

    def check(self, job: Job, *, force: bool) -> None:
        """Raise before any work is done if an output could not be written in the end."""
        from shoal.hierarchies import file_of, is_recipe
        from shoal.io import check_output

        trees = (file_of(tree) for tree in job.hierarchy.values() if not is_recipe(tree))
        inputs = [self.data, *trees]
        if self.job_in is not None:
            inputs.append(self.job_in)
        for noun, path in self.outputs.items():
            others = [other for named, other in self.outputs.items() if named != noun]
            if self.on_standard_output:
                others.append(_STANDARD_STREAM)
            check_output(path, force, table=noun == "release", inputs=inputs, others=others)
        if self.custody is not None:
            refuse_neighbour(self.custody, self.release)


@options.takes("anonymize")
def anonymize(
    data: options.Data,
    *,
    output: options.Output,
    facts: options.FactsOut = None,
    custody: options.CustodyOut = None,
    job: options.JobIn = None,
    save_job: options.JobOut = None,
    force: options.Force = False,
    json: options.Json = False,
    **words: Any,
) -> int:
    r"""Release a table in which every record hides among at least k.

    Lists are separated by commas, and flags may be repeated. A comma within a name is written \,
    and an equals sign within a column's name \=.

    Nothing is written unless the independent verifier accepts the release.
    """
    from shoal.options import make_job

    given = words_of_flags(words)
    chosen = make_job(override(words_of_job(job), given) if job is not None else given)
    files = _Files(data, output, facts, custody, job, save_job, json)
    files.check(chosen, force=force)
    try:
        release, source = _make(files, chosen)
    except KeyboardInterrupt:
        raise Cancelled("Interrupted: nothing was written.") from None
    if json:
        # What was noticed in the source is for its custodian, not for the published facts.
        noticed = [with_flags(note) for note in (*source.notes, *release.custody.notes)]
        print_json(release.facts | ({"source": noticed} if noticed else {}))
    else:
        _summarize(files, chosen, release, source)
    return 0


def _make(files: _Files, job: Job) -> tuple[Release, Source]:
    """Read, release, verify and write, in this order."""
    from shoal.io import ReadOptions, read_source
    from shoal.pipeline.run import run_job

    with progress_bar() as watch:
        start = time.perf_counter()
        source_checksum = _source_checksum(files)
        source = read_source(files.data, ReadOptions.of(job.reading()))
        if source.encoding is not None:
            # A guess that was taken is part of the job: it must not change with the next file.
            job = job.model_copy(update={"encoding": source.encoding})
        read = round(time.perf_counter() - start, 6)
        release = run_job(source.frame, job, watch=watch)
        release.facts["seconds"] = {"read": read, **release.facts["seconds"]}
        _write(files, job, release, source_checksum)
    return release, source


def _source_checksum(files: _Files) -> str:
    if files.custody is None:
        return ""
    if files.data == _STANDARD_STREAM:
        return checksum_of_standard_input()
    return checksum(files.data)


def _write(files: _Files, job: Job, release: Release, source_checksum: str) -> None:
    from shoal.io import Staging
    from shoal.options import write_job

    with Staging() as staging:
        staging.table(release.table, files.release, separator=job.separator, facts=release.facts)
        if files.facts is not None:
            staging.text(_facts_text(release.facts, files.facts), files.facts)
        if files.custody is not None:
            content = custody_text(
                release.custody, source_checksum, staging.checksum(files.release)
            )
            staging.text(content, files.custody, private=True)
        if files.job_out is not None:
            moved = {"hierarchy": hierarchies_from(job.hierarchy, files.job_out)}
            # A seed that was given must stay secret, wherever it is written.
            staging.text(
                write_job(job.model_copy(update=moved)),
                files.job_out,
                private=job.seed is not None,
            )
        staging.commit()


def _facts_text(facts: dict[str, Any], path: str) -> str:
    recorded = facts["job"]
    if "hierarchy" in recorded and path != _STANDARD_STREAM:
        trees = hierarchies_from(recorded["hierarchy"], path)
        facts = {**facts, "job": {**recorded, "hierarchy": trees}}
    return dumps(facts, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _summarize(files: _Files, job: Job, release: Release, source: Source) -> None:
    from shoal.cli.summary import show_notes, show_release

    taken = _STANDARD_STREAM in files.outputs.values()
    next_command = None
    if _STANDARD_STREAM not in (files.data, files.release):
        words = (
            ["--facts", files.facts]
            if files.facts not in (None, _STANDARD_STREAM)
            else flags_of_job(_as_published(job, release), options.names_of("verify"))
        )
        next_command = command("verify", files.data, files.release, *words)
    screen = Screen(stderr=taken)
    show_notes(screen, (*source.notes, *release.custody.notes))
    show_release(
        screen,
        release.facts,
        release.verdict,
        list(files.outputs.items()),
        next_command,
    )


def _as_published(job: Job, release: Release) -> Job:
    """Return the job with what the release turned out to promise, where that needs a word."""
    form = release.facts["job"].get("form")
    return job if form is None else job.model_copy(update={"form": form})
