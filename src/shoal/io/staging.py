"""Writing of several files that appear together or not at all."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import secrets
import shutil
import stat
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

import numpy as np
import polars as pl

from shoal.errors import FileError
from shoal.io.cell_types import (
    BYTES,
    DURATIONS,
    OBJECTS,
    refuse_types,
    refuse_unbounded,
    with_lists_as_json,
)
from shoal.io.compression import packed
from shoal.io.databases import is_database
from shoal.io.destination import check_place, place_of
from shoal.io.formats import STANDARD_STREAM, FileKind, Format, file_kind
from shoal.io.journal import (
    PRIVATE_MODE,
    StagedFile,
    flush_folder,
    folders_locked,
    rename_together,
)
from shoal.io.leftovers import hold, remove_leftovers
from shoal.io.opening import separator_named
from shoal.io.recovery import complete_or_undo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import TracebackType

    from numpy.typing import NDArray

    from shoal.io.databases.write import IfExists, PendingTable

_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_SYSTEM_ERROR = re.compile(r"\(os error (\d+)\)")


class Staging:
    r"""Writes files under temporary names and gives them their names all together.

    Every file is written beside its place under a hidden random name, and flushed to the disk.
    :meth:`commit` renames them, tables last, so that a release never stands without its
    companions. Until then only this user may read them, and what a killed process leaves of them is
    removed by the next run that writes there. Leaving the block without a commit removes what was
    written, whatever the reason. A process that is killed leaves the previous files as they were,
    or a journal from which the next run, or :func:`shoal.io.recover`, renames the rest.

    Examples
    --------
    >>> import polars, tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> with Staging() as staging:
    ...     staging.table(polars.DataFrame({"age": ["[35..37]"]}), folder / "release.csv")
    ...     staging.text("{}", folder / "facts.json")
    ...     staging.commit()
    >>> (folder / "release.csv").read_text()
    'age\n[35..37]\n'
    """

    def __init__(self) -> None:
        self._staged: list[StagedFile] = []
        self._temporaries: list[Path] = []
        self._streamed: list[bytes] = []
        self._held: list[int | None] = []
        self._pending: dict[str, PendingTable] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for pending in self._pending.values():
            pending.rollback()
        self._pending.clear()
        for temporary in self._temporaries:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
        self._temporaries.clear()
        for descriptor in self._held:
            if descriptor is not None:
                os.close(descriptor)
        self._held.clear()

    def table(
        self,
        frame: pl.DataFrame,
        path: str | Path,
        *,
        separator: str | None = None,
        private: bool = False,
        facts: Callable[[], Mapping[str, Any]] | None = None,
        if_exists: IfExists = "fail",
    ) -> None:
        """Write a table in the format that the suffix names; ``-`` is CSV on standard output.

        Parameters
        ----------
        frame
            The table. In CSV a missing cell is an empty field and a list is JSON text.
        path
            Where it goes at :meth:`commit`.
        separator
            Separator of a CSV file; ``None`` is a tab for ``.tsv`` and else a comma.
        private
            Whether only this user may read it, from the moment it exists.
        facts
            Returns what the second sheet of a workbook shows; other formats have none.
        if_exists
            What to do if the table exists in the database.
        """
        if is_database(path):
            from shoal.io.databases.write import prepare_table

            self._pending[str(path)] = prepare_table(frame, path, if_exists)
            return
        if str(path) == STANDARD_STREAM:
            character = separator_named(separator or ",")
            self._streamed.append(flat(frame).write_csv(separator=character).encode())
            return
        kind = file_kind(path, written=True)
        tab_separated = ".tsv" in (suffix.lower() for suffix in Path(path).suffixes)
        character = separator_named(separator or ("\t" if tab_separated else ","))
        with self._new_file(path, private=private, is_table=True) as file:
            if kind.format is Format.EXCEL:
                from shoal.io.excel_write import write_workbook

                write_workbook(frame, file, str(path), facts() if facts else None)
            else:
                _write_table(frame, file, kind, character, str(path))

    def text(self, content: str, path: str | Path, *, private: bool = False) -> None:
        """Write a text in UTF-8; ``-`` is standard output.

        Parameters
        ----------
        content
            The text.
        path
            Where it goes at :meth:`commit`.
        private
            Whether only this user may read it, from the moment it exists.
        """
        if str(path) == STANDARD_STREAM:
            self._streamed.append(content.encode())
            return
        with self._new_file(path, private=private, is_table=False) as file:
            file.write(content.encode())

    def file(self, source: Path, path: str | Path, *, private: bool = False) -> None:
        """Write a copy of a file, of any size.

        Parameters
        ----------
        source
            The file.
        path
            Where its copy goes at :meth:`commit`.
        private
            Whether only this user may read it, from the moment it exists.
        """
        with (
            source.open("rb") as content,
            self._new_file(path, private=private, is_table=True) as file,
        ):
            shutil.copyfileobj(content, file, 1 << 20)

    def reading_order(self, path: str | Path) -> NDArray[np.int64] | None:
        """Return in which order the rows of a table will be read; ``None`` if as they stand."""
        pending = self._pending.get(str(path))
        return None if pending is None else pending.order.to_numpy().astype(np.int64)

    def checksum(self, path: str | Path) -> str:
        """Return the SHA-256 of what was written for a path and will appear at :meth:`commit`."""
        if str(path) == STANDARD_STREAM:
            return hashlib.sha256(b"".join(self._streamed)).hexdigest()
        if str(path) in self._pending:
            return self._pending[str(path)].fingerprint
        place = place_of(path)
        temporary = next(staged.temporary for staged in self._staged if staged.place == place)
        with temporary.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def commit(self) -> None:
        """Give every file its name, tables last; then write what goes to standard output.

        If a file cannot get its name, those renamed before it are put back. Tables of databases
        come after all files.

        Raises
        ------
        FileError
            If a file cannot get its name, or standard output cannot be written.
        """
        folders = {staged.place.parent for staged in self._staged}
        with folders_locked(folders):
            for folder in folders:
                complete_or_undo(folder)
            try:
                self._rename()
            except OSError as error:
                raise _write_error(self._shown(error), error) from error
        self._staged.clear()
        for content in self._streamed:
            try:
                sys.stdout.buffer.write(content)
                sys.stdout.buffer.flush()
            except OSError as error:
                raise _write_error("Standard output", error) from error
        self._streamed.clear()

    def _rename(self) -> None:
        if len(self._staged) == 1 and not self._pending:
            (staged,) = self._staged
            staged.temporary.replace(staged.place)
            staged.place.chmod(staged.mode)
            flush_folder(staged.place.parent)
        elif self._staged:
            rename_together(self._staged, self._commit_pending)
        else:
            self._commit_pending()

    def _commit_pending(self) -> None:
        for address in list(self._pending):
            self._pending.pop(address).commit()

    def _shown(self, error: OSError) -> str:
        """Return the file that an error is about, as its user named it."""
        named = {error.filename, error.filename2}
        for staged in self._staged:
            if named & {str(staged.place), str(staged.temporary), staged.place, staged.temporary}:
                return staged.shown
        return self._staged[-1].shown if self._staged else next(iter(self._pending), "The table")

    @contextlib.contextmanager
    def _new_file(self, path: str | Path, *, private: bool, is_table: bool) -> Iterator[IO[bytes]]:
        place = place_of(path)
        check_place(place, str(path))
        with folders_locked([place.parent], wait=False) as locked:
            if locked:  # else a living run is about to rename its files
                complete_or_undo(place.parent)
                remove_leftovers(place)
        temporary = place.with_name(f".{place.name[:200]}.{secrets.token_hex(8)}.partial")
        self._temporaries.append(temporary)
        try:
            mode = PRIVATE_MODE if private else _mode_of(place)
            # Private until it has its name: a killed process may leave it behind.
            descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, PRIVATE_MODE)
            self._held.append(hold(temporary))
            with os.fdopen(descriptor, "w+b") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise _write_error(str(path), error) from error
        except pl.exceptions.PolarsError as error:
            if _system_number(error) is not None:
                raise _write_error(str(path), error) from error
            raise FileError(
                f"{path} cannot be written: this format cannot hold the table ({error}).",
                remedy="Write Parquet instead.",
            ) from error
        self._staged.append(StagedFile(temporary, place, str(path), is_table, mode, private))


def _mode_of(place: Path) -> int:
    """Return the mode for a new file: a file that is replaced keeps others out as before."""
    try:
        mode = stat.S_IMODE(place.stat().st_mode) & 0o666
    except OSError:
        mode = 0o666
    mask = os.umask(0o077)
    os.umask(mask)
    return mode & ~mask


def _write_table(
    frame: pl.DataFrame, file: IO[bytes], kind: FileKind, separator: str, where: str
) -> None:
    if kind.format is Format.PARQUET:
        refuse_types(frame, kind.format, (OBJECTS,))
        frame.write_parquet(file)
    elif kind.format is Format.ARROW:
        refuse_types(frame, kind.format, (OBJECTS,))
        frame.write_ipc(file, compat_level=pl.CompatLevel.oldest())
    elif kind.compression is not None:
        with packed(file, kind.compression, where) as packing:
            _write_table(frame, packing, FileKind(kind.format), separator, where)
    elif kind.format is Format.JSON_LINES:
        refuse_types(frame, "JSON", (BYTES, DURATIONS, OBJECTS))
        refuse_unbounded(frame, "JSON")
        frame.write_ndjson(file)
    else:
        flat(frame).write_csv(file, separator=separator)


def flat(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame with every list written as JSON text, or raise that CSV cannot hold it."""
    refuse_types(frame, "CSV", (BYTES, DURATIONS, OBJECTS))
    for series in frame.select(pl.col(pl.String).str.contains("\0", literal=True).any()):
        if series.item():
            raise FileError(
                f"Column {series.name!r} holds NUL characters, which readers of CSV refuse.",
                remedy="Write Parquet instead, or remove them.",
            )
    return with_lists_as_json(frame, "CSV")


def _system_number(error: Exception) -> int | None:
    """Return the number of the system error; polars tells it in its message alone."""
    number: int | None = getattr(error, "errno", None)
    found = _SYSTEM_ERROR.search(str(error))
    return int(found[1]) if number is None and found else number


def _write_error(shown: str, error: Exception) -> FileError:
    number = _system_number(error)
    if number in _NO_SPACE:
        return FileError(
            f"{shown} was not written: the disk or quota is full.",
            remedy="Free some space or choose another folder; earlier files are untouched.",
        )
    return FileError(
        f"{shown} was not written: {os.strerror(number) if number else error}.",
        remedy="Check the folder and its permissions; earlier files are untouched.",
    )
