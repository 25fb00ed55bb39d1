"""A slow, obvious writer of releases, for tests alone: one class at a time, cell by cell."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.hierarchies import Hierarchy
from shoal.table import Attribute, Kind, Reading, Schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Cell = str | None

TREE = Hierarchy.from_rows(
    [
        ["flu", "lung", "*"],
        ["cough", "lung", "*"],
        ["burn", "skin", "*"],
        ["rash", "skin", "*"],
        ["cut", "skin", "*"],
    ]
)
TREE_GROUPS = {"lung": {"flu", "cough"}, "skin": {"burn", "rash", "cut"}}
ORDER = ("low", "[1..2]", "a..b.", "\\x", "*", "top")

AGE = Attribute("age", Kind.NUMERIC, Reading.NUMBER)
GRADE = Attribute("grade", Kind.NUMERIC, Reading.RANK, order=ORDER)
TOWN = Attribute("town", Kind.CATEGORICAL)
ILL = Attribute("ill", Kind.HIERARCHICAL, hierarchy=TREE)
CODE = Attribute("code", Kind.SUPPRESS_ONLY)
SCHEMA = Schema(
    quasi=(AGE, GRADE, TOWN, ILL, CODE),
    sensitive=("pay",),
    other=("note",),
    identifiers=("name",),
)


@dataclass(frozen=True, slots=True)
class Made:
    """A release together with the row map by which it was made."""

    frame: pl.DataFrame
    witness: NDArray[np.int64]


def rank(attribute: Attribute, text: str) -> float:
    """Return the place of a value in the order of its column."""
    return ORDER.index(text) if attribute.reading is Reading.RANK else float(text)


def exact(value: Cell) -> Cell:
    """Write one value."""
    if value is None:
        return None
    closure = (
        value == "*"
        or value.startswith("\\")
        or (value.startswith("[") and value.endswith("]") and ".." in value)
        or (len(value) > 1 and value.startswith("{") and value.endswith("}"))
    )
    return "\\" + value if closure else value


def end(text: str) -> str:
    """Write one end of an interval: escape backslashes and dots that could be taken for '..'."""
    written = ""
    for place, letter in enumerate(text):
        beside = text[place - 1 : place] + text[place + 1 : place + 2]
        at_rim = place in (0, len(text) - 1)
        written += (
            "\\" + letter
            if letter == "\\" or (letter == "." and (at_rim or "." in beside))
            else letter
        )
    return written


def member(value: Cell) -> str:
    """Write one member of a set."""
    return "".join("\\" + c if c in "|{}\\" else c for c in value or "")


def generalize(attribute: Attribute, values: Sequence[Cell]) -> Cell:
    """Write the closure of a class in text notation."""
    distinct = sorted(set(values), key=lambda value: (value is None, value or ""))
    if len(distinct) == 1:
        return exact(distinct[0])
    if attribute.kind is Kind.CATEGORICAL:
        return "{" + "|".join(member(value) for value in distinct) + "}"
    present = [value for value in distinct if value is not None]
    if attribute.kind is Kind.NUMERIC and len(present) == len(distinct):
        ordered = sorted(present, key=lambda text: rank(attribute, text))
        return f"[{end(ordered[0])}..{end(ordered[-1])}]"
    if attribute.kind is Kind.HIERARCHICAL and len(present) == len(distinct):
        for group, leaves in TREE_GROUPS.items():
            if set(present) <= leaves:
                return group
    return "*"


def generalize_in_bounds(attribute: Attribute, values: Sequence[Cell]) -> dict[str, Cell]:
    """Write the closure of a class in bounds notation."""
    name = attribute.name
    if attribute.kind is Kind.CATEGORICAL:
        distinct = sorted(set(values), key=lambda value: (value is None, value or ""))
        return {name: json.dumps(distinct)}
    if attribute.kind is not Kind.NUMERIC:
        return {name: generalize(attribute, values)}
    present = [value for value in values if value is not None]
    if len(present) < len(values):
        return {f"{name}_min": None, f"{name}_max": None}
    ordered = sorted(present, key=lambda text: rank(attribute, text))
    return {f"{name}_min": ordered[0], f"{name}_max": ordered[-1]}


def write_release(
    original: pl.DataFrame,
    schema: Schema,
    classes: Sequence[Sequence[int]],
    seed: int = 0,
    *,
    bounds: bool = False,
    starred: Sequence[int] = (),
) -> Made:
    """Write a release of the given classes of original rows, shuffled; ``starred`` rows say '*'."""
    rows = original.to_dicts()
    made: list[tuple[int, dict[str, Cell]]] = []
    for members in [*classes, *([row] for row in starred)]:
        cells: dict[str, Cell] = {}
        for attribute in schema.quasi:
            values = [rows[row][attribute.name] for row in members]
            if list(members) and members[0] in starred:
                cells[attribute.name] = "*"
            elif bounds:
                cells |= generalize_in_bounds(attribute, values)
            else:
                cells[attribute.name] = generalize(attribute, values)
        made += [
            (row, cells | {name: rows[row][name] for name in schema.untouched}) for row in members
        ]
    order = np.random.default_rng(seed).permutation(len(made))
    frame = pl.DataFrame([made[place][1] for place in order], infer_schema_length=None)
    frame = frame.cast(dict.fromkeys(frame.columns, pl.String))
    return Made(frame, np.array([made[place][0] for place in order], np.int64))
