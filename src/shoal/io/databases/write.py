"""Writing of a table to a database: whole or not at all, and read back before it counts."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import polars as pl

from shoal.errors import FileError, option
from shoal.io.databases.address import DatabaseAddress, is_database
from shoal.io.databases.fingerprint import fingerprint
from shoal.io.databases.session import open_session

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shoal.io.databases.session import Session

IfExists = Literal["fail", "replace", "append"]


@dataclass(slots=True)
class PendingTable:
    """A table that was written and read back, but that nobody else can see yet.

    Parameters
    ----------
    shown
        Its address, as messages show it.
    fingerprint
        Checksum of its rows, in whatever order.
    """

    shown: str
    fingerprint: str
    _session: Session
    _made: str | None
    _table: str
    _replaced: bool

    def commit(self) -> None:
        """Give the table its name and make it visible, or raise; then all is as it was."""
        try:
            if self._made is not None:
                self._session.put_in_place(self._made, self._table, replaced=self._replaced)
            self._session.commit()
        except BaseException:
            self._session.rollback()
            raise
        finally:
            self._session.close()

    def rollback(self) -> None:
        """Leave the destination as it was."""
        self._session.rollback()
        self._session.close()


def check_destination(
    address: str | Path, if_exists: IfExists = "fail", inputs: Sequence[str | Path] = ()
) -> None:
    """Raise before any work is done if a table could not be written in the end.

    Parameters
    ----------
    address
        The table.
    if_exists
        What becomes of one that exists.
    inputs
        What is read; a table that is read is never written.

    Raises
    ------
    FileError
        If the address names no table, the connection fails, or the table exists and must not.
    """
    place = DatabaseAddress.of(address)
    table = _named_table(place)
    for read in filter(is_database, inputs):
        if DatabaseAddress.of(read) == place:
            raise FileError(
                f"{place.shown} is an input and an output at once.",
                remedy="Write to another table: the original is needed to verify the release.",
            )
    session = open_session(place, read_only=False)
    try:
        if if_exists == "fail":
            _refuse_existing(session, table, place)
    finally:
        session.rollback()
        session.close()


def prepare_table(
    frame: pl.DataFrame, address: str | Path, if_exists: IfExists = "fail"
) -> PendingTable:
    """Write a table, read it back and compare, all within a transaction that stays open.

    The rows go into a table of a new name first, so that one that stands in the way is touched
    last.

    Raises
    ------
    FileError
        If the table exists and must not, its columns do not fit, a statement fails, or what is
        read back differs; then nothing is changed.
    """
    place = DatabaseAddress.of(address)
    table = _named_table(place)
    session = open_session(place, read_only=False)
    try:
        exists = table in session.tables()
        if exists and if_exists == "fail":
            _refuse_existing(session, table, place)
        stored = session.as_stored(frame)
        if exists and if_exists == "append":
            made = None
            _append(session, stored, table, place)
        else:
            schema, dot, _ = table.rpartition(".")
            made = f"{schema}{dot}shoal_{secrets.token_hex(8)}"
            session.create(made, stored)
            session.insert(made, stored)
            _compare(session, made, stored, place)
    except BaseException:
        session.rollback()
        session.close()
        raise
    return PendingTable(place.shown, fingerprint(stored), session, made, table, exists)


def _append(session: Session, stored: pl.DataFrame, table: str, place: DatabaseAddress) -> None:
    before = _current(session, table, stored.columns, place)
    session.insert(table, stored)
    _compare(session, table, pl.concat([before, stored], how="vertical_relaxed"), place)


def _current(
    session: Session, table: str, columns: list[str], place: DatabaseAddress
) -> pl.DataFrame:
    held = session.columns(table)
    if held != columns:
        differing = [name for name in [*held, *columns] if (name in held) != (name in columns)]
        raise FileError(
            f"{place.shown} has other columns than the release"
            + (f": {', '.join(map(repr, differing[:5]))}." if differing else ", in another order."),
            remedy=f"Append to a table with the same columns, or say {_replace()}.",
        )
    return session.as_stored(session.fetch(f"SELECT * FROM {session.quoted(table)}"))  # noqa: S608


def _compare(session: Session, table: str, expected: pl.DataFrame, place: DatabaseAddress) -> None:
    read = session.fetch(f"SELECT * FROM {session.quoted(table)}")  # noqa: S608 - quoted
    if fingerprint(session.as_stored(read)) != fingerprint(expected):
        raise FileError(
            f"{place.shown}: what was written reads back differently, so it was not kept.",
            remedy="Report it with the types of the columns; write a file meanwhile.",
        )


def _named_table(place: DatabaseAddress) -> str:
    if place.table is None:
        raise FileError(
            f"{place.shown} names no table to write to.",
            remedy=f"Add it after a hash: {place.shown}#released",
        )
    return place.table


def _refuse_existing(session: Session, table: str, place: DatabaseAddress) -> None:
    if table in session.tables():
        raise FileError(
            f"{place.shown} exists.",
            remedy=f"Choose another name, or say {_replace()} or {option('if_exists', 'append')}.",
        )


def _replace() -> str:
    return option("if_exists", "replace")
