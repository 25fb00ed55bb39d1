"""Addresses of databases, and where passwords come from: never from an address."""

from __future__ import annotations

import os
import re
import stat
import sys
from dataclasses import dataclass
from getpass import getpass
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from shoal.errors import FileError

SCHEMES = ("postgresql", "sqlite", "duckdb", "mysql")
_OTHER_NAMES = {"postgres": "postgresql", "mariadb": "mysql"}
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9]*)(\+\w+)?://")
_PASSWORD_KEYS = {"password", "passwd", "pwd", "passfile_password"}
PASSWORD, PASSWORD_FILE = "SHOAL_PASSWORD", "SHOAL_PASSWORD_FILE"


def is_database(address: str | Path) -> bool:
    """Return whether an address names a database, not a file."""
    found = _SCHEME.match(str(address))
    return found is not None and _scheme(found[1]) in SCHEMES


def _scheme(word: str) -> str:
    return _OTHER_NAMES.get(word.lower(), word.lower())


@dataclass(frozen=True, slots=True)
class DatabaseAddress:
    """Where a database is, and which table of it is meant.

    Parameters
    ----------
    scheme
        ``postgresql``, ``sqlite``, ``duckdb`` or ``mysql``.
    url
        The address without the table.
    table
        The table that the part after ``#`` names, if there is one.
    """

    scheme: str
    url: str
    table: str | None

    @classmethod
    def of(cls, address: str | Path) -> DatabaseAddress:
        """Read an address such as ``postgresql://ann@server/clinic#visits``.

        Raises
        ------
        FileError
            If it holds a password: the command line is shown to every user of the machine.
        """
        text = str(address)
        # A path may lose one of its slashes on the way; an address must not.
        url, _, table = text.partition("#")
        found = _SCHEME.match(url)
        assert found is not None
        scheme = _scheme(found[1])
        parts = urlsplit(url)
        keys = {key.lower() for key, _ in parse_qsl(parts.query)}
        if parts.password or keys & _PASSWORD_KEYS:
            raise FileError(
                f"The address of the {scheme} database holds a password, which every user of this "
                "machine can see while a command runs.",
                remedy=f"Leave it out. Set {PASSWORD}, name a file in {PASSWORD_FILE}, or type it "
                "when you are asked.",
            )
        return cls(scheme, f"{scheme}://{url[found.end() :]}", unquote(table) or None)

    @property
    def shown(self) -> str:
        """The address as messages show it, without user and parameters."""
        rest = self.url.partition("://")[2].partition("?")[0]
        place = rest.rpartition("@")[2]
        return f"{self.scheme}://{place}" + (f"#{self.table}" if self.table else "")

    @property
    def path(self) -> str:
        """The file of a SQLite or DuckDB database; three slashes begin a relative path."""
        rest = self.url.partition("://")[2].partition("?")[0]
        return unquote(rest.removeprefix("/"))

    @property
    def has_user(self) -> bool:
        """Whether the address names a user."""
        return bool(urlsplit(self.url).username)

    def with_password(self, password: str) -> str:
        """Return the address with a password, to be given to a driver and to nobody else."""
        parts = urlsplit(self.url)
        user, at, place = parts.netloc.rpartition("@")
        if not at:
            user = ""
        secret = f"{user.rstrip(':')}:{quote(password, safe='')}@{place}"
        return parts._replace(netloc=secret).geturl()


def stored_password() -> str | None:
    """Return the password that the environment gives, itself or in a private file.

    Raises
    ------
    FileError
        If the file cannot be read, or others may read it.
    """
    if PASSWORD in os.environ:
        return os.environ[PASSWORD]
    name = os.environ.get(PASSWORD_FILE)
    if name is None:
        return None
    try:
        if stat.S_IMODE(Path(name).stat().st_mode) & 0o077:
            raise FileError(
                f"The password file {name} can be read by other users.",
                remedy=f"Make it private: chmod 600 {name}",
            )
        return Path(name).read_text(encoding="utf-8").partition("\n")[0].rstrip("\r")
    except OSError as error:
        raise FileError(
            f"Cannot read the password file {name}: {error.strerror or error}.",
            remedy=f"Check the path in {PASSWORD_FILE}.",
        ) from error


def asked_password(shown: str) -> str | None:
    """Return the password that the user types; ``None`` if nobody sits at a terminal."""
    if sys.stdin is None or not sys.stdin.isatty():
        return None
    return getpass(f"Password for {shown}: ")
