"""The worker process: reads a table, or makes a release, apart from the server.

``python -m shoal.web.worker read PROJECT`` and ``… run RUN`` work on a folder of the workspace
and leave what they found there. An error that Shoal raises on purpose is written down with its
remedy; anything else ends the process, and the server says so.
"""

from __future__ import annotations

import datetime
import json
import os
import shutil
import signal
import sys
import threading
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import Cancelled, ExposureError, FileError, ShoalError
from shoal.limits.memory import MemoryGuard, is_lack_of_memory
from shoal.web.lattice import surroundings
from shoal.web.runs import Run, State
from shoal.web.space import NO_SPACE, is_lack_of_space
from shoal.web.tables import write_for_pages
from shoal.web.workspace import Project, write_json, write_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import polars as pl

    from shoal.pipeline.progress import Progress
    from shoal.pipeline.release import Release
    from shoal.table.inspection import ColumnSuggestion

_BUG = "Run the command of the job file with SHOAL_TRACEBACK=1 to see where, and report it."
_FIRST_ROWS = 5
_ORPHANED = 75  # exit code that nobody is left to read
_PAUSE = 0.2  # seconds between two lines of progress


def main(arguments: Sequence[str]) -> int:
    """Do one task."""
    task, folder = arguments
    tasks: dict[str, Callable[[Path], None]] = {"read": read, "run": run}
    failure = Path(folder) / "failure.json"

    def explain_lack_of_memory() -> None:
        write_json(failure, _explained(MemoryError()))

    with MemoryGuard(explain_lack_of_memory, signal.SIGINT) as guard:
        try:
            tasks[task](Path(folder))
        except BaseException as error:
            if guard.tripped or is_lack_of_memory(error):
                explain_lack_of_memory()
            elif isinstance(error, ShoalError | KeyboardInterrupt):
                write_json(failure, _explained(error))
            elif is_lack_of_space(error):
                # What is half written makes room for the message.
                for name in ("released", "private", "table.parquet", "table.arrow"):
                    _discard(Path(folder) / name)
                what, remedy = NO_SPACE
                write_json(failure, {"what": what, "remedy": remedy})
            else:
                # Its message may quote cells, so its type must do.
                what = f"Something unexpected happened: {type(error).__name__}. This is a bug."
                write_json(failure, {"what": what, "remedy": _BUG})
                raise
            return 1
    return 0


def _discard(place: Path) -> None:
    if place.is_dir():
        shutil.rmtree(place, ignore_errors=True)
    else:
        place.unlink(missing_ok=True)


def read(folder: Path) -> None:
    """Read the source of a project, and look at its columns."""
    import shoal
    from shoal.io import ReadOptions, read_source
    from shoal.io.decimal_commas import columns_with_decimal_commas
    from shoal.web.reading import format_of

    project = Project(folder)
    about = project.about
    given = dict(about.get("reading", {}))
    used = dict(given)
    try:
        source = read_source(about["source"], ReadOptions.of(given))
        marks_given = "decimal" in given or "thousands" in given
        if (
            source.text is not None
            and not marks_given
            and columns_with_decimal_commas(source.frame)
        ):
            used["decimal"] = ","
            source = read_source(about["source"], ReadOptions.of(used))
    except ShoalError as error:
        # An upload is known by its own name, not by that of its copy.
        error.what = error.what.replace(about["source"], about["name"])
        if isinstance(error, FileError):
            project.note(problem={"what": error.what, "remedy": error.remedy})
        raise
    frame = source.frame
    frame.write_parquet(project.table)
    write_for_pages(frame, project.page_table)
    found = shoal.inspect(frame)
    write_json(
        folder / "profile.json",
        {
            "n": found.n,
            "columns": [
                {
                    "name": column.name,
                    "role": str(column.role),
                    "kind": _read_as(column),
                    **_suggested(column, found.kinds.get(column.name, ""), frame),
                    "distinct": column.distinct,
                    "missing": column.missing,
                    "reason": column.reason,
                }
                for column in found.columns
            ],
            "notes": [note.replace(about["source"], about["name"]) for note in source.notes],
            "warnings": list(found.warnings),
            "missing_codes": found.null_values,
            "format": [asdict(one) for one in format_of(source, about["source"], used, given)],
            "first_rows": [
                ["" if cell is None else str(cell) for cell in row]
                for row in frame.head(_FIRST_ROWS).iter_rows()
            ],
        },
    )
    project.note(records=frame.height, columns=frame.width, reading=used, given=given)


def _suggested(column: ColumnSuggestion, kind: str, frame: pl.DataFrame) -> dict[str, str]:
    """Return kind and date format to declare, empty where the values need neither."""
    from shoal.table.oddities import likely_date_format

    date_format = likely_date_format(frame[column.name])
    return {"suggested_kind": "date" if date_format else kind, "date_format": date_format or ""}


def _read_as(column: ColumnSuggestion) -> str:
    """Return how a run reads a column whose kind is not declared."""
    if column.profile.coded:
        return "numeric"  # codes of categories, if one knows it
    as_read = {"date": "date", "datetime": "datetime", "rank": "ordered"}
    return as_read.get(str(column.reading), str(column.kind))


def run(folder: Path) -> None:
    """Make the release of a run."""
    import tomllib

    import polars as pl

    from shoal.options import Job
    from shoal.pipeline.progress import Stages
    from shoal.pipeline.run import run_job

    made = Run(folder)
    project = Project(folder.parent.parent)
    options = tomllib.loads((folder / "job.toml").read_text(encoding="utf-8"))
    os.chdir(project.folder)  # the job names hierarchy files from here
    around: list[dict[str, Any] | None] = []
    with (folder / "progress.jsonl").open("w", encoding="utf-8") as lines:
        stages = Stages(_writer(lines), solved=lambda *solved: around.append(surroundings(*solved)))
        table = pl.read_parquet(project.table)
        release = run_job(table, Job.from_dict(options), stages=stages)
    for name in ("released", "private"):
        (folder / name).mkdir(mode=0o700, exist_ok=True)
    write_for_pages(_classes(release, options), made.classes)
    write_for_pages(table[release.custody.rows], made.originals)
    write_for_pages(release.table, made.page_release)
    release.save(made.release, facts=made.facts_file, custody=made.custody)
    write_json(made.summary_file, _summary(release))
    if around[0] is not None:
        write_json(made.lattice_file, around[0])
    _write_reports(made, release)
    made.mark(State.DONE, ended=datetime.datetime.now(tz=datetime.UTC).isoformat())


def _summary(release: Release[Any]) -> dict[str, Any]:
    """Return what pages show of a release: exact figures, for the custodian alone."""
    from shoal.pipeline.comparison import risk_of
    from shoal.pipeline.headline import headline, scope

    facts, figures, verdict = release.facts, release.figures, release.verdict
    average, highest = risk_of(release)
    return {
        "headline": headline(release),
        "proof": verdict.proof,
        "scope": scope(release),
        "notes": list(dict.fromkeys((*release.custody.notes, *facts.notes))),
        "k": facts.k,
        "algorithm": facts.algorithm,
        "guarantee": facts.guarantee,
        "measure": figures.measure,
        "loss": figures.loss,
        "gcp": figures.measures["gcp"],
        "lower_bound": figures.lower_bound,
        "optimal": figures.optimal,
        "per_attribute": dict(figures.per_attribute),
        "records": facts.n,
        "classes": facts.classes,
        "smallest_class": verdict.smallest_class,
        "suppressed": facts.suppressed,
        "starred": facts.starred,
        "withheld": facts.withheld,
        "risk_average": average,
        "risk_highest": highest,
        "utility": _utility(figures.utility),
        "seconds": sum(figures.seconds.values()),
    }


def _utility(study: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return how often each classifier is wrong, learned from the original and from the release."""
    if study is None:
        return None
    learned = study["learning"]["classifiers"]
    return {
        name: {side: one[side]["mean"] for side in ("original", "release")}
        for name, one in learned.items()
    }


def _write_reports(made: Run, release: Release[Any]) -> None:
    """Write both reports, and the charts of the internal one for the page that compares runs."""
    from shoal.reports.charts import charts_of

    internal = release.report()
    write_text(made.report(public=False), internal.to_html())
    write_text(made.report(public=True), release.report(public=True).to_html())
    charts = {name: asdict(chart) for name, chart in charts_of(internal).items()}
    write_json(made.charts_file, charts)


def _classes(release: Release[Any], options: dict[str, Any]) -> pl.DataFrame:
    """Return the class of each released record, from 0."""
    import polars as pl

    shown = [
        name
        for name in release.table.columns
        if any(
            name in (one, f"{one}_min", f"{one}_max", f"{one}_missing") for one in options["quasi"]
        )
    ]
    classes: pl.DataFrame = release.table.select(pl.struct(shown).rank("dense").alias("class") - 1)
    return classes


def _writer(lines: Any) -> Callable[[Progress], None]:
    """Return a watcher that writes reports as lines, a few per second."""
    start = time.monotonic()
    last = [""]
    due = [0.0]

    def watch(progress: Progress) -> None:
        now = time.monotonic() - start
        if progress.stage == last[0] and now < due[0]:
            return
        last[0], due[0] = progress.stage, now + _PAUSE
        report = {
            "seconds": round(now, 3),
            "stage": progress.stage,
            "fraction": progress.fraction,
            "loss": progress.loss,
            "bound": progress.bound,
        }
        lines.write(json.dumps(report) + "\n")
        lines.flush()

    return watch


def _explained(error: BaseException) -> dict[str, Any]:
    if isinstance(error, MemoryError):
        return {
            "what": "There is not enough memory for this table.",
            "remedy": "Drop columns, sample the table, or use a machine with more memory.",
        }
    if isinstance(error, KeyboardInterrupt | Cancelled):
        return {
            "what": "The run was stopped before it had found a release.",
            "remedy": "Run it again, and stop it later.",
        }
    assert isinstance(error, ShoalError)
    explained: dict[str, Any] = {"what": error.what, "remedy": error.remedy}
    if isinstance(error, ExposureError):
        explained["exposed"] = list(error.columns)
    return explained


def _end_with_server() -> None:
    """End this process when the server is gone, even if it was killed.

    The server holds the other end of the standard input and never writes to it.
    """
    os.read(0, 1)
    os._exit(_ORPHANED)


if __name__ == "__main__":
    threading.Thread(target=_end_with_server, daemon=True).start()
    sys.exit(main(sys.argv[1:]))
