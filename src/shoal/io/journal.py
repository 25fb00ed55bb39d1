"""Renaming of several files as one step, also where a process is killed in between.

Every folder that gets files first gets a journal of its own renames, readable by this user alone.
Then a marker decides for all folders at once: it stands in one of them, and where it stands all
renames are carried out, now or by whoever finds the journals of a killed process; where it does
not, all are taken back. A journal names files of its own folder, and the folder with the marker.
That is one that holds files for others to read, if there is one: what is handed out never names
the folder of what is kept private.

Folders are locked while journals stand in them, so that a journal in a folder that can be locked
was left by a process that has ended.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.io.leftovers import HAS_LOCKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

PRIVATE_MODE = 0o600
JOURNAL = ".shoal-{}.journal"
# A journal whose renames are through, one way or the other.
SETTLED = ".shoal-{}.settled"
MARKER = ".shoal-{}.commit"
# A marker before it decides, and while it is rewritten.
DRAFT = ".shoal-{}.draft"


@dataclass(frozen=True, slots=True)
class StagedFile:
    """A complete file under its temporary name, and the name it will get."""

    temporary: Path
    place: Path
    shown: str
    is_table: bool
    mode: int
    private: bool


@dataclass(frozen=True, slots=True)
class Rename:
    """A file that gets its name; all names are within one folder.

    Parameters
    ----------
    temporary
        Its name so far.
    place
        Its name from now on.
    previous
        Second name of the file that it replaces, if there is one.
    mode
        Who may read it once it has its name.
    inode
        The file itself, whatever its name.
    replaced
        The file that it replaces.
    """

    temporary: str
    place: str
    previous: str | None
    mode: int
    inode: int
    replaced: int | None

    def carry_out(self, folder: Path) -> None:
        """Give the file its name, unless it has it, or somebody else put a file there since."""
        temporary, place = folder / self.temporary, folder / self.place
        if _inode(temporary) == self.inode and _inode(place) == self.replaced:
            temporary.replace(place)
        if _inode(place) == self.inode:
            # Private until it has its name: a killed process may leave it behind.
            place.chmod(self.mode)

    def take_back(self, folder: Path) -> None:
        """Put back what stood at the place, if the file got its name."""
        place = folder / self.place
        if _inode(place) == self.inode:
            if self.previous is None:
                place.unlink()
            else:
                (folder / self.previous).replace(place)

    def clear(self, folder: Path) -> None:
        """Remove the names that nobody needs any more."""
        for name in (self.temporary, self.previous):
            if name is not None:
                (folder / name).unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Journal:
    """The renames of one folder.

    Parameters
    ----------
    commit
        Random name of the whole step; the journals of other folders share it.
    folder
        The folder.
    decided_in
        The folder of the marker.
    renames
        In their order.
    """

    commit: str
    folder: Path
    decided_in: Path
    renames: tuple[Rename, ...]

    @property
    def path(self) -> Path:
        """Where the journal stands."""
        return self.folder / JOURNAL.format(self.commit)

    @property
    def marker(self) -> Path:
        """Where the marker stands, if the step was decided."""
        return self.decided_in / MARKER.format(self.commit)

    @property
    def token(self) -> str:
        """The name of this journal in the marker: it does not tell the folder."""
        return self.renames[0].temporary.split(".")[-2]

    def write(self) -> None:
        """Write the journal, whole and flushed to the disk."""
        content = {
            "about": "Renames of an unfinished run of shoal; the next one completes or undoes them",
            "decided_in": None if self.decided_in == self.folder else str(self.decided_in),
            "renames": [asdict(rename) for rename in self.renames],
        }
        _write_private(self.path, content)
        flush_folder(self.folder)

    @classmethod
    def read(cls, path: Path) -> Journal | None:
        """Return a journal, or ``None`` if its writing was cut off."""
        try:
            content = json.loads(path.read_bytes())
            renames = tuple(Rename(**rename) for rename in content["renames"])
            decided_in = path.parent if content["decided_in"] is None else content["decided_in"]
        except (ValueError, TypeError, KeyError):
            return None
        names = [name for one in renames for name in (one.temporary, one.place, one.previous)]
        if not renames or any(name is not None and name != Path(name).name for name in names):
            return None
        commit = path.stem.removeprefix(".shoal-")
        return cls(commit, path.parent, Path(decided_in), renames)

    def settle(self, *, forward: bool) -> None:
        """Carry out the renames, or take them back."""
        for rename in self.renames if forward else reversed(self.renames):
            if forward:
                rename.carry_out(self.folder)
            else:
                rename.take_back(self.folder)
        flush_folder(self.folder)

    def close(self) -> None:
        """Remove the journal of settled renames, what it lists, and its entry in the marker."""
        settled = self.folder / SETTLED.format(self.commit)
        if self.path.exists():
            # From here on nothing is taken back, although the marker may go first.
            self.path.replace(settled)
            flush_folder(self.folder)
        for rename in self.renames:
            rename.clear(self.folder)
        self._strike_from_marker()
        settled.unlink(missing_ok=True)
        flush_folder(self.folder)

    def _strike_from_marker(self) -> None:
        """Take this journal off the marker's list; the last one removes the marker."""
        try:
            waiting = json.loads(self.marker.read_bytes())["waiting"]
        except (OSError, ValueError, TypeError, KeyError):
            return
        left = [token for token in waiting if token != self.token]
        # A marker that stays too long is not read again, so that nothing depends on this.
        with contextlib.suppress(OSError):
            if left:
                _write_marker(self.marker, self.commit, left)
            else:
                self.marker.unlink(missing_ok=True)


def rename_together(files: Sequence[StagedFile], then: Callable[[], None]) -> None:
    """Give every file its name, tables last, and do what else belongs to it: all or nothing.

    The folders of the files must be locked, see :func:`folders_locked`.

    Parameters
    ----------
    files
        What is renamed.
    then
        What comes last. If it raises, every file that stood there before is back.

    Raises
    ------
    OSError
        If a file cannot get its name.
    """
    try:
        journals = _journals(files)
    except BaseException:
        for file in files:
            _second_name(file).unlink(missing_ok=True)
        raise
    try:
        for journal in journals:
            journal.write()
        _write_marker(journals[0].marker, journals[0].commit, [one.token for one in journals])
        for journal in journals:
            journal.settle(forward=True)
        then()
    except BaseException:
        # Without the marker a kill from here on takes everything back, too.
        journals[0].marker.unlink(missing_ok=True)
        flush_folder(journals[0].decided_in)
        for journal in reversed(journals):
            journal.settle(forward=False)
        for journal in journals:
            journal.close()
        raise
    for journal in journals:
        journal.close()


def _journals(files: Sequence[StagedFile]) -> list[Journal]:
    """Return the journals of all folders, the one with the marker last."""
    ordered = sorted(files, key=lambda file: file.is_table)
    # Tables are last here, so the folder of the release decides where it holds files for others.
    decided_in = [file.place.parent for file in sorted(ordered, key=lambda file: not file.private)]
    folders = dict.fromkeys(file.place.parent for file in ordered)
    commit = secrets.token_hex(8)
    return [
        Journal(
            commit,
            folder,
            decided_in[-1],
            tuple(_rename(file) for file in ordered if file.place.parent == folder),
        )
        for folder in sorted(folders, key=lambda folder: folder == decided_in[-1])
    ]


def _rename(file: StagedFile) -> Rename:
    """Return the rename of a file, after the file that stands in its way got a second name."""
    replaced = _inode(file.place)
    inode = file.temporary.stat().st_ino
    if replaced is None:
        return Rename(file.temporary.name, file.place.name, None, file.mode, inode, None)
    second = _second_name(file)
    try:
        second.hardlink_to(file.place)
    except OSError:
        shutil.copy2(file.place, second)  # some file systems know no second names
    return Rename(file.temporary.name, file.place.name, second.name, file.mode, inode, replaced)


def _second_name(file: StagedFile) -> Path:
    return file.temporary.with_suffix(".previous")


@contextlib.contextmanager
def folders_locked(folders: Iterable[Path], *, wait: bool = True) -> Iterator[bool]:
    """Lock folders against other runs, and tell whether that worked.

    Parameters
    ----------
    folders
        The folders.
    wait
        Whether to wait for runs that hold one of them.
    """
    with contextlib.ExitStack() as held:
        tried = [_lock(folder, held, wait=wait) for folder in sorted(set(folders))]
        yield all(tried)


def _lock(folder: Path, held: contextlib.ExitStack, *, wait: bool) -> bool:
    if not HAS_LOCKS:
        return False
    import fcntl

    try:
        descriptor = os.open(folder, os.O_RDONLY)
        held.callback(os.close, descriptor)
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


def flush_folder(folder: Path) -> None:
    """Write the names in a folder to the disk, on systems that can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _write_marker(marker: Path, commit: str, waiting: Sequence[str]) -> None:
    draft = marker.with_name(DRAFT.format(commit))
    draft.unlink(missing_ok=True)
    _write_private(draft, {"waiting": list(waiting)})
    draft.replace(marker)
    flush_folder(marker.parent)


def _write_private(path: Path, content: dict[str, Any]) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_MODE)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(content, file)
        file.flush()
        os.fsync(file.fileno())


def _inode(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return None
