"""The check of a CSV text before any reader sees it: header, separator, fields of every record.

Readers pad short records, cut long ones and rename columns that share a name. This pass finds
such files first. It works on whole blocks of bytes: a byte is outside quotes when an even number
of quotes stands before it, which holds for every text whose quotes stand where they should. A
text with quotes elsewhere (``5" pipe``) is parsed record by record instead.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

SEPARATORS = (",", ";", "\t", "|")
_SEPARATOR_WORDS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|"}
_SAMPLE_BYTES = 1 << 18
_SAMPLE_RECORDS = 200
_BLOCK_BYTES = 1 << 24
_LONGEST_FIELD = 2**31 - 1
_ROWS_NAMED = 5
_QUOTE, _NEWLINE, _RETURN = 34, 10, 13


@dataclass(frozen=True, slots=True)
class Layout:
    """What the check found out about a CSV text.

    Parameters
    ----------
    names
        The column names, as the header spells them.
    separator
        The character between fields.
    body
        Where the first data record begins.
    end
        Where the last record ends.
    records
        Number of data records.
    rows
        The cells of all records, when quotes stand where only a parser can tell; else ``None``.
    """

    names: tuple[str, ...]
    separator: str
    body: int
    end: int
    records: int
    rows: list[list[str]] | None = None


def separator_named(separator: str) -> str:
    """Return the separator that a user named, a character or a word like ``tab``.

    Raises
    ------
    FileError
        If it is no single character that can separate fields.
    """
    character = _SEPARATOR_WORDS.get(separator.lower(), separator)
    if len(character) != 1 or not character.isascii() or character in '"\r\n\0':
        raise FileError(
            f"The separator {separator!r} is not one ASCII character that can separate fields.",
            remedy="Give one of , ; | or the word tab.",
        )
    return character


def check_delimited(
    data: bytes, where: str, separator: str | None = None, preferred: str = ","
) -> Layout:
    """Check the header and the field counts of a CSV text (UTF-8, no byte order mark).

    Parameters
    ----------
    data
        The text.
    where
        What errors call it.
    separator
        The separator; ``None`` finds it among ``, ; tab |``.
    preferred
        The separator that wins when several fit equally well.

    Raises
    ------
    FileError
        If the text is empty, has no records, names columns twice or not at all, or has records
        whose number of fields is not that of the header. Rows and lines are named by number.
    """
    if not data.strip():
        raise FileError(
            f"{where} is empty.", remedy="Give a table with a header and at least one row."
        )
    # A single field may be as long as the file; the limit belongs to the whole process.
    limit = csv.field_size_limit(_LONGEST_FIELD)
    try:
        chosen = separator or _detect_separator(data, preferred)
        layout = _by_blocks(data, where, chosen)
        return layout if layout is not None else _by_parser(data, where, chosen)
    finally:
        csv.field_size_limit(limit)


def _records(data: bytes, separator: str, *, strict: bool) -> Iterator[list[str]]:
    text = io.StringIO(data.decode("utf-8", errors="ignore"), newline="")
    return csv.reader(text, delimiter=separator, strict=strict)


def _detect_separator(data: bytes, preferred: str) -> str:
    """Return the separator that splits most sampled records into as many fields as the header."""
    sample = data[:_SAMPLE_BYTES]
    cut = len(sample) < len(data)
    best, best_score = preferred, (0.0, 0)
    for separator in sorted(SEPARATORS, key=lambda candidate: candidate != preferred):
        records = list(islice(_records(sample, separator, strict=False), _SAMPLE_RECORDS))
        if cut and len(records) < _SAMPLE_RECORDS:
            records = records[:-1] or records
        width = len(records[0])
        if width < 2:
            continue
        agreeing = sum(len(record) == width for record in records) / len(records)
        if (agreeing, width) > best_score:
            best, best_score = separator, (agreeing, width)
    return best


def _by_blocks(data: bytes, where: str, separator: str) -> Layout | None:
    """Check a text whose quotes stand where they should; ``None`` if they do not."""
    content = np.frombuffer(data, dtype=np.uint8)
    if b'"' in data and not _quotes_are_regular(content, ord(separator)):
        return None
    ends, fields = _count_fields(content, ord(separator))
    header = data[: int(ends[0])]
    names = next(_records(header, separator, strict=False), [""])
    body = min(int(ends[0]) + 1, len(data))
    check_column_names(names, where)
    end = len(data)
    if len(names) > 1:
        # Blank lines at the end are nobody's record; with one column they are missing cells.
        end = max(body, len(data.rstrip(b"\r\n")))
    kept = np.concatenate([[True], ends[:-1] + 1 < end]) & (np.arange(len(ends)) > 0)
    starts = np.concatenate([[0], ends[:-1] + 1])[kept]
    counts = fields[kept]
    if len(starts) == 0:
        raise _header_only(where)
    uneven = np.flatnonzero(counts != len(names))
    if len(uneven):
        named = [
            (int(row) + 1, data.count(b"\n", 0, int(starts[row])) + 1, int(counts[row]))
            for row in uneven[:_ROWS_NAMED]
        ]
        raise _ragged(where, separator, len(names), named, len(uneven))
    return Layout(tuple(names), separator, body, end, len(starts))


def _quotes_are_regular(content: NDArray[np.uint8], separator: int) -> bool:
    """Return whether quotes stand only around whole fields or doubled inside quoted ones."""
    seen = 0
    size = len(content)
    for start in range(0, size, _BLOCK_BYTES):
        quotes = np.flatnonzero(content[start : start + _BLOCK_BYTES] == _QUOTE) + start
        first_opening = seen % 2
        opening, closing = quotes[first_opening::2], quotes[1 - first_opening :: 2]
        seen += len(quotes)
        before = content[opening[opening > 0] - 1]
        if not np.all((before == separator) | (before == _NEWLINE) | (before == _QUOTE)):
            return False
        inner = closing[closing < size - 1]
        after = content[inner + 1]
        last_of_line = (after == _RETURN) & (content[np.minimum(inner + 2, size - 1)] == _NEWLINE)
        last_of_line |= (after == _RETURN) & (inner + 2 >= size)
        fits = (after == separator) | (after == _NEWLINE) | (after == _QUOTE) | last_of_line
        if not np.all(fits):
            return False
    return seen % 2 == 0


def _count_fields(
    content: NDArray[np.uint8], separator: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each record ends (its newline, or the end of the text) and its fields."""
    ends: list[NDArray[np.int64]] = []
    passed: list[NDArray[np.int64]] = []
    quotes_before = separators_before = 0
    size = len(content)
    for start in range(0, size, _BLOCK_BYTES):
        block = content[start : start + _BLOCK_BYTES]
        newlines = np.flatnonzero(block == _NEWLINE)
        separators = np.flatnonzero(block == separator)
        quotes = np.flatnonzero(block == _QUOTE)
        if len(quotes) or quotes_before % 2:
            newlines = newlines[_outside(newlines, quotes, quotes_before)]
            separators = separators[_outside(separators, quotes, quotes_before)]
        ends.append(newlines + start)
        passed.append(np.searchsorted(separators, newlines) + separators_before)
        quotes_before += len(quotes)
        separators_before += len(separators)
    if content[-1] != _NEWLINE:
        ends.append(np.array([size]))
        passed.append(np.array([separators_before]))
    total = np.concatenate(passed)
    counts = total + 1
    counts[1:] -= total[:-1]
    return np.concatenate(ends), counts


def _outside(
    places: NDArray[np.int64], quotes: NDArray[np.int64], quotes_before: int
) -> NDArray[np.bool_]:
    outside: NDArray[np.bool_] = (np.searchsorted(quotes, places) + quotes_before) % 2 == 0
    return outside


def _by_parser(data: bytes, where: str, separator: str) -> Layout:
    """Check a text record by record, and keep the cells."""
    reader = csv.reader(
        io.StringIO(data.decode("utf-8"), newline=""), delimiter=separator, strict=True
    )
    rows: list[list[str]] = []
    uneven: list[tuple[int, int, int]] = []
    line = 1
    try:
        names = next(reader)
        check_column_names(names, where)
        line = reader.line_num + 1
        for row in reader:
            rows.append(row)
            if (len(row) or 1) != len(names):
                uneven.append((len(rows), line, len(row) or 1))
            line = reader.line_num + 1
    except csv.Error as error:
        raise FileError(
            f"{where}: the quotes of the record that begins in line {line} do not pair up.",
            remedy='Write a quote inside a quoted field twice (""), and close every quoted field.',
        ) from error
    while len(names) > 1 and rows and not rows[-1]:
        rows.pop()
        uneven.pop()
    if not rows:
        raise _header_only(where)
    if uneven:
        raise _ragged(where, separator, len(names), uneven[:_ROWS_NAMED], len(uneven))
    cells = [row or [""] for row in rows]
    return Layout(tuple(names), separator, 0, len(data), len(rows), cells)


def check_column_names(names: Sequence[str], where: str) -> None:
    """Raise :class:`FileError` if a column has no name, or two share one."""
    unnamed = [place for place, name in enumerate(names, start=1) if not name.strip()]
    if unnamed:
        index = unnamed == [1] and len(names) > 1
        raise FileError(
            f"{where}: the header gives no name to column "
            f"{', '.join(str(place) for place in unnamed[:_ROWS_NAMED])} of {len(names)}.",
            remedy="Name it in the header"
            + ("; a row index that pandas wrote goes away with index=False." if index else "."),
        )
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise FileError(
            f"{where}: the header names columns more than once: "
            f"{', '.join(repr(name) for name in twice[:_ROWS_NAMED])}.",
            remedy="Give every column a name of its own.",
        )


def _header_only(where: str) -> FileError:
    return FileError(
        f"{where} has a header but no rows.", remedy="Give a table with at least one row."
    )


def _ragged(
    where: str, separator: str, width: int, named: Sequence[tuple[int, int, int]], number: int
) -> FileError:
    """Return the error that names the first uneven rows: number, line, fields found."""
    rows = ", ".join(f"data row {row} (line {line}) has {found}" for row, line, found in named)
    more = f", and {number - len(named)} more rows" if number > len(named) else ""
    character = {"\t": "tab"}.get(separator, repr(separator))
    return FileError(
        f"{where}: the header has {width} field{'s' if width > 1 else ''}, but {rows}{more}.",
        remedy=(
            f"The separator was taken to be {character}: put fields that contain it in quotes, "
            f"correct the rows, or give another with `separator`."
        ),
    )
