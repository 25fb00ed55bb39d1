"""What a run that was killed between two renames left, completed or undone by the next one."""

from __future__ import annotations

import contextlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from shoal.errors import FileError
from shoal.io.formats import STANDARD_STREAM
from shoal.io.journal import Journal, folders_locked

if TYPE_CHECKING:
    from collections.abc import Iterable

_LEFT = re.compile(r"\.shoal-[0-9a-f]{16}\.(journal|settled|draft)")


@dataclass(frozen=True, slots=True)
class Interruption:
    """A run that was killed while its files got their names, and what became of them.

    Parameters
    ----------
    folder
        Where the files stand.
    names
        The files; none are known of another user's run.
    outcome
        Whether all have their names now, none has, the folder that decides is missing, or the run
        was another user's.
    decided_in
        The folder that decides.
    """

    folder: Path
    names: tuple[str, ...]
    outcome: Literal["completed", "undone", "undecided", "foreign"]
    decided_in: Path

    @property
    def what(self) -> str:
        """What happened, in one sentence."""
        if self.outcome == "foreign":
            return f"A run of another user was killed while it wrote to {self.folder}."
        files = ", ".join(self.names)
        begun = f"A run was killed while it wrote {files} in {self.folder}"
        match self.outcome:
            case "completed":
                return f"{begun}; that is completed now, and its files belong together."
            case "undone":
                return f"{begun}; that is undone now, and the earlier files belong together."
            case _:
                return f"{begun}, and its other folder {self.decided_in} is not there."

    @property
    def remedy(self) -> str:
        """What its user can do, where something is left to do."""
        match self.outcome:
            case "foreign":
                return "That user should run `shoal verify` or the job again."
            case "undecided":
                return (
                    "Make that folder available again; or remove the files .shoal-* here, and run "
                    "the job again."
                )
            case _:
                return ""


def interruptions(folder: Path) -> list[Interruption]:
    """Complete or undo what killed runs left in a folder, which must be locked."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        left = sorted(path for path in folder.iterdir() if _LEFT.fullmatch(path.name))
        return [found for path in left if (found := _settled(path)) is not None]
    return []


def complete_or_undo(folder: Path) -> None:
    """Complete or undo what killed runs left in a folder that is about to be written to.

    Raises
    ------
    FileError
        If that cannot be decided: a run now would mix its files with theirs.
    """
    for found in interruptions(folder):
        if found.outcome == "undecided":
            raise FileError(found.what, remedy=found.remedy)


def recover(paths: Iterable[str | Path]) -> list[Interruption]:
    """Complete or undo what killed runs left beside files; where a run lives, nothing is done."""
    folders = [
        Path(os.path.realpath(path)).parent for path in paths if str(path) != STANDARD_STREAM
    ]
    found: list[Interruption] = []
    for folder in dict.fromkeys(folders):
        with folders_locked([folder], wait=False) as locked:
            if locked:
                found += interruptions(folder)
    return found


def _settled(path: Path) -> Interruption | None:
    """Return what became of the run that left a file behind, if there is something to tell."""
    folder = path.parent
    if path.stat().st_uid != os.geteuid():
        return Interruption(folder, (), "foreign", folder)
    # A draft, or a journal that is not whole, was left before the first rename.
    journal = None if path.suffix == ".draft" else Journal.read(path)
    if journal is None:
        path.unlink()
        return None
    if path.suffix == ".settled":
        journal.close()
        return None
    names = tuple(rename.place for rename in journal.renames)
    if not journal.decided_in.is_dir():
        return Interruption(folder, names, "undecided", journal.decided_in)
    forward = journal.marker.exists()
    journal.settle(forward=forward)
    journal.close()
    outcome: Literal["completed", "undone"] = "completed" if forward else "undone"
    return Interruption(folder, names, outcome, journal.decided_in)
