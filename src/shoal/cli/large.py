"""``shoal anonymize`` on tables beyond memory: from stored files to a verified release on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from shoal.cli.screen import Screen, plain_table, print_json, printable, progress_bar, seconds
from shoal.cli.summary import show_losses, show_notes
from shoal.errors import Cancelled, ParameterError
from shoal.io.extras import extra_module

if TYPE_CHECKING:
    from shoal.engines.disk.run import LargeOutputs
    from shoal.engines.outcome import LargeRelease
    from shoal.options import Job
    from shoal.pipeline.progress import Stages
    from shoal.pipeline.writing import Outputs

# What needs the whole table in memory.
_NEEDS_MEMORY = ("report", "public report", "dictionary")


def anonymize_stored(
    data: str,
    job: Job,
    outputs: Outputs,
    *,
    master: str | None,
    resume: bool,
    force: bool,
    json: bool,
) -> int:
    """Release stored files with the engine that a job names, and say what came of it."""
    from shoal.engines.disk.run import LargeOutputs, release_on_disk
    from shoal.pipeline.progress import Stages

    unsupported = [noun for noun in _NEEDS_MEMORY if noun in outputs.named]
    if unsupported:
        raise ParameterError(
            f"A {unsupported[0]} needs the whole table in memory.",
            remedy="Leave it out, or choose `engine='local'`.",
        )
    places = LargeOutputs(
        release=outputs.release, facts=outputs.facts, custody=outputs.custody, job=outputs.job
    )
    with progress_bar() as watch:
        stages = Stages(watch)
        if job.engine == "spark":
            release = _release_on_spark(
                data, places, job, master=master, stages=stages, resume=resume, force=force
            )
        else:
            release = release_on_disk(data, places, job, stages=stages, resume=resume, force=force)
    if json:
        print_json(release.facts.to_dict())
    else:
        _show(Screen(), release, outputs)
    return 0


def _release_on_spark(
    data: str,
    places: LargeOutputs,
    job: Job,
    *,
    master: str | None,
    stages: Stages,
    resume: bool,
    force: bool,
) -> LargeRelease:
    if resume:
        raise ParameterError(
            "A run on Spark leaves nothing to resume: Spark repeats what a lost machine had done.",
            remedy="Leave `resume` out.",
        )
    extra_module("pyspark", "spark", "`engine='spark'`")
    from shoal.engines.spark.files import release_files

    try:
        return release_files(data, places, job, master=master, stages=stages, force=force)
    except KeyboardInterrupt:
        raise Cancelled("Interrupted: nothing was written.") from None
    except BaseException as error:
        if not isinstance(error, Exception):
            error.add_note("Nothing was written.")
        raise


def _show(screen: Screen, release: LargeRelease, outputs: Outputs) -> None:
    facts, verdict = release.facts, release.verdict
    verdict_line = f" verified: {verdict.released:,} of {verdict.n:,} records {verdict.hiding}"
    screen.say(Text.assemble(screen.mark(passed=verdict.passed), (verdict_line, "bold")))
    screen.print(f"  {verdict.proof}", style="dim")
    screen.print(f"  {printable(str(verdict.question))}", style="dim")
    screen.say()
    table = plain_table("", "")
    table.add_row("loss", f"{release.figures.loss:.4f} (gcp: 0 keeps all detail, 1 none)")
    table.add_row("suppressed", f"{facts.suppressed:,}; {facts.withheld:,} withheld")
    table.add_row("cells", f"{release.cells:,}")
    screen.print(table)
    screen.say()
    show_losses(screen, release.figures.per_attribute)
    screen.say()
    screen.print(
        f"{seconds(sum(release.figures.seconds.values()))} in all: "
        + ", ".join(f"{stage} {seconds(value)}" for stage, value in release.figures.seconds.items())
    )
    show_notes(screen, release.notes)
    screen.say()
    files = plain_table("", "")
    for noun, path in outputs.named.items():
        files.add_row(noun, printable(path))
    screen.print(files)
