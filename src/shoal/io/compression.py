"""Packed files: gzip and zstd, unpacked no further than a table can plausibly be."""

from __future__ import annotations

import gzip
import io
import zlib
from enum import StrEnum
from typing import IO, TYPE_CHECKING, Any, cast

from shoal.errors import FileError
from shoal.io.extras import extra_module

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

_GZIP_LEVEL, _ZSTD_LEVEL = 6, 3
_CHUNK, _ZSTD_CHUNK = 1 << 24, 1 << 16
# Tables shrink to a tenth or a fiftieth. What grows further than this is made to fill the memory.
MOST_GROWTH, ALWAYS_ALLOWED = 200, 1 << 30


class Compression(StrEnum):
    """How a file is packed."""

    GZIP = "gzip"
    ZSTD = "zstd"

    @property
    def suffix(self) -> str:
        """The suffix that names it."""
        return ".gz" if self is Compression.GZIP else ".zst"


_MAGIC = {b"\x1f\x8b": Compression.GZIP, b"\x28\xb5\x2f\xfd": Compression.ZSTD}


def compression_of_suffix(suffix: str) -> Compression | None:
    """Return how a file with this last suffix is packed."""
    return next((one for one in Compression if one.suffix == suffix.lower()), None)


def compression_of_content(start: bytes) -> Compression | None:
    """Return how a file that begins with these bytes is packed."""
    return next((one for magic, one in _MAGIC.items() if start.startswith(magic)), None)


def unpack(
    data: bytes, named: Compression | None, where: str, *, always_allowed: int = ALWAYS_ALLOWED
) -> bytes:
    """Return the content of a file, unpacked if its first bytes say that it is packed.

    Parameters
    ----------
    data
        The bytes of the file.
    named
        How its name says that it is packed.
    where
        What errors call it.
    always_allowed
        Size in bytes that any file may unpack to, however small it is.

    Raises
    ------
    FileError
        If it is not packed as its name says, is damaged, or grows beyond any table.
    """
    found = compression_of_content(data)
    if found is None or (named is not None and found is not named):
        if named is None:
            return data
        raise FileError(
            f"{where} is named {named.suffix}, but is not a {named} file.",
            remedy=f"Remove {named.suffix} from its name.",
        )
    parts: list[bytes] = []
    size = 0
    for part in _gzip_parts(data, where) if found is Compression.GZIP else _zstd_parts(data, where):
        parts.append(part)
        size += len(part)
        require_plausible_size(size, len(data), where, always_allowed=always_allowed)
    return b"".join(parts)


def require_plausible_size(
    size: int, packed: int, where: str, *, always_allowed: int = ALWAYS_ALLOWED
) -> None:
    """Raise if a file of ``packed`` bytes unpacks to more than any table would."""
    most = max(always_allowed, MOST_GROWTH * packed)
    if size > most:
        raise FileError(
            f"{where} unpacks to more than {most >> 20:,} MB, over {MOST_GROWTH} times its size.",
            remedy="Unpack it yourself and look at it, if you trust where it comes from.",
        )


def _gzip_parts(data: bytes, where: str) -> Iterator[bytes]:
    opened = gzip.GzipFile(fileobj=io.BytesIO(data))
    try:
        while part := opened.read(_CHUNK):
            yield part
    except (EOFError, zlib.error, OSError) as error:
        raise _damaged(where, Compression.GZIP) from error


def _zstd_parts(data: bytes, where: str) -> Iterator[bytes]:
    """Return the content of all frames; unlike the package's reader, miss none that is cut off."""
    zstandard = extra_module("zstandard", "zstd", where)
    unpacker = zstandard.ZstdDecompressor().decompressobj()
    rest = data
    try:
        while rest:
            for start in range(0, len(rest), _ZSTD_CHUNK):
                yield unpacker.decompress(rest[start : start + _ZSTD_CHUNK])
                if unpacker.eof:
                    rest = unpacker.unused_data + rest[start + _ZSTD_CHUNK :]
                    unpacker = zstandard.ZstdDecompressor().decompressobj()
                    break
            else:
                raise _damaged(where, Compression.ZSTD)
    except zstandard.ZstdError as error:
        raise _damaged(where, Compression.ZSTD) from error


def _damaged(where: str, compression: Compression) -> FileError:
    return FileError(
        f"{where} is a damaged or truncated {compression} file.",
        remedy="Obtain or create the file again.",
    )


def packed(file: IO[bytes], compression: Compression, where: str) -> AbstractContextManager[Any]:
    """Return a file that packs what is written to it; no name and no time is stored.

    Equal contents give equal bytes. The file beneath stays open.
    """
    if compression is Compression.GZIP:
        return cast(
            "AbstractContextManager[Any]", gzip.GzipFile("", "wb", _GZIP_LEVEL, file, mtime=0)
        )
    zstandard = extra_module("zstandard", "zstd", where)
    writer = zstandard.ZstdCompressor(level=_ZSTD_LEVEL).stream_writer(file, closefd=False)
    return cast("AbstractContextManager[Any]", writer)
