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
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import FileError
from shoal.io.frames import refuse_pattern_names
from shoal.io.opening import Opening, find_opening, parsed_records

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

BLOCK_BYTES = 1 << 24
_LONGEST_FIELD = 2**31 - 1
_ROWS_NAMED = 5
_QUOTE, _NEWLINE, _RETURN = 34, 10, 13
_NOWHERE = np.empty(0, np.int64)


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
    spare
        Whether every record ends in a separator, so that an empty field follows the last column.
    notes
        What was noticed and dealt with.
    header
        The line of the column names; ``None`` if there is none.
    """

    names: tuple[str, ...]
    separator: str
    body: int
    end: int
    records: int
    rows: list[list[str]] | None = None
    spare: bool = False
    notes: tuple[str, ...] = ()
    header: int | None = None


def check_delimited(
    data: bytes,
    where: str,
    separator: str | None = None,
    preferred: str = ",",
    header: str | None = None,
    *,
    block_bytes: int = BLOCK_BYTES,
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
    header
        ``present``, ``absent``, the line of the column names, or ``None`` to look.
    block_bytes
        How much is looked at in one go; the result does not depend on it.

    Raises
    ------
    FileError
        If the text is empty, has no records, names columns twice or not at all, has records
        whose number of fields is not that of the header, or may have no header. Rows and lines
        are named by number.
    """
    if not data or data.isspace():
        raise FileError(
            f"{where} is empty.", remedy="Give a table with a header and at least one row."
        )
    # A single field may be as long as the file; the limit belongs to the whole process.
    limit = csv.field_size_limit(_LONGEST_FIELD)
    try:
        opening = find_opening(data, where, separator, preferred, header)
        text = data[opening.start :] if opening.start else data
        layout = _by_blocks(text, where, opening, block_bytes) or _by_parser(text, where, opening)
    finally:
        csv.field_size_limit(limit)
    notes = opening.notes
    if layout.spare:
        notes += (f"{where}: every line ends in a separator, which makes no column.",)
    start = opening.start
    return replace(
        layout,
        body=layout.body + start,
        end=layout.end + start,
        notes=notes,
        header=None if opening.names else opening.line,
    )


def _by_blocks(data: bytes, where: str, opening: Opening, block_bytes: int) -> Layout | None:
    """Check a text whose quotes stand where they should; ``None`` if they do not."""
    separator = opening.separator
    content = np.frombuffer(data, dtype=np.uint8)
    quoted = b'"' in data
    if quoted and not _quotes_are_regular(content, ord(separator), block_bytes):
        return None
    ends, fields = _count_fields(content, ord(separator), block_bytes, quoted=quoted)
    starts = np.concatenate([[0], ends[:-1] + 1])
    names, body, first = opening.names, 0, 0
    if not names:
        names = tuple(next(parsed_records(data[: int(ends[0])], separator), [""]))
        body, first = min(int(ends[0]) + 1, len(data)), 1
    end = len(data)
    if len(names) > 1:
        # Blank lines at the end are nobody's record; with one column they are missing cells.
        end = max(body, len(data.rstrip(b"\r\n")))
    records = slice(first, int(np.searchsorted(starts, end)) if end < len(data) else None)
    starts, ends, counts = starts[records], ends[records], fields[records]
    spare = _is_spare(names, counts) and _all_end_in(content, ends, ord(separator))
    names = names[:-1] if spare and not names[-1].strip() else names
    check_column_names(names, where)
    if len(starts) == 0:
        raise _header_only(where)
    uneven = np.flatnonzero(counts != len(names) + spare)
    if len(uneven):
        named = [
            (int(row) + 1, data.count(b"\n", 0, int(starts[row])) + opening.line, int(counts[row]))
            for row in uneven[:_ROWS_NAMED]
        ]
        raise _ragged(where, separator, len(names), named, len(uneven))
    return Layout(names, separator, body, end, len(starts), spare=spare)


def _is_spare(names: Sequence[str], counts: NDArray[np.int64]) -> bool:
    """Return whether each record has one field more than the header has names."""
    named = len(names) if names[-1].strip() else len(names) - 1
    return named > 0 and len(counts) > 0 and bool((counts == named + 1).all())


def _all_end_in(content: NDArray[np.uint8], ends: NDArray[np.int64], separator: int) -> bool:
    last = content[ends - 1]
    last = np.where(last == _RETURN, content[ends - 2], last)
    return bool((last == separator).all())


def _quotes_are_regular(content: NDArray[np.uint8], separator: int, block_bytes: int) -> bool:
    """Return whether quotes stand only around whole fields or doubled inside quoted ones."""
    seen = 0
    size = len(content)
    for start in range(0, size, block_bytes):
        quotes = np.flatnonzero(content[start : start + block_bytes] == _QUOTE) + start
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
    content: NDArray[np.uint8], separator: int, block_bytes: int, *, quoted: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each record ends (its newline, or the end of the text) and its fields."""
    ends: list[NDArray[np.int64]] = []
    passed: list[NDArray[np.int64]] = []
    quotes_before = separators_before = 0
    size = len(content)
    for start in range(0, size, block_bytes):
        block = content[start : start + block_bytes]
        newlines = np.flatnonzero(block == _NEWLINE)
        separators = np.flatnonzero(block == separator)
        quotes = np.flatnonzero(block == _QUOTE) if quoted else _NOWHERE
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


def _by_parser(data: bytes, where: str, opening: Opening) -> Layout:
    """Check a text record by record, and keep the cells."""
    reader = csv.reader(
        io.StringIO(data.decode("utf-8"), newline=""), delimiter=opening.separator, strict=True
    )
    rows: list[list[str]] = []
    lines: list[int] = []
    line = opening.line
    try:
        names = list(opening.names) or next(reader)
        line = opening.line + reader.line_num
        for row in reader:
            rows.append(row)
            lines.append(line)
            line = opening.line + reader.line_num
    except csv.Error as error:
        raise FileError(
            f"{where}: the quotes of the record that begins in line {line} do not pair up.",
            remedy='Write a quote inside a quoted field twice (""), and close every quoted field.',
        ) from error
    while len(names) > 1 and rows and not rows[-1]:
        rows.pop()
    counts = np.array([len(row) or 1 for row in rows], dtype=np.int64)
    spare = _is_spare(names, counts) and not any(row[-1] for row in rows)
    if spare:
        names = names if names[-1].strip() else names[:-1]
        rows = [row[:-1] for row in rows]
        counts -= 1
    check_column_names(names, where)
    if not rows:
        raise _header_only(where)
    uneven = np.flatnonzero(counts != len(names)).tolist()
    if uneven:
        named = [(row + 1, lines[row], int(counts[row])) for row in uneven[:_ROWS_NAMED]]
        raise _ragged(where, opening.separator, len(names), named, len(uneven))
    cells = [row or [""] for row in rows]
    return Layout(tuple(names), opening.separator, 0, len(data), len(rows), cells, spare)


def check_column_names(names: Sequence[str], where: str) -> None:
    """Raise if a column has no name, two share one, or a name is a pattern."""
    refuse_pattern_names(names)
    unnamed = [place for place, name in enumerate(names, start=1) if not name.strip()]
    if unnamed:
        index = unnamed == [1] and len(names) > 1
        raise FileError(
            f"{where}: the header has no name for column "
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
    blank = ", remove blank lines" if any(found == 1 for _, _, found in named) else ""
    return FileError(
        f"{where}: the header has {width} field{'s' if width > 1 else ''}, but {rows}{more}.",
        remedy=(
            f"The separator was taken to be {character}: put fields that contain it in quotes, "
            f"correct the rows{blank}, or give another with `separator`."
        ),
    )
