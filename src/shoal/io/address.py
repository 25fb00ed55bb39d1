"""Where a table is: a file, a stream, or an address that is refused with the reason."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shoal.errors import FileError
from shoal.io.databases import is_database

if TYPE_CHECKING:
    from pathlib import Path

_SCHEME = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<rest>.*)", re.DOTALL)
_USER = re.compile(r"\A[^/?#]*@")
_OTHER_DATABASES = (
    "mssql",
    "oracle",
    "snowflake",
    "bigquery",
    "redshift",
    "jdbc",
    "odbc",
    "mongodb",
)


def shown(address: str | Path) -> str:
    """Return an address as messages may show it: user and password, if any, left out.

    >>> shown("postgresql://ann:secret@server/db?password=x")
    'postgresql://…@server/db'
    >>> shown("https://ann:sec/ret@server/people.csv")
    'https://…'
    >>> shown("people.csv")
    'people.csv'
    """
    text = str(address)
    found = _SCHEME.fullmatch(text)
    if found is None:
        return text
    if "@" in _USER.sub("", found["rest"], count=1):
        # Maybe of a password that is not percent-encoded: nobody can tell where it ends.
        return f"{found['scheme']}://…"
    rest = _USER.sub("…@", found["rest"].partition("?")[0], count=1)
    return f"{found['scheme']}://{rest}"


def require_files(address: str | Path) -> None:
    """Raise :class:`FileError` if an address is a database: only files are read in pieces."""
    if is_database(address):
        # Imported here, as elsewhere: few tables stand in databases.
        from shoal.io.databases.address import DatabaseAddress

        raise FileError(
            f"{DatabaseAddress.of(address).shown} is a database, which cannot be read or "
            "written in pieces.",
            remedy="Use Parquet or CSV files, or choose `engine='local'`.",
        )
    refuse_address(address)


def refuse_address(address: str | Path) -> None:
    """Raise :class:`FileError` if a table cannot be read from an address.

    Remote addresses are refused: what is read or written over a network can be seen on the way,
    and a run must not depend on what a server sends today.
    """
    text = str(address)
    if not text.strip():
        raise FileError("The name of a table is empty.", remedy="Name a file, or - for a stream.")
    found = _SCHEME.fullmatch(text)
    if found is None:
        return
    if found["scheme"].lower().partition("+")[0] in _OTHER_DATABASES:
        raise FileError(
            f"{shown(text)} is a database of a kind that Shoal does not support.",
            remedy="Shoal supports postgresql, sqlite, duckdb and mysql. Export the table as "
            "Parquet.",
        )
    raise FileError(
        f"{shown(text)} is not on this machine; Shoal reads and writes local files only.",
        remedy="Download it first, then name the file.",
    )
