"""PostgreSQL, through ADBC."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Self

import polars as pl

from shoal.io.databases.adbc import AdbcSession
from shoal.io.databases.address import prompted_password, stored_password
from shoal.io.databases.session import connection_failed
from shoal.io.databases.sql import postgresql_type, quoted_column, quoted_text, storable

if TYPE_CHECKING:
    from shoal.io.databases.address import DatabaseAddress

_KEPT = (
    "int2 int4 int8 float4 float8 text varchar bpchar bool date timestamp timestamptz time bytea"
)


class PostgresqlSession(AdbcSession):
    """A connection to a PostgreSQL server; all reading sees one moment."""

    @classmethod
    def connect(cls, address: DatabaseAddress, *, read_only: bool) -> Self:
        """Connect with the password of the environment or of libpq's own file, or prompt for it."""
        from adbc_driver_manager import Error
        from adbc_driver_postgresql import dbapi

        password = stored_password()
        url = address.url if password is None else address.with_password(password)
        try:
            connection = dbapi.connect(url)
        except Error as error:
            wrong_password = "password" in str(error).lower() and "PGPASSWORD" not in os.environ
            typed = (
                prompted_password(address.shown) if password is None and wrong_password else None
            )
            if typed is None:
                raise connection_failed(address, error) from None
            try:
                connection = dbapi.connect(address.with_password(typed))
            except Error as again:
                raise connection_failed(address, again) from None
        session = cls(address, connection)
        mode = "READ ONLY" if read_only else "READ WRITE"
        session.run(f"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ {mode}")
        return session

    def tables(self) -> list[str]:
        """Return the names of tables and views."""
        found = self.rows(
            "SELECT CASE WHEN table_schema = current_schema() THEN table_name::text "
            "ELSE table_schema || '.' || table_name END AS name FROM information_schema.tables "
            "WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1"
        )
        return found["name"].to_list()

    def server(self) -> str:
        """Return when the server began and the database: no two servers share the microsecond."""
        found = self.rows(
            "SELECT pg_postmaster_start_time()::text || ' ' || current_database() AS identity"
        )
        return str(found["identity"].item())

    def resolved(self, table: str) -> str | None:
        """Return the number that the server gave the table."""
        found = self.rows(f"SELECT to_regclass({quoted_text(self.quoted(table))})::oid::text AS o")
        number = found["o"].item()
        return None if number is None else str(number)

    def is_base_table(self, table: str) -> bool:
        """Return whether a table is ordinary, and neither inherits from others nor is inherited."""
        number = self.resolved(table)
        found = self.rows(
            "SELECT count(*) AS n FROM pg_class WHERE relkind = 'r' AND "  # noqa: S608 - a number
            f"oid = {number or 0} AND NOT EXISTS (SELECT FROM pg_inherits WHERE "
            f"inhrelid = {number or 0} OR inhparent = {number or 0})"
        )
        return bool(found["n"].item())

    def fetch(self, query: str) -> pl.DataFrame:
        """Return the result of a query; types that frames lack come as texts."""
        with self.explained("the query"), self.connection.cursor() as cursor:
            cursor.execute(f"SELECT * FROM ({query}\n) AS q LIMIT 0")  # noqa: S608
            schema = cursor.fetch_arrow_table().schema
        scales: dict[str, int] = {}
        shown = []
        for field in schema:
            name = quoted_column(field.name)
            kind = (field.metadata or {}).get(b"POSTGRESQL:type", b"").decode()
            modifier = int((field.metadata or {}).get(b"POSTGRESQL:typmod", b"-1"))
            if kind == "numeric" and modifier >= 4:
                scales[field.name] = (modifier - 4) & 0xFFFF
            shown.append(name if kind in _KEPT.split() else f"{name}::text AS {name}")
        frame = self.rows(f"SELECT {', '.join(shown)} FROM ({query}\n) AS q")  # noqa: S608
        return frame.with_columns(
            pl.col(name).cast(pl.Decimal(38, scale)) for name, scale in scales.items()
        )

    def create(self, table: str, frame: pl.DataFrame) -> None:
        """Make an empty table."""
        listed = ", ".join(
            f"{quoted_column(name)} {postgresql_type(dtype)}"
            for name, dtype in frame.schema.items()
        )
        self.run(f"CREATE TABLE {self.quoted(table)} ({listed})")

    def as_stored(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return a frame in the types of PostgreSQL."""
        stored = storable(frame, postgresql_type, "TEXT")
        return stored.with_columns(
            pl.col(name).cast(pl.Int16) for name, dtype in stored.schema.items() if dtype == pl.Int8
        )
