"""Reading of released cells: what a cell says about the value that it stands for.

The grammar is written down in ``docs/notation.md``. This parser shares no code with the writer of
releases, so a mistake in one of them shows up as a disagreement instead of hiding in both.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from shoal.table.schema import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

ANYTHING = "*"
_ESCAPE = "\\"


@dataclass(frozen=True, slots=True)
class Everything:
    """The cell says nothing: any value, and a missing one."""


@dataclass(frozen=True, slots=True)
class Exact:
    """One value by its text (in a hierarchy: one node by its name); ``None`` is missing."""

    value: str | None


@dataclass(frozen=True, slots=True)
class Interval:
    """All values from ``low`` to ``high``, both included, in the spellings of the column."""

    low: str
    high: str


@dataclass(frozen=True, slots=True)
class Members:
    """Any of these values; ``None`` is missing."""

    values: frozenset[str | None]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """The cell does not follow the notation; it covers nothing."""

    reason: str


Closure: TypeAlias = Everything | Exact | Interval | Members | Unreadable


def looks_like_interval(cell: str) -> bool:
    """Return whether an exact value of this text needs an escape, lest it read as an interval."""
    return cell.startswith("[") and cell.endswith("]") and ".." in cell


def looks_like_set(cell: str) -> bool:
    """Return whether an exact value of this text needs an escape, lest it read as a set."""
    return len(cell) > 1 and cell.startswith("{") and cell.endswith("}")


def read_text_cell(cell: str | None, kind: Kind) -> Closure:
    r"""Return what a cell in text notation says, given the kind of its column.

    Examples
    --------
    >>> read_text_cell("[35..37]", Kind.NUMERIC)
    Interval(low='35', high='37')
    >>> read_text_cell("{F|}", Kind.CATEGORICAL) == Members(frozenset({"F", None}))
    True
    >>> read_text_cell("\\*", Kind.CATEGORICAL)
    Exact(value='*')
    """
    closure: Closure
    if not cell:
        closure = Exact(None)
    elif cell == ANYTHING:
        closure = Everything()
    elif cell.startswith(_ESCAPE):
        closure = Exact(cell[1:]) if len(cell) > 1 else Unreadable("a lone backslash")
    elif kind is Kind.HIERARCHICAL:
        # Names of groups often look like intervals or sets; in a tree they are only names.
        closure = Exact(cell)
    elif looks_like_interval(cell):
        numeric = kind is Kind.NUMERIC
        closure = (
            _read_interval(cell[1:-1]) if numeric else Unreadable(f"an interval in a {kind} column")
        )
    elif looks_like_set(cell):
        sets = kind is Kind.CATEGORICAL
        closure = _read_set(cell[1:-1]) if sets else Unreadable(f"a set in a {kind} column")
    else:
        closure = Exact(cell)
    return closure


def read_label_cell(cell: str | None, kind: Kind) -> Closure:
    """Return what a label says, given the kind of its column.

    Examples
    --------
    >>> read_label_cell("35 to 37", Kind.NUMERIC)
    Interval(low='35', high='37')
    >>> read_label_cell("F or missing", Kind.CATEGORICAL) == Members(frozenset({"F", None}))
    True
    """
    if not cell:
        return Exact(None)
    if cell == "any":
        return Everything()
    if kind is Kind.NUMERIC and " to " in cell:
        low, high, *more = cell.split(" to ")
        return Unreadable("a label with more than two ends") if more else Interval(low, high)
    if kind is Kind.CATEGORICAL and " or " in cell:
        return Members(frozenset(None if one == "missing" else one for one in cell.split(" or ")))
    return Exact(cell)


def read_json_closure(cell: str | None, kind: Kind) -> Closure:
    """Return what a cell in JSON notation says, given the kind of its column.

    Examples
    --------
    >>> read_json_closure('{"min": 35, "max": 37.50}', Kind.NUMERIC)
    Interval(low='35', high='37.50')
    >>> read_json_closure('"*"', Kind.CATEGORICAL)
    Everything()
    >>> read_json_closure("null", Kind.NUMERIC)
    Exact(value=None)
    """
    try:
        # Numbers stay as they are spelled, to their last digit.
        parsed = json.loads(cell or "", parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return Unreadable("not JSON")
    closure: Closure = Unreadable(f"no JSON of a {kind} column")
    if parsed is None:
        closure = Exact(None)
    elif parsed == ANYTHING:
        closure = Everything()
    elif isinstance(parsed, dict) and kind is Kind.NUMERIC:
        low, high = parsed.get("min"), parsed.get("max")
        if len(parsed) == 2 and isinstance(low, str) and isinstance(high, str):
            closure = Interval(low, high)
    elif isinstance(parsed, list) and kind is not Kind.NUMERIC:
        closure = read_list_cell(parsed)
        if kind is not Kind.CATEGORICAL and isinstance(closure, Members):
            one = len(parsed) == 1
            closure = Exact(parsed[0] or None) if one else Unreadable(f"several in a {kind} column")
    return closure


def read_bounds(low: str | None, high: str | None, *, missing: bool = False) -> Closure:
    """Return what the cells ``NAME_min``, ``NAME_max`` and ``NAME_missing`` of a record say."""
    if low is None and high is None:
        return Exact(None) if missing else Everything()
    if missing:
        return Unreadable("a bound of a value that is missing")
    # One bound alone is that of a column with open values: no number is spelled as an empty text.
    return Interval(low or "", high or "")


def read_json_cell(cell: str | None) -> Closure:
    """Return what a set written as a JSON list of texts says; ``null`` inside it is missing."""
    if cell is None or cell == "":
        return Everything()
    try:
        listed = json.loads(cell)
    except (ValueError, RecursionError):
        return Unreadable("not a JSON list")
    if not isinstance(listed, list):
        return Unreadable("not a JSON list")
    return read_list_cell(listed)


def read_list_cell(listed: Sequence[object] | None) -> Closure:
    """Return what a set written as a list of texts says; ``None`` inside it is missing."""
    if listed is None:
        return Everything()
    if not listed:
        return Unreadable("an empty list")
    members: set[str | None] = set()
    for member in listed:
        if member is not None and not isinstance(member, str):
            return Unreadable("a list member that is neither text nor null")
        members.add(member or None)
    return Members(frozenset(members))


def _read_interval(inner: str) -> Closure:
    """Split ``low..high`` at its one run of exactly two dots that are not escaped."""
    low, _, high = inner.partition("..")
    if low and high and _ESCAPE not in inner and inner.count("..") == 1 and "..." not in inner:
        return Interval(low, high)  # as nearly all are
    ends: list[list[str]] = [[]]
    place = 0
    while place < len(inner):
        letter = inner[place]
        if letter == _ESCAPE:
            if place + 1 == len(inner):
                return Unreadable("a backslash at the end of an interval")
            ends[-1].append(inner[place + 1])
            place += 2
        elif letter == ".":
            run = len(inner) - place - len(inner[place:].lstrip("."))
            if run > 2:
                return Unreadable("an interval with more than two dots in a row")
            if run == 2:
                ends.append([])
            else:
                ends[-1].append(letter)
            place += run
        else:
            ends[-1].append(letter)
            place += 1
    if len(ends) != 2:
        return Unreadable("an interval without exactly one separator '..'")
    low, high = ("".join(end) for end in ends)
    if not low or not high:
        return Unreadable("an interval with an empty end")
    return Interval(low, high)


def _read_set(inner: str) -> Closure:
    if not any(letter in inner for letter in (_ESCAPE, "{", "}")):
        return Members(frozenset(member or None for member in inner.split("|")))
    members: list[list[str]] = [[]]
    letters = iter(inner)
    for letter in letters:
        if letter == _ESCAPE:
            escaped = next(letters, None)
            if escaped is None:
                return Unreadable("a backslash at the end of a set")
            members[-1].append(escaped)
        elif letter == "|":
            members.append([])
        elif letter in "{}":
            return Unreadable("a brace inside a set that is not escaped")
        else:
            members[-1].append(letter)
    return Members(frozenset("".join(member) or None for member in members))
