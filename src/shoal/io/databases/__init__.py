"""Tables in databases: read in one query, written in one transaction."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

SCHEMES = ("postgresql", "sqlite", "duckdb", "mysql")
_OTHER_NAMES = {"postgres": "postgresql", "mariadb": "mysql"}
SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9]*)(\+\w+)?://")


def is_database(address: str | Path) -> bool:
    """Return whether an address names a database, not a file."""
    found = SCHEME.match(str(address))
    return found is not None and usual_scheme(found[1]) in SCHEMES


def usual_scheme(word: str) -> str:
    """Return the scheme of an address under the name that Shoal knows it by."""
    return _OTHER_NAMES.get(word.lower(), word.lower())
