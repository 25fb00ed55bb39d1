"""Where the app keeps its tables, jobs and runs: a private folder, one subfolder per project.

Everything that a page shows is read from here, so a reload loses nothing, two tabs see the same,
and a server that was killed finds its finished runs again::

    projects/4f1c…/
        project.json          name of the table, how it was read, layout of this folder
        source.csv            the upload (a file opened by its path stays where it is)
        table.parquet         the table as it was read
        table.arrow           the same in small batches, for pages of records
        profile.json          figures about its columns
        job.toml              the options chosen so far
        history/0001.toml …   earlier states of the job, for undo
        hierarchies/age.csv
        runs/0001/            see :mod:`shoal.web.runs`
"""

from __future__ import annotations

import datetime
import json
import os
import re
import secrets
import shutil
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomli_w

from shoal.errors import FileError, InputError
from shoal.web.occupancy import TEMPORARY

if TYPE_CHECKING:
    from collections.abc import Mapping

LAYOUT = 2
"""Number of the layout above; a folder with another one is not read, but left as it is."""
_IDENTIFIER = re.compile(r"[0-9a-f]{12}")


class StaleJobError(InputError):
    """The job was changed in another tab since this page was drawn."""


class OtherLayoutError(InputError):
    """Another version of Shoal made the project, and keeps its files in another way."""


class UnreadTableError(InputError):
    """The table of a project has not been read, so there is nothing to show but why."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """The folder of all projects.

    Parameters
    ----------
    root
        The folder; only its owner may enter it.
    temporary
        Whether it is removed when the server ends.
    """

    root: Path
    temporary: bool

    @classmethod
    def open(cls, folder: str | Path | None = None) -> Workspace:
        """Open a folder that is kept, or make one that lives as long as the server.

        Raises
        ------
        FileError
            If the folder cannot be made, or others may read it.
        """
        if folder is None:
            return cls(Path(tempfile.mkdtemp(prefix=TEMPORARY)), temporary=True)
        root = Path(folder)
        try:
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            (root / "projects").mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise FileError(
                f"Cannot use the workspace {root}: {error.strerror or error}.",
                remedy="Name a folder that you may write to.",
            ) from error
        if root.stat().st_mode & 0o077:
            raise FileError(
                f"Others may read the workspace {root}, and it holds original data.",
                remedy=f"Run: chmod 700 {root}",
            )
        return cls(root, temporary=False)

    def close(self) -> None:
        """Remove the folder, unless it is to be kept."""
        if self.temporary:
            shutil.rmtree(self.root, ignore_errors=True)

    def projects(self) -> list[Project]:
        """Return all projects, the newest first."""
        folders = (self.root / "projects").glob("*/project.json")
        found = [
            Project(file.parent)
            for file in folders
            if _IDENTIFIER.fullmatch(file.parent.name) and not file.parent.is_symlink()
        ]
        return sorted(found, key=lambda project: str(project.about["opened"]), reverse=True)

    def project(self, identifier: str, *, read: bool = True, current: bool = True) -> Project:
        """Return a project by its identifier.

        Parameters
        ----------
        read
            Whether its table must have been read.
        current
            Whether its folder must have the layout of this version.

        Raises
        ------
        InputError
            If there is none.
        OtherLayoutError
            If another version of Shoal made it.
        UnreadTableError
            If its table has not been read, but must have been.
        """
        folder = self.root / "projects" / identifier
        known = _IDENTIFIER.fullmatch(identifier) and not folder.is_symlink()
        if not known or not (folder / "project.json").is_file():
            raise InputError("There is no such project.", remedy="Open its table again.")
        project = Project(folder)
        if current and not project.is_current:
            raise OtherLayoutError(
                f"{project.about['name']} was opened by another version of Shoal, whose files this "
                "version does not read.",
                remedy=f"Open the table again. Its releases are kept in {folder / 'runs'}.",
            )
        if read and not project.is_read:
            raise UnreadTableError("The table has not been read.", remedy="Choose how to read it.")
        return project

    def create(self, name: str, **about: Any) -> Project:
        """Make a project for a table that is about to be opened."""
        folder = self.root / "projects" / secrets.token_hex(6)
        folder.mkdir(mode=0o700, parents=True)
        now = datetime.datetime.now(tz=datetime.UTC).isoformat(timespec="seconds")
        write_json(
            folder / "project.json", {"name": name, "opened": now, "layout": LAYOUT, **about}
        )
        return Project(folder)


@dataclass(frozen=True, slots=True)
class Project:
    """One table with its job and its runs."""

    folder: Path

    @property
    def identifier(self) -> str:
        """The name of its folder and part of its URLs."""
        return self.folder.name

    @property
    def about(self) -> dict[str, Any]:
        """What is known about the table since it was opened."""
        return read_json(self.folder / "project.json")

    @property
    def reading(self) -> dict[str, Any]:
        """The options that its table was read with, as a job file holds them."""
        reading: dict[str, Any] = self.about.get("reading", {})
        return reading

    @property
    def is_current(self) -> bool:
        """Whether its folder has the layout of this version."""
        return self.about.get("layout") == LAYOUT

    def note(self, **about: Any) -> None:
        """Keep more about the table."""
        write_json(self.folder / "project.json", {**self.about, **about})

    @property
    def is_read(self) -> bool:
        """Whether its table has been read; the profile is the last that is written."""
        return (self.folder / "profile.json").is_file()

    def remove(self) -> None:
        """Remove the project and everything in it."""
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def table(self) -> Path:
        """The table as it was read."""
        return self.folder / "table.parquet"

    @property
    def page_table(self) -> Path:
        """A copy of the table that pages are cut from."""
        return self.folder / "table.arrow"

    @property
    def hierarchies(self) -> Path:
        """The folder of hierarchy files."""
        folder = self.folder / "hierarchies"
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder

    # The job ---------------------------------------------------------------------------------

    def options(self) -> dict[str, Any]:
        """Return the options chosen so far, as a job file holds them."""
        file = self.folder / "job.toml"
        return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}

    @property
    def version(self) -> int:
        """How often the job was changed; a page that was drawn from an older one is stale."""
        return int(self.about.get("version", 0))

    def require(self, version: int | None) -> None:
        """Refuse a change from a page that shows an older job.

        Raises
        ------
        StaleJobError
            If ``version`` is given and the job has been changed since.
        """
        if version is not None and version != self.version:
            raise StaleJobError(
                "The options were changed in another tab.", remedy="Reload this page first."
            )

    def change(self, options: Mapping[str, Any], *, version: int | None = None) -> int:
        """Replace the options, keep what they were for undo, and return the new version.

        Raises
        ------
        StaleJobError
            If ``version`` is given and the job has been changed since.
        """
        self.require(version)
        now = self.version
        history = self.folder / "history"
        history.mkdir(mode=0o700, exist_ok=True)
        before = tomli_w.dumps(self.options())
        write_text(history / f"{now + 1:06}.toml", before)
        self.note(version=now + 1)
        # Last: if the disk is full before that, the options stay as they were.
        write_text(self.folder / "job.toml", tomli_w.dumps(dict(options)))
        return now + 1

    @property
    def earlier_states(self) -> list[Path]:
        """Earlier states of the job, the oldest first."""
        return sorted((self.folder / "history").glob("*.toml"))

    def undo(self) -> bool:
        """Take the last change of the job back; return whether there was one."""
        states = self.earlier_states
        if not states:
            return False
        write_text(self.folder / "job.toml", states[-1].read_text(encoding="utf-8"))
        states[-1].unlink()
        self.note(version=self.version + 1)
        return True

    # The table -------------------------------------------------------------------------------

    def fresh_reading(self) -> Project:
        """Return a project inside this one, to read the table in another way."""
        folder = self.folder / f"reading-{secrets.token_hex(4)}"
        folder.mkdir(mode=0o700)
        about = self.about
        write_json(folder / "project.json", {"name": about["name"], "source": about["source"]})
        return Project(folder)

    def take_table(self, fresh: Project) -> bool:
        """Replace the table by that of a fresh reading; return whether the options were kept.

        Options name columns, so a table with other columns starts with none.
        """
        keep = self.column_names() == fresh.column_names()
        # Without its profile the table counts as not read, should the server be killed now.
        (self.folder / "profile.json").unlink(missing_ok=True)
        fresh.table.replace(self.table)
        fresh.page_table.replace(self.page_table)
        found = fresh.about
        about = {key: value for key, value in self.about.items() if key != "problem"}
        about |= {key: found[key] for key in ("records", "columns", "reading", "given")}
        write_json(self.folder / "project.json", {**about, "version": self.version + 1})
        if not keep:
            (self.folder / "job.toml").unlink(missing_ok=True)
            shutil.rmtree(self.folder / "history", ignore_errors=True)
        (fresh.folder / "profile.json").replace(self.folder / "profile.json")
        fresh.remove()
        return keep

    def column_names(self) -> list[str]:
        """Return the columns of the table, none if it has not been read."""
        if not self.is_read:
            return []
        profile = read_json(self.folder / "profile.json")
        return [column["name"] for column in profile["columns"]]


def read_json(file: Path) -> dict[str, Any]:
    """Return the object in a JSON file."""
    content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return content


def write_json(file: Path, content: Mapping[str, Any]) -> None:
    """Write an object to a JSON file, whole or not at all."""
    write_text(file, json.dumps(content, ensure_ascii=False))


def write_text(file: Path, text: str) -> None:
    """Write a text to a file that its owner alone may read, whole or not at all."""
    beside = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as out:
            out.write(text)
        beside.replace(file)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
