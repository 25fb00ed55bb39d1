"""Whether a small release is true and keeps its guarantee, by exact fractions and by trying all.

Nothing here comes from the project: cells are read by the grammar of ``docs/notation.md``, figures
are worked out from their definitions, and matches are searched one augmenting path at a time.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any

from tests.reference.flows import largest_flow

if TYPE_CHECKING:
    from collections.abc import Mapping

Row = dict[str, str | None]
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?")


@dataclass(frozen=True)
class Column:
    """A quasi-identifier: ``numeric``, ``categorical``, ``hierarchical`` or ``suppress-only``."""

    name: str
    kind: str
    nodes: dict[str, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Asked:
    """What a release is held to."""

    quasi: tuple[Column, ...]
    sensitive: str
    k: int
    suppression: Fraction = Fraction(0)
    models: tuple[str, ...] = ()
    form: str = "classes"
    notation: str = "text"
    numeric_sensitive: bool = False
    tree: tuple[dict[str, str], ...] = ()
    """The node of each sensitive value, level by level below the root."""


def number(text: str) -> Fraction | None:
    found = NUMBER.fullmatch(text.strip())
    return Fraction(text.strip()) if found else None


def split(text: str, mark: str) -> list[str] | None:
    """Split at a mark that no backslash precedes; ``None`` where a backslash ends the text."""
    parts = [""]
    place = 0
    while place < len(text):
        if text[place] == "\\":
            if place + 1 == len(text):
                return None
            parts[-1] += text[place + 1]
            place += 2
        elif text.startswith(mark, place):
            parts.append("")
            place += len(mark)
        else:
            parts[-1] += text[place]
            place += 1
    return parts


class Covers:
    """What one released cell says."""

    def __init__(self, column: Column, row: Row, notation: str) -> None:
        self.column = column
        self.readable = True
        self.everything = False
        self.low: Fraction | None = None
        self.high: Fraction | None = None
        self.values: set[str | None] = set()
        if notation == "min_max" and column.kind == "numeric":
            self._ends(row[f"{column.name}_min"], row[f"{column.name}_max"])
        elif notation == "min_max" and column.kind == "categorical":
            self._json(row[column.name])
        else:
            self._text(row[column.name])

    def _interval(self, low: str, high: str) -> None:
        self.low, self.high = number(low), number(high)
        self.readable = self.low is not None and self.high is not None
        self.readable = self.readable and self.low <= self.high  # type: ignore[operator]

    def _ends(self, low: str | None, high: str | None) -> None:
        if low is None and high is None:
            self.everything = True
        elif low is None or high is None:
            self.readable = False
        else:
            self._interval(low, high)

    def _json(self, text: str | None) -> None:
        if text is None:
            self.everything = True
            return
        try:
            listed = json.loads(text)
        except ValueError:
            listed = []
        if (
            not isinstance(listed, list)
            or not listed
            or not all(one is None or isinstance(one, str) for one in listed)
        ):
            self.readable = False
        else:
            self.values = {one or None for one in listed}

    def _text(self, text: str | None) -> None:
        kind = self.column.kind
        if not text:
            self.values = {None}
        elif text == "*":
            self.everything = True
        elif text.startswith("\\"):
            self._exact(text[1:]) if len(text) > 1 else self._refuse()
        elif kind == "hierarchical":
            self._exact(text)
        elif text.startswith("[") and text.endswith("]") and ".." in text:
            ends = split(text[1:-1], "..") if kind == "numeric" else None
            good = ends is not None and len(ends) == 2 and "..." not in text
            self._interval(*ends) if good and ends else self._refuse()
        elif len(text) > 1 and text.startswith("{") and text.endswith("}"):
            bare = re.sub(r"\\.", "", text[1:-1])
            members = split(text[1:-1], "|") if kind == "categorical" else None
            if members is None or "{" in bare or "}" in bare:
                self._refuse()
            else:
                self.values = {member or None for member in members}
        else:
            self._exact(text)

    def _refuse(self) -> None:
        self.readable = False

    def _exact(self, text: str) -> None:
        if self.column.kind == "numeric":
            self._interval(text, text)
        elif self.column.kind == "hierarchical":
            self.readable = text in self.column.nodes
            self.values = set(self.column.nodes.get(text, ()))
        else:
            self.values = {text}

    def covers(self, value: str | None) -> bool:
        if self.everything:
            return True
        if not self.readable:
            return False
        if self.low is not None and self.high is not None:
            return value is not None and self.low <= number(value) <= self.high  # type: ignore[operator]
        return value in self.values


def accepts(original: list[Row], released: list[Row], asked: Asked) -> bool:
    """Return whether some way of making the release from the original keeps what is asked."""
    cells = [[Covers(c, row, asked.notation) for c in asked.quasi] for row in released]
    if not all(cell.readable for row in cells for cell in row):
        return False
    limit = math.floor(asked.suppression * len(original))
    if not len(original) - limit <= len(released) <= len(original):
        return False
    covered = [
        {
            at
            for at, row in enumerate(original)
            if all(cell.covers(row[cell.column.name]) for cell in record)
        }
        for record in cells
    ]
    own = [
        {
            at
            for at in covered[place]
            if same(original[at][asked.sensitive], row[asked.sensitive], asked)
        }
        for place, row in enumerate(released)
    ]
    if asked.form == "freeform":
        return any(
            matched(own, chosen) and regular(covered, chosen, asked.k)
            for chosen in map(set, combinations(range(len(original)), len(released)))
        )
    if not matched(own, set(range(len(original)))):
        return False
    classes: dict[tuple[object, ...], list[str | None]] = {}
    for row in released:
        shown = tuple(row[name] for name in sorted(row) if name != asked.sensitive)
        classes.setdefault(shown, []).append(row[asked.sensitive])
    whole = [row[asked.sensitive] for row in original]
    return all(
        len(values) >= asked.k and all(meets(values, whole, model, asked) for model in asked.models)
        for values in classes.values()
    )


def same(one: str | None, other: str | None, asked: Asked) -> bool:
    one, other = one or None, other or None
    if one is None or other is None or not asked.numeric_sensitive:
        return one == other
    return number(other) is not None and number(one) == number(other)


def matched(own: list[set[int]], chosen: set[int]) -> bool:
    """Return whether every record can have an original of its own."""
    return _carries(own, chosen, 1)


def regular(covered: list[set[int]], chosen: set[int], k: int) -> bool:
    """Return whether every record can have k partners, and every original k."""
    return _carries(covered, chosen, k)


def _carries(covered: list[set[int]], chosen: set[int], times: int) -> bool:
    place = {at: number for number, at in enumerate(sorted(chosen))}
    inside = [{place[at] for at in one & chosen} for one in covered]
    ones = [1] * len(covered)
    return largest_flow(inside, [1] * len(chosen), ones, times) == times * len(covered)


def meets(values: list[str | None], whole: list[str | None], model: str, asked: Asked) -> bool:
    name, _, numbers = model.partition(":")
    limits = [Fraction(one) for one in numbers.split(",")]
    counts = Counter(one or None for one in values)
    if asked.numeric_sensitive:
        counts = Counter(str(number(one)) if one else None for one in values)
        whole = [str(number(one)) if one else None for one in whole]
    size = sum(counts.values())
    usual = {
        value: Fraction(n, len(whole)) for value, n in Counter(o or None for o in whole).items()
    }
    shares = {value: Fraction(n, size) for value, n in counts.items()}
    every = set(usual) | set(shares)
    excess = {one: shares.get(one, Fraction(0)) - usual.get(one, Fraction(0)) for one in every}
    if name == "frequency-l-diversity":
        return max(counts.values()) * limits[0] <= size
    if name == "distinct-l-diversity":
        return len(counts) >= limits[0]
    if name == "entropy-l-diversity":
        entropy = -sum(float(share) * math.log(share) for share in shares.values())
        return entropy >= math.log(limits[0]) - 1e-9
    if name == "recursive-l-diversity":
        ordered = sorted(counts.values(), reverse=True)
        return ordered[0] < limits[0] * sum(ordered[int(limits[1]) - 1 :])
    if name == "t-closeness":
        return apart(excess) <= limits[0] + Fraction(1, 10**9)
    if name == "ordered-t-closeness":
        order = sorted(every, key=lambda one: (one is None, one or ""))
        if asked.numeric_sensitive:
            order = sorted(every, key=lambda o: (o is None, Fraction(o) if o else Fraction(0)))
        running, total = Fraction(0), Fraction(0)
        for one in order[:-1]:
            running += excess[one]
            total += abs(running)
        return total / max(len(order) - 1, 1) <= limits[0] + Fraction(1, 10**9)
    assert name == "hierarchical-t-closeness"
    far = Fraction(0)
    for level in asked.tree:
        nodes: dict[object, Fraction] = {}
        for one, share in excess.items():
            node = level.get(one or "", ("alone", one))
            nodes[node] = nodes.get(node, Fraction(0)) + share
        far += apart(nodes)
    return far / len(asked.tree) <= limits[0] + Fraction(1, 10**9)


def apart(excess: Mapping[Any, Fraction]) -> Fraction:
    return sum(map(abs, excess.values()), Fraction(0)) / 2
