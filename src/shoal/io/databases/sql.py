"""Names and types in SQL, one definition for each database."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import polars as pl

from shoal.errors import FileError
from shoal.io.cell_types import DURATIONS, OBJECTS, as_json, refuse_types

if TYPE_CHECKING:
    from collections.abc import Callable

# What each database calls a type; a type that is not here is stored as text.
_POSTGRESQL: dict[type[pl.DataType], str] = {
    pl.Int8: "SMALLINT", pl.Int16: "SMALLINT", pl.Int32: "INTEGER", pl.Int64: "BIGINT",
    pl.UInt8: "SMALLINT", pl.UInt16: "INTEGER", pl.UInt32: "BIGINT",
    pl.Float32: "REAL", pl.Float64: "DOUBLE PRECISION", pl.Boolean: "BOOLEAN",
    pl.Date: "DATE", pl.Time: "TIME", pl.Binary: "BYTEA",
}  # fmt: skip
_MYSQL: dict[type[pl.DataType], str] = {
    pl.Int8: "TINYINT", pl.Int16: "SMALLINT", pl.Int32: "INTEGER", pl.Int64: "BIGINT",
    pl.UInt8: "SMALLINT", pl.UInt16: "INTEGER", pl.UInt32: "BIGINT",
    pl.Float32: "FLOAT", pl.Float64: "DOUBLE", pl.Boolean: "BOOLEAN",
    pl.Date: "DATE", pl.Time: "TIME(6)", pl.Binary: "LONGBLOB",
}  # fmt: skip
_SQLITE: dict[type[pl.DataType], str] = {
    pl.Int8: "INTEGER", pl.Int16: "INTEGER", pl.Int32: "INTEGER", pl.Int64: "INTEGER",
    pl.UInt8: "INTEGER", pl.UInt16: "INTEGER", pl.UInt32: "INTEGER", pl.Boolean: "INTEGER",
    pl.Float32: "REAL", pl.Float64: "REAL", pl.Binary: "BLOB",
}  # fmt: skip


def quoted_name(name: str, mark: str = '"') -> str:
    """Return a name as SQL writes it; a dot parts the schema from the table.

    >>> quoted_name('clinic.vis"its')
    '"clinic"."vis""its"'
    """
    if not name or "\0" in name:
        raise FileError(f"{name!r} cannot name a table.", remedy="Give the name of a table.")
    return ".".join(mark + part.replace(mark, mark * 2) + mark for part in name.split("."))


def quoted_column(name: str, mark: str = '"') -> str:
    """Return the name of a column as SQL writes it."""
    return mark + name.replace(mark, mark * 2) + mark


def quoted_text(text: str) -> str:
    """Return a text as SQL writes it.

    >>> quoted_text("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def postgresql_type(dtype: pl.DataType) -> str:
    """Return what PostgreSQL calls a type."""
    if isinstance(dtype, pl.Datetime):
        return "TIMESTAMP" if dtype.time_zone is None else "TIMESTAMPTZ"
    if isinstance(dtype, pl.Decimal):
        return f"NUMERIC({dtype.precision or 38},{dtype.scale})"
    return _POSTGRESQL.get(type(dtype), "TEXT")


def mysql_type(dtype: pl.DataType) -> str:
    """Return what MySQL calls a type; it has no time zones, so such times are text."""
    if isinstance(dtype, pl.Datetime) and dtype.time_zone is None:
        return "DATETIME(6)"
    if isinstance(dtype, pl.Decimal):
        return f"DECIMAL({min(dtype.precision or 38, 65)},{min(dtype.scale, 30)})"
    return _MYSQL.get(type(dtype), "LONGTEXT")


def sqlite_type(dtype: pl.DataType) -> str:
    """Return what SQLite calls a type; it has no dates, times and decimals: they are text."""
    return _SQLITE.get(type(dtype), "TEXT")


def storable(frame: pl.DataFrame, name_of: Callable[[pl.DataType], str], text: str) -> pl.DataFrame:
    """Return a frame without types that a database lacks: lists as JSON, the others as text.

    Parameters
    ----------
    frame
        The table.
    name_of
        What the database calls a type.
    text
        What it calls texts; a column that is not text but is called so becomes text.

    Raises
    ------
    FileError
        If a column holds durations, objects or texts with NUL characters; it is named.
    """
    refuse_types(frame, "a database", (DURATIONS, OBJECTS))
    columns = []
    for series in frame:
        column = series
        if series.dtype.is_nested():
            column = as_json(series, "a database")
        elif series.dtype.is_unsigned_integer() and series.dtype != pl.UInt64:
            column = series.cast(pl.Int64)
        elif series.dtype != pl.String and name_of(series.dtype) == text:
            column = as_text(series)
        if column.dtype == pl.String and column.str.contains("\0", literal=True).any():
            raise FileError(
                f"Column {series.name!r} holds NUL characters, which databases refuse.",
                remedy="Write Parquet instead, or remove them.",
            )
        columns.append(column)
    return pl.DataFrame(columns)


def as_text(series: pl.Series) -> pl.Series:
    """Return the cells of a column as texts that sort and read as the values do."""
    if isinstance(series.dtype, pl.Datetime):
        zoned = series.dtype.time_zone is not None
        moments = series.dt.convert_time_zone("UTC") if zoned else series
        return moments.dt.strftime("%Y-%m-%d %H:%M:%S%.f" + ("+00:00" if zoned else ""))
    if series.dtype == pl.Time:  # a cast would drop the fraction of the second
        return series.dt.strftime("%H:%M:%S%.f")
    if series.dtype.is_nested():
        cells = [
            cell if cell is None else json.dumps(cell, default=str) for cell in series.to_list()
        ]
        return pl.Series(series.name, cells, dtype=pl.String)
    if series.dtype == pl.Binary:
        return series.bin.encode("hex")
    return series.cast(pl.String)
