"""What the rest of Shoal needs from a connection to a database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from shoal.errors import FileError
from shoal.io.extras import extra_module

if TYPE_CHECKING:
    import polars as pl

    from shoal.io.databases.address import DatabaseAddress

EXTRA = "database"
_DRIVERS = {
    "postgresql": ("adbc_driver_postgresql",),
    "sqlite": ("adbc_driver_sqlite",),
    "duckdb": ("duckdb",),
    "mysql": ("sqlalchemy", "pymysql"),
}


class Session(Protocol):
    """One connection, with one transaction open at a time.

    Names of tables and columns are given as they are; a session quotes them.
    """

    def tables(self) -> list[str]:
        """Return the names of tables and views, with their schema where it is not the usual."""

    def server(self) -> str:
        """Return what tells the server or file from all others, by whatever name it is reached."""

    def resolved(self, table: str) -> str | None:
        """Return what tells a table from all others of the server; ``None`` if it does not exist.

        One table may have several names, with and without its schema.
        """

    def is_base_table(self, table: str) -> bool:
        """Return whether a table stores its own rows: not a view, nor part of another table."""

    def columns(self, table: str) -> list[str]:
        """Return the columns of a table."""

    def fetch(self, query: str) -> pl.DataFrame:
        """Return the result of a query, its types kept."""

    def create(self, table: str, frame: pl.DataFrame) -> None:
        """Make an empty table with the columns and types of a frame."""

    def insert(self, table: str, frame: pl.DataFrame) -> None:
        """Add the rows of a frame to a table."""

    def as_stored(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return a frame in the types that the database has for its own."""

    def quoted(self, table: str) -> str:
        """Return a table's name as a statement writes it."""

    def run(self, statement: str) -> None:
        """Run a statement without a result."""

    def put_in_place(self, made: str, place: str, *, replaced: bool) -> None:
        """Give a table that was made its name, in the place of another one if ``replaced``."""

    def commit(self) -> None:
        """Make everything since the last commit durable, or raise."""

    def rollback(self) -> None:
        """Undo everything since the last commit."""

    def close(self) -> None:
        """Close the connection; what was not committed is undone."""


def require_driver(address: DatabaseAddress) -> None:
    """Raise :class:`FileError` if the driver of a database is not installed."""
    for module in _DRIVERS[address.scheme]:
        extra_module(module, EXTRA, address.shown)


def open_session(address: DatabaseAddress, *, read_only: bool) -> Session:
    """Connect to a database.

    Raises
    ------
    FileError
        If the driver is not installed or the connection fails.
    """
    require_driver(address)
    if address.scheme == "postgresql":
        from shoal.io.databases.postgresql import PostgresqlSession

        return PostgresqlSession.connect(address, read_only=read_only)
    if address.scheme == "sqlite":
        from shoal.io.databases.sqlite import SqliteSession

        return SqliteSession.connect(address, read_only=read_only)
    if address.scheme == "duckdb":
        from shoal.io.databases.duck import DuckSession

        return DuckSession.connect(address, read_only=read_only)
    from shoal.io.databases.mysql import MysqlSession

    return MysqlSession.connect(address, read_only=read_only)


def connection_failed(address: DatabaseAddress, error: Exception) -> FileError:
    """Return the error for a connection that failed; what the driver says holds no cell yet."""
    reason = " ".join(str(error).partition("(Background")[0].split()).rstrip(".")
    remedy = "Check that the server runs, its address, the user and the password."
    if address.file is not None:
        remedy = f"Check that it is a {address.scheme} database, and that no program has locked it."
    return FileError(f"Cannot connect to {address.shown}: {reason[:300]}.", remedy=remedy)


def statement_failed(address: DatabaseAddress, what: str, error: Exception) -> FileError:
    """Return the error for a statement that failed.

    What a driver says may quote cells, so only the class and code of the error are reported.
    """
    code = getattr(error, "sqlstate", None) or getattr(error, "pgcode", None)
    code_of_error = type(error).__name__ + (f", SQLSTATE {code}" if code else "")
    remedy = "Check that the user may write there, and that the server runs and has room."
    if what == "the query":
        remedy = "Check the query (its syntax, names of tables and columns) and the user's rights."
    return FileError(
        f"{address.shown}: {what} failed ({code_of_error}); nothing was changed.", remedy=remedy
    )
