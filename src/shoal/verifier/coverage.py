"""Which released cells cover which original values, one attribute at a time.

Originals and released cells are both reduced to codes of their distinct values, which are few.
A closure becomes an interval of positions (numbers, or leaves of a tree) or a list of codes.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
import polars as pl

from shoal.errors import ValueReadError
from shoal.table.cells import DistinctCells, distinct_cells, numbers, texts
from shoal.table.schema import Attribute, Kind
from shoal.verifier.cells import Closure, Everything, Exact, Interval, Members, Unreadable
from shoal.verifier.grouping import ranges

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.hierarchies import Hierarchy
    from shoal.verifier.released import ReleasedColumn


Codes: TypeAlias = "NDArray[np.integer[Any]]"
# By name: not every polars has the shorter one.
_SHORT_FLOATS: dict[str, type[np.floating[Any]]] = {"Float16": np.float16, "Float32": np.float32}


class Covering(Protocol):
    """Answers whether released cells cover original values, both given by code."""

    @abstractmethod
    def covers(self, values: Codes, cells: Codes) -> NDArray[np.bool_]:
        """Return for each pair whether the cell covers the value."""

    @abstractmethod
    def table(self, values: Codes, cells: Codes) -> NDArray[np.bool_]:
        """Return for each cell (rows) and each value (columns) whether it is covered."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """One attribute of both tables.

    Parameters
    ----------
    attribute
        The quasi-identifier.
    values
        For each original row the code of its value; ``missing`` is the code of a missing one.
    cells
        For each released row the code of its cell.
    starred
        For each cell code whether it says nothing at all.
    unreadable
        Reason by cell code, for the cells that do not follow the notation.
    covering
        Which cells cover which values.
    """

    attribute: Attribute
    values: NDArray[np.uint32]
    missing: int
    cells: NDArray[np.uint32]
    starred: NDArray[np.bool_]
    unreadable: dict[int, str]
    covering: Covering

    def unreadable_rows(self) -> NDArray[np.int64]:
        """Return the released rows whose cell does not follow the notation."""
        if not self.unreadable:
            return np.empty(0, np.int64)
        flags = np.zeros(len(self.starred), bool)
        flags[list(self.unreadable)] = True
        return np.flatnonzero(flags[self.cells])


@dataclass(frozen=True, slots=True)
class _Intervals:
    """Cells that are intervals of positions; a missing value has its flag, or a position."""

    positions: NDArray[np.float64]  # by value code, missing last; NaN lies in no interval
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    with_missing: NDArray[np.bool_]

    def covers(self, values: Codes, cells: Codes) -> NDArray[np.bool_]:
        position = self.positions[values]
        inside = (self.low[cells] <= position) & (position <= self.high[cells])
        is_missing = values == len(self.positions) - 1
        return np.asarray(inside | (is_missing & self.with_missing[cells]))

    def table(self, values: Codes, cells: Codes) -> NDArray[np.bool_]:
        position = self.positions[values]
        inside = self.low[cells][:, None] <= position
        inside &= position <= self.high[cells][:, None]
        missing = np.flatnonzero(values == len(self.positions) - 1)
        inside[:, missing] |= self.with_missing[cells][:, None]
        return inside


@dataclass(frozen=True, slots=True)
class _Sets:
    """Cells that are lists of value codes, sorted by cell and code."""

    width: int  # number of value codes, missing included
    everything: NDArray[np.bool_]
    member_keys: NDArray[np.int64]  # cell * width + value, ascending

    def covers(self, values: Codes, cells: Codes) -> NDArray[np.bool_]:
        if not len(self.member_keys):
            return np.asarray(self.everything[cells])
        keys = cells.astype(np.int64) * self.width + values
        places = np.searchsorted(self.member_keys, keys)
        found = self.member_keys[np.minimum(places, len(self.member_keys) - 1)] == keys
        return np.asarray(found | self.everything[cells])

    def table(self, values: Codes, cells: Codes) -> NDArray[np.bool_]:
        table = np.repeat(self.everything[cells][:, None], self.width, axis=1)
        keys = cells.astype(np.int64) * self.width
        first = np.searchsorted(self.member_keys, keys)
        last = np.searchsorted(self.member_keys, keys + self.width)
        row = np.repeat(np.arange(len(cells)), last - first)
        table[row, self.member_keys[ranges(first, last)] % self.width] = True
        return table[:, values]


def coverage_of(attribute: Attribute, original: pl.Series, released: ReleasedColumn) -> Coverage:
    """Return which of an attribute's released cells cover which of its original values.

    Raises
    ------
    ValueReadError, HierarchyError
        If the original itself does not fit the schema.
    """
    if original.dtype in (pl.Categorical, pl.Enum):
        original = original.cast(pl.String)
    distinct = distinct_cells(original)
    closures = list(released.closures)
    if attribute.kind is Kind.NUMERIC:
        covering: Covering = _cover_numbers(attribute, original.dtype, distinct, closures, released)
    elif attribute.kind is Kind.HIERARCHICAL:
        covering = _cover_nodes(attribute, distinct, closures)
    else:
        covering = _cover_sets(distinct, closures)
    return Coverage(
        attribute=attribute,
        values=distinct.codes,
        missing=len(distinct.cells),
        cells=released.codes,
        starred=np.array([isinstance(closure, Everything) for closure in closures], bool),
        unreadable={
            code: closure.reason
            for code, closure in enumerate(closures)
            if isinstance(closure, Unreadable)
        },
        covering=covering,
    )


def _cover_numbers(
    attribute: Attribute,
    dtype: pl.DataType,
    distinct: DistinctCells,
    closures: list[Closure],
    released: ReleasedColumn,
) -> _Intervals:
    spelled: dict[str, float | None] = {}
    for closure in closures:
        if isinstance(closure, Interval):
            spelled[closure.low] = spelled[closure.high] = None
        elif isinstance(closure, Exact) and closure.value is not None:
            spelled[closure.value] = None
    as_written = dtype == pl.String and released.spelled_as_text
    reading = attribute if as_written else replace(attribute, date_format=None)
    read = _read_numbers(list(spelled), reading)
    short = _SHORT_FLOATS.get(str(dtype))
    if short is not None:  # the spelling of a short float stands for the short float
        read = read.astype(short).astype(np.float64)
    number = dict(zip(spelled, read.tolist(), strict=True))

    low = np.full(len(closures), np.inf)
    high = np.full(len(closures), -np.inf)
    with_missing = np.zeros(len(closures), bool)
    for code, closure in enumerate(closures):
        if isinstance(closure, Everything):
            low[code], high[code], with_missing[code] = -np.inf, np.inf, True
        elif isinstance(closure, Exact) and closure.value is None:
            with_missing[code] = True
        elif isinstance(closure, Exact | Interval):
            ends = (
                (closure.low, closure.high)
                if isinstance(closure, Interval)
                else (closure.value or "",) * 2
            )
            first, last = (number[end] for end in ends)
            if np.isnan(first) or np.isnan(last):
                closures[code] = Unreadable(f"not {attribute.reading} as the column demands")
            elif first > last:
                closures[code] = Unreadable("an interval whose low end is above its high end")
            else:
                low[code], high[code] = first, last
    positions = np.append(numbers(distinct, attribute), np.nan)
    return _Intervals(positions, low, high, with_missing)


def _read_numbers(spelled: list[str], attribute: Attribute) -> NDArray[np.float64]:
    """Return the number of each text, NaN where it cannot be read; halves until all is read."""
    if not spelled:
        return np.empty(0)
    cells = DistinctCells(
        cells=pl.Series(attribute.name, spelled, dtype=pl.String),
        codes=np.arange(len(spelled), dtype=np.uint32),
        has_missing=False,
    )
    try:
        return numbers(cells, attribute)
    except ValueReadError:
        if len(spelled) == 1:
            return np.array([np.nan])
        half = len(spelled) // 2
        parts = _read_numbers(spelled[:half], attribute), _read_numbers(spelled[half:], attribute)
        return np.concatenate(parts)


def _cover_nodes(
    attribute: Attribute, distinct: DistinctCells, closures: list[Closure]
) -> _Intervals:
    tree = attribute.hierarchy
    assert tree is not None
    shown = texts(distinct.cells).to_list()
    tree.require(shown, attribute.name)
    # A tree may list the empty text: then missing is an ordinary leaf of it.
    missing = float(tree.position.get("", np.nan))
    positions = np.array([*(float(tree.position[text]) for text in shown), missing])
    low = np.full(len(closures), np.inf)
    high = np.full(len(closures), -np.inf)
    with_missing = np.zeros(len(closures), bool)
    for code, closure in enumerate(closures):
        if isinstance(closure, Everything):
            low[code], high[code], with_missing[code] = -np.inf, np.inf, True
        elif isinstance(closure, Exact) and closure.value is None:
            with_missing[code] = True
        elif isinstance(closure, Exact):
            interval = _leaves_below(tree, closure.value or "")
            if interval is None:
                closures[code] = Unreadable("not a node of its hierarchy")
            else:
                low[code], high[code] = interval
    return _Intervals(positions, low, high, with_missing)


def _leaves_below(tree: Hierarchy, name: str) -> tuple[int, int] | None:
    node = tree.node_of_name.get(name)
    return None if node is None else (int(tree.node_first[node]), int(tree.node_last[node]))


def _cover_sets(distinct: DistinctCells, closures: list[Closure]) -> _Sets:
    width = len(distinct.cells) + 1
    codes: dict[str | None, list[int]] = {None: [width - 1]}
    for code, text in enumerate(texts(distinct.cells).to_list()):
        codes.setdefault(text, []).append(code)
    keys: list[int] = []
    for cell, closure in enumerate(closures):
        values: frozenset[str | None] = frozenset()
        if isinstance(closure, Exact):
            values = frozenset({closure.value})
        elif isinstance(closure, Members):
            values = closure.values
        keys += [cell * width + code for value in values for code in codes.get(value, ())]
    return _Sets(
        width=width,
        everything=np.array([isinstance(closure, Everything) for closure in closures], bool),
        member_keys=np.unique(np.array(keys, np.int64)),
    )
