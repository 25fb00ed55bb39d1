"""Which released cells cover which original values, one attribute at a time.

Originals and released cells are both reduced to codes of their distinct values, which are few.
Every value has a position on a line: numbers by size, leaves of a tree in its order, categories by
their text, a missing value last. A cell covers an interval of positions, or a list of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import polars as pl

from shoal.errors import ValueReadError
from shoal.table.cells import DistinctCells, distinct_cells, numbers, texts
from shoal.table.exact_order import exact_ranks
from shoal.table.schema import Attribute, Kind, Reading
from shoal.verifier.cells import Closure, Everything, Exact, Interval, Members, Unreadable
from shoal.verifier.open_sides import OpenSides, numbers_of_originals

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.hierarchies import Hierarchy
    from shoal.verifier.released import ReleasedColumn


Codes: TypeAlias = "NDArray[np.integer[Any]]"


@dataclass(frozen=True, slots=True)
class Intervals:
    """Cells that cover intervals of positions, both ends included; ``low > high`` covers nothing.

    Parameters
    ----------
    low, high
        For each cell its ends.
    """

    low: NDArray[np.int32]
    high: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.low)

    def take(self, cells: Codes) -> Intervals:
        """Return these cells, one after the other."""
        return Intervals(self.low[cells], self.high[cells])

    def covers(self, cells: Codes, positions: Codes) -> NDArray[np.bool_]:
        """Return for each pair whether the cell covers the position."""
        return np.asarray((self.low[cells] <= positions) & (positions <= self.high[cells]))

    def touches(self, cells: Codes, first: Codes, last: Codes) -> NDArray[np.bool_]:
        """Return for each cell whether it covers any position from first to last."""
        return np.asarray((self.low[cells] <= last) & (first <= self.high[cells]))

    def fills(self, cells: Codes, first: Codes, last: Codes) -> NDArray[np.bool_]:
        """Return for each cell whether it covers all positions from first to last."""
        return np.asarray((self.low[cells] <= first) & (last <= self.high[cells]))

    def middle(self) -> NDArray[np.integer[Any]]:
        """Return a position in the middle of each cell."""
        return (self.low + self.high) // 2

    def mean_width(self) -> float:
        """Return how many positions a cell covers, on average."""
        wide = np.maximum(self.high.astype(np.float64) - self.low + 1, 0.0)
        return float(wide.mean()) if len(wide) else 1.0


@dataclass(frozen=True, slots=True)
class Lists:
    """Cells that cover lists of positions.

    Parameters
    ----------
    row
        For each cell where its members stand in ``keys``.
    size
        Number of positions.
    keys
        ``row * size + position`` of every member, ascending.
    """

    row: NDArray[np.int64]
    size: int
    keys: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.row)

    def take(self, cells: Codes) -> Lists:
        """Return these cells, one after the other."""
        return Lists(self.row[cells], self.size, self.keys)

    def covers(self, cells: Codes, positions: Codes) -> NDArray[np.bool_]:
        """Return for each pair whether the cell covers the position."""
        return self.touches(cells, positions, positions)

    def touches(self, cells: Codes, first: Codes, last: Codes) -> NDArray[np.bool_]:
        """Return for each cell whether it covers any position from first to last."""
        base = self.row[cells] * self.size
        if not len(self.keys):
            return np.zeros(len(base), bool)
        place = np.searchsorted(self.keys, base + first)
        return np.asarray(self.keys[np.minimum(place, len(self.keys) - 1)] - base <= last) & (
            place < len(self.keys)
        )

    def fills(self, cells: Codes, first: Codes, last: Codes) -> NDArray[np.bool_]:
        """Return for each cell whether it covers all positions from first to last."""
        base = self.row[cells] * self.size
        inside = np.searchsorted(self.keys, base + last, side="right")
        inside -= np.searchsorted(self.keys, base + first)
        return np.asarray(inside == last - first + 1)

    def middle(self) -> NDArray[np.integer[Any]]:
        """Return the middle one of the positions of each cell; any, where there are none."""
        if not len(self.keys):
            return np.zeros(len(self.row), np.int64)
        base = self.row * self.size
        first, last = np.searchsorted(self.keys, [base, base + self.size])
        middle = np.minimum((first + last) // 2, len(self.keys) - 1)
        return np.asarray(self.keys[middle] - base)

    def mean_width(self) -> float:
        """Return how many positions a cell covers, on average."""
        held = np.bincount(self.keys // self.size, minlength=int(self.row.max(initial=0)) + 1)
        return float(held[self.row].mean()) if len(self.row) else 1.0


Covering: TypeAlias = Intervals | Lists


@dataclass(frozen=True, slots=True)
class Coverage:
    """One attribute of both tables.

    Parameters
    ----------
    attribute
        The quasi-identifier.
    values
        For each original row the code of its value; ``missing`` is the code of a missing one.
    positions
        For each value code, the missing one last, its position.
    cells
        For each released row the code of its cell.
    starred
        For each cell code whether it says nothing at all.
    unreadable
        Reason by cell code, for the cells that do not follow the notation.
    covering
        Which positions each cell covers.
    """

    attribute: Attribute
    values: NDArray[np.uint32]
    positions: NDArray[np.int32]
    cells: NDArray[np.uint32]
    starred: NDArray[np.bool_]
    unreadable: dict[int, str]
    covering: Covering

    @property
    def missing(self) -> int:
        """The code of a missing value."""
        return len(self.positions) - 1

    def covers(self, values: Codes, cells: Codes) -> NDArray[np.bool_]:
        """Return for each pair of codes whether the cell covers the value."""
        return self.covering.covers(cells, self.positions[values])

    def unreadable_rows(self) -> NDArray[np.int64]:
        """Return the released rows whose cell does not follow the notation."""
        if not self.unreadable:
            return np.empty(0, np.int64)
        flags = np.zeros(len(self.starred), bool)
        flags[list(self.unreadable)] = True
        return np.flatnonzero(flags[self.cells])


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
    covering: Covering
    if attribute.kind is Kind.NUMERIC:
        as_written = original.dtype == pl.String and released.spelled_as_text
        positions, covering = _cover_numbers(
            attribute, distinct, closures, attribute.date_format if as_written else None
        )
    elif attribute.kind is Kind.HIERARCHICAL:
        positions, covering = _cover_nodes(attribute, distinct, closures)
    else:
        positions, covering = _cover_sets(distinct, closures)
    return Coverage(
        attribute=attribute,
        values=distinct.codes,
        positions=positions.astype(np.int32),
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
    distinct: DistinctCells,
    closures: list[Closure],
    date_format: str | None,
) -> tuple[NDArray[np.int64], Intervals]:
    """Rank the numbers of both tables to their last digit; a cell covers a run of ranks.

    Open values (``90+``) rank beyond all numbers: only a cell that is open to the same side covers
    them. Where a column is top- or bottom-coded, its originals are coded here, once more.
    """
    cells = distinct.cells
    if attribute.reading is Reading.DATE and cells.dtype == pl.Datetime:
        cells = cells.dt.date()  # a time of day is finer than what is released
    shown = texts(cells).to_list()
    number = dict(zip(shown, numbers_of_originals(distinct, attribute).tolist(), strict=True))
    sides = OpenSides.of(attribute, number)
    ends = [_ends(closure, sides) for closure in closures]
    as_released = replace(attribute, date_format=date_format)
    spelled = list({end for pair in ends if pair for end in pair if sides.side(end) == 0})
    read = dict(zip(spelled, read_numbers(spelled, as_released).tolist(), strict=True))
    for text, value in read.items():
        if sides.is_beyond(value):
            read[text] = np.nan
    plain = {text: value for text, value in number.items() if sides.side_of(text, value) == 0}
    # What both tables spell alike is the same number, unless dates are written in two ways.
    known = {text for text, value in read.items() if plain.get(text) == value}
    others = [text for text in spelled if text not in known and not np.isnan(read[text])]
    ranks = exact_ranks(
        [*plain, *others],
        np.array([*plain.values(), *(read[text] for text in others)], np.float64),
        attribute.reading,
    )
    ranks = (ranks + 1).tolist()  # 0 is the place of what is open downward
    top = max(ranks, default=0) + 1
    place = {-1: 0, 1: top}
    rank_of_value = dict(zip(plain, ranks, strict=False))
    rank_of_end = {text: rank_of_value[text] for text in known}
    rank_of_end |= zip(others, ranks[len(plain) :], strict=True)
    missing = top + 1
    low, high = _nothing(closures)
    for code, (closure, pair) in enumerate(zip(closures, ends, strict=True)):
        if isinstance(closure, Everything):
            low[code], high[code] = 0, missing
        elif isinstance(closure, Exact) and closure.value is None:
            low[code] = high[code] = missing
        elif pair is not None:
            first, last = (place.get(sides.side(end), rank_of_end.get(end)) for end in pair)
            if first is None or last is None:
                closures[code] = Unreadable(f"not {attribute.reading} as the column demands")
            elif first > last:
                closures[code] = Unreadable("an interval whose low end is above its high end")
            else:
                low[code], high[code] = first, last
    of_text = {
        text: place.get(sides.side_of(text, value), rank_of_value.get(text, missing))
        for text, value in number.items()
    }
    positions = np.array([*(of_text[text] for text in shown), missing])
    return positions, Intervals(low, high)


def _ends(closure: Closure, sides: OpenSides) -> tuple[str, str] | None:
    if isinstance(closure, Interval):
        return sides.bounds(closure.low, closure.high)
    if isinstance(closure, Exact) and closure.value is not None:
        return closure.value, closure.value
    return None


def _nothing(closures: list[Closure]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return ends of intervals that cover nothing."""
    return np.zeros(len(closures), np.int32), np.full(len(closures), -1, np.int32)


def read_numbers(spelled: list[str], attribute: Attribute) -> NDArray[np.float64]:
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
        parts = read_numbers(spelled[:half], attribute), read_numbers(spelled[half:], attribute)
        return np.concatenate(parts)


def _cover_nodes(
    attribute: Attribute, distinct: DistinctCells, closures: list[Closure]
) -> tuple[NDArray[np.int64], Intervals]:
    tree = attribute.hierarchy
    assert tree is not None
    shown = texts(distinct.cells).to_list()
    tree.require(shown, attribute.name)
    # A tree may list the empty text: then missing is an ordinary leaf of it.
    missing = tree.position.get("", len(tree.leaves))
    low, high = _nothing(closures)
    for code, closure in enumerate(closures):
        if isinstance(closure, Everything):
            low[code], high[code] = 0, len(tree.leaves)
        elif isinstance(closure, Exact) and closure.value is None:
            low[code] = high[code] = missing
        elif isinstance(closure, Exact):
            interval = _leaves_below(tree, closure.value or "")
            if interval is None:
                closures[code] = Unreadable("not a node of its hierarchy")
            else:
                low[code], high[code] = interval
    positions = np.array([*(tree.position[text] for text in shown), missing], np.int64)
    return positions, Intervals(low, high)


def _leaves_below(tree: Hierarchy, name: str) -> tuple[int, int] | None:
    node = tree.node_of_name.get(name)
    return None if node is None else (int(tree.node_first[node]), int(tree.node_last[node]))


def _cover_sets(
    distinct: DistinctCells, closures: list[Closure]
) -> tuple[NDArray[np.int64], Lists]:
    shown = texts(distinct.cells).to_list()
    position_of: dict[str | None, int] = {text: at for at, text in enumerate(sorted(set(shown)))}
    size = len(position_of) + 1
    position_of[None] = size - 1
    keys: list[int] = []
    for cell, closure in enumerate(closures):
        if isinstance(closure, Everything):
            keys += range(cell * size, (cell + 1) * size)
            continue
        values: frozenset[str | None] = frozenset()
        if isinstance(closure, Exact):
            values = frozenset({closure.value})
        elif isinstance(closure, Members):
            values = closure.values
        keys += [cell * size + position_of[value] for value in values if value in position_of]
    positions = np.array([*(position_of[text] for text in shown), size - 1], np.int64)
    lists = Lists(np.arange(len(closures)), size, np.array(sorted(set(keys)), np.int64))
    return positions, lists
