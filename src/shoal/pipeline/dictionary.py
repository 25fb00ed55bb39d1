"""A data dictionary: for every released column, how to read it."""

from __future__ import annotations

import csv
import io
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from shoal.errors import FileError
from shoal.io.missing_codes import special_codes, special_column
from shoal.pipeline.coding import bottom_of, top_of
from shoal.pipeline.presentation import aggregates_of
from shoal.table import Attribute, Kind, Reading
from shoal.table.open_values import limit_of

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
            dtype = release.table.schema[name]
            # The categories of an Enum may be those of withheld records.
            kind = "Enum" if isinstance(dtype, pl.Enum) else str(dtype)
            cells = "the value of the record, unchanged; empty if it is missing"
            cells += _about_special(name, release)
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
    statistic = aggregates_of(release.schema, release.job).get(name)
    meanings: dict[str, str] = {}
    beyond = _about_open_values(attribute, release) + _about_special(name, release)
    if statistic is not None:
        meanings[name] = _aggregated(attribute, statistic)
    elif name in shown:
        listed = shown[name].is_nested() or release.job.notation == "min_max"
        meanings[name] = _cells(attribute, "lists" if listed else release.job.notation) + beyond
    else:
        for end, word in (("min", "lowest"), ("max", "highest")):
            meanings[f"{name}_{end}"] = (
                f"the {word} value that the record may have; equal ends are an exact value, both "
                f"empty says nothing{beyond}"
            )
    flag = f"{name}_missing"
    if attribute.kind is Kind.NUMERIC and flag in shown and flag not in release.schema.untouched:
        meanings[flag] = f"true if {name} is missing; then its other cells are empty"
    for column, cells in meanings.items():
        yield Entry(column, "quasi", kind, str(shown[column]), cells)


def _about_open_values(attribute: Attribute, release: Release[Any]) -> str:
    """Return how values beyond the codes of a column are shown."""
    if attribute.reading is not Reading.NUMBER:
        return ""
    name, bounds = attribute.name, f"{attribute.name}_min" in release.table.columns
    clause = ""
    for codes, word, end, shown in (
        (release.job.top, "more", "max", top_of),
        (release.job.bottom, "less", "min", bottom_of),
    ):
        if name in codes:
            values = f"{limit_of(shown(release.job, name))} or {word}"
            clause += (
                f"; {name}_{end} is empty where the value may be {values}"
                if bounds
                else f"; values of {values} are shown as {shown(release.job, name)}"
            )
    if clause or not _has_open_values(attribute, release):
        return clause
    if bounds:
        return "; one bound without the other is open to that side"
    return "; an end such as 90+ or <1 stands for all numbers beyond it"


def _has_open_values(attribute: Attribute, release: Release[Any]) -> bool:
    """Return whether a released cell is open to one side."""
    name, table = attribute.name, release.table
    if name in table.columns:
        return bool(table[name].cast(pl.String).str.contains(r"[0-9]\+|[<>≤≥]").any())
    return bool((table[f"{name}_min"].is_null() != table[f"{name}_max"].is_null()).any())


def _about_special(name: str, release: Release[Any]) -> str:
    for column in special_codes(release.job.special_values):
        if name == special_column(column):
            return f"; a special value, which takes the place of a value of {column}"
        if name == column:
            return f"; missing too where {special_column(name)} holds a special value"
    return ""


def _aggregated(attribute: Attribute, statistic: str) -> str:
    meaning = {
        "mean": "the mean of the class",
        "median": "the median of the class",
        "mode": "the most frequent value of the class, the lowest of equals",
        "midpoint": "halfway between the lowest and the highest value of the class",
    }[statistic]
    same = "the records that show the same in all quasi-identifiers"
    if attribute.kind is not Kind.NUMERIC:
        return f"{meaning}: {same}; * says nothing; empty if most are missing"
    return f"{meaning}: {same}; empty says nothing"


def _cells(attribute: Attribute, notation: str) -> str:
    if attribute.kind is Kind.NUMERIC:
        return _numeric(attribute, notation)
    if notation == "json":
        what = {
            Kind.CATEGORICAL: "the values that the record may have; null in it is missing",
            Kind.HIERARCHICAL: "a value, or the name of a group of its hierarchy",
            Kind.SUPPRESS_ONLY: "the value",
        }[attribute.kind]
        return f'a JSON list of {what}; "*" says nothing; null if it is missing'
    nothing = "any" if notation == "label" else "*"
    if attribute.kind is Kind.CATEGORICAL:
        return {
            "lists": 'a list of the values that the record may have, such as ["F", "M"]; null in '
            "it is missing; empty says nothing",
            "label": "a value, or A or B for one of several, missing being one of them; any says "
            "nothing; empty if it is missing",
        }.get(
            notation,
            "a value, or {a|b} for one of several, an empty one being missing; * says nothing; "
            "empty if it is missing",
        )
    if attribute.kind is Kind.HIERARCHICAL:
        return f"a value, or the name of a group of its hierarchy; {nothing} says nothing"
    return f"a value, or {nothing} which says nothing; empty if it is missing"


def _numeric(attribute: Attribute, notation: str) -> str:
    written = f" written as {attribute.date_format}" if attribute.date_format else ""
    value = f"{_VALUES[attribute.reading]}{written}"
    between = "for a value between the two, both included"
    if notation == "json":
        return (
            f'a JSON object {{"min": …, "max": …}} {between}, each {value}; "*" says nothing; null '
            "if it is missing"
        )
    if notation == "label":
        return f"{value}, or LOW to HIGH {between}; any says nothing; empty if it is missing"
    return f"{value}, or [low..high] {between}; * says nothing; empty if it is missing"
