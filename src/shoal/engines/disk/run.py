"""A release on disk, from files to files: the only place where its stages meet."""

from __future__ import annotations

import hashlib
import json
import secrets
import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from shoal.engines.ability import choose_for_cells
from shoal.engines.disk import preparing
from shoal.engines.disk.duck import Duck, files_of, quoted
from shoal.engines.disk.folder import WorkFolder
from shoal.engines.disk.output import LargeOutput, require_writable
from shoal.engines.disk.sampling import examine_sample, examine_source
from shoal.engines.disk.stored import StoredTable
from shoal.engines.disk.verification import verify_on_disk
from shoal.engines.disk.worker import KEY, SOLVED, STARRED, SUPPRESSED, place_of
from shoal.engines.disk.workers import solve_units
from shoal.engines.memory import memory_for_disk
from shoal.engines.notations import fractional_bounds
from shoal.engines.outcome import LargeRelease, facts_of, figures_of
from shoal.engines.solving import ROW
from shoal.engines.suppressed import fault_of_starred
from shoal.errors import Cancelled, FileError, VerificationError
from shoal.io import Staging, check_output
from shoal.io.address import require_files
from shoal.io.datasets import checksum_of_files
from shoal.io.destination import refuse_input
from shoal.limits.cores import threads_or_cores
from shoal.options import write_job
from shoal.pipeline.custody import require_separate_folder
from shoal.pipeline.progress import Progress, Stages
from shoal.pipeline.unchanged import with_exposure

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from shoal.engines.codebook import Codebook
    from shoal.engines.solving import Plan
    from shoal.options import Job
    from shoal.pipeline.run import Hierarchies
    from shoal.verifier import Verdict

_ROW_MAP = "row-map.parquet"
# What may be otherwise when the run is resumed.
_MENDABLE = (FileError, OSError, MemoryError)
_NOTHING_LEFT = "nothing was released, and no work was kept that could be resumed."


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeOutputs:
    """Where a large release and its companions go.

    Parameters
    ----------
    release
        A ``.csv`` or ``.parquet`` file; without a suffix, a folder of Parquet files.
    facts, job
        Files for the facts and the job.
    custody
        File for the secrets; the row map goes beside it, as Parquet.
    """

    release: str
    facts: str | None = None
    custody: str | None = None
    job: str | None = None

    def check(self, table: StoredTable, *, force: bool) -> None:
        """Raise before any work if an output could not be written in the end."""
        require_files(self.release)
        refuse_input(self.release, table.files)
        require_writable(self.release, force=force)
        rows = None if self.custody is None else f"{self.custody}.rows.parquet"
        for path in (self.facts, self.custody, self.job, rows):
            if path is not None:
                check_output(path, force, table=False, inputs=table.files, others=[self.release])
        if self.custody is not None:
            require_separate_folder(self.custody, self.release)


def release_on_disk(
    source: str | Path,
    outputs: LargeOutputs,
    job: Job,
    *,
    hierarchy: Hierarchies | None = None,
    stages: Stages | None = None,
    resume: bool = False,
    force: bool = False,
) -> LargeRelease:
    """Return the verified release of stored files, written whole or not at all.

    Parameters
    ----------
    source
        A Parquet or CSV file, a pattern, or a folder of Parquet files.
    outputs
        Where the release and its companions go.
    job, hierarchy
        As for :func:`shoal.anonymize`.
    stages
        What watches the run.
    resume
        Whether to take up a run that was killed or interrupted.
    force
        Whether an existing release may be replaced.
    """
    stages = stages or Stages()
    choose_for_cells(job)  # refused before the work, not after the counting
    table = StoredTable.at(source, job)
    outputs.check(table, force=force)
    text = json.dumps(job.to_dict(), sort_keys=True, default=str)
    expected = {
        "source": table.fingerprint(),
        "job": hashlib.sha256(text.encode()).hexdigest(),
        "version": version("shoal"),
    }
    folder = WorkFolder.beside(outputs.release)
    folder = folder.resume(expected) if resume else folder.begin()
    with _kept_for_resuming(folder):
        if not resume:
            _prepare(table, hierarchy, folder, expected, stages)
        release = _finish(table, outputs, folder, stages)
        folder.remove()
    return release


@contextmanager
def _kept_for_resuming(folder: WorkFolder) -> Iterator[None]:
    """Leave a state that can be resumed, or nothing, whatever ends the run, and report which."""
    try:
        yield
    except BaseException as error:
        # A goal that cannot be met, or a bug, would end the next run in the same way.
        wished = not isinstance(error, Exception)
        if not folder.is_resumable or not (wished or isinstance(error, _MENDABLE)):
            folder.remove()
            if isinstance(error, KeyboardInterrupt):
                raise Cancelled(f"Interrupted: {_NOTHING_LEFT}") from None
            if wished:
                error.add_note(f"N{_NOTHING_LEFT[1:]}")
            raise
        folder.let_go()
        kept = (
            f"The work done so far is kept in {folder.path}, which holds original cells: continue "
            "with `resume`, or remove it."
        )
        if isinstance(error, KeyboardInterrupt):
            raise Cancelled(f"Interrupted: nothing was released. {kept}") from None
        if isinstance(error, FileError):
            raise FileError(error.what, remedy=f"{error.remedy} {kept}") from error
        if isinstance(error, _MENDABLE):
            raise FileError(f"The run stopped ({type(error).__name__}).", remedy=kept) from error
        error.add_note(f"Nothing was released. {kept}")
        raise


def _duck(folder: WorkFolder, job: Job) -> Duck:
    memory, threads = memory_for_disk(job.memory) // 2, threads_or_cores(job.threads)
    return Duck(folder.part("spill"), memory=memory, threads=threads)


def _prepare(
    table: StoredTable,
    hierarchy: Hierarchies | None,
    folder: WorkFolder,
    expected: dict[str, Any],
    stages: Stages,
) -> None:
    """Read the source, make the plan, and lay out the records: what a resumed run finds done."""
    job = table.job
    source, coded = folder.part(preparing.SOURCE), folder.part(preparing.CODED)
    with stages.stage("read"):
        columns = preparing.copy_source(
            table, job, source, lambda done: stages.report(Progress("read", done))
        )
    with _duck(folder, job) as duck:
        with stages.stage("encode"):
            codebook = preparing.read_codebook(duck, source, columns, job, hierarchy)
        with stages.stage("examine"):
            examine_source(source, codebook)
        with stages.stage("encode"):
            preparing.encode_source(
                source, coded, codebook, lambda done: stages.report(Progress("encode", done))
            )
        with stages.stage("cut"):
            seed = secrets.randbits(128) if job.seed is None else job.seed
            plan = preparing.make_plan(
                duck, coded, codebook, seed, lambda done: stages.report(Progress("cut", done))
            )
            preparing.lay_out_units(duck, coded, plan, folder)
    shutil.rmtree(coded)
    folder.save_plan(plan, expected)


def _finish(
    table: StoredTable, outputs: LargeOutputs, folder: WorkFolder, stages: Stages
) -> LargeRelease:
    """Solve, verify and write."""
    plan = folder.plan()
    job = plan.codebook.job
    with stages.stage("solve"):
        solved = solve_units(
            folder,
            plan,
            threads_or_cores(job.threads),
            lambda done: stages.report(Progress("solve", done)),
        )
    with stages.stage("examine"):
        exposure, sampled = examine_sample(folder, plan, job)
    types = pl.read_parquet_schema(place_of(folder.path / SOLVED, 0))
    columns = {
        name: kind for name, kind in types.items() if name not in (ROW, KEY, STARRED, SUPPRESSED)
    }
    suppressed = sum(one.suppressed for one in solved)
    written = LargeOutput(outputs.release, folder.path)
    with _duck(folder, job) as duck, written.staged():
        cells = folder.path / SOLVED
        fault = _fault_of_starred(duck, cells, plan) if suppressed else None
        shown = f"FROM {files_of(cells)} WHERE {'TRUE' if fault is None else f'NOT {SUPPRESSED}'}"
        columns |= _whole_bounds(duck, shown, columns, plan.codebook)
        with stages.stage("verify"):
            verdict = _verify(duck, folder, plan, f"(SELECT {_listed((*columns, ROW))} {shown})")
            verdict = with_exposure(verdict, exposure)
        with stages.stage("write"):
            total = max(verdict.released, 1)
            row_map = folder.path / _ROW_MAP
            row_map.unlink(missing_ok=True)  # of a run that was killed while it wrote
            written.write(
                duck,
                f"(SELECT * {shown})",
                columns,
                job,
                row_map=row_map,
                report=lambda rows: stages.report(Progress("write", rows / total)),
            )
            digest = written.checksum()
        notes = [*plan.codebook.notes, *exposure.notes()]
        if fault is not None and job.suppressed == "star":
            notes.append(f"{suppressed:,} suppressed records are withheld, not starred: {fault}")
        if exposure.columns and sampled < verdict.released:
            notes.append(f"Unchanged columns were examined in a sample of {sampled:,} records.")
        figures = figures_of(plan, solved, exposure, stages)
        release = LargeRelease(
            output=Path(outputs.release),
            facts=facts_of(plan, solved, verdict, exposure, figures, digest),
            verdict=verdict,
            figures=figures,
            job=job,
            cells=len(plan.tree.cells),
            notes=tuple(notes),
            seed=plan.seed,
        )
        _commit(release, written, outputs, table, folder)
    return release


def _fault_of_starred(duck: Duck, solved: Path, plan: Plan) -> str | None:
    """Return why suppressed records must be withheld; nothing if they may be starred."""
    where = f"FROM {files_of(solved)} WHERE {STARRED}"
    return fault_of_starred(
        plan.codebook,
        lambda: int(duck.row(f"SELECT count(*) {where}")[0]),
        lambda name: duck.frame(
            f"SELECT {quoted(name)} AS cell, count(*) AS n {where} GROUP BY ALL"
        ),
    )


def _whole_bounds(
    duck: Duck, shown: str, columns: Mapping[str, pl.DataType], codebook: Codebook
) -> dict[str, pl.DataType]:
    """Return the type of bounds that are whole in all released records, though not in others."""
    quasi, notation = codebook.schema.quasi, codebook.job.notation
    whole: dict[str, pl.DataType] = {}
    for names in fractional_bounds(quasi, notation, columns, pl.Float64):
        one_is_not = " OR ".join(
            f"{quoted(name)} <> round({quoted(name)}) OR abs({quoted(name)}) >= {2**53}"
            for name in names
        )
        if not duck.row(f"SELECT coalesce(bool_or({one_is_not}), FALSE) {shown}")[0]:
            whole |= dict.fromkeys(names, pl.Int64())
    return whole


def _listed(names: Iterable[str]) -> str:
    return ", ".join(quoted(name) for name in names)


def _verify(duck: Duck, folder: WorkFolder, plan: Plan, release: str) -> Verdict:
    """Return the verdict on a release, or raise if it failed."""
    source = folder.path / preparing.SOURCE
    columns = dict(pl.read_parquet_schema(next(source.glob("*.parquet"))))
    verdict = verify_on_disk(
        duck, source, columns, release, schema=plan.codebook.schema, job=plan.codebook.job
    )
    if not verdict.passed:
        raise VerificationError(
            f"The verifier rejected the release, so nothing was written:\n{verdict}",
            remedy="This is a bug in Shoal; please report it with the job file.",
        )
    return verdict


def _commit(
    release: LargeRelease,
    written: LargeOutput,
    outputs: LargeOutputs,
    table: StoredTable,
    folder: WorkFolder,
) -> None:
    """Give the release and its companions their names."""
    job = release.job
    with Staging() as staging:
        if outputs.facts is not None:
            staging.text(release.facts.to_json(), outputs.facts)
        if outputs.job is not None:
            staging.text(write_job(job), outputs.job, private=job.seed is not None)
        if outputs.custody is not None:
            rows = Path(f"{outputs.custody}.rows.parquet")
            text = _custody(release, table, rows.name)
            staging.text(text, outputs.custody, private=True)
            staging.file(folder.path / _ROW_MAP, rows, private=True)
        with written.named():
            staging.commit()


def _custody(release: LargeRelease, table: StoredTable, rows: str) -> str:
    content = {
        "about": "Secrets of a release: keep this file apart from it and to yourself.",
        "seed": str(release.seed),
        "source_sha256": checksum_of_files(table.files),
        "release_sha256": release.facts.release_sha256,
        "notes": list(release.notes),
        "figures": release.figures.to_dict(),
        "row_map": rows,
    }
    return json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n"
