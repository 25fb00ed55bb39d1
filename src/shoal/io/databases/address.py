"""Addresses of databases, and where passwords come from: never from an address."""

from __future__ import annotations

import os
import re
import stat
import sys
from dataclasses import dataclass
from functools import cache
from getpass import getpass
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from shoal.errors import FileError
from shoal.io.databases import SCHEME, usual_scheme

_IN_FILES = ("sqlite", "duckdb")
_HOST = re.compile(r"(\[[^\[\]]*\]|[^:\[\]]*)(:\d*)?")
_PASSWORD_KEY = re.compile(r"pwd|pass(?!file)|secret|token", re.IGNORECASE)
_PLACE_KEYS = {"host", "hostaddr", "port", "dbname", "service", "unix_socket"}
_PORTS = {"postgresql": 5432, "mysql": 3306}
PASSWORD, PASSWORD_FILE = "SHOAL_PASSWORD", "SHOAL_PASSWORD_FILE"


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
            If it holds a password, as the command line is shown to every user of the machine, or
            cannot be read. The message does not repeat it.
        """
        text = str(address)
        # A path may lose one of its slashes on the way; an address must not.
        url, _, table = text.partition("#")
        found = SCHEME.match(url)
        assert found is not None
        scheme = usual_scheme(found[1])
        keys = [key for key, _ in parse_qsl(text.partition("?")[2])]
        if _password(scheme, text[found.end() :]) or any(map(_PASSWORD_KEY.search, keys)):
            raise FileError(
                f"The address of the {scheme} database holds a password, which every user of this "
                "machine can see while a command runs.",
                remedy=f"Leave it out. Set {PASSWORD}, name a file in {PASSWORD_FILE}, or type it "
                "at the prompt. An @ that is part of a name is written %40.",
            )
        if scheme not in _IN_FILES and not _is_readable(url):
            raise FileError(
                f"The address of the {scheme} database cannot be read.",
                remedy=f"Write it as {scheme}://user@host:port/database#table, with other special "
                "characters percent-encoded.",
            )
        return cls(scheme, f"{scheme}://{url[found.end() :]}", unquote(table) or None)

    @property
    def shown(self) -> str:
        """The address as messages show it, without user and parameters."""
        rest = self.url.partition("://")[2].partition("?")[0]
        place = rest if self.scheme in _IN_FILES else rest.rpartition("@")[2]
        return f"{self.scheme}://{place}" + (f"#{self.table}" if self.table else "")

    @property
    def path(self) -> str:
        """The file of a SQLite or DuckDB database; three slashes begin a relative path."""
        rest = self.url.partition("://")[2].partition("?")[0]
        return unquote(rest.removeprefix("/"))

    @property
    def file(self) -> Path | None:
        """The file that holds the database, links followed; ``None`` for one on a server."""
        return Path(os.path.realpath(self.path)) if self.scheme in _IN_FILES else None

    def same_database(self, other: DatabaseAddress) -> bool:
        """Return whether two addresses lead to one database, however they spell it."""
        if self.file is None or other.file is None:
            return self.scheme == other.scheme and self._server == other._server
        try:
            return self.file == other.file or self.file.samefile(other.file)
        except OSError:  # one of them does not exist
            return False

    @property
    def _server(self) -> tuple[str, str, list[tuple[str, str]]]:
        parts = urlsplit(self.url)
        place = parts.netloc.rpartition("@")[2].lower()
        host = place.removesuffix(f":{_PORTS.get(self.scheme)}").removesuffix(":")
        named = sorted(pair for pair in parse_qsl(parts.query) if pair[0] in _PLACE_KEYS)
        return host, unquote(parts.path).strip("/"), named

    def same_table(self, other: DatabaseAddress) -> bool:
        """Return whether two addresses name one table of one database."""
        if self.table is None or other.table is None or not self.same_database(other):
            return False
        if self.scheme in _IN_FILES:  # their names of tables ignore case
            return self.table.casefold() == other.table.casefold()
        return self.table == other.table

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


def _password(scheme: str, rest: str) -> str:
    """Return what may be a password: all between the first colon and the last ``@``.

    A password that is not percent-encoded may hold ``#``, ``?``, ``/`` and ``@``, so the parts of
    an address cannot be separated before it is known that there is none.
    """
    if scheme in _IN_FILES:  # behind the first slash is a path, in which both may occur
        rest = rest.partition("/")[0]
    return rest.partition(":")[2].rpartition("@")[0]


def _is_readable(url: str) -> bool:
    """Return whether hosts and ports can be separated; PostgreSQL takes several hosts."""
    try:
        hosts = urlsplit(url).netloc.rpartition("@")[2]
    except ValueError:  # an unclosed bracket, for one
        return False
    return all(_HOST.fullmatch(host) for host in hosts.split(","))


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


@cache
def prompted_password(shown: str) -> str | None:
    """Return the password that the user types, once; ``None`` if nobody sits at a terminal."""
    if sys.stdin is None or not sys.stdin.isatty():
        return None
    return getpass(f"Password for {shown}: ")
