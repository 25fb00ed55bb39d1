"""From stored files to a plan and records in the order of units, in bounded memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.engines.codebook import Codebook, counted_columns
from shoal.engines.cutting import cell_target, grow_tree, join_for_models, levels_done
from shoal.engines.disk.duck import CODE, VALUE, CodesOnDisk, count_cells, is_complete, write_units
from shoal.engines.disk.worker import UNITS
from shoal.engines.solving import ROW, Plan
from shoal.errors import InputError
from shoal.table.cells import texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from shoal.engines.disk.duck import Duck
    from shoal.engines.disk.folder import WorkFolder
    from shoal.engines.disk.stored import StoredTable
    from shoal.options import Job
    from shoal.pipeline.run import Hierarchies

SOURCE, CODED = "source", "coded"
_ROWS_OF_A_FILE = 1 << 19


def copy_source(
    table: StoredTable, job: Job, folder: Path, report: Callable[[float], None]
) -> dict[str, pl.DataType]:
    """Copy the columns that a release needs, numbered by row; return the types of all columns.

    Identifiers stay behind, except the one that distinguishes persons.
    """
    columns: dict[str, pl.DataType] = {}
    rows = 0
    expected = table.expected_records()
    for number, frame in enumerate(_in_files(table.pieces())):
        columns = dict(frame.schema)
        kept = frame.select(_needed(list(columns), job))
        numbers = pl.Series(ROW, np.arange(rows, rows + frame.height, dtype=np.int64))
        kept.with_columns(numbers).write_parquet(
            folder / f"{number:08}.parquet", compression="zstd", compression_level=1
        )
        rows += frame.height
        report(min(rows / max(expected, rows), 1.0))
    if not rows:
        raise InputError("No record is left: the table is empty.", remedy="Give records.")
    return columns


def _needed(columns: list[str], job: Job) -> list[str]:
    declared = {*job.quasi, *job.sensitive, *job.other}
    hidden = {*job.identifier}
    if job.person is not None:
        declared.add(job.person)
        hidden.discard(job.person)
    every = job.rest == "other"
    return [name for name in columns if name not in hidden and (every or name in declared)]


def _in_files(pieces: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    held: list[pl.DataFrame] = []
    for piece in pieces:
        held.append(piece)
        if sum(one.height for one in held) >= _ROWS_OF_A_FILE:
            yield pl.concat(held)
            held = []
    if held:
        yield pl.concat(held)


def read_codebook(
    duck: Duck,
    source: Path,
    columns: dict[str, pl.DataType],
    job: Job,
    hierarchy: Hierarchies | None,
) -> Codebook:
    """Count the cells of the copy, and return the codebook of the table."""
    quasi = [name for name in job.quasi if name in columns]
    where = is_complete(quasi, columns) if job.missing == "drop" else "TRUE"
    names = [name for name in counted_columns(job) if name in columns]
    dictionaries = count_cells(duck, source, names, columns, where)
    if any(not len(one.cells) for one in dictionaries.values()):
        raise InputError(
            "No record is left: every one lacks a quasi-identifier.",
            remedy="Keep them with `missing='value'`.",
        )
    return Codebook.of(columns, dictionaries, job, hierarchy)


def encode_source(
    source: Path, coded: Path, codebook: Codebook, report: Callable[[float], None]
) -> None:
    """Write the records with their codes, file by file."""
    files = sorted(source.glob("*.parquet"))
    for number, file in enumerate(files):
        frame = pl.read_parquet(file)
        if codebook.job.missing == "drop":
            shown = [texts(frame[name]).is_not_null() for name in codebook.schema.quasi_names]
            frame = frame.filter(pl.all_horizontal(shown))
        codes = [
            pl.Series(f"{CODE}{place}", values.astype(np.min_scalar_type(max(domain.size - 1, 0))))
            for place, (values, domain) in enumerate(
                zip(codebook.encode(frame), codebook.domains, strict=True)
            )
        ]
        codes += [
            pl.Series(f"{VALUE}{place}", coding.encode(frame[str(model.column)]))
            for place, (model, coding) in enumerate(
                zip(codebook.models, codebook.model_codings, strict=True)
            )
            if coding is not None
        ]
        frame.select(*codebook.kept_columns, ROW).with_columns(codes).write_parquet(
            coded / file.name, compression="zstd", compression_level=1
        )
        report((number + 1) / len(files))


def make_plan(
    duck: Duck, coded: Path, codebook: Codebook, seed: int, report: Callable[[float], None]
) -> Plan:
    """Grow the cut tree from the counts of DuckDB."""
    job = codebook.job
    counts = CodesOnDisk(duck, coded, len(codebook.domains))
    target = cell_target(job.cell_records, job.k)
    tree = grow_tree(
        counts,
        codebook.domains,
        codebook.weights,
        n=codebook.n,
        k=job.k,
        target=target,
        report=lambda grown: report(levels_done(grown, target)),
    )
    if codebook.models:
        held = counts.model_histograms(tree, codebook)
        tree = join_for_models(tree, codebook.models, held, target=target)
    return Plan(codebook, tree, seed)


def lay_out_units(duck: Duck, coded: Path, plan: Plan, folder: WorkFolder) -> None:
    """Write the records in the order of their units."""
    write_units(duck, coded, plan.tree, plan.codebook, folder.path / UNITS)
