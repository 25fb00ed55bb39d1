"""Writing of a table to a database: whole or not at all, and read back before it counts."""

from __future__ import annotations

import contextlib
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import polars as pl

from shoal.errors import FileError, option
from shoal.io.databases import is_database
from shoal.io.databases.address import DatabaseAddress
from shoal.io.databases.fingerprint import fingerprint
from shoal.io.databases.read import reading_order
from shoal.io.databases.session import open_session, require_driver
from shoal.io.destination import check_place

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shoal.io.databases.session import Session

IfExists = Literal["fail", "replace", "append"]
_OTHER_TABLE = "Write to another table: the original is needed to verify the release."


@dataclass(slots=True)
class PendingTable:
    """A table that was written and read back, but that nobody else can see yet.

    Parameters
    ----------
    shown
        Its address, as messages show it.
    fingerprint
        Checksum of its rows, in whatever order.
    order
        The rows in the order in which they will be read, which is not that in which they were
        written.
    """

    shown: str
    fingerprint: str
    order: pl.Series
    _session: Session
    _made: str | None
    _table: str
    _replaced: bool
    _new_file: Path | None

    def commit(self) -> None:
        """Give the table its name and make it visible, or raise; then all is as it was."""
        try:
            if self._made is not None:
                self._session.put_in_place(self._made, self._table, replaced=self._replaced)
            self._session.commit()
        except BaseException:
            self.rollback()
            raise
        self._session.close()

    def rollback(self) -> None:
        """Leave the destination as it was."""
        _undo(self._session, self._new_file)


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
        If the address names no table, the connection fails, or the table exists and must not or
        is, or may be, what is read.
    """
    place = DatabaseAddress.of(address)
    table = _named_table(place)
    sources = [DatabaseAddress.of(read) for read in inputs if is_database(read)]
    if any(read.same_table(place) for read in sources):
        raise FileError(f"{place.shown} is an input and an output at once.", remedy=_OTHER_TABLE)
    if place.file is not None and not place.file.exists():
        # To open it would make it, and nothing may be left if the run fails.
        require_driver(place)
        check_place(place.file, place.shown)
        return
    session = open_session(place, read_only=False)
    try:
        if session.resolved(table) is None:
            return
        if if_exists == "fail":
            raise _existing(place)
        _refuse_views(session, table, place)
        for read in sources:
            _refuse_input(session, table, place, read)
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
    new_file = None if place.file is None or place.file.exists() else place.file
    session = open_session(place, read_only=False)
    try:
        exists = session.resolved(table) is not None
        if exists and if_exists == "fail":
            raise _existing(place)
        if exists:
            _refuse_views(session, table, place)
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
        _undo(session, new_file)
        raise
    expected = place.shown, fingerprint(stored), reading_order(stored)
    return PendingTable(*expected, session, made, table, exists, new_file)


def _undo(session: Session, new_file: Path | None) -> None:
    """Undo what was not committed; remove the file that was made for it, if nobody else uses it."""
    session.rollback()
    unused = False
    if new_file is not None:
        with contextlib.suppress(FileError):  # kept where nobody can tell what it holds
            unused = session.tables() == []
    session.close()
    if new_file is not None and unused:
        new_file.unlink(missing_ok=True)


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
            remedy=f"Append to a table with the same columns, or set {_replace()}.",
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


def _existing(place: DatabaseAddress) -> FileError:
    return FileError(
        f"{place.shown} exists.",
        remedy=f"Choose another name, or set {_replace()} or {option('if_exists', 'append')}.",
    )


def _refuse_views(session: Session, table: str, place: DatabaseAddress) -> None:
    """Raise if rows written to a table would be stored in another one."""
    if not session.is_base_table(table):
        raise FileError(
            f"{place.shown} is a view or part of a partitioned table, whose rows are stored "
            "elsewhere.",
            remedy="Write to a table of its own.",
        )


def _refuse_input(
    session: Session, table: str, place: DatabaseAddress, read: DatabaseAddress
) -> None:
    """Raise if an existing table is what is read, or may be: a view or a query reads others.

    Two addresses may lead to one server, so that servers are compared by their identity.
    """
    if read.scheme != place.scheme:
        return
    same = read.same_database(place)
    if place.file is not None and not same:
        return
    reading = session if same else open_session(read, read_only=True)
    try:
        if reading.server() != session.server():
            return
        if read.table is not None and reading.is_base_table(read.table):
            if reading.resolved(read.table) == session.resolved(table):
                raise FileError(
                    f"{place.shown} is an input and an output at once.", remedy=_OTHER_TABLE
                )
            return
    finally:
        if reading is not session:
            reading.rollback()
            reading.close()
    raise FileError(
        f"{place.shown} is in the database that is read, and may be part of what a view or a query "
        "reads.",
        remedy=f"{_OTHER_TABLE} Or read a table by its name.",
    )


def _replace() -> str:
    return option("if_exists", "replace")
