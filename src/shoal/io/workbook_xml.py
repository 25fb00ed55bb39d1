"""What the XML of a workbook tells and its cells do not: merges, errors, formulas, formats.

Readers of workbooks show a merged region as one value and empty cells, an error as an empty cell,
TRUE among numbers as 1, and the postcode 01067 as 1067 where a number format draws the zero. Each
would silently change people's records.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING
from xml.etree import ElementTree

if TYPE_CHECKING:
    import zipfile
    from collections.abc import Iterable, Iterator, Mapping

_CHUNK = 1 << 22
_CELL = rb"<(?:\w+:)?c\b([^>]*?)"
_ERROR = re.compile(_CELL + rb"\bt=\"e\"([^>]*)>")
_UNCALCULATED = re.compile(
    _CELL
    + rb">\s*<(?:\w+:)?f\b[^>]*?(?:/>|>[^<]*</(?:\w+:)?f>)\s*"
    + rb"(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)
_TRUTH = re.compile(_CELL + rb"\bt=\"b\"([^>]*)>")
_ROW = re.compile(rb"<(?:\w+:)?row\b([^>]*)>")
_COLUMN = re.compile(rb"<(?:\w+:)?col\b([^>]*)>")
_HIDDEN = re.compile(rb"\bhidden=\"(?:1|true)\"")
_ENDS = re.compile(rb"\b(min|max)=\"(\d+)\"")
_MOST_COLUMNS = 16_384
_NUMBERED = re.compile(rb"\br=\"(\d+)\"")
_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\b[^>]*\bref=\"([A-Z]+\d+:[A-Z]+\d+)\"")
_PLACE = re.compile(rb"\br=\"([A-Z]+)(\d+)\"")
_ROW_END = re.compile(rb"</(?:\w+:)?row>")
# A part of a number format: a text, a text of one character, a bracket, a gap, or a character.
_FORMAT_PART = re.compile(r'"([^"]*)"|\\(.)|\[([^\]]*)\]|[_*].|(.)', re.DOTALL)
# Digits in excess, which are drawn anyway.
_MORE_DIGITS = re.compile("^#+(?=0)")
_CONDITION = re.compile(r"[<>=]")
# What Excel draws as it stands, without quotes.
_PLAIN_LITERALS = "-+(): $!^&'~{}"
# Where a leading zero or another digit is drawn; the NUL is in no format.
DIGIT = "\0"
_PERCENT = re.compile(r"%(?=([^\"]*\"[^\"]*\")*[^\"]*$)")
_BUILT_IN_PERCENT = (9, 10)


@dataclass(frozen=True, slots=True)
class SheetEntry:
    """A sheet of a workbook: its name, whether it is shown, and where its XML is."""

    name: str
    visible: bool
    part: str


@dataclass(slots=True)
class SheetXml:
    """What the XML of a sheet holds; cells are named as in Excel.

    Parameters
    ----------
    errors, uncalculated
        Cells that hold an error, and formulas without a stored result.
    merged
        Merged regions.
    padded
        For each column its cells whose format draws leading zeros: how many, by what is drawn,
        with :data:`DIGIT` for each digit; an empty text if that depends on the number.
    percent
        For each column how many of its cells show percent.
    truths
        For each column its cells that are TRUE or FALSE.
    hidden, hidden_rows
        Columns that are hidden, and how many rows are.
    """

    errors: list[str] = field(default_factory=list)
    uncalculated: list[str] = field(default_factory=list)
    merged: list[str] = field(default_factory=list)
    padded: dict[str, Counter[str]] = field(default_factory=dict)
    percent: Counter[str] = field(default_factory=Counter)
    truths: dict[str, list[str]] = field(default_factory=dict)
    hidden: set[str] = field(default_factory=set)
    hidden_rows: int = 0


def sheet_entries(archive: zipfile.ZipFile) -> list[SheetEntry]:
    """Return the sheets of a workbook, in order."""
    targets = {
        relation.get("Id"): relation.get("Target", "")
        for relation in _elements(archive, "xl/_rels/workbook.xml.rels", "Relationship")
    }
    entries = []
    for sheet in _elements(archive, "xl/workbook.xml", "sheet"):
        identity = next((value for key, value in sheet.items() if key.endswith("}id")), None)
        target = targets.get(identity, "")
        part = target.removeprefix("/") if target.startswith("/") else f"xl/{target}"
        visible = sheet.get("state", "visible") == "visible"
        entries.append(SheetEntry(sheet.get("name", ""), visible, part))
    return entries


def letters_of(place: int) -> str:
    """Return the letters by which Excel names a column, counted from 0.

    >>> letters_of(25), letters_of(26)
    ('Z', 'AA')
    """
    letters, rest = "", place + 1
    while rest:
        rest, letter = divmod(rest - 1, 26)
        letters = chr(65 + letter) + letters
    return letters


def read_sheet_xml(archive: zipfile.ZipFile, entry: SheetEntry, first_row: int) -> SheetXml:
    """Return what the XML of a sheet tells about the rows from ``first_row`` on."""
    padded, percent = _meaningful_styles(archive)
    styled = _styled_cells(percent | padded.keys())
    found = SheetXml()
    with archive.open(entry.part) as stream:
        for piece in _pieces(stream):
            for match in _ERROR.finditer(piece):
                _note(found.errors, match[1] + match[2], first_row)
            for match in _UNCALCULATED.finditer(piece):
                if b't="str"' not in match[1]:
                    _note(found.uncalculated, match[1], first_row)
            found.merged += [
                region.decode()
                for region in _MERGED.findall(piece)
                if int(re.findall(rb"\d+", region)[1]) >= first_row
            ]
            for match in _TRUTH.finditer(piece):
                _note_truth(found.truths, match[1] + match[2], first_row)
            _read_hidden(found, piece, first_row)
            if styled is not None:
                _read_styles(found, styled, piece, padded, first_row)
    return found


def _elements(archive: zipfile.ZipFile, part: str, name: str) -> Iterator[ElementTree.Element]:
    if part not in archive.namelist():
        return
    # Workbooks are read by the custodian's own account; expat bounds the growth of entities.
    root = ElementTree.fromstring(archive.read(part))  # noqa: S314
    yield from (one for one in root.iter() if one.tag.rpartition("}")[2] == name)


def _meaningful_styles(archive: zipfile.ZipFile) -> tuple[dict[int, str], set[int]]:
    """Return the cell styles that draw leading zeros, with what they draw, and those of percent."""
    codes = {
        int(one.get("numFmtId", "-1")): one.get("formatCode", "")
        for one in _elements(archive, "xl/styles.xml", "numFmt")
    }
    padded: dict[int, str] = {}
    percent: set[int] = set()
    for formats in _elements(archive, "xl/styles.xml", "cellXfs"):
        for style, xf in enumerate(formats):
            number = int(xf.get("numFmtId", "0"))
            code = codes.get(number, "")
            drawn = _drawn_digits(code)
            if drawn is not None:
                padded[style] = drawn
            elif number in _BUILT_IN_PERCENT or _PERCENT.search(code):
                percent.add(style)
    return padded, percent


def _drawn_digits(code: str) -> str | None:
    """Return what a number format draws if it draws leading zeros, as in ``SheetXml.padded``."""
    drawn, depends = "", False
    for quoted, escaped, bracket, plain in _FORMAT_PART.findall(_MORE_DIGITS.sub("", code)):
        if plain == ";":
            break
        if plain == "0":
            drawn += DIGIT
        elif plain and plain not in _PLAIN_LITERALS:
            return None
        depends = depends or _CONDITION.match(bracket) is not None
        drawn += quoted or escaped or (plain if plain != "0" else "")
    if drawn.count(DIGIT) < 2:
        return None
    return "" if depends else drawn


def _styled_cells(styles: Iterable[int]) -> re.Pattern[bytes] | None:
    """Return a pattern for cells with a value in one of the styles."""
    if not styles:
        return None
    numbers = b"|".join(str(style).encode() for style in styles)
    return re.compile(_CELL + rb"\bs=\"(" + numbers + rb")\"([^>/]*)>\s*<(?!/)")


def _read_styles(
    found: SheetXml,
    styled: re.Pattern[bytes],
    piece: bytes,
    padded: Mapping[int, str],
    first_row: int,
) -> None:
    for match in styled.finditer(piece):
        attributes = match[1] + match[3]
        place = _PLACE.search(attributes)
        if place is None or int(place[2]) < first_row or re.search(rb"\bt=\"(?!n\")", attributes):
            continue
        column, style = place[1].decode(), int(match[2])
        if style in padded:
            found.padded.setdefault(column, Counter())[padded[style]] += 1
        else:
            found.percent[column] += 1


def _note_truth(cells: dict[str, list[str]], attributes: bytes, first_row: int) -> None:
    named: list[str] = []
    _note(named, attributes, first_row)
    for cell in named:
        cells.setdefault(cell.rstrip("0123456789"), []).append(cell)


def _read_hidden(found: SheetXml, piece: bytes, first_row: int) -> None:
    if b"hidden=" not in piece:
        return
    for match in _ROW.finditer(piece):
        number = _NUMBERED.search(match[1])
        if _HIDDEN.search(match[1]) and number is not None and int(number[1]) >= first_row:
            found.hidden_rows += 1
    for match in _COLUMN.finditer(piece):
        if _HIDDEN.search(match[1]):
            ends = {end: int(place) for end, place in _ENDS.findall(match[1])}
            places = range(ends[b"min"] - 1, min(ends[b"max"], _MOST_COLUMNS))
            found.hidden |= {letters_of(place) for place in places}


def _note(cells: list[str], attributes: bytes, first_row: int) -> None:
    place = _PLACE.search(attributes)
    if place is not None and int(place[2]) >= first_row:
        cells.append((place[1] + place[2]).decode())


def _pieces(stream: IO[bytes]) -> Iterator[bytes]:
    """Return the XML of a sheet in pieces that end with a row."""
    carried = b""
    while chunk := stream.read(_CHUNK):
        carried += chunk
        ends = [match.end() for match in _ROW_END.finditer(carried)]
        if ends:
            yield carried[: ends[-1]]
            carried = carried[ends[-1] :]
    yield carried
