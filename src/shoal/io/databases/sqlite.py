"""SQLite, through ADBC."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Self
from urllib.parse import quote

import polars as pl

from shoal.errors import FileError
from shoal.io.cell_types import refuse_unbounded
from shoal.io.databases.adbc import AdbcSession
from shoal.io.databases.session import connection_failed
from shoal.io.databases.sql import quoted_column, sqlite_type, storable

if TYPE_CHECKING:
    from shoal.io.databases.address import DatabaseAddress

_MAGIC = b"SQLite format 3\0"


class SqliteSession(AdbcSession):
    """A connection to a SQLite file."""

    @classmethod
    def connect(cls, address: DatabaseAddress, *, read_only: bool) -> Self:
        """Open the file; one that is read must exist."""
        from adbc_driver_manager import Error
        from adbc_driver_sqlite import dbapi

        if read_only and not Path(address.path).is_file():
            raise FileError(f"{address.shown} does not exist.", remedy="Check the path.")
        if not _may_be_sqlite(Path(address.path)):
            raise FileError(
                f"{address.shown} is not a SQLite database, or is an encrypted one.",
                remedy="Check the path.",
            )
        mode = "ro" if read_only else "rwc"
        try:
            connection = dbapi.connect(f"file:{quote(address.path)}?mode={mode}")
            with connection.cursor() as cursor:  # which reads the file for the first time
                cursor.execute("SELECT count(*) FROM sqlite_master").fetchall()
        except (Error, OSError) as error:
            raise connection_failed(address, error) from None
        return cls(address, connection)

    def quoted(self, table: str) -> str:
        """Return a table's name in quotes; it may hold a dot, since there is one schema alone."""
        return quoted_column(table.removeprefix("main."))

    def tables(self) -> list[str]:
        """Return the names of tables and views."""
        found = self.rows(
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
            "AND name NOT LIKE 'sqlite_%' ORDER BY name"
        )
        return found["name"].to_list() if found.height else []

    def server(self) -> str:
        """Return the file."""
        return str(self.address.file)

    def resolved(self, table: str) -> str | None:
        """Return the name of a table without its schema; names ignore case."""
        name = table.removeprefix("main.").casefold()
        return name if name in map(str.casefold, self.tables()) else None

    def is_base_table(self, table: str) -> bool:
        """Return whether a table is not a view."""
        found = self.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
        names = found["name"].to_list() if found.height else []
        return self.resolved(table) in [name.casefold() for name in names]

    def fetch(self, query: str) -> pl.DataFrame:
        """Return the result of a query; columns that mix numbers and texts come as texts."""
        names = self.rows(f"SELECT * FROM ({query}\n) LIMIT 0").columns  # noqa: S608
        kinds = [
            f"group_concat(DISTINCT typeof({quoted_column(name)})) AS c{place}"
            for place, name in enumerate(names)
        ]
        held = self.rows(f"SELECT {', '.join(kinds)} FROM ({query}\n)")  # noqa: S608
        shown = []
        for name, found in zip(names, held.row(0), strict=True):
            column = quoted_column(name)
            classes = set((found or "").split(",")) - {"null"}
            if classes <= {"integer", "real"} and len(classes) > 1:
                column = f"CAST({column} AS REAL) AS {column}"
            elif len(classes) > 1:
                column = f"CAST({column} AS TEXT) AS {column}"
            shown.append(column)
        return self.rows(f"SELECT {', '.join(shown)} FROM ({query}\n)")  # noqa: S608

    def create(self, table: str, frame: pl.DataFrame) -> None:
        """Make an empty table."""
        listed = ", ".join(
            f"{quoted_column(name)} {sqlite_type(dtype)}" for name, dtype in frame.schema.items()
        )
        self.run(f"CREATE TABLE {self.quoted(table)} ({listed})")

    def as_stored(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return a frame in the types of SQLite: whole numbers, reals and texts."""
        # It holds infinite numbers, but stores NaN as a missing cell.
        refuse_unbounded(frame, "SQLite", infinite=False)
        stored = storable(frame, sqlite_type, "TEXT")
        return stored.with_columns(
            pl.col(name).cast(pl.Float64 if dtype.is_float() else pl.Int64)
            for name, dtype in stored.schema.items()
            if dtype.is_numeric() or dtype == pl.Boolean
        )


def _may_be_sqlite(path: Path) -> bool:
    """Return whether a file begins as SQLite files do; an empty or new one becomes one."""
    try:
        with path.open("rb") as file:
            start = file.read(len(_MAGIC))
    except OSError:  # the driver says why
        return True
    return start in (b"", _MAGIC)
