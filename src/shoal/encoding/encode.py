"""From a table to small integer codes: one Domain per attribute, equal rows folded."""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal._core import kernels
from shoal.encoding.domain import (
    MISSING_POSITION,
    Domain,
    IntervalDomain,
    SetDomain,
    SuppressDomain,
    TreeDomain,
)
from shoal.errors import SchemaError
from shoal.table import HierarchyLoss, Kind, Reading, SetLoss
from shoal.table.cells import DistinctCells, distinct_cells, numbers, texts
from shoal.table.exact_order import exact_ranks
from shoal.table.open_values import is_open

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.hierarchies import Hierarchy
    from shoal.table import Attribute, Table

# A binary attribute is a column of its own to the kernels.
_MOST_BINARY = 256
_OFFSET = r":\d{2}(\.\d+)?\s*([Zz]|[+-]\d{2}:?\d{2})\s*$"


@dataclass(frozen=True, slots=True, eq=False)
class EncodedTable:
    """The quasi-identifiers of a table as codes, one array per attribute."""

    codes: tuple[NDArray[np.unsignedinteger], ...]
    domains: tuple[Domain, ...]
    weights: tuple[float, ...]
    n: int


@dataclass(frozen=True, slots=True, eq=False)
class FoldedRows:
    """Distinct rows with multiplicities.

    Parameters
    ----------
    row_of
        For each record its distinct row.
    first
        For each distinct row the first record that shows it.
    counts
        For each distinct row how many records show it.
    """

    row_of: NDArray[np.int32]
    first: NDArray[np.int32]
    counts: NDArray[np.int32]

    @classmethod
    def of(cls, columns: list[NDArray[np.unsignedinteger]]) -> FoldedRows:
        """Fold records that agree in all columns."""
        row_of, first = kernels.fold(columns)
        return cls(row_of, first, np.bincount(row_of, minlength=len(first)).astype(np.int32))

    @classmethod
    def mixed(
        cls, columns: list[NDArray[np.unsignedinteger]], rng: np.random.Generator
    ) -> FoldedRows:
        """Fold records as :meth:`of` does, with the distinct rows in random order."""
        order = rng.permutation(len(columns[0]))
        folded = cls.of([column[order] for column in columns])
        row_of = np.empty_like(folded.row_of)
        row_of[order] = folded.row_of
        return cls(row_of, order[folded.first].astype(np.int32), folded.counts)


def encode(table: Table) -> EncodedTable:
    """Give every value of every quasi-identifier its code, in the order of its Domain.

    Raises
    ------
    ValueReadError
        If cells cannot be read as the kind of their column demands.
    HierarchyError
        If a hierarchy lacks values of its column.
    """
    encoded = [_encode(table.distinct(a.name), a) for a in table.schema.quasi]
    return EncodedTable(
        codes=tuple(codes for codes, _ in encoded),
        domains=tuple(domain for _, domain in encoded),
        weights=table.schema.weights,
        n=table.frame.height,
    )


def encode_values(series: pl.Series) -> tuple[NDArray[np.unsignedinteger], list[str]]:
    """Return codes and their texts, ascending, for a column that is only compared, not recoded.

    A missing cell is a value like any other, with the empty text and the last code.
    """
    if series.dtype == pl.Duration:
        series = series.cast(pl.Int64)
    elif series.dtype.is_nested() or series.dtype in (pl.Binary, pl.Object):
        series = _shown(series)
    distinct = distinct_cells(series)
    place, labels = _ordered_texts(distinct)
    return _narrow(place[distinct.codes], len(labels)), labels


def encode_together(
    original: pl.Series, released: pl.Series
) -> tuple[NDArray[np.unsignedinteger], NDArray[np.unsignedinteger], list[str]]:
    """Return common codes of a column that a release carries unchanged, and their texts.

    A text column of a release is read in the type of its original; where that loses a cell, the
    texts that both columns show are compared.
    """
    after = released
    if original.dtype != released.dtype and original.dtype.is_nested():
        # Text files show a list as JSON.
        shown = [
            None if cell is None else json.dumps(cell, ensure_ascii=False, default=str)
            for cell in original.to_list()
        ]
        original = pl.Series(original.name, shown, dtype=pl.String)
    elif original.dtype != released.dtype:
        after = texts(released) if released.dtype == pl.String else released
        read = _read_as(after, original.dtype)
        if read is not None and read.null_count() == after.null_count():
            after = read
        else:
            original, after = _shown(original), _shown(released)
    codes, labels = encode_values(pl.concat([original, after.alias(original.name)]))
    return codes[: len(original)], codes[len(original) :], labels


def _read_as(shown: pl.Series, dtype: pl.DataType) -> pl.Series | None:
    if dtype.is_nested() or dtype in (pl.Binary, pl.Object, pl.Categorical, pl.Enum):
        return None
    if shown.dtype == pl.String and isinstance(dtype, pl.Datetime):
        pattern = "%Y-%m-%d %H:%M:%S%.f" + ("%z" if dtype.time_zone else "")
        read = shown.str.replace("T", " ", literal=True).str.to_datetime(pattern, strict=False)
        return read.cast(dtype, strict=False)
    if shown.dtype == pl.String and dtype == pl.Time:
        return shown.str.to_time("%H:%M:%S%.f", strict=False)
    try:
        return shown.cast(dtype, strict=False)
    except pl.exceptions.PolarsError:
        return None


def _shown(series: pl.Series) -> pl.Series:
    if series.dtype.is_nested() or series.dtype in (pl.Binary, pl.Object):
        shown = [None if cell is None else repr(cell) for cell in series.to_list()]
        return pl.Series(series.name, shown, dtype=pl.String)
    return texts(series)


def _encode(
    distinct: DistinctCells, attribute: Attribute
) -> tuple[NDArray[np.unsignedinteger], Domain]:
    domain: Domain
    if attribute.kind is Kind.NUMERIC:
        place, domain = _interval_domain(distinct, attribute)
    elif attribute.kind is Kind.HIERARCHICAL:
        place, domain = _tree_domain(distinct, attribute)
    else:
        place, labels = _ordered_texts(distinct)
        missing = len(labels) - 1 if distinct.has_missing else None
        _require_few(attribute, len(labels))
        make = SetDomain if attribute.kind is Kind.CATEGORICAL else SuppressDomain
        domain = make(attribute, labels, missing)
    return _narrow(place[distinct.codes], domain.size), domain


def _require_few(attribute: Attribute, values: int) -> None:
    binary = attribute.kind is Kind.CATEGORICAL and attribute.set_loss is SetLoss.BINARY
    if binary and values > _MOST_BINARY:
        raise SchemaError(
            f"Column {attribute.name!r} has {values} categories, too many to become "
            f"binary attributes (at most {_MOST_BINARY}).",
            remedy="Choose `set_loss='paper'`, which is nearly the same, or give the column a "
            "hierarchy.",
        )


def _narrow(codes: NDArray[np.int64], size: int) -> NDArray[np.unsignedinteger]:
    width = np.uint8 if size <= 2**8 else np.uint16 if size <= 2**16 else np.uint32
    return codes.astype(width)


def _ordered_texts(distinct: DistinctCells) -> tuple[NDArray[np.int64], list[str]]:
    shown = texts(distinct.cells)
    # Only cells of other types may show the same text.
    labels = (shown if distinct.cells.dtype == pl.String else shown.unique()).sort().to_list()
    code_of = {label: code for code, label in enumerate(labels)}
    place = np.array([code_of[text] for text in shown] + [len(labels)], dtype=np.int64)
    return place, labels + [""] * distinct.has_missing


def _interval_domain(
    distinct: DistinctCells, attribute: Attribute
) -> tuple[NDArray[np.int64], IntervalDomain]:
    read = numbers(distinct, attribute, open_values=True)
    cells = distinct.cells
    if attribute.reading is Reading.DATE and cells.dtype == pl.Datetime:
        cells = cells.dt.date()  # a time of day is finer than the reading
    shown = texts(cells)
    if attribute.reading is not Reading.RANK:  # the spaces of a category are part of its name
        shown = shown.str.strip_chars()
    multiples = _multiples(shown.to_list(), attribute)
    spelled = [*shown.to_list(), *multiples]
    read = np.append(read, [float(text) for text in multiples])
    every = exact_ranks(spelled, read, attribute.reading)
    codes = every[: len(shown)]
    values = np.empty(int(every.max(initial=-1)) + 1)
    values[every] = read
    place = np.append(codes, len(values))
    # One spelling a value: two spellings in one class would tell its members apart.
    spelling = (
        pl.DataFrame({"code": every, "text": pl.Series(spelled, dtype=pl.String)})
        .sort("code", pl.col("text").str.len_chars(), "text")
        .unique("code", keep="first", maintain_order=True)["text"]
        .to_list()
    )
    present = np.zeros(len(values), dtype=np.bool_)
    present[codes] = True
    held = values[present]
    low, high = attribute.value_range or (held[0], held[-1]) if len(held) else (0.0, 0.0)
    positions = (values - low) / (high - low) if high > low else np.zeros(len(values))
    missing = None
    if distinct.has_missing:
        missing = len(values)
        positions = np.append(positions, MISSING_POSITION)
        present = np.append(present, True)
        spelling.append("")
    outward = None
    if multiples:
        # The multiple below each value comes first, then the one above.
        below, above = (
            np.arange(len(values), dtype=np.int32),
            np.arange(len(values), dtype=np.int32),
        )
        below[codes] = every[len(shown) : 2 * len(shown)]
        above[codes] = every[2 * len(shown) :]
        outward = (below, above)
    zone = _time_zone(distinct.cells) if attribute.reading is Reading.DATETIME else None
    return place, IntervalDomain(
        attribute, spelling, values, positions, missing, present, outward, zone
    )


def _time_zone(cells: pl.Series) -> str | None:
    """Return the zone in which moments are shown; texts with offsets of their own are in UTC."""
    if isinstance(cells.dtype, pl.Datetime):
        return cells.dtype.time_zone
    if cells.dtype != pl.String or len(cells) == 0:
        return None
    return "UTC" if cells.str.contains(_OFFSET).all() else None


def _multiples(shown: list[str], attribute: Attribute) -> list[str]:
    """Return the multiple below each number, then the one above each; none without rounding."""
    step = attribute.round_to
    if step is None:
        return []
    if any(map(is_open, shown)):
        raise SchemaError(
            f"Column {attribute.name!r} holds open values such as 90+, which cannot be rounded.",
            remedy="Leave it out of `round_to`.",
        )
    ratios = [Decimal(text) / step for text in shown]
    below, above = (
        [(ratio.to_integral_value(rounding) * step).normalize() for ratio in ratios]
        for rounding in (ROUND_FLOOR, ROUND_CEILING)
    )
    return [f"{multiple:f}" for multiple in (*below, *above)]


def _node_loss(tree: Hierarchy, of: HierarchyLoss) -> NDArray[np.float64]:
    if of is HierarchyLoss.LEAVES:
        return np.asarray((tree.node_last - tree.node_first) / max(len(tree.leaves) - 1, 1))
    height = len(tree.ancestors) - 1
    loss = np.zeros(len(tree.node_first))
    # A node that stays on several levels has that of the lowest.
    for level in range(height, -1, -1):
        loss[tree.ancestors[level]] = level / max(height, 1)
    return loss


def _tree_domain(
    distinct: DistinctCells, attribute: Attribute
) -> tuple[NDArray[np.int64], TreeDomain]:
    tree = attribute.hierarchy
    assert tree is not None
    shown = texts(distinct.cells).to_list()
    tree.require(shown, attribute.name)
    leaves = len(tree.leaves)
    place = np.array([tree.position[text] for text in shown] + [leaves], dtype=np.int64)
    present = np.zeros(leaves, dtype=np.bool_)
    present[place[:-1]] = True

    loss = _node_loss(tree, attribute.hierarchy_loss)
    labels, names = list(tree.leaves), list(tree.node_names)
    ancestors, first, last = tree.ancestors, tree.node_first, tree.node_last
    missing = None
    if distinct.has_missing and "" in tree.position:
        missing = tree.position[""]
        place[-1] = missing
        present[missing] = True
    elif distinct.has_missing:
        missing = leaves
        root = ancestors[-1, 0]
        own = np.full((len(ancestors), 1), len(names), dtype=np.int32)
        own[-1] = root
        ancestors = np.hstack((ancestors, own))
        last = last.copy()
        last[root] = leaves
        loss[root] = 1.0
        first, last = np.append(first, leaves), np.append(last, leaves)
        loss = np.append(loss, 0.0)
        present = np.append(present, True)
        labels.append("")
        names.append("")
    domain = TreeDomain(
        attribute,
        labels,
        np.ascontiguousarray(ancestors, dtype=np.int32),
        names,
        first.astype(np.int32),
        last.astype(np.int32),
        loss,
        missing,
        present,
    )
    return place, domain
