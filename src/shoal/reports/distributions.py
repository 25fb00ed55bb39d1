"""How the values of a column are distributed, before and after.

A generalized cell counts for everything it covers, to equal shares: ``[30..39]`` puts a tenth of a
record on each year of age. That is what a reader of the release can say, and no more.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.risks.covers import MISSING, Column, Records, Scale, ordered_spans, read_scale
from shoal.table.open_values import is_open

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.encoding.parse import Cell
    from shoal.hierarchies import Hierarchy

_TO = " to "
_MOST_BINS = 30
_MOST_CATEGORIES = 14
_DAY = 86_400_000_000.0
_SECOND = 1_000_000.0
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - times without a zone, as tables have them
_CALENDAR = ("1d", "1w", "1mo", "3mo", "1y", "2y", "5y", "10y", "20y", "50y", "100y")
MISSING_LABEL = "(missing)"


@dataclass(frozen=True, slots=True)
class Bar:
    """A part of a column's values, and how many records have one of them.

    Parameters
    ----------
    label
        The value, or from where to where.
    before, after
        Records of the original and of the release; ``None`` where the original is not shown.
    low, high
        Where it begins and ends, for numbers and dates (as ISO 8601 texts).
    """

    label: str
    before: float | None
    after: float
    low: float | str | None = None
    high: float | str | None = None


@dataclass(frozen=True, slots=True)
class Distribution:
    """How the values of one column are distributed.

    Parameters
    ----------
    column
        The column.
    shape
        ``numbers``, ``dates`` or ``categories``.
    bars
        Its values, in order, or the most frequent first.
    spread
        Whether generalized cells were spread over what they cover.
    hidden
        Share of the released records that show ``*``.
    """

    column: str
    shape: str
    bars: tuple[Bar, ...]
    spread: bool
    hidden: float


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """The distinct cells of a column, and how many records show each."""

    cells: list[Cell]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, records: Records, column: Column) -> Counted:
        """Count the cells of a table."""
        cells, codes = records.cells(column)
        return cls(cells, np.bincount(codes, minlength=len(cells)))

    @property
    def used(self) -> list[Cell]:
        """The cells that occur."""
        return [cell for cell, count in zip(self.cells, self.counts, strict=True) if count]

    @property
    def hidden(self) -> float:
        """Share of the records that show ``*``."""
        stars = sum(int(n) for cell, n in zip(self.cells, self.counts, strict=True) if cell is None)
        return stars / max(int(self.counts.sum()), 1)


def distribution(
    column: Column, released: pl.DataFrame, original: pl.DataFrame | None, *, ordered: bool
) -> Distribution:
    """Return how a column is distributed in a release, and in its original if that is given.

    Parameters
    ----------
    ordered
        Whether its values are numbers, dates or ranks, so that they fall into intervals.
    """
    after = Counted.of(Records(released), column)
    before = None if original is None else Counted.of(Records(original, exact=True), column)
    both = [after] if before is None else [after, before]
    spread = any(isinstance(cell, tuple) or (cell and len(cell) > 1) for cell in after.used)
    if ordered:
        scale = read_scale([one.used for one in both], column)
        if scale is not None:
            shape, bars = _in_bins(column, scale, after, before)
            return Distribution(column.name, shape, bars, spread, after.hidden)
    tree = column.hierarchy if before is not None else None
    bars, in_tree = _in_categories(after, before, tree)
    return Distribution(column.name, "categories", bars, spread or in_tree, after.hidden)


def _in_bins(
    column: Column, scale: Scale, after: Counted, before: Counted | None
) -> tuple[str, tuple[Bar, ...]]:
    both = [after] if before is None else [after, before]
    values = np.array(list(_values(both, scale)))
    if len(values) == 0:
        return "numbers", ()
    unit = _unit(values, scale)
    edges = _edges(float(values.min()), float(values.max()) + unit, unit, scale)
    counted = [_spread(one, scale, edges, unit) for one in both]
    missing = [_missing(one) for one in both]
    bars = []
    for place in range(len(edges) - 1):
        low, high = float(edges[place]), float(edges[place + 1])
        sides = [float(one[place]) for one in counted]
        shown_before = None if before is None else sides[1]
        bars.append(_bar(low, high, unit, scale, column, shown_before, sides[0]))
    bars = _with_open_ends(bars, both)
    if any(missing):
        shown_before = None if before is None else missing[1]
        bars.append(Bar(MISSING_LABEL, shown_before, missing[0]))
    return ("dates" if scale.kind == "time" else "numbers"), tuple(bars)


def _with_open_ends(bars: list[Bar], both: Sequence[Counted]) -> list[Bar]:
    """Return bars of numbers whose first or last one holds an open value: ``≤18``, ``90+``."""
    texts = (text for one in both for cell in one.used for text in cell or ())
    sides = {is_open(text) for text in texts}
    named = list(bars)
    if -1 in sides and named:
        named[0] = replace(named[0], label=f"≤{named[0].label.rpartition(_TO)[2]}")
    if 1 in sides and named:
        named[-1] = replace(named[-1], label=f"{named[-1].label.partition(_TO)[0]}+")
    return named


def _values(both: Sequence[Counted], scale: Scale) -> set[float]:
    return {
        scale.value_of[text] for one in both for cell in one.used for text in cell or () if text
    }


def _unit(values: NDArray[np.float64], scale: Scale) -> float:
    """Return how much one value takes up: 1 for whole numbers, a day for dates, else nothing."""
    if scale.kind == "time":
        return _DAY if bool((values % _DAY == 0).all()) else _SECOND
    return 1.0 if bool((values == np.round(values)).all()) else 0.0


def _edges(low: float, high: float, unit: float, scale: Scale) -> NDArray[np.float64]:
    """Return where bins begin, and where the last one ends: round numbers, whole months, …."""
    if scale.kind == "time" and high - low > _MOST_BINS * _SECOND * 3600:
        return _calendar_edges(low, high)
    if unit and (high - low) / unit <= _MOST_BINS:
        return np.arange(low, high + unit / 2, unit)
    span = max(high - low, 1e-12)
    step = 10.0 ** np.floor(np.log10(span / 10))
    step = float(next(step * f for f in (1, 2, 2.5, 5, 10, 20) if span / (step * f) <= 24))
    if unit:
        step = max(np.ceil(step), 1.0)
    first = np.floor(low / step) * step
    return np.asarray(first + step * np.arange(np.ceil((high - first) / step - 1e-9) + 1))


def _calendar_edges(low: float, high: float) -> NDArray[np.float64]:
    first, last = _time(low), _time(high)
    for every in _CALENDAR:
        start = pl.Series([first]).dt.truncate(every)[0]
        edges = pl.datetime_range(start, last, every, eager=True, time_unit="us")
        if edges[-1] < last:
            end = pl.Series([edges[-1]]).dt.offset_by(every)
            edges = pl.concat([edges, end.cast(edges.dtype)])
        if len(edges) <= _MOST_BINS + 1:
            break
    return edges.dt.epoch("us").cast(pl.Float64).to_numpy()


def _time(value: float) -> datetime:
    return _EPOCH + timedelta(microseconds=value)


def _spread(
    counted: Counted, scale: Scale, edges: NDArray[np.float64], unit: float
) -> NDArray[np.float64]:
    """Return how many records fall into each bin, intervals spread evenly over their length."""
    spans = ordered_spans([_known(cell, scale) for cell in counted.cells], scale)
    shown = ~spans.anything & (spans.low <= spans.high)
    low, high = spans.low[shown], spans.high[shown] + unit
    counts = counted.counts[shown].astype(np.float64)
    # A value without length lies in the bin that begins at or below it.
    point = high <= low
    bins = np.clip(np.searchsorted(edges, low[point], "right") - 1, 0, len(edges) - 2)
    found = np.bincount(bins, counts[point], minlength=len(edges) - 1).astype(np.float64)
    low, high, counts = low[~point], high[~point], counts[~point]
    if len(low):
        below = np.clip((edges - low[:, None]) / (high - low)[:, None], 0.0, 1.0)
        found += counts @ np.diff(below, axis=1)
    return found


def _known(cell: Cell, scale: Scale) -> Cell:
    """Return a cell without texts that occur in no record, so that they have no number."""
    if cell is None or all(not text or text in scale.value_of for text in cell):
        return cell
    return [MISSING]


def _missing(counted: Counted) -> float:
    return float(
        sum(
            count / len(cell)
            for cell, count in zip(counted.cells, counted.counts.tolist(), strict=True)
            if isinstance(cell, list) and MISSING in cell and count
        )
    )


def _bar(  # noqa: PLR0917 - a bar has two ends and two sides
    low: float,
    high: float,
    unit: float,
    scale: Scale,
    column: Column,
    before: float | None,
    after: float,
) -> Bar:
    if scale.kind == "time":
        ends = [_time(low), _time(high)]
        shown = [f"{end:%Y-%m-%d}" if unit == _DAY else f"{end:%Y-%m-%d %H:%M}" for end in ends]
        last = f"{ends[1] - timedelta(days=1):%Y-%m-%d}" if unit == _DAY else shown[1]
        label = shown[0] if last == shown[0] else f"{shown[0]} to {last}"
        return Bar(label, before, after, shown[0], shown[1])
    if scale.kind == "rank":
        names = column.order[int(low) : int(high)]
        label = " to ".join(dict.fromkeys((names[0], names[-1]))) if names else ""
        return Bar(label, before, after, low, high)
    last_value = high - unit if unit else high
    label = f"{low:,g}" if last_value == low else f"{low:,g}{_TO}{last_value:,g}"
    return Bar(label, before, after, low, high)


def _in_categories(
    after: Counted, before: Counted | None, tree: Hierarchy | None
) -> tuple[tuple[Bar, ...], bool]:
    """Return the most frequent values, and whether nodes of a hierarchy were spread."""
    spread = False
    if tree is not None:
        assert before is not None
        names, spread = _group_names(tree, before), True
        sides = [_by_leaf(one, tree, names, before) for one in (after, before)]
        spread = any(
            cell is not None and isinstance(cell, list) and cell[0] not in tree.position
            for cell in after.used
        )
    else:
        sides = [_by_member(one) for one in ((after,) if before is None else (after, before))]
    leading = sides[-1]
    ranked = sorted({*sides[0], *leading}, key=lambda name: (-leading.get(name, 0.0), name))
    kept, rest = ranked[:_MOST_CATEGORIES], ranked[_MOST_CATEGORIES:]
    if len(rest) == 1:
        kept, rest = ranked, []
    rows = [(name or MISSING_LABEL, [side.get(name, 0.0) for side in sides]) for name in kept]
    if rest:
        others = [sum(side.get(name, 0.0) for name in rest) for side in sides]
        rows.append((f"{len(rest):,} other values", others))
    return tuple(
        Bar(name, None if before is None else counts[1], counts[0]) for name, counts in rows
    ), spread


def _by_member(counted: Counted) -> dict[str, float]:
    found: Counter[str] = Counter()
    for cell, count in zip(counted.cells, counted.counts.tolist(), strict=True):
        if cell is not None and count:
            members = cell if isinstance(cell, list) else [f"[{cell[0]}..{cell[1]}]"]
            for member in members:
                found[member] += count / len(members)
    return dict(found)


def _group_names(tree: Hierarchy, before: Counted) -> list[str]:
    """Return for each leaf its group: the finest level that has few enough for a chart."""
    held = {tree.position[cell[0]] for cell in before.used if cell and cell[0] in tree.position}
    for level in range(tree.height + 1):
        names = list(tree.names(level))
        if len({names[place] for place in held}) <= _MOST_CATEGORIES:
            break
    return names


def _by_leaf(
    counted: Counted, tree: Hierarchy, names: Sequence[str], before: Counted
) -> dict[str, float]:
    """Return records by group; a node is spread over the leaves below it that the original has."""
    held = np.zeros(len(tree.leaves), dtype=np.bool_)
    for cell in before.used:
        if cell and cell[0] in tree.position:
            held[tree.position[cell[0]]] = True
    found: Counter[str] = Counter()
    for cell, count in zip(counted.cells, counted.counts.tolist(), strict=True):
        if cell is None or not count:
            continue
        node = tree.node_of_name.get(cell[0])
        if node is None:
            found[cell[0]] += count
            continue
        leaves = np.arange(tree.node_first[node], tree.node_last[node] + 1)
        below = leaves[held[leaves]] if held[leaves].any() else leaves
        for leaf in below.tolist():
            found[names[leaf]] += count / len(below)
    return dict(found)
