"""Reading of a table, or of what a query gives, from a database."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from shoal.errors import FileError, did_you_mean, option
from shoal.io.databases.address import DatabaseAddress
from shoal.io.databases.fingerprint import fingerprint
from shoal.io.databases.session import open_session
from shoal.io.delimited import check_column_names
from shoal.io.frames import refuse_polars_types
from shoal.io.source import Source

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.io.databases.session import Session
    from shoal.io.source import ReadOptions

_NAMED = 8


def read_database(address: str | Path, options: ReadOptions) -> Source:
    """Return the rows of a table or query, in ascending order.

    A database gives rows in any order. Sorted, the same rows are the same source: a seed gives the
    same release again, and a custody file names the right records.

    Raises
    ------
    FileError
        If no table is named and there are several, the table does not exist, or the query fails.
    """
    place = DatabaseAddress.of(address)
    wanted = _wanted_table(place, options)
    session = open_session(place, read_only=True)
    try:
        query = options.query
        if query is None:
            table = _existing(session, wanted, place.shown)
            query = f"SELECT * FROM {session.quoted(table)}"  # noqa: S608 - quoted above
        frame = session.fetch(query.strip().rstrip(";"))
    finally:
        session.rollback()
        session.close()
    check_column_names(frame.columns, place.shown)
    refuse_polars_types(frame)
    if frame.height == 0:
        raise FileError(
            f"{place.shown} returned no rows.", remedy="Give a table or a query with rows."
        )
    frame = frame[reading_order(frame)]
    return Source(frame, sha256=fingerprint(frame))


def reading_order(frame: pl.DataFrame) -> pl.Series:
    """Return the rows of a table in the order in which :func:`read_database` gives them."""
    ordered = frame.select(pl.selectors.exclude(pl.List, pl.Struct, pl.Array, pl.Object)).columns
    if not ordered:
        return pl.int_range(frame.height, eager=True)
    by = pl.arg_sort_by(ordered, nulls_last=True, maintain_order=True)
    return frame.select(by.alias("row")).to_series()


def _wanted_table(place: DatabaseAddress, options: ReadOptions) -> str | None:
    named = [name for name in (place.table, options.table, options.query) if name is not None]
    if len(named) > 1:
        raise FileError(
            f"{place.shown}: the address, `table` and `query` name more than one table.",
            remedy="Name the table in one way.",
        )
    return place.table or options.table


def _existing(session: Session, wanted: str | None, where: str) -> str:
    tables = session.tables()
    if wanted is not None:
        if wanted in tables:
            return wanted
        raise FileError(
            f"{where}: there is no table {wanted!r}.", remedy=did_you_mean(wanted, tables)
        )
    if len(tables) == 1:
        return tables[0]
    listed = ", ".join(map(repr, tables[:_NAMED])) + (" and more" if len(tables) > _NAMED else "")
    raise FileError(
        f"{where} has " + (f"{len(tables)} tables: {listed}." if tables else "no tables."),
        remedy=f"Name the table, as in {option('table', tables[0])}, or give a query with `query`."
        if tables
        else "Give a database with a table.",
    )
