"""How the table of a project was read: what was given, what was found, and what can be changed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import FileError
from shoal.io.databases import is_database
from shoal.io.formats import Format, file_kind

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from shoal.io import Source

_SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "blank"}
_MARKS = {".": "point", ",": "comma", " ": "blank", "'": "apostrophe", "_": "underscore"}
_CODES = ("null_values", "special_values")
_FIELDS = {
    Format.CSV: ("separator", "encoding", "header", "decimal", "thousands", *_CODES),
    Format.EXCEL: ("sheet", "header", *_CODES),
}
_START = 64 * 1024
_LINES_SHOWN, _LINE_SHOWN = 8, 400
"""How many lines of a file are shown that could not be read, and how much of each."""


@dataclass(frozen=True, slots=True)
class Found:
    """A property of the format.

    Parameters
    ----------
    title, value
        What it is called, and what it is.
    guessed
        Whether it was found in the file, not given.
    """

    title: str
    value: str
    guessed: bool = False


def kind_of(source: str) -> Format | None:
    """Return the format of a source by its name; nothing for databases, folders and patterns."""
    try:
        return None if is_database(source) else file_kind(source).format
    except FileError:
        return None


def fields_of(source: str) -> tuple[str, ...]:
    """Return the options of reading that make a difference for a source."""
    if is_database(source):
        return ()
    form = kind_of(source)
    return _FIELDS.get(form, _CODES) if form is not None else ()


def can_be_corrected(source: str) -> bool:
    """Return whether other options may make a table of a file that could not be read."""
    return kind_of(source) in _FIELDS and Path(source).is_file()


def format_of(
    source: Source, place: str, used: Mapping[str, Any], given: Collection[str]
) -> list[Found]:
    """Return the format that a table was read in, property by property.

    Parameters
    ----------
    source
        The table as it was read.
    place
        Where it was read from.
    used
        The options that it was read with.
    given
        Those of them that the user set; the others were found.
    """
    if is_database(place):
        found = [Found("Format", "database")]
        return found + [Found(name.capitalize(), value) for name, value in used.items()]
    form = kind_of(place)
    found = [Found("Format", str(form) if form is not None else "several files")]
    if source.text is not None:
        text = source.text
        separator = _SEPARATORS.get(text.separator, text.separator)
        header = "none" if text.header is None else f"line {text.header}"
        found += [
            Found("Separator", separator, "separator" not in given),
            Found("Encoding", text.encoding, "encoding" not in given),
            Found("Header", header, "header" not in given),
            Found("Decimal separator", _MARKS[used.get("decimal", ".")], "decimal" not in given),
        ]
        if "thousands" in used:
            found.append(Found("Thousands separator", _MARKS[used["thousands"]]))
    elif form is Format.EXCEL:
        found += [Found("Sheet", used.get("sheet", "the only one"), "sheet" not in given)]
    if used.get("null_values"):
        found.append(Found("Missing", ", ".join(used["null_values"])))
    if used.get("special_values"):
        found.append(Found("Special values", ", ".join(used["special_values"])))
    return found


def options_in(form: Mapping[str, str], source: str) -> dict[str, Any]:
    """Return the options of reading that a form sets; an empty field sets none.

    >>> options_in({"null_values": "?, NA", "special_values": "weeks=N|R"}, "people.parquet")
    {'null_values': ['?', 'NA'], 'special_values': ['weeks=N|R']}
    """
    options: dict[str, Any] = {}
    for name in fields_of(source):
        text = str(form.get(name, ""))
        if name in _CODES:
            text += "," + str(form.get(f"further_{name}", ""))
            values = list(dict.fromkeys(one.strip() for one in text.split(",") if one.strip()))
            options |= {name: values} if values else {}
        elif name == "thousands" and text:
            options[name] = text
        elif text.strip():
            options[name] = text.strip()
    return options


def first_lines(source: str) -> list[str]:
    """Return the first lines of a text file that could not be read as a table; none of others."""
    file = Path(source)
    if kind_of(source) is not Format.CSV or file.suffix in {".gz", ".zst"} or not file.is_file():
        return []
    with file.open("rb") as opened:
        start = opened.read(_START)
    try:
        text = start.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = start.decode("cp1252", errors="replace")
    return [line[:_LINE_SHOWN] for line in text.splitlines()[:_LINES_SHOWN]]


def suggested_header(remedy: str) -> str:
    """Return the line of the column names that a message suggests, if it does.

    >>> suggested_header("Set `header=3`, or remove the lines above.")
    '3'
    """
    found = re.search(r"`header=(\d+)`", remedy)
    return found[1] if found else ""
