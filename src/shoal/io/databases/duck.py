"""DuckDB, through its own package, which speaks Arrow."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import polars as pl

from shoal.errors import FileError
from shoal.io.databases.session import connection_failed, statement_failed
from shoal.io.databases.sql import postgresql_type, quoted_column, quoted_name, storable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shoal.io.databases.address import DatabaseAddress

_FRAME = "shoal_frame"
_AS_TEXT = ("INTERVAL", "BIT", "TIME WITH TIME ZONE", "UUID")


@dataclass(slots=True)
class DuckSession:
    """A connection to a DuckDB file, with a transaction open."""

    address: DatabaseAddress
    connection: Any

    @classmethod
    def connect(cls, address: DatabaseAddress, *, read_only: bool) -> Self:
        """Open the file; one that is read must exist. Nothing is loaded from elsewhere."""
        import duckdb

        if read_only and not Path(address.path).is_file():
            raise FileError(f"{address.shown} does not exist.", remedy="Check the path.")
        settings: dict[str, Any] = {
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        }
        try:
            connection = duckdb.connect(address.path, read_only=read_only, config=settings)
            connection.execute("BEGIN")
        except duckdb.Error as error:
            raise connection_failed(address, error) from None
        return cls(address, connection)

    def tables(self) -> list[str]:
        """Return the names of tables and views."""
        found = self._rows(
            "SELECT CASE WHEN table_schema = 'main' THEN table_name "
            "ELSE table_schema || '.' || table_name END AS name "
            "FROM information_schema.tables ORDER BY 1"
        )
        return found["name"].to_list()

    def server(self) -> str:
        """Return the file."""
        return str(self.address.file)

    def resolved(self, table: str) -> str | None:
        """Return the name of a table without the usual schema; names ignore case."""
        name = table.removeprefix("main.").casefold()
        return name if name in map(str.casefold, self.tables()) else None

    def is_base_table(self, table: str) -> bool:
        """Return whether a table is not a view."""
        found = self._rows(
            "SELECT CASE WHEN table_schema = 'main' THEN table_name "
            "ELSE table_schema || '.' || table_name END AS name "
            "FROM information_schema.tables WHERE table_type = 'BASE TABLE'"
        )
        return self.resolved(table) in [name.casefold() for name in found["name"].to_list()]

    def columns(self, table: str) -> list[str]:
        """Return the columns of a table."""
        return self._rows(f"SELECT * FROM {self.quoted(table)} LIMIT 0").columns  # noqa: S608

    def fetch(self, query: str) -> pl.DataFrame:
        """Return the result of a query; types that frames lack come as texts."""
        described = self._rows(f"DESCRIBE (SELECT * FROM ({query}\n) AS q)")  # noqa: S608
        shown = []
        for name, kind in described.select("column_name", "column_type").rows():
            column = quoted_column(name)
            shown.append(f"{column}::TEXT AS {column}" if kind in _AS_TEXT else column)
        return self._rows(f"SELECT {', '.join(shown)} FROM ({query}\n) AS q")  # noqa: S608

    def create(self, table: str, frame: pl.DataFrame) -> None:
        """Make an empty table."""
        listed = ", ".join(
            f"{quoted_column(name)} {_type(dtype)}" for name, dtype in frame.schema.items()
        )
        self.run(f"CREATE TABLE {self.quoted(table)} ({listed})")

    def insert(self, table: str, frame: pl.DataFrame) -> None:
        """Add the rows of a frame to a table."""
        self.connection.register(_FRAME, frame.to_arrow(compat_level=pl.CompatLevel.oldest()))
        try:
            self.run(f"INSERT INTO {self.quoted(table)} SELECT * FROM {_FRAME}")  # noqa: S608
        finally:
            self.connection.unregister(_FRAME)

    def as_stored(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return a frame in the types of DuckDB."""
        return storable(frame, _type, "TEXT")

    def quoted(self, table: str) -> str:
        """Return a table's name in quotes."""
        return quoted_name(table)

    def put_in_place(self, made: str, place: str, *, replaced: bool) -> None:
        """Give a table its name, within the transaction."""
        if replaced:
            self.run(f"DROP TABLE {self.quoted(place)}")
        last = quoted_column(place.rpartition(".")[2])
        self.run(f"ALTER TABLE {self.quoted(made)} RENAME TO {last}")

    def run(self, statement: str) -> None:
        """Run a statement without a result."""
        with self._explained("a statement"):
            self.connection.execute(statement)

    def commit(self) -> None:
        """Commit, or raise."""
        with self._explained("the commit"):
            self.connection.execute("COMMIT")
            self.connection.execute("BEGIN")

    def rollback(self) -> None:
        """Undo everything since the last commit."""
        import duckdb

        with contextlib.suppress(duckdb.Error):
            self.connection.execute("ROLLBACK")

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def _rows(self, query: str) -> pl.DataFrame:
        with self._explained("the query"):
            relation = self.connection.sql(query)
            # A statement that is not a query gives none.
            found = pl.DataFrame() if relation is None else pl.from_arrow(relation.to_arrow_table())
        assert isinstance(found, pl.DataFrame)
        return found

    @contextlib.contextmanager
    def _explained(self, what: str) -> Iterator[None]:
        import duckdb

        try:
            yield
        except duckdb.Error as error:
            raise statement_failed(self.address, what, error) from None


def _type(dtype: pl.DataType) -> str:
    own: dict[type[pl.DataType], str] = {
        pl.Int8: "TINYINT",
        pl.UInt64: "UBIGINT",
        pl.Float32: "REAL",
        pl.Binary: "BLOB",
    }
    return own.get(type(dtype), postgresql_type(dtype))
