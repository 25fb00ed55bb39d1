"""Writing of a large release: shuffled as a whole, in pieces, under a temporary name."""

from __future__ import annotations

import hashlib
import os
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from shoal.engines.disk.duck import quoted
from shoal.engines.disk.worker import KEY
from shoal.engines.solving import ROW
from shoal.errors import FileError
from shoal.io.datasets import checksum_of_files
from shoal.io.extras import extra_module
from shoal.io.folder_staging import renamed_folder, settle_folder
from shoal.io.formats import Format, file_kind
from shoal.io.formulas import with_marks
from shoal.io.opening import separator_named
from shoal.io.staging import flat

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from shoal.engines.disk.duck import Duck
    from shoal.options import Job

ROWS_OF_A_PART = 1 << 20


def is_folder(output: str | Path) -> bool:
    """Return whether a release is written as a folder of Parquet files: its name has no suffix."""
    return not Path(output).suffix


def require_writable(output: str | Path, *, force: bool) -> None:
    """Raise before any work if a release cannot be written there in the end.

    Raises
    ------
    FileError
        If the format is not one that is written piece by piece, the folder is missing, or the
        output exists and may not be replaced.
    """
    place = Path(os.path.realpath(output))
    if not is_folder(output):
        kind = file_kind(place, written=True)
        if kind.format not in (Format.CSV, Format.PARQUET) or kind.compression is not None:
            raise FileError(
                f"{output} cannot be written in pieces.",
                remedy="Name a .csv or .parquet file, or a folder, which has no suffix.",
            )
    if not place.parent.is_dir() or not os.access(place.parent, os.W_OK):
        raise FileError(
            f"The folder of {output} does not exist, or may not be written to.",
            remedy="Make it, or choose another.",
        )
    settle_folder(place)
    if not os.path.lexists(output):
        return
    if not force:
        raise FileError(
            f"{output} exists.", remedy="Choose another name, or replace it with `force`."
        )
    if place.is_dir() != is_folder(output) or (place.is_dir() and not _is_release(place)):
        raise FileError(
            f"{output} exists and is not a release that can be replaced.",
            remedy="Choose another name.",
        )


def _is_release(folder: Path) -> bool:
    return all(
        one.is_file() and one.name.startswith("part-") and one.suffix == ".parquet"
        for one in folder.iterdir()
    )


class LargeOutput:
    """A release under a temporary name; it gets its name, or is removed.

    Parameters
    ----------
    output
        Where it goes.
    work
        A private folder on the same file system. What a killed run leaves there goes with it.
    """

    def __init__(self, output: str | Path, work: Path) -> None:
        self.place = Path(os.path.realpath(output))
        self.folder = is_folder(output)
        self.temporary = work / "release.partial"

    @contextmanager
    def staged(self) -> Iterator[LargeOutput]:
        """Remove the temporary files in the end, unless they got their name."""
        self._clear()  # of a run that was killed while it wrote
        try:
            yield self
        finally:
            self._clear()

    def _clear(self) -> None:
        if self.temporary.is_dir():
            shutil.rmtree(self.temporary, ignore_errors=True)
        with suppress(OSError):
            self.temporary.unlink(missing_ok=True)

    @property
    def files(self) -> list[Path]:
        """The files that hold the release, in order."""
        return sorted(self.temporary.iterdir()) if self.folder else [self.temporary]

    def write(
        self,
        duck: Duck,
        release: str,
        columns: Mapping[str, pl.DataType],
        job: Job,
        *,
        row_map: Path,
        report: Callable[[int], None],
    ) -> None:
        """Write a release in the order of its random keys, and the row map in the same order.

        Parameters
        ----------
        release
            The release as an SQL table, with keys and row numbers.
        columns
            Its columns, in order, and their types.
        row_map
            File for the row numbers of the originals, counted from 1, which must stay private.
        report
            Called with how many records have been written.
        """
        listed = ", ".join(quoted(name) for name in columns)
        order = f"SELECT {listed}, {ROW} FROM {release} ORDER BY {KEY}, {ROW}"  # noqa: S608
        written = 0
        with self._writer(job) as put, _one_parquet(row_map) as put_rows:
            for frame in _in_parts(duck.pieces(order)):
                put_rows(frame.select(pl.col(ROW).alias("row") + 1))
                table = frame.select(pl.col(name).cast(kind) for name, kind in columns.items())
                put(table)
                written += table.height
                report(written)

    @contextmanager
    def _writer(self, job: Job) -> Iterator[Callable[[pl.DataFrame], None]]:
        if self.folder:
            self.temporary.mkdir(mode=0o700)
            yield self._put_part
        elif file_kind(self.place).format is Format.PARQUET:
            with _one_parquet(self.temporary) as put:
                yield put
        else:
            yield from self._one_csv(job)

    def _put_part(self, table: pl.DataFrame) -> None:
        number = len(list(self.temporary.iterdir())) + 1
        table.write_parquet(self.temporary / f"part-{number:06}.parquet")

    def _one_csv(self, job: Job) -> Iterator[Callable[[pl.DataFrame], None]]:
        tabs = self.place.suffix.lower() == ".tsv"
        separator = separator_named(job.separator) if job.separator else "\t" if tabs else ","
        _make_private(self.temporary)
        with self.temporary.open("wb") as file:

            def put(table: pl.DataFrame) -> None:
                shown = with_marks(table) if job.escape_formulas else table
                first = file.tell() == 0
                flat(shown).write_csv(file, separator=separator, include_header=first)

            yield put

    def checksum(self) -> str:
        """Return the SHA-256 of the release; of a folder, that of the checksums of its files."""
        if self.folder:
            return checksum_of_files(self.files)
        with self.temporary.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    @contextmanager
    def named(self) -> Iterator[None]:
        """Give the release its name; a folder loses it again if the block fails."""
        for file in self.files:
            with file.open("rb") as written:
                os.fsync(written.fileno())
            file.chmod(0o644 & ~_umask())
        if self.folder:
            self.temporary.chmod(0o755 & ~_umask())
            with renamed_folder(self.temporary, self.place):
                yield
        else:
            self.temporary.rename(self.place)
            yield


@contextmanager
def _one_parquet(place: Path) -> Iterator[Callable[[pl.DataFrame], None]]:
    """Yield what appends tables to a private Parquet file."""
    parquet = extra_module("pyarrow.parquet", "disk", str(place))
    opened: list[Any] = []

    def put(table: pl.DataFrame) -> None:
        arrow = table.to_arrow(compat_level=pl.CompatLevel.oldest())
        if not opened:
            opened.append(parquet.ParquetWriter(place, arrow.schema))
        opened[0].write_table(arrow)

    _make_private(place)
    try:
        yield put
    finally:
        for writer in opened:
            writer.close()


def _in_parts(pieces: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Yield pieces put together to parts."""
    held: list[pl.DataFrame] = []
    for piece in pieces:
        held.append(piece)
        if sum(one.height for one in held) >= ROWS_OF_A_PART:
            yield pl.concat(held)
            held = []
    if held:
        yield pl.concat(held)


def _make_private(path: Path) -> None:
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600))


def _umask() -> int:
    held = os.umask(0)
    os.umask(held)
    return held
