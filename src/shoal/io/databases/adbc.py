"""What sessions through ADBC have in common."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from shoal.io.databases.session import statement_failed
from shoal.io.databases.sql import quoted_column, quoted_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shoal.io.databases.address import DatabaseAddress


@dataclass(slots=True)
class AdbcSession:
    """A connection through ADBC, which opens a transaction with the first statement."""

    address: DatabaseAddress
    connection: Any

    def columns(self, table: str) -> list[str]:
        """Return the columns of a table."""
        return self.rows(f"SELECT * FROM {self.quoted(table)} LIMIT 0").columns  # noqa: S608

    def quoted(self, table: str) -> str:
        """Return a table's name in quotes."""
        return quoted_name(table)

    def insert(self, table: str, frame: pl.DataFrame) -> None:
        """Add the rows of a frame to a table."""
        schema, _, name = table.rpartition(".")
        with self.explained("writing rows"), self.connection.cursor() as cursor:
            cursor.adbc_ingest(
                name,
                frame.to_arrow(compat_level=pl.CompatLevel.oldest()),
                mode="append",
                **({"db_schema_name": schema} if schema else {}),
            )

    def put_in_place(self, made: str, place: str, *, replaced: bool) -> None:
        """Give a table its name, within the transaction."""
        if replaced:
            self.run(f"DROP TABLE {self.quoted(place)}")
        last = quoted_column(place.rpartition(".")[2])
        self.run(f"ALTER TABLE {self.quoted(made)} RENAME TO {last}")

    def run(self, statement: str) -> None:
        """Run a statement without a result."""
        with self.explained("a statement"), self.connection.cursor() as cursor:
            cursor.execute(statement)

    def rows(self, query: str) -> pl.DataFrame:
        """Return the result of a query as the driver gives it."""
        with self.explained("the query"), self.connection.cursor() as cursor:
            cursor.execute(query)
            found = pl.from_arrow(cursor.fetch_arrow_table().replace_schema_metadata(None))
        assert isinstance(found, pl.DataFrame)
        return found

    def commit(self) -> None:
        """Commit, or raise."""
        with self.explained("the commit"):
            self.connection.commit()

    def rollback(self) -> None:
        """Undo everything since the last commit; a server that is gone has done so already."""
        from adbc_driver_manager import Error

        with contextlib.suppress(Error, OSError):
            self.connection.rollback()

    def close(self) -> None:
        """Close the connection."""
        from adbc_driver_manager import Error

        with contextlib.suppress(Error, OSError):
            self.connection.close()

    @contextlib.contextmanager
    def explained(self, what: str) -> Iterator[None]:
        """Turn errors of the driver into errors that quote no cell."""
        from adbc_driver_manager import Error

        try:
            yield
        except (Error, OSError) as error:
            raise statement_failed(self.address, what, error) from None
