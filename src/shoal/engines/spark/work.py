"""What the Python workers of the executors do: functions of Arrow batches, pickled with a plan."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pyarrow as pa

from shoal.engines.cutting import Histogram
from shoal.engines.outcome import Solved
from shoal.engines.solving import CLASS, ROW, seed_of, solve_unit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from shoal.engines.codebook import Codebook
    from shoal.engines.cut_tree import CutTree
    from shoal.engines.solving import Plan

CODE, VALUE, PERSON = "__shoal_code_", "__shoal_value_", "__shoal_person"
UNIT, STARRED, SUPPRESSED = "__shoal_unit", "__shoal_starred", "__shoal_suppressed"
KEY, SUMMARY = "__shoal_key", "__shoal_summary"
HISTOGRAM = "attribute int, cell long, code long, count long"
# Batches are put together to so many records, and no more.
_TOGETHER = 1 << 20


def frames(batches: Iterable[Any], records: int | None = _TOGETHER) -> Iterator[pl.DataFrame]:
    """Yield batches as frames of about so many records, or all of a partition as one."""
    held: list[Any] = []
    for batch in batches:
        held.append(batch)
        if records is not None and sum(one.num_rows for one in held) >= records:
            yield frame_of(pa.Table.from_batches(held))
            held = []
    if held:
        yield frame_of(pa.Table.from_batches(held))


def frame_of(table: Any) -> pl.DataFrame:
    """Return an Arrow table as a frame."""
    read = pl.from_arrow(table)
    assert isinstance(read, pl.DataFrame)
    return read


def batches_of(frame: pl.DataFrame) -> Iterator[Any]:
    """Yield a frame as batches in types that Spark reads."""
    yield from table_of(frame).to_batches()


def table_of(frame: pl.DataFrame) -> Any:
    """Return a frame as an Arrow table in types that Spark reads: no large texts or bytes."""
    table = frame.to_arrow(compat_level=pl.CompatLevel.oldest())
    fields = [pa.field(one.name, _small(one.type)) for one in table.schema]
    return table.cast(pa.schema(fields))


def _small(kind: Any) -> Any:
    """Return an Arrow type with offsets of 32 bits, also within lists and structs."""
    if pa.types.is_large_string(kind):
        return pa.string()
    if pa.types.is_large_binary(kind):
        return pa.binary()
    if pa.types.is_large_list(kind) or pa.types.is_list(kind):
        return pa.list_(_small(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(one.name, _small(one.type)) for one in kind])
    return kind


def encode_records(codebook: Codebook) -> Callable[[Any], Iterator[Any]]:
    """Return the function that replaces records by the codes that cuts and models read."""

    def encode(batches: Any) -> Iterator[Any]:
        for frame in frames(batches):
            columns = [
                pl.Series(f"{CODE}{place}", codes.astype(np.int32))
                for place, codes in enumerate(codebook.encode(frame))
            ]
            for place, (model, coding) in enumerate(
                zip(codebook.models, codebook.model_codings, strict=True)
            ):
                column = frame[str(model.column)]
                if coding is None:
                    columns.append(column.alias(PERSON))
                else:
                    codes = coding.encode(column).astype(np.int32)
                    columns.append(pl.Series(f"{VALUE}{place}", codes))
            yield from batches_of(pl.DataFrame(columns))

    return encode


def count_codes(
    tree: CutTree, cells: Sequence[str], attributes: int, counted: Sequence[str]
) -> Callable[[Any], Iterator[Any]]:
    """Return the function that counts the codes of a partition, cell by cell.

    Parameters
    ----------
    tree
        Finds the cell of a record from its first columns, one for each attribute.
    cells
        The cells that are counted; they are named by their place here.
    counted
        The columns whose codes are counted; they are named by their place here.
    """
    numbers = {path: number for number, path in enumerate(tree.cells)}
    place = np.full(len(tree.cells), -1)
    for number, path in enumerate(cells):
        place[numbers[path]] = number

    def count(batches: Any) -> Iterator[Any]:
        found: list[list[Histogram]] = [[] for _ in counted]
        for frame in frames(batches):
            codes = [frame[f"{CODE}{one}"].to_numpy() for one in range(attributes)]
            owner = place[tree.assign(codes)]
            requested = owner >= 0
            for held, name in zip(found, counted, strict=True):
                held.append(Histogram.of(owner[requested], frame[name].to_numpy()[requested]))
        for number, held in enumerate(found):
            if held:
                whole = Histogram.of(
                    np.concatenate([one.cell for one in held]),
                    np.concatenate([one.code for one in held]),
                    np.concatenate([one.count for one in held]),
                )
                yield from batches_of(
                    pl.DataFrame(
                        {
                            "attribute": np.full(len(whole.cell), number, dtype=np.int32),
                            "cell": whole.cell.astype(np.int64),
                            "code": whole.code.astype(np.int64),
                            "count": whole.count.astype(np.int64),
                        }
                    )
                )

    return count


def find_cells_of_persons(tree: CutTree, attributes: int) -> Callable[[Any], Iterator[Any]]:
    """Return the function that finds in which cells of the tree each person is."""

    def find(batches: Any) -> Iterator[Any]:
        for frame in frames(batches):
            codes = [frame[f"{CODE}{one}"].to_numpy() for one in range(attributes)]
            found = frame.select(PERSON).with_columns(
                cell=pl.Series(tree.assign(codes), dtype=pl.Int64)
            )
            yield from batches_of(found.unique())

    return find


def find_units(plan: Plan) -> Callable[[Any], Iterator[Any]]:
    """Return the function that adds to each record the number of its unit."""
    tree, codebook = plan.tree, plan.codebook
    unit_of_cell = tree.unit_of_cell

    def find(batches: Any) -> Iterator[Any]:
        for frame in frames(batches):
            unit = unit_of_cell[tree.assign(codebook.encode(frame))]
            kept = frame.select(*codebook.kept_columns, ROW)
            yield from batches_of(kept.with_columns(pl.Series(UNIT, unit, dtype=pl.Int32)))

    return find


def solve_units(plan: Plan) -> Callable[[Any, Any], Any]:
    """Return the function that makes the release of a unit."""

    def solve(key: Any, table: Any) -> Any:
        unit = int(key[0].as_py())
        found = solve_unit(frame_of(table).drop(UNIT), plan, unit)
        size = found.table.height
        rng = np.random.default_rng(seed_of(plan.seed, plan.tree.units[unit], "order"))
        suppressed = found.suppressed
        summary = Solved(unit, size, found.classes, int(suppressed.sum()), found.lost, found.steps)
        released = found.table.drop(CLASS).with_columns(
            pl.Series(UNIT, np.full(size, unit, dtype=np.int32)),
            pl.Series(STARRED, found.starred),
            pl.Series(SUPPRESSED, suppressed),
            # The release is sorted by this key: shuffled as a whole, whatever the units.
            pl.Series(KEY, rng.integers(2**63, size=size, dtype=np.int64)),
            # What is known of the unit goes with its first record.
            pl.Series(
                SUMMARY, [json.dumps(asdict(summary)), *[None] * (size - 1)], dtype=pl.String
            ),
        )
        return table_of(released)

    return solve
