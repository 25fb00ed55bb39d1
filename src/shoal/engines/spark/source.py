"""The source as the engine sees it: the columns it needs, with a number for each record."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
from pyspark.sql import Window
from pyspark.sql import functions as F  # noqa: N812 (as in every Spark program)
from pyspark.sql.types import MapType, StringType, VariantType

from shoal.engines.solving import ROW, seed_of
from shoal.errors import InputError, SchemaError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import Column, DataFrame

    from shoal.options import Job

# Records are numbered bucket by bucket: no sort ever holds more than one of so many parts.
_BUCKETS = 1 << 12
_PLACES = 1 << 40
_SHARES = 1 << 30


def cell(name: str) -> Column:
    """Return a column by its exact name; dots in it mean nothing."""
    return F.col(quoted(name))


def quoted(name: str) -> str:
    """Return a column's name as Spark SQL writes it."""
    return "`" + name.replace("`", "``") + "`"


def types_of(frame: DataFrame) -> dict[str, pl.DataType]:
    """Return every column of a frame and its type in polars."""
    read = pl.from_arrow(frame.limit(0).toArrow())
    assert isinstance(read, pl.DataFrame)
    return dict(read.schema)


def needed_columns(frame: DataFrame, job: Job) -> list[str]:
    """Return the columns that a release needs: no identifier but that of persons."""
    declared = {*job.quasi, *job.sensitive, *job.other}
    hidden = {*job.identifier}
    if job.person is not None:
        declared.add(job.person)
        hidden.discard(job.person)
    every = job.rest == "other"
    return [name for name in frame.columns if name not in hidden and (every or name in declared)]


def number_records(
    frame: DataFrame, names: Sequence[str], *, seed: int, row: str | None
) -> DataFrame:
    """Return the needed columns, and a number for each record that no other has.

    A frame has no order. So the number follows from the record itself: a keyed hash of its cells
    chooses one of 4,096 buckets, and its place there in the order of hash and cells is its number.
    Records that are equal in every cell are exchangeable. A partition that is computed again, on
    another machine and in another order, gets the same numbers; and no machine sorts it all.

    Parameters
    ----------
    names
        The columns that are needed.
    seed
        Seed of the run: whoever does not know it cannot derive numbers from cells.
    row
        A column of different whole numbers that is taken instead.

    Raises
    ------
    SchemaError
        If a column has a type that cannot be compared, or ``row`` is missing or no number.
    """
    if row is not None:
        _require_numbers(frame, row)
        return frame.select(*(cell(name) for name in names), cell(row).cast("long").alias(ROW))
    unordered = [
        field.name
        for field in frame.schema.fields
        if field.name in names and isinstance(field.dataType, MapType | VariantType)
    ]
    if unordered:
        raise SchemaError(
            f"Column {unordered[0]!r} is a map, whose cells cannot be compared.",
            remedy="Drop it, or turn it into text.",
        )
    columns = [cell(name) for name in names]
    key = F.xxhash64(F.lit(seed_of(seed, "", "rows") % 2**63), *columns)
    hashed = frame.select(*columns, key.alias("__shoal_hash"))
    bucket = F.pmod(F.col("__shoal_hash"), F.lit(_BUCKETS))
    within = Window.partitionBy(bucket).orderBy(F.col("__shoal_hash"), *columns)
    number = bucket * _PLACES + F.row_number().over(within)
    return hashed.select(*columns, number.cast("long").alias(ROW))


def _require_numbers(frame: DataFrame, row: str) -> None:
    types = {field.name: field.dataType.typeName() for field in frame.schema.fields}
    if types.get(row) not in ("byte", "short", "integer", "long"):
        raise SchemaError(
            f"Column {row!r} is missing, or does not hold whole numbers.",
            remedy="Name a column of distinct whole numbers with `row`, or leave it out.",
        )


def require_one_number_each(numbered: DataFrame, row: str) -> None:
    """Refuse row numbers that repeat or are missing."""
    records, numbers = numbered.agg(F.count(F.lit(1)), F.count_distinct(F.col(ROW))).collect()[0]
    if records != numbers:
        raise InputError(
            f"Column {row!r} does not number the records: a number is missing or repeats.",
            remedy="Name another column with `row`, or leave it out.",
        )


def sampled_records(numbered: DataFrame, share: float, seed: int) -> DataFrame:
    """Return about a share of the records, the same ones whenever and wherever it is computed."""
    key = F.xxhash64(F.lit(seed_of(seed, "", "sample") % 2**63), F.col(ROW))
    return numbered.where(F.pmod(key, F.lit(_SHARES)) < round(share * _SHARES))


def is_complete(frame: DataFrame, names: Sequence[str]) -> Column:
    """Return the condition that no cell of these columns is missing; an empty text is."""
    types = {field.name: field.dataType for field in frame.schema.fields}
    found = F.lit(True)
    for name in names:
        found = found & cell(name).isNotNull()
        if isinstance(types[name], StringType):
            found = found & (cell(name) != "")
    return found


def collected(frame: DataFrame, types: Mapping[str, pl.DataType] | None = None) -> pl.DataFrame:
    """Return the rows of a small frame."""
    read = pl.from_arrow(frame.toArrow())
    assert isinstance(read, pl.DataFrame)
    return read.with_columns(pl.col(name).cast(kind) for name, kind in (types or {}).items())
