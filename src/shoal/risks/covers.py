"""Cells as sets of values, so that records can be compared that do not show the same cells.

A released cell covers several values: ``[35..37]``, ``{F|M}``, a node of a hierarchy, ``*``. Two
cells are compatible when one value could stand behind both. Cells of several tables are read into
common numbers, so that a release can be matched with itself, its original or a population.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np
import polars as pl
from scipy.sparse import csr_array

from shoal.encoding.parse import read_cells
from shoal.errors import InputError
from shoal.table.cells import distinct_cells, texts
from shoal.table.open_values import downward_limits, is_open, upward_limits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from shoal.encoding.parse import Cell
    from shoal.hierarchies import Hierarchy

MISSING = ""
_TIMES = ("%Y-%m-%d", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M:%S%.f")


@dataclass(frozen=True, slots=True)
class Column:
    """A quasi-identifier, and what is known about how its cells are written.

    Parameters
    ----------
    name
        The column; a release in min-max notation has ``NAME_min`` and ``NAME_max`` instead.
    hierarchy
        The hierarchy whose nodes its cells may name.
    order
        Its categories, lowest first, if they are ordered.
    date_format
        How its dates are written, if not as ISO 8601.
    """

    name: str
    hierarchy: Hierarchy | None = None
    order: tuple[str, ...] = ()
    date_format: str | None = None


class Covers(Protocol):
    """What the distinct cells of one column cover."""

    def compatible(self, cells: NDArray[np.int64], others: Covers) -> NDArray[np.bool_]:
        """Return for some cells, by place, which of the others could show the same value."""


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """Cells that cover what lies from ``low`` to ``high``; a missing value lies nowhere."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    anything: NDArray[np.bool_]
    missing: NDArray[np.bool_]

    def compatible(self, cells: NDArray[np.int64], others: Covers) -> NDArray[np.bool_]:
        """Return for some cells, by place, which of the others could show the same value."""
        assert isinstance(others, Spans)
        low, high = self.low[cells, None], self.high[cells, None]
        found = (low <= others.high) & (others.low <= high)
        found |= self.missing[cells, None] & others.missing
        found |= self.anything[cells, None] | others.anything
        return np.asarray(found)


@dataclass(frozen=True, slots=True, eq=False)
class Sets:
    """Cells that cover any set of values, as rows of a matrix of ones."""

    members: csr_array
    anything: NDArray[np.bool_]

    def compatible(self, cells: NDArray[np.int64], others: Covers) -> NDArray[np.bool_]:
        """Return for some cells, by place, which of the others could show the same value."""
        assert isinstance(others, Sets)
        found = (self.members[cells] @ others.members.T).toarray() > 0
        found |= self.anything[cells, None] | others.anything
        return np.asarray(found)


@dataclass(frozen=True, slots=True, eq=False)
class CoveredColumn:
    """One column of a table: for each record the place of its cell, and what the cells cover."""

    codes: NDArray[np.uint32]
    covers: Covers


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """A table, and whether its cells are generalized or to be taken literally.

    In an original or a population a cell ``*`` or ``{x}`` is a value like any other.
    """

    table: pl.DataFrame
    exact: bool = False

    def cells(self, column: Column) -> tuple[list[Cell], NDArray[np.uint32]]:
        """Return the distinct cells of a column, and for each record the place of its cell.

        Raises
        ------
        InputError
            If the table lacks the column.
        """
        if not self.exact:
            return read_cells(self.table, column.name, _shape(column, self.table))
        if column.name not in self.table.columns:
            raise InputError(
                f"The original or population has no column {column.name!r}.",
                remedy="Give a table with all quasi-identifiers.",
            )
        distinct = distinct_cells(texts(self.table[column.name]))
        return [*([text] for text in distinct.cells), [MISSING]], distinct.codes


def read_covers(column: Column, tables: Sequence[Records]) -> list[CoveredColumn]:
    """Return a quasi-identifier of several tables, in common values.

    Raises
    ------
    InputError
        If a table lacks the column.
    """
    read = [table.cells(column) for table in tables]
    listed = [cells for cells, _ in read]
    covers: Sequence[Covers] | None = None
    if column.hierarchy is not None:
        covers = _in_tree(listed, column.hierarchy)
    elif any(_is_ordered(cell) for cells in listed for cell in cells):
        covers = _in_order(listed, column)
    if covers is None:
        covers = _as_sets(listed)
    return [CoveredColumn(codes, one) for (_, codes), one in zip(read, covers, strict=True)]


def _is_ordered(cell: Cell) -> bool:
    """Return whether a cell covers what lies between two ends, or beyond one."""
    return isinstance(cell, tuple) or (cell is not None and any(map(is_open, cell)))


def _shape(column: Column, table: pl.DataFrame) -> Literal["interval", "set", "node", "value"]:
    if column.hierarchy is not None:
        return "node"
    if column.name not in table.columns:
        return "interval"
    series = table[column.name]
    if series.dtype.is_nested():
        return "set"
    first = texts(series.drop_nulls().head(1)).to_list()
    return "set" if any(map(_is_list, first)) else "value"


def _is_list(text: str | None) -> bool:
    try:
        return isinstance(json.loads(text or ""), list)
    except ValueError:
        return False


def _in_tree(listed: Sequence[list[Cell]], tree: Hierarchy) -> list[Spans]:
    """Return nodes as spans of leaves; a name that the tree lacks is a value of its own."""
    unknown: dict[str, int] = {}

    def span(cell: Cell) -> tuple[float, float]:
        assert isinstance(cell, list)
        node = tree.node_of_name.get(cell[0])
        if node is not None:
            return float(tree.node_first[node]), float(tree.node_last[node])
        place = len(tree.leaves) + unknown.setdefault(cell[0], len(unknown))
        return float(place), float(place)

    found = []
    for cells in listed:
        ends = [(0.0, 0.0) if cell is None else span(cell) for cell in cells]
        missing = [cell == [MISSING] and MISSING not in tree.node_of_name for cell in cells]
        found.append(_spans(ends, cells, missing))
    return found


@dataclass(frozen=True, slots=True)
class Scale:
    """What the texts of an ordered column stand for.

    Parameters
    ----------
    kind
        ``number``, ``time`` (microseconds since 1970) or ``rank``.
    value_of
        The number of each text.
    """

    kind: Literal["number", "time", "rank"]
    value_of: Mapping[str, float]


def read_scale(listed: Sequence[list[Cell]], column: Column) -> Scale | None:
    """Return what cells stand for as numbers, times or ranks; ``None`` if one stands for none.

    An open value such as ``90+`` stands for its limit.
    """
    spelled = sorted({text for cells in listed for cell in cells for text in cell or () if text})
    if column.order:
        rank_of = {text: float(rank) for rank, text in enumerate(column.order)}
        return Scale("rank", rank_of) if all(text in rank_of for text in spelled) else None
    bare = pl.Series(spelled, dtype=pl.String).str.strip_chars()
    numbers = bare.cast(pl.Float64, strict=False)
    limits = upward_limits(bare).fill_null(downward_limits(bare))
    numbers = numbers.fill_null(limits.cast(pl.Float64, strict=False))
    if numbers.null_count() == 0 and bool(numbers.is_finite().all()):
        return Scale("number", dict(zip(spelled, numbers.to_list(), strict=True)))
    for written in (column.date_format, *_TIMES):
        if written is not None:
            read = bare.str.to_datetime(written, time_unit="us", strict=False)
            if read.null_count() == 0:
                values = read.dt.epoch("us").cast(pl.Float64).to_list()
                return Scale("time", dict(zip(spelled, values, strict=True)))
    return None


def _in_order(listed: Sequence[list[Cell]], column: Column) -> list[Spans] | None:
    """Return numbers, times or ranks as spans, or ``None`` if a cell is none of these."""
    scale = read_scale(listed, column)
    if scale is None:
        return None
    return [ordered_spans(cells, scale, boundless=True) for cells in listed]


def ordered_spans(cells: list[Cell], scale: Scale, *, boundless: bool = False) -> Spans:
    """Return what cells cover on a scale; a set covers all that lies between its ends.

    Parameters
    ----------
    boundless
        Whether an open value covers all numbers on its side, as an original may hold them;
        otherwise it ends at its limit, as it is drawn.
    """
    ends = []
    for cell in cells:
        values = [scale.value_of[text] for text in cell or () if text]
        if boundless and scale.kind == "number":
            values += [is_open(text) * np.inf for text in cell or () if is_open(text)]
            if isinstance(cell, tuple) and values:  # a bound that is not there is open
                values += [-np.inf] * (not cell[0]) + [np.inf] * (not cell[1])
        ends.append((min(values), max(values)) if values else (np.inf, -np.inf))
    missing = [isinstance(cell, list) and MISSING in cell for cell in cells]
    return _spans(ends, cells, missing)


def _spans(ends: list[tuple[float, float]], cells: list[Cell], missing: list[bool]) -> Spans:
    # A missing value lies nowhere: its span ends before it begins.
    placed = [
        (np.inf, -np.inf) if gone and cell == [MISSING] else end
        for end, cell, gone in zip(ends, cells, missing, strict=True)
    ]
    bounds = np.array(placed, dtype=np.float64).reshape(-1, 2)
    anything = np.array([cell is None for cell in cells], dtype=np.bool_)
    return Spans(bounds[:, 0], bounds[:, 1], anything, np.array(missing, dtype=np.bool_))


def _as_sets(listed: Sequence[list[Cell]]) -> list[Sets]:
    """Return cells as sets of texts; an interval of what has no order is a text of its own."""
    code_of: dict[object, int] = {}
    rows = []
    for cells in listed:
        members = [
            [code_of.setdefault(text, len(code_of)) for text in cell]
            if isinstance(cell, list)
            else [code_of.setdefault(cell, len(code_of))] * (cell is not None)
            for cell in cells
        ]
        rows.append(members)
    found = []
    for cells, members in zip(listed, rows, strict=True):
        offsets = np.cumsum([0, *map(len, members)])
        codes = np.array([code for row in members for code in row], dtype=np.int64)
        ones = np.ones(len(codes), dtype=np.float32)
        matrix = csr_array((ones, codes, offsets), shape=(len(cells), max(len(code_of), 1)))
        found.append(Sets(matrix, np.array([cell is None for cell in cells], dtype=np.bool_)))
    return found


def generalizes(column: Column, table: pl.DataFrame) -> bool:
    """Return whether any cell of a column covers more than one value."""
    cells, codes = Records(table).cells(column)
    used = np.bincount(codes, minlength=len(cells)) > 0
    tree = column.hierarchy
    for cell, occurs in zip(cells, used.tolist(), strict=True):
        if not occurs:
            continue
        if cell is None or _is_ordered(cell) or len(cell) > 1:
            return True
        if tree is not None and cell[0] in tree.node_of_name and cell[0] not in tree.position:
            return True
    return False
