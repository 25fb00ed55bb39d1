"""What comes before the records of a CSV text: a ``sep=`` line, title lines, column names.

A first line of data that is taken for column names is published word for word, so a first line
that looks like data is never guessed about: the user decides.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from shoal.errors import FileError, option

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PRESENT, ABSENT = "present", "absent"
SEPARATORS = (",", ";", "\t", "|")
_SEPARATOR_WORDS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|"}
_SEPARATOR_LINE = re.compile(rb'^"?sep=(.)"?\r?\n', re.IGNORECASE)
_SAMPLE_BYTES = 1 << 18
_SAMPLE_RECORDS = 200
_MANY_ROWS = 20
_NEARLY_ALL = 0.9
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d+)*|[.,]\d+)([eE][+-]?\d+)?%?")
_DATE = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}([T ][\d:.]+)?")


@dataclass(frozen=True, slots=True)
class Opening:
    """Where the header of a CSV text is, or where its records begin if it has none.

    Parameters
    ----------
    start
        Where the header begins; without one, where the first record begins.
    line
        The line it begins in, counted from 1.
    separator
        The character between fields.
    names
        The names that columns get in the absence of a header; else empty.
    notes
        What was noticed and dealt with.
    """

    start: int
    line: int
    separator: str
    names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def separator_named(separator: str) -> str:
    """Return the separator that a user named, a character or a word like ``tab``.

    Raises
    ------
    FileError
        If it is not a single character that can separate fields.
    """
    character = _SEPARATOR_WORDS.get(separator.lower(), separator)
    if len(character) != 1 or not character.isascii() or character in '"\r\n\0':
        raise FileError(
            f"The separator {separator!r} is not one ASCII character that can separate fields.",
            remedy="Give one of , ; | or tab.",
        )
    return character


def header_line(header: str | None) -> int | None:
    """Return the line that a user says the header is in; ``None`` if no line is named.

    Raises
    ------
    FileError
        If it is neither ``present``, ``absent`` nor the number of a line.
    """
    if header in (None, PRESENT, ABSENT):
        return None
    if header is None or not header.isdecimal() or int(header) < 1:
        raise FileError(
            f"The header {header!r} is neither {PRESENT}, {ABSENT} nor the number of a line.",
            remedy="Set `header='present'`, `header='absent'`, or the line of the column names.",
        )
    return int(header)


def sampled_records(data: bytes, separator: str) -> list[list[str]]:
    """Return the first records of a text; one that the sample cuts is left out."""
    sample = data[:_SAMPLE_BYTES]
    records = list(islice(parsed_records(sample, separator), _SAMPLE_RECORDS))
    if len(sample) < len(data) and len(records) < _SAMPLE_RECORDS:
        records = records[:-1] or records
    return records


def parsed_records(data: bytes, separator: str) -> Iterator[list[str]]:
    """Return the records of a text, quotes read as leniently as can be."""
    text = io.StringIO(data.decode("utf-8", errors="ignore"), newline="")
    return csv.reader(text, delimiter=separator, strict=False)


def find_opening(
    data: bytes,
    where: str,
    separator: str | None = None,
    preferred: str = ",",
    header: str | None = None,
) -> Opening:
    """Find the separator and the header of a CSV text, or raise if the header is in doubt.

    Parameters
    ----------
    data
        The text in UTF-8.
    where
        What errors call it.
    separator
        The separator; ``None`` finds it among ``, ; tab |``.
    preferred
        The separator that wins when several fit equally well.
    header
        ``present``, ``absent``, the line of the column names, or ``None`` to look.

    Raises
    ------
    FileError
        If the first lines are a title, or the first line looks like data and ``header`` does not
        say what it is.
    """
    given_line = header_line(header)
    start, line, notes = 0, 1, []
    declared = _SEPARATOR_LINE.match(data)
    if declared:
        start, line = declared.end(), 2
        separator = separator or separator_named(declared[1].decode("latin-1"))
        notes.append(f"{where}: the line sep={declared[1].decode('latin-1')} is not a record.")
    if given_line is not None:
        start, line = _start_of_line(data, given_line, where), given_line
    rest = data[start : start + _SAMPLE_BYTES + 1]
    chosen = separator or _detect_separator(rest, preferred)
    opening = Opening(start, line, chosen, notes=tuple(notes))
    records = sampled_records(rest, chosen)
    if header == ABSENT:
        width = max(1, len(records[0])) if records else 1
        return replace(opening, names=tuple(f"column_{place + 1}" for place in range(width)))
    if header is None and len(records) > 1:
        refuse_doubtful_header(records, line, where)
    return opening


def refuse_doubtful_header(
    records: Sequence[Sequence[str]], line: int, where: str, unit: str = "line"
) -> None:
    """Raise :class:`FileError` if the first records are a title, or may be data.

    Parameters
    ----------
    records
        The first records, the column names among them.
    line
        Where the first one stands.
    where
        What errors call the table.
    unit
        What places are counted in: lines of a text, rows of a sheet.
    """
    _refuse_titles(records, line, where, unit)
    _refuse_data(records, where, unit)


def _start_of_line(data: bytes, line: int, where: str) -> int:
    start = 0
    for passed in range(1, line):
        end = data.find(b"\n", start)
        if end < 0 or end + 1 == len(data):
            raise FileError(
                f"{where} has {passed} lines, so the column names are not in line {line}.",
                remedy="Give the line of the column names with `header`.",
            )
        start = end + 1
    return start


def _detect_separator(data: bytes, preferred: str) -> str:
    """Return the separator that splits most sampled records into as many fields as the first.

    Where none splits the first, it may be a title: then the one that splits most others alike.
    Bars do not count there, because they also stand inside released sets.
    """
    candidates = sorted(SEPARATORS, key=lambda candidate: candidate != preferred)
    widths = {one: [len(record) for record in sampled_records(data, one)] for one in candidates}
    splitting = [one for one in candidates if widths[one] and widths[one][0] > 1]
    if splitting:
        return max(splitting, key=lambda one: _agreement(widths[one], widths[one][0]))
    usual = {one: Counter(widths[one]).most_common(1)[0][0] for one in candidates if widths[one]}
    splitting = [one for one in usual if usual[one] > 1 and one != "|"]
    return max(splitting, key=lambda one: _agreement(widths[one], usual[one]), default=preferred)


def _agreement(widths: Sequence[int], width: int) -> tuple[float, int]:
    return sum(one == width for one in widths) / len(widths), width


def _refuse_titles(records: Sequence[Sequence[str]], line: int, where: str, unit: str) -> None:
    """Raise if the first records have one field or none where the others have several."""
    usual = Counter(map(len, records)).most_common(1)[0][0]
    titles = 0
    while titles < len(records) and _is_title(records[titles], usual):
        titles += 1
    if usual < 2 or titles in (0, len(records)) or len(records[titles]) != usual:
        return
    passed = titles
    if unit == "line":  # a field may hold several lines
        passed += sum(cell.count("\n") for record in records[:titles] for cell in record)
    names = line + passed
    raise FileError(
        f"{where} begins with {titles} {unit}{'s' if titles > 1 else ''} of fewer than two filled "
        f"fields, like a title; the column names seem to be in {unit} {names}.",
        remedy=f"Set {option('header', names)}, or remove what is above the column names.",
    )


def _is_title(record: Sequence[str], usual: int) -> bool:
    filled = sum(bool(cell.strip()) for cell in record)
    return filled == 0 or (filled == 1 and (len(record) == 1 or usual > 2))


def _refuse_data(records: Sequence[Sequence[str]], where: str, unit: str) -> None:
    # A line equal to the first may be the column names once more, and tells nothing.
    first, *others = records
    places = _columns_like_data(first, [record for record in others if record != first])
    if places:
        listed = ", ".join(str(place + 1) for place in places[:5])
        more = f" and {len(places) - 5} more" if len(places) > 5 else ""
        raise FileError(
            f"{where}: the first {unit} looks like a record, not like column names: in "
            f"column{'s' if len(places) > 1 else ''} {listed}{more} it holds what the {unit}s "
            "below hold.",
            remedy="Set `header='absent'` if the table has no column names, or `header='present'` "
            "if these are the names.",
        )


def _columns_like_data(first: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the columns whose first cell looks like a value; none if more look like names."""
    like_data: list[int] = []
    like_names = 0
    for place, head in enumerate(cell.strip() for cell in first):
        cells = [row[place].strip() for row in rows if place < len(row) and row[place].strip()]
        if not head or not cells:
            continue
        pattern = next((one for one in (_NUMBER, _DATE) if _share(one, cells) >= _NEARLY_ALL), None)
        if pattern is None:
            like_data += [place] if head in cells else []
        elif not pattern.fullmatch(head):
            like_names += 1
        elif pattern is _DATE or _fits(head, cells):
            like_data.append(place)
    return like_data if len(like_data) > like_names else []


def _share(pattern: re.Pattern[str], cells: Sequence[str]) -> float:
    return sum(pattern.fullmatch(cell) is not None for cell in cells) / len(cells)


def _fits(head: str, cells: Sequence[str]) -> bool:
    """Return whether a number lies where the numbers of its column lie.

    Years are common column names, so being a number is not enough.
    """
    if len(cells) < _MANY_ROWS:
        return len(head) in {len(cell) for cell in cells}
    numbers = [value for cell in cells if (value := _number(cell)) is not None]
    own = _number(head)
    return own is not None and bool(numbers) and min(numbers) <= own <= max(numbers)


def _number(text: str) -> float | None:
    try:
        return float(text.rstrip("%").replace(",", "."))
    except ValueError:
        return None
