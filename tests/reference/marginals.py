"""Marginal tables of a release, record by record from its cells, slow and obvious."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import sqrt
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

Table = dict[tuple[Any, ...], Fraction]


def marginal(frame: pl.DataFrame, columns: Sequence[str]) -> Table:
    """Return the share of each combination of values."""
    counted: Table = {}
    for row in frame.select(columns).iter_rows():
        counted[row] = counted.get(row, Fraction(0)) + Fraction(1, frame.height)
    return counted


def released_marginal(
    original: pl.DataFrame, released: pl.DataFrame, columns: Sequence[str]
) -> Table:
    """Return the shares that a reader counts, with every record spread over all it may be."""
    values = {name: sorted(set(original[name].to_list())) for name in columns}
    counted: Table = {}

    def spread(options: list[list[Any]], amount: Fraction) -> None:
        cells = list(product(*options))
        for cell in cells:
            counted[cell] = counted.get(cell, Fraction(0)) + amount / len(cells)

    one = Fraction(1, original.height)
    for row in released.select(columns).iter_rows():
        spread([_options(cell, values[name]) for cell, name in zip(row, columns, strict=True)], one)
    withheld = original.height - released.height
    if withheld:
        spread([values[name] for name in columns], withheld * one)
    return counted


def _options(cell: Any, values: list[Any]) -> list[Any]:
    text = str(cell)
    if text == "*":
        return values
    if text.startswith("["):
        low, high = map(int, text.strip("[]").split(".."))
        return [value for value in values if low <= value <= high]
    if text.startswith("{"):
        members = text.strip("{}").split("|")
        return [value for value in values if str(value) in members]
    return [value for value in values if str(value) == text]


def total_variation(one: Table, other: Table) -> Fraction:
    """Return half the sum of differences."""
    total = Fraction(0)
    for cell in {*one, *other}:
        total += abs(one.get(cell, Fraction(0)) - other.get(cell, Fraction(0)))
    return total / 2


def hellinger(one: Table, other: Table) -> float:
    """Return the Hellinger distance."""
    cells = {*one, *other}
    squares = ((sqrt(one.get(cell, 0)) - sqrt(other.get(cell, 0))) ** 2 for cell in cells)
    return sqrt(sum(squares) / 2)
