"""Counts for the verdict on a release, made by DuckDB in bounded memory.

It reads the copy of the source and the release with its row map, and nothing of the cells, codes
or classes that the release was made with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.engines.disk.duck import files_of, is_complete, literal, quoted
from shoal.engines.notations import columns_of, silent_cell
from shoal.engines.solving import ROW
from shoal.table.schema import MissingPolicy
from shoal.verifier.by_parts import ClaimTally, PairTally, Tally
from shoal.verifier.models import read_claims

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from shoal.engines.disk.duck import Duck
    from shoal.options import Job
    from shoal.table.schema import Schema
    from shoal.verifier import Verdict

_HOW = "DuckDB"


def verify_on_disk(
    duck: Duck,
    source: Path,
    columns: Mapping[str, pl.DataType],
    release: str,
    *,
    schema: Schema,
    job: Job,
) -> Verdict:
    """Return the verdict on a release.

    Parameters
    ----------
    source, columns
        The copy of the source, with row numbers, and the types of its columns.
    release
        The release as an SQL table, with the row number of each record's original.
    schema, job
        What the release is held to.
    """
    drops = schema.missing is MissingPolicy.DROP
    kept = is_complete(schema.quasi_names, columns) if drops else "TRUE"
    shown = columns_of(schema.quasi, job.notation)
    released = [name for names in shown.values() for name in names]
    found = duck.frame(f"SELECT * FROM {release} LIMIT 0")  # noqa: S608
    held = [name for name in found.columns if name != ROW]
    tally = Tally(schema, job.k, job.models, job.suppression, held, [*released, *schema.untouched])
    if not set(tally.expected) <= set(held):
        return tally.verdict(_HOW)
    _count_rows(duck, tally, source, release, kept)
    _count_classes(duck, tally, source, release, released, job)
    _count_pairs(duck, tally, source, columns, release, shown, job)
    _judge_models(duck, tally, source, columns, release, released, kept)
    return tally.verdict(_HOW)


def _count_rows(duck: Duck, tally: Tally, source: Path, release: str, kept: str) -> None:
    """Count originals, released records, and how the row map links them."""
    originals = duck.row(
        f"SELECT count(*), count(*) FILTER (WHERE NOT ({kept})) FROM {files_of(source)}"  # noqa: S608
    )
    tally.originals, tally.set_aside = originals
    # A group-by spills what does not fit into memory, which counting distinct values need not.
    tally.released, tally.distinct = duck.row(
        f"SELECT coalesce(sum(n), 0)::BIGINT, count({ROW}) FROM "  # noqa: S608
        f"(SELECT {ROW}, count(*) AS n FROM {release} GROUP BY {ROW})"
    )
    unchanged = tally.schema.untouched
    differs = "".join(
        f", count(*) FILTER (WHERE s.{quoted(name)} IS DISTINCT FROM r.{quoted(name)})"
        for name in unchanged
    )
    complete = f"SELECT * FROM {files_of(source)} WHERE {kept}"  # noqa: S608
    counted = duck.row(
        f"SELECT count(*){differs} FROM {release} r JOIN ({complete}) s ON r.{ROW} = s.{ROW}"  # noqa: S608
    )
    tally.matched = counted[0]
    tally.changed = dict(zip(unchanged, counted[1:], strict=True))


def _count_classes(  # noqa: PLR0917 (two tables, and what links them)
    duck: Duck, tally: Tally, source: Path, release: str, released: Sequence[str], job: Job
) -> None:
    """Count classes of equal released cells, and the smallest in what k counts."""
    cells = ", ".join(f"r.{quoted(name)}" for name in released)
    silent = " AND ".join(
        _is(name, silent_cell(one.kind, job.notation))
        for one in tally.schema.quasi
        for name in columns_of([one], job.notation)[one.name]
    )
    table, members = f"{release} r", "count(*)"
    if tally.schema.person is not None:
        person = quoted(tally.schema.person)
        table += f" JOIN {files_of(source)} s ON r.{ROW} = s.{ROW}"
        # Records without a person count as one, so that k is never overstated.
        members = f"count(DISTINCT s.{person}) + max((s.{person} IS NULL)::INTEGER)"
    tally.classes, smallest, starred = duck.row(
        f"SELECT count(*), min(members), sum(records) FILTER (WHERE silent) FROM (SELECT "  # noqa: S608
        f"count(*) AS records, {members} AS members, bool_and({silent}) AS silent FROM {table} "
        f"GROUP BY {cells})"
    )
    tally.smallest, tally.starred = smallest or 0, starred or 0


def _is(name: str, cell: str | None) -> str:
    """Return the SQL condition that a released cell is a certain text, or missing."""
    column = f"r.{quoted(name)}"
    return f"{column} IS NULL" if cell is None else f"coalesce({column}, '') = {literal(cell)}"


def _count_pairs(  # noqa: PLR0917 (two tables, and what links them)
    duck: Duck,
    tally: Tally,
    source: Path,
    columns: Mapping[str, pl.DataType],
    release: str,
    shown: Mapping[str, Sequence[str]],
    job: Job,
) -> None:
    """Look at every distinct pair of an original and a released cell, attribute by attribute."""
    tally.pairs = [PairTally(one, job.notation) for one in tally.schema.quasi]
    originals = [
        f"s.{quoted(one.name)} AS o{place}" for place, one in enumerate(tally.schema.quasi)
    ]
    cells = [
        f"r.{quoted(name)} AS r{place}_{number}"
        for place, one in enumerate(tally.schema.quasi)
        for number, name in enumerate(shown[one.name])
    ]
    sets = []
    for place, one in enumerate(tally.schema.quasi):
        own = [f"r{place}_{number}" for number in range(len(shown[one.name]))]
        sets.append(f"({', '.join([f'o{place}', *own])})")
    which = ", ".join(f"grouping(o{place}) AS g{place}" for place in range(len(tally.pairs)))
    listed = ", ".join([name.rpartition(" AS ")[2] for name in (*originals, *cells)])
    sql = (
        f"SELECT {listed}, {which}, count(*) AS records FROM (SELECT "  # noqa: S608
        f"{', '.join([*originals, *cells])} FROM {release} r JOIN {files_of(source)} s ON "
        f"r.{ROW} = s.{ROW}) GROUP BY GROUPING SETS ({', '.join(sets)})"
    )
    for piece in duck.pieces(sql):
        for place, pair in enumerate(tally.pairs):
            seen = piece.filter(pl.col(f"g{place}") == 0)
            if not seen.height:
                continue
            name = pair.attribute.name
            cell = seen.select(
                pl.col(f"r{place}_{number}").alias(column)
                for number, column in enumerate(shown[name])
            )
            original = seen[f"o{place}"].cast(columns[name]).alias(name)
            pair.add(original, cell, seen["records"].to_numpy())


def _judge_models(  # noqa: PLR0917 (two tables, and what links them)
    duck: Duck,
    tally: Tally,
    source: Path,
    columns: Mapping[str, pl.DataType],
    release: str,
    released: Sequence[str],
    kept: str,
) -> None:
    """Judge every class by the values it holds, classes in the order of their cells."""
    claims = []
    for claim in read_claims(tally.models, tally.schema):
        column = quoted(claim.column)
        counted = duck.frame(
            f"SELECT {column} AS cell, count(*) AS records FROM {files_of(source)} WHERE {kept} "  # noqa: S608
            f"GROUP BY ALL"
        )
        # An empty text and a missing cell are the same value.
        plain = counted.with_columns(pl.col("cell").cast(columns[claim.column]))
        if plain["cell"].dtype == pl.String:
            plain = plain.with_columns(pl.col("cell").replace("", None))
        plain = plain.group_by("cell").agg(pl.col("records").sum()).sort("cell", nulls_last=True)
        judged = ClaimTally(claim, plain["cell"], plain["records"].to_numpy(), tally.schema)
        claims.append(judged)
        places = plain.with_row_index("place").select("cell", pl.col("place").cast(pl.Int64))
        cells = ", ".join(f"{quoted(name)}::VARCHAR AS c{n}" for n, name in enumerate(released))
        order = ", ".join(f"c{number}" for number in range(len(released)))
        sql = (
            f"SELECT {cells}, {column} AS cell, count(*) AS records FROM {release} "  # noqa: S608
            f"GROUP BY ALL ORDER BY {order}"
        )
        left = None
        for read in duck.pieces(sql):
            piece = read.with_columns(pl.col("cell").cast(columns[claim.column]))
            if piece["cell"].dtype == pl.String:
                piece = piece.with_columns(pl.col("cell").replace("", None))
            piece = piece.join(
                places, on="cell", how="left", nulls_equal=True, maintain_order="left"
            )
            joined = piece if left is None else pl.concat([left, piece])
            owner = joined.select(pl.struct(f"c{n}" for n in range(len(released))).rle_id())
            number = owner.to_series().cast(pl.Int64).to_numpy()
            last = number == number[-1]  # it may go on in the next piece
            left = joined.filter(pl.Series(last))
            _add(judged, joined.filter(pl.Series(~last)), number[~last])
        if left is not None:
            _add(judged, left, np.zeros(left.height, dtype=np.int64))
    tally.claims = claims


def _add(judged: ClaimTally, entries: pl.DataFrame, owner: NDArray[np.int64]) -> None:
    if entries.height:
        place = entries["place"].fill_null(judged.unknown).to_numpy()
        judged.add(owner, place, entries["records"].to_numpy())
