"""Types of the columns of an Arrow file, read from its first message without any package.

Polars panics at types that it lacks, and prints a trace of its own before an error can be raised.
Where pyarrow is not installed, this reader of a few bytes finds such columns first. The layout is
that of flatbuffers: a table begins with the way back to the list of its fields' places.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from shoal.io.unreadable_types import unreadable_type

if TYPE_CHECKING:
    from collections.abc import Iterator

_FILE_START = 8
_CONTINUED = 0xFFFFFFFF
_SCHEMA = 1
_MESSAGE_KIND, _MESSAGE_HEADER, _SCHEMA_FIELDS = 1, 2, 1
_FIELD_NAME, _FIELD_TYPE, _FIELD_CHILDREN = 0, 2, 5
_UNREADABLE = {
    11: "interval",
    14: "union",
    22: "run-end",
    25: "list view",
    26: "list view",
}


def refuse_arrow_columns(data: bytes, *, stream: bool) -> None:
    """Raise if an Arrow file has a column of a type at which polars panics.

    Parameters
    ----------
    data
        The bytes of the file; where they are damaged, nothing is found.
    stream
        Whether it is in the stream format.

    Raises
    ------
    InputError
        If there is such a column; it is named.
    """
    try:
        for name, kinds in list(_columns(data, 0 if stream else _FILE_START)):
            for kind in kinds:
                if kind in _UNREADABLE:
                    raise unreadable_type(name, _UNREADABLE[kind], _UNREADABLE[kind])
    except (struct.error, IndexError, UnicodeDecodeError, RecursionError):
        return  # damaged, which the reader says


def _columns(data: bytes, start: int) -> Iterator[tuple[str, list[int]]]:
    """Yield each column with the code of its type and of those within it."""
    continued = _unsigned(data, start) == _CONTINUED
    message = _follow(data, start + (8 if continued else 4))
    kind = _field(data, message, _MESSAGE_KIND)
    header = _field(data, message, _MESSAGE_HEADER)
    if kind is None or header is None or data[kind] != _SCHEMA:
        return
    for column in _listed(data, _field(data, _follow(data, header), _SCHEMA_FIELDS)):
        name = _field(data, column, _FIELD_NAME)
        yield "" if name is None else _text(data, _follow(data, name)), list(_kinds(data, column))


def _kinds(data: bytes, column: int) -> Iterator[int]:
    kind = _field(data, column, _FIELD_TYPE)
    if kind is not None:
        yield data[kind]
    for child in _listed(data, _field(data, column, _FIELD_CHILDREN)):
        yield from _kinds(data, child)


def _unsigned(data: bytes, place: int) -> int:
    number: int = struct.unpack_from("<I", data, place)[0]
    return number


def _follow(data: bytes, place: int) -> int:
    """Return where the offset that stands at a place leads."""
    return place + _unsigned(data, place)


def _field(data: bytes, table: int, number: int) -> int | None:
    """Return where a field of a table stands; ``None`` if the table does not have it."""
    fields = table - int(struct.unpack_from("<i", data, table)[0])
    entry = 4 + 2 * number
    if entry >= struct.unpack_from("<H", data, fields)[0]:
        return None
    offset: int = struct.unpack_from("<H", data, fields + entry)[0]
    return table + offset if offset else None


def _listed(data: bytes, place: int | None) -> Iterator[int]:
    """Yield where the tables of a list begin."""
    if place is None:
        return
    listed = _follow(data, place)
    for number in range(_unsigned(data, listed)):
        yield _follow(data, listed + 4 + 4 * number)


def _text(data: bytes, place: int) -> str:
    length = _unsigned(data, place)
    return data[place + 4 : place + 4 + length].decode()
