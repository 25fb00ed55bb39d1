"""MySQL and MariaDB, through SQLAlchemy: they have no driver that speaks Arrow.

These databases commit before and after every statement that makes or renames a table. So a table is
filled under a name of its own and takes its place with one ``RENAME TABLE``, which is atomic; rows
are appended in one transaction.
"""

from __future__ import annotations

import contextlib
import datetime
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import polars as pl

from shoal.io.cell_types import refuse_unbounded
from shoal.io.databases.address import prompted_password, stored_password
from shoal.io.databases.session import connection_failed, statement_failed
from shoal.io.databases.sql import mysql_type, quoted_column, quoted_name, quoted_text, storable
from shoal.io.delimited import check_column_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shoal.io.databases.address import DatabaseAddress

_MARK = "`"
_ROWS_AT_ONCE = 5_000


@dataclass(slots=True)
class MysqlSession:
    """A connection to a MySQL or MariaDB server."""

    address: DatabaseAddress
    connection: Any
    made: list[str] = field(default_factory=list)

    @classmethod
    def connect(cls, address: DatabaseAddress, *, read_only: bool) -> Self:
        """Connect with the password of the environment, or prompt for it."""
        from sqlalchemy import create_engine, make_url
        from sqlalchemy.exc import SQLAlchemyError

        try:
            url = make_url(address.url).set(drivername="mysql+pymysql")
        except (SQLAlchemyError, ValueError) as error:
            raise connection_failed(address, error) from None
        password = stored_password()
        if password is None:
            password = os.environ.get("MYSQL_PWD")
        if password is None and address.has_user:
            password = prompted_password(address.shown)
        try:
            engine = create_engine(
                url.set(password=password) if password is not None else url, hide_parameters=True
            )
            connection = engine.connect()
        except (SQLAlchemyError, RuntimeError) as error:
            raise connection_failed(address, error) from None
        session = cls(address, connection)
        if read_only:
            session.run("SET SESSION TRANSACTION READ ONLY")
        return session

    def tables(self) -> list[str]:
        """Return the names of tables and views."""
        found = self.fetch(
            "SELECT table_name AS name FROM information_schema.tables "
            "WHERE table_schema = DATABASE() ORDER BY 1"
        )
        return found["name"].to_list() if found.height else []

    def server(self) -> str:
        """Return where the server runs and keeps its files; a table may name another database."""
        found = self.fetch("SELECT CONCAT_WS(' ', @@hostname, @@port, @@datadir) AS identity")
        return str(found["identity"].item())

    def resolved(self, table: str) -> str | None:
        """Return a table with its database; names may ignore case."""
        found = self._listed(table)
        return found["name"].item().casefold() if found.height else None

    def is_base_table(self, table: str) -> bool:
        """Return whether a table is not a view."""
        found = self._listed(table)
        return bool(found.height) and found["kind"].item() == "BASE TABLE"

    def _listed(self, table: str) -> pl.DataFrame:
        schema, _, name = table.rpartition(".")
        within = quoted_text(schema) if schema else "DATABASE()"
        return self.fetch(
            "SELECT CONCAT(table_schema, '.', table_name) AS name, table_type AS kind "  # noqa: S608
            f"FROM information_schema.tables WHERE LOWER(table_schema) = LOWER({within}) "
            f"AND LOWER(table_name) = LOWER({quoted_text(name)}) LIMIT 1"
        )

    def columns(self, table: str) -> list[str]:
        """Return the columns of a table."""
        return self.fetch(f"SELECT * FROM {self.quoted(table)} LIMIT 0").columns  # noqa: S608

    def fetch(self, query: str) -> pl.DataFrame:
        """Return the result of a query, its types as Python has them."""
        from pymysql.constants import FIELD_TYPE

        with self._explained("the query"):
            result = self.connection.exec_driver_sql(query.replace("%", "%%"))
            described = [] if result.cursor is None else list(result.cursor.description)
            rows = result.fetchall() if described else []
        names = [about[0] for about in described]
        check_column_names(names, self.address.shown)
        columns = list(zip(*rows, strict=True)) if rows else [()] * len(names)
        return pl.DataFrame(
            [
                _series(name, list(cells), bits=about[1] == FIELD_TYPE.BIT)
                for name, cells, about in zip(names, columns, described, strict=True)
            ]
        )

    def create(self, table: str, frame: pl.DataFrame) -> None:
        """Make an empty table."""
        listed = ", ".join(
            f"{quoted_column(name, _MARK)} {mysql_type(dtype)}"
            for name, dtype in frame.schema.items()
        )
        self.made.append(table)
        self.run(f"CREATE TABLE {self.quoted(table)} ({listed}) ENGINE=InnoDB CHARSET=utf8mb4")

    def insert(self, table: str, frame: pl.DataFrame) -> None:
        """Add the rows of a frame to a table."""
        places = ", ".join(["%s"] * frame.width)
        statement = f"INSERT INTO {self.quoted(table)} VALUES ({places})"  # noqa: S608
        with self._explained("writing rows"):
            for part in frame.iter_slices(_ROWS_AT_ONCE):
                self.connection.exec_driver_sql(statement, part.rows())

    def as_stored(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return a frame in the types of MySQL."""
        refuse_unbounded(frame, "MySQL")
        stored = storable(frame, mysql_type, "LONGTEXT")
        return stored.with_columns(
            pl.col(name).cast(pl.Int64)
            for name, dtype in stored.schema.items()
            if dtype.is_integer() or dtype == pl.Boolean
        )

    def quoted(self, table: str) -> str:
        """Return a table's name in quotes."""
        return quoted_name(table, _MARK)

    def put_in_place(self, made: str, place: str, *, replaced: bool) -> None:
        """Give a table its name in one atomic step."""
        self.commit()
        if not replaced:
            self.run(f"RENAME TABLE {self.quoted(made)} TO {self.quoted(place)}")
            return
        old = f"{made}_old"
        self.run(
            f"RENAME TABLE {self.quoted(place)} TO {self.quoted(old)}, "
            f"{self.quoted(made)} TO {self.quoted(place)}"
        )
        self.run(f"DROP TABLE {self.quoted(old)}")

    def run(self, statement: str) -> None:
        """Run a statement without a result."""
        with self._explained("a statement"):
            self.connection.exec_driver_sql(statement.replace("%", "%%"))

    def commit(self) -> None:
        """Commit, or raise."""
        with self._explained("the commit"):
            self.connection.commit()

    def rollback(self) -> None:
        """Undo everything since the last commit."""
        from sqlalchemy.exc import SQLAlchemyError

        with contextlib.suppress(SQLAlchemyError):
            self.connection.rollback()
            for table in self.made:  # made for good, unlike in other databases
                self.connection.exec_driver_sql(f"DROP TABLE IF EXISTS {self.quoted(table)}")

    def close(self) -> None:
        """Close the connection."""
        from sqlalchemy.exc import SQLAlchemyError

        with contextlib.suppress(SQLAlchemyError):
            self.connection.close()
            self.connection.engine.dispose()

    @contextlib.contextmanager
    def _explained(self, what: str) -> Iterator[None]:
        from sqlalchemy.exc import SQLAlchemyError

        try:
            yield
        except SQLAlchemyError as error:
            raise statement_failed(self.address, what, error) from None


def _series(name: str, cells: list[Any], *, bits: bool = False) -> pl.Series:
    """Return a column; the driver gives times as durations, and bits as bytes."""
    if bits:
        whole = [None if cell is None else int.from_bytes(cell, "big") for cell in cells]
        return pl.Series(name, whole, dtype=pl.UInt64)
    series = pl.Series(name, cells, strict=False)
    if series.dtype != pl.Duration:
        return series
    day = datetime.timedelta(days=1)
    if series.is_between(datetime.timedelta(0), day, closed="left").all():
        return series.dt.cast_time_unit("ns").cast(pl.Int64).cast(pl.Time)
    return pl.Series(name, [_time_span(cell) for cell in cells], dtype=pl.String)


def _time_span(span: datetime.timedelta | None) -> str | None:
    """Return a time that is none of a day, as MySQL writes it.

    >>> _time_span(datetime.timedelta(hours=-30, minutes=-5))
    '-30:05:00'
    """
    if span is None:
        return None
    minutes, seconds = divmod(abs(span), datetime.timedelta(minutes=1))
    sign = "-" if span < datetime.timedelta(0) else ""
    shown = f"{seconds.seconds:02}" + (
        f".{seconds.microseconds:06}" if seconds.microseconds else ""
    )
    return f"{sign}{minutes // 60:02}:{minutes % 60:02}:{shown}"
