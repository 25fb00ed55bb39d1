"""A data dictionary: for every released column, how to read it."""

from __future__ import annotations

import csv
import io
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import FileError
from shoal.table import Attribute, Kind, Reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shoal.pipeline.release import Release

_VALUES = {
    Reading.NUMBER: "a number",
    Reading.DATE: "a date",
    Reading.DATETIME: "a date with a time",
    Reading.RANK: "a category of an order",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One released column.

    Parameters
    ----------
    column
        Its name.
    role
        What it is: quasi, sensitive or other.
    kind
        How its values are generalized; ``unchanged`` if they are not.
    type
        The type of its cells.
    cells
        How a cell is read.
    """

    column: str
    role: str
    kind: str
    type: str
    cells: str


def dictionary_of(release: Release[Any]) -> list[Entry]:
    """Return an entry for each column of a release, in order; nothing in it names a value."""
    entries = {
        entry.column: entry
        for attribute in release.schema.quasi
        for entry in _generalized(attribute, release)
    }
    for role in ("sensitive", "other"):
        for name in getattr(release.schema, role):
            kind = str(release.table.schema[name])
            cells = "the value of the record, unchanged; empty if it is missing"
            entries[name] = Entry(name, role, "unchanged", kind, cells)
    return [entries[name] for name in release.table.columns]


def dictionary_text(entries: Sequence[Entry], path: str) -> str:
    """Return a dictionary as CSV or, where the suffix is ``.md``, as a Markdown table.

    Raises
    ------
    FileError
        If the suffix is neither.
    """
    suffix = Path(path).suffix.lower()
    names = [field.name for field in fields(Entry)]
    if suffix == ".md":
        rows = [names, ["---"] * len(names)]
        rows += [[cell.replace("|", "\\|") for cell in astuple(entry)] for entry in entries]
        return "".join(f"| {' | '.join(row)} |\n" for row in rows)
    if suffix != ".csv":
        raise FileError(
            f"A dictionary is written as .csv or .md, not as {path}.",
            remedy="Give it one of these suffixes.",
        )
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(astuple(entry) for entry in entries)
    return text.getvalue()


def _generalized(attribute: Attribute, release: Release[Any]) -> Iterator[Entry]:
    name, kind = attribute.name, str(attribute.kind)
    shown = release.table.schema
    if name not in shown:
        for end, word in (("min", "lowest"), ("max", "highest")):
            cells = (
                f"the {word} value that the record may have; equal ends are an exact value, both "
                "empty says nothing"
            )
            yield Entry(f"{name}_{end}", "quasi", kind, str(shown[f"{name}_{end}"]), cells)
        return
    listed = shown[name].is_nested() or release.job.notation == "min_max"
    cells = _numeric(attribute)
    if attribute.kind is Kind.CATEGORICAL:
        cells = (
            'a list of the values that the record may have, such as ["F", "M"]; null in it is '
            "missing; empty says nothing"
            if listed
            else "a value, or {a|b} for one of several, an empty one being missing; * says "
            "nothing; empty if it is missing"
        )
    elif attribute.kind is Kind.HIERARCHICAL:
        cells = "a value, or the name of a group of its hierarchy; * says nothing"
    elif attribute.kind is Kind.SUPPRESS_ONLY:
        cells = "a value, or * which says nothing; empty if it is missing"
    yield Entry(name, "quasi", kind, str(shown[name]), cells)


def _numeric(attribute: Attribute) -> str:
    if attribute.kind is not Kind.NUMERIC:
        return ""
    written = f" written as {attribute.date_format}" if attribute.date_format else ""
    return (
        f"{_VALUES[attribute.reading]}{written}, or [low..high] for a value between the two, both "
        "included; * says nothing; empty if it is missing"
    )
