"""Writing of several files that appear together or not at all."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import re
import secrets
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

import polars as pl

from shoal.errors import FileError
from shoal.io.address import refuse_address
from shoal.io.compression import Compression, packed
from shoal.io.databases import PendingTable, check_destination, is_database, prepare_table
from shoal.io.excel_write import write_workbook
from shoal.io.extras import extra_module
from shoal.io.formats import STANDARD_STREAM, FileKind, Format, file_kind
from shoal.io.leftovers import hold, remove_leftovers
from shoal.io.opening import separator_named

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import TracebackType

    from shoal.io.databases.write import IfExists

_PRIVATE_MODE = 0o600
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_SYSTEM_ERROR = re.compile(r"\(os error (\d+)\)")


def check_output(
    path: str | Path,
    force: bool = False,  # noqa: FBT001 - the flag of the command line, by its name
    *,
    table: bool = True,
    inputs: Sequence[str | Path] = (),
    others: Sequence[str | Path] = (),
    if_exists: IfExists = "fail",
) -> None:
    """Raise before any work is done if an output could not be written in the end.

    Parameters
    ----------
    path
        The output, or ``-`` for standard output.
    force
        Whether an existing file may be replaced.
    table
        Whether it is a table, so that its suffix must name a format.
    inputs
        Files that are read; no output may replace one of them, ``force`` or not.
    others
        The other outputs of the same run.
    if_exists
        What becomes of a table of a database that exists.

    Raises
    ------
    FileError
        If the suffix is unknown, the folder is missing or not writable, the file exists and
        ``force`` is not set, or it is one of ``inputs`` or ``others``.
    """
    if str(path) == STANDARD_STREAM:
        if any(str(other) == STANDARD_STREAM for other in others):
            raise FileError(
                "Two outputs go to standard output.", remedy="Give one of them a file name."
            )
        return
    if table and is_database(path):
        check_destination(path, if_exists, inputs)
        return
    refuse_address(path)
    if table and not Path(path).is_dir():
        _require_packages(file_kind(path, written=True), str(path))
    _refuse_input(path, inputs)
    for other in others:
        if str(other) != STANDARD_STREAM and _same_file(path, other):
            raise FileError(
                f"Two outputs are the same file: {path}.", remedy="Give each its own name."
            )
    _check_place(_place(path), str(path))
    if not force and os.path.lexists(path):
        raise FileError(
            f"{path} exists.", remedy="Choose another name, or replace it with `force`."
        )


def _require_packages(kind: FileKind, where: str) -> None:
    """Raise now, not after the work, if a format needs a package that is not installed."""
    if kind.format is Format.EXCEL:
        extra_module("xlsxwriter", "excel", where)
    if kind.compression is Compression.ZSTD:
        extra_module("zstandard", "zstd", where)


def _refuse_input(path: str | Path, inputs: Sequence[str | Path]) -> None:
    """Raise if an output is what is read, or would be read the next time."""
    for read in inputs:
        if is_database(read) or str(read) == STANDARD_STREAM:
            continue
        if Path(read).is_dir():
            if _place(path).is_relative_to(_place(read)):
                raise FileError(
                    f"{path} lies in {read}, the folder that is read.",
                    remedy="Write to another folder, or the next run would read the release too.",
                )
        elif _same_file(path, read):
            raise FileError(
                f"{path} is an input and an output at once.",
                remedy="Write to another file: the original is needed to verify the release.",
            )


def _place(path: str | Path) -> Path:
    """Return the file a path leads to: links are followed, so that they stay links."""
    return Path(os.path.realpath(path))


def _same_file(one: str | Path, another: str | Path) -> bool:
    if _place(one) == _place(another):
        return True
    try:
        return Path(one).samefile(another)
    except OSError:
        return False


def _check_place(place: Path, shown: str) -> None:
    folder = place.parent
    if not folder.is_dir():
        raise FileError(
            f"{shown} cannot be written: the folder {folder} does not exist.",
            remedy="Make the folder first.",
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise FileError(
            f"{shown} cannot be written: this user may not write to the folder {folder}.",
            remedy="Choose another folder, or change its permissions.",
        )
    try:
        mode = place.stat().st_mode
    except OSError:
        return
    if stat.S_ISDIR(mode):
        raise FileError(f"{shown} is a folder.", remedy="Name a file inside it.")
    if not stat.S_ISREG(mode):
        raise FileError(
            f"{shown} is not a regular file.", remedy="Name a file, or - for standard output."
        )


@dataclass(frozen=True, slots=True)
class _Staged:
    """A complete file under its temporary name, and the name it will get."""

    temporary: Path
    place: Path
    shown: str
    is_table: bool
    mode: int


@dataclass(frozen=True, slots=True)
class _Previous:
    """What stood at a place before, under a second name where the file system allows one."""

    place: Path
    existed: bool
    second: Path | None = None

    def put_back(self) -> None:
        with contextlib.suppress(OSError):
            if self.second is not None:
                self.second.replace(self.place)
            elif not self.existed:
                self.place.unlink(missing_ok=True)


class Staging:
    r"""Writes files under temporary names and gives them their names all together.

    Every file is written beside its place under a hidden random name, and flushed to the disk.
    :meth:`commit` renames them, tables last, so that a release never stands without its
    companions. Until then only this user may read them, and what a killed process leaves of them is
    removed by the next run that writes there. Leaving the block without a commit removes what was
    written, whatever the reason; a process that is killed leaves the previous files as they were.

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
        self._staged: list[_Staged] = []
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
        facts: Mapping[str, Any] | None = None,
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
            What a second sheet of a workbook tells about the table; other formats have none.
        if_exists
            What becomes of a table of a database that exists.
        """
        if is_database(path):
            self._pending[str(path)] = prepare_table(frame, path, if_exists)
            return
        if str(path) == STANDARD_STREAM:
            character = separator_named(separator or ",")
            self._streamed.append(_flat(frame).write_csv(separator=character).encode())
            return
        kind = file_kind(path, written=True)
        tab_separated = ".tsv" in (suffix.lower() for suffix in Path(path).suffixes)
        character = separator_named(separator or ("\t" if tab_separated else ","))
        with self._new_file(path, private=private, is_table=True) as file:
            if kind.format is Format.EXCEL:
                write_workbook(frame, file, str(path), facts)
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

    def checksum(self, path: str | Path) -> str:
        """Return the SHA-256 of what was written for a path and will appear at :meth:`commit`."""
        if str(path) == STANDARD_STREAM:
            return hashlib.sha256(b"".join(self._streamed)).hexdigest()
        if str(path) in self._pending:
            return self._pending[str(path)].fingerprint
        place = _place(path)
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
        renamed: list[_Previous] = []
        current = ""
        try:
            for staged in sorted(self._staged, key=lambda staged: staged.is_table):
                current = staged.shown
                renamed.append(self._keep_previous(staged.place))
                staged.temporary.chmod(staged.mode)
                staged.temporary.replace(staged.place)
            for address in list(self._pending):
                self._pending.pop(address).commit()
        except BaseException as error:
            for previous in reversed(renamed):
                previous.put_back()
            if isinstance(error, OSError):
                raise _write_error(current, error) from error
            raise
        for folder in {staged.place.parent for staged in self._staged}:
            _flush_folder(folder)
        self._staged.clear()
        for content in self._streamed:
            try:
                sys.stdout.buffer.write(content)
                sys.stdout.buffer.flush()
            except OSError as error:
                raise _write_error("Standard output", error) from error
        self._streamed.clear()

    @contextlib.contextmanager
    def _new_file(self, path: str | Path, *, private: bool, is_table: bool) -> Iterator[IO[bytes]]:
        place = _place(path)
        _check_place(place, str(path))
        remove_leftovers(place)
        temporary = place.with_name(f".{place.name[:200]}.{secrets.token_hex(8)}.partial")
        self._temporaries.append(temporary)
        try:
            mode = _PRIVATE_MODE if private else _mode_of(place)
            # Private until it has its name: a killed process may leave it behind.
            descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, _PRIVATE_MODE)
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
        self._staged.append(_Staged(temporary, place, str(path), is_table, mode))

    def _keep_previous(self, place: Path) -> _Previous:
        """Give the file that stands in the way a second name, until the commit is through."""
        if not place.exists():
            return _Previous(place, existed=False)
        second = place.with_name(f".{place.name[:200]}.{secrets.token_hex(8)}.previous")
        self._temporaries.append(second)
        try:
            second.hardlink_to(place)
            self._held.append(hold(second))
        except OSError:
            # Some file systems know no second names; renaming stays safe file by file.
            return _Previous(place, existed=True)
        return _Previous(place, existed=True, second=second)


def _mode_of(place: Path) -> int:
    """Return the mode for a new file: a file that is replaced keeps others out as before."""
    try:
        mode = stat.S_IMODE(place.stat().st_mode) & 0o666
    except OSError:
        mode = 0o666
    mask = os.umask(0o077)
    os.umask(mask)
    return mode & ~mask


def _flush_folder(folder: Path) -> None:
    # The names are safe on the disk only when the folder is; some systems cannot flush folders.
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _write_table(
    frame: pl.DataFrame, file: IO[bytes], kind: FileKind, separator: str, where: str
) -> None:
    if kind.format is Format.PARQUET:
        frame.write_parquet(file)
    elif kind.format is Format.ARROW:
        frame.write_ipc(file, compat_level=pl.CompatLevel.oldest())
    elif kind.compression is not None:
        with packed(file, kind.compression, where) as packing:
            _write_table(frame, packing, FileKind(kind.format), separator, where)
    elif kind.format is Format.JSON_LINES:
        frame.write_ndjson(file)
    else:
        _flat(frame).write_csv(file, separator=separator)


def _flat(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame with every list written as JSON text, or raise that CSV cannot hold it."""
    for series in frame:
        if series.dtype == pl.String and series.str.contains("\0", literal=True).any():
            raise FileError(
                f"Column {series.name!r} holds NUL characters, which readers of CSV refuse.",
                remedy="Write Parquet instead, or remove them.",
            )
    return frame.with_columns(
        pl.Series(
            series.name,
            [
                None if cell is None else json.dumps(cell, ensure_ascii=False, default=str)
                for cell in series.to_list()
            ],
            dtype=pl.String,
        )
        for series in frame
        if isinstance(series.dtype, pl.List | pl.Array)
    )


def _system_number(error: Exception) -> int | None:
    """Return the number of the system error; polars tells it in its message alone."""
    number: int | None = getattr(error, "errno", None)
    told = _SYSTEM_ERROR.search(str(error))
    return int(told[1]) if number is None and told else number


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
