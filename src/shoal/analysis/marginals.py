"""Marginal tables that a reader counts in a release, beside those of the original.

A marginal is the table of counts over some columns. The release's table spreads every record evenly
over the values that its cells may stand for, attributes independent within a record, as the other
measures do.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod, sqrt
from typing import TYPE_CHECKING

import numpy as np

from shoal.analysis.shown import bins_of
from shoal.encoding.closures import Sets
from shoal.encoding.domain import IntervalDomain
from shoal.errors import InputError, ParameterError, SchemaError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from shoal.analysis.shown import Shown
    from shoal.encoding.closures import Closures
    from shoal.encoding.domain import Domain
    from shoal.table import Schema

SEPARATOR = "*"
# A column of more values is divided: numbers into intervals with about as many records each, of
# categories the most frequent ones stand for themselves and the rest is one cell.
MOST_VALUES = 100
BINS = 20
MOST_CELLS = 1_000_000
_SHARES_AT_ONCE = 2**24


@dataclass(frozen=True, slots=True)
class Distance:
    """How far the marginal table of a release is from that of the original.

    Parameters
    ----------
    total_variation
        Share of the records that must be counted in another cell to make the tables equal.
    hellinger
        √(1 - Σ √(p q)) over the shares p and q of the cells; it weighs rare cells more.
    cells
        Cells of the table, empty ones included.
    """

    total_variation: float
    hellinger: float
    cells: int


def read_marginals(texts: Sequence[str], schema: Schema) -> tuple[tuple[str, ...], ...]:
    """Return the columns of each marginal that a user wrote, such as ``age*sex``.

    Raises
    ------
    ParameterError
        If one names a column twice or is empty, or is named twice itself.
    SchemaError
        If it names a column that the release does not show.
    """
    known = [*(one.name for one in schema.quasi), *schema.untouched]
    found: list[tuple[str, ...]] = []
    for text in texts:
        columns = tuple(part.strip() for part in text.split(SEPARATOR))
        if not all(columns) or len(set(columns)) < len(columns):
            raise ParameterError(
                f"The marginal {text!r} does not name columns, each of them once.",
                remedy="Write columns with * between them, such as 'age*sex'.",
            )
        for name in columns:
            if name not in known:
                raise SchemaError(
                    f"The marginal {text!r} names {name!r}, which is not a column of the release.",
                    remedy=did_you_mean(name, known),
                )
        if set(columns) in map(set, found):
            raise ParameterError(
                f"The marginal {text!r} is given twice.", remedy="Name each marginal once."
            )
        found.append(columns)
    return tuple(found)


@dataclass(frozen=True, slots=True, eq=False)
class MarginalTable:
    """A marginal table of the original.

    Parameters
    ----------
    columns
        Its columns.
    shape
        How many cells each of them has.
    shares
        The share of the original's records in each cell, the last column running fastest.
    """

    columns: tuple[str, ...]
    shape: tuple[int, ...]
    shares: NDArray[np.float64]

    @property
    def name(self) -> str:
        """Its columns, as users write them."""
        return SEPARATOR.join(self.columns)


class MarginalTables:
    """The chosen marginal tables of an original, with which those of releases are compared.

    Parameters
    ----------
    original
        What the original records show.
    marginals
        The columns of each table: quasi-identifiers, or columns that are released unchanged.
    unchanged
        Of each column that is released unchanged, the codes of the original records.

    Raises
    ------
    ParameterError
        If a table has too many cells.
    """

    def __init__(
        self,
        original: Shown,
        marginals: Sequence[tuple[str, ...]],
        unchanged: Mapping[str, NDArray[np.integer]],
    ) -> None:
        self.place = {one.attribute.name: at for at, one in enumerate(original.domains)}
        self.cells: dict[str, Cells] = {}
        of_record: dict[str, NDArray[np.int64]] = {}
        for name in {column: None for columns in marginals for column in columns}:
            at = self.place.get(name)
            codes = unchanged[name] if at is None else original.index[at]
            known = None if at is None else original.domains[at]
            self.cells[name] = Cells.of_codes(codes) if known is None else Cells.of(known, codes)
            of_record[name] = self.cells[name].of_code[codes]
        self._records = original.records
        self.tables: list[MarginalTable] = []
        for columns in marginals:
            shape = tuple(self.cells[name].number for name in columns)
            if prod(shape) > MOST_CELLS:
                raise ParameterError(
                    f"The marginal {SEPARATOR.join(columns)!r} has {prod(shape):,} cells, more "
                    f"than {MOST_CELLS:,}.",
                    remedy="Name fewer columns.",
                )
            where = np.ravel_multi_index([of_record[name] for name in columns], shape)
            counted = np.bincount(where, minlength=prod(shape)) / max(self._records, 1)
            self.tables.append(MarginalTable(columns, shape, counted))

    def distances(
        self, release: Shown, unchanged: Mapping[str, NDArray[np.integer]]
    ) -> dict[str, Distance]:
        """Return the distance of each marginal, by its columns with ``*`` between them.

        Records of the original that are withheld count as spread over the whole table: their
        readers know that there are so many, and nothing else.

        Parameters
        ----------
        release
            What the released records show, over the domains of the original.
        unchanged
            Of each column that is released unchanged, the codes of the released records.

        Raises
        ------
        InputError
            If such a column holds values that it never had in the original.
        """
        shares: dict[str, NDArray[np.float64]] = {}
        index: dict[str, NDArray[np.integer]] = {}
        for name, cells in self.cells.items():
            if name in self.place:
                at = self.place[name]
                shares[name], index[name] = cells.shares(release.closures[at]), release.index[at]
            else:
                cells.require_known(unchanged[name], name)
                shares[name], index[name] = np.eye(cells.number)[cells.of_code], unchanged[name]
        withheld = max(0, self._records - release.records)
        found = {}
        for table in self.tables:
            columns = table.columns
            spread = _spread([shares[name] for name in columns], [index[name] for name in columns])
            spread += withheld * _outer([self.cells[name].everywhere for name in columns])
            found[table.name] = _distance(table.shares, spread / max(self._records, 1))
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The cells of one column of marginal tables.

    Parameters
    ----------
    number
        How many there are.
    of_code
        The cell of each value.
    present
        Which values the original holds.
    """

    number: int
    of_code: NDArray[np.int64]
    present: NDArray[np.bool_]

    @classmethod
    def of(cls, domain: Domain, codes: NDArray[np.integer]) -> Cells:
        """Return the cells of a quasi-identifier, given the codes of the original records."""
        counts = np.bincount(codes, minlength=domain.size)
        held = np.flatnonzero(domain.present)
        if len(held) > MOST_VALUES and isinstance(domain, IntervalDomain):
            listed = [group.codes for group in bins_of(domain, counts, BINS)]
        else:
            listed = _most_frequent(held, counts)
        return cls._listed(listed, domain.present)

    @classmethod
    def of_codes(cls, codes: NDArray[np.integer]) -> Cells:
        """Return the cells of a column that is released unchanged."""
        counts = np.bincount(codes)
        present = counts > 0
        return cls._listed(_most_frequent(np.flatnonzero(present), counts), present)

    @classmethod
    def _listed(cls, listed: list[NDArray[np.int64]], present: NDArray[np.bool_]) -> Cells:
        of_code = np.zeros(len(present), dtype=np.int64)
        for cell, codes in enumerate(listed):
            of_code[codes] = cell
        return cls(len(listed), of_code, present)

    @property
    def everywhere(self) -> NDArray[np.float64]:
        """The share of the column's values in each cell."""
        values = np.bincount(self.of_code[self.present], minlength=self.number)
        return np.asarray(values / max(values.sum(), 1))

    def shares(self, closures: Closures) -> NDArray[np.float64]:
        """Return the share of each closure's values in each cell, one row for each closure.

        Of the values that it covers those count that the original holds, and all if it holds none.
        """
        held = self._counts(closures, self.present)
        nothing = held.sum(axis=1) == 0
        if nothing.any():
            held[nothing] = self._counts(closures, np.ones_like(self.present))[nothing]
        return np.asarray(held / np.maximum(held.sum(axis=1, keepdims=True), 1))

    def _counts(self, closures: Closures, which: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return how many of some values each closure has in each cell."""
        if isinstance(closures, Sets):
            owner = np.repeat(np.arange(len(closures)), closures.counts)
            kept = which[closures.members]
            keys = owner[kept] * self.number + self.of_code[closures.members[kept]]
            counted = np.bincount(keys, minlength=len(closures) * self.number)
            return counted.reshape(len(closures), self.number)
        below = np.zeros((len(which) + 1, self.number), dtype=np.int64)
        codes = np.flatnonzero(which)
        below[codes + 1, self.of_code[codes]] = 1
        below = below.cumsum(axis=0)
        # A closure that covers everything ends after the last code.
        last = np.minimum(closures.last, len(which) - 1)
        return np.asarray(below[last + 1] - below[closures.first])

    def require_known(self, codes: NDArray[np.integer], name: str) -> None:
        """Refuse codes of values that the original does not hold.

        Raises
        ------
        InputError
            If there are any.
        """
        if not np.append(self.present, False)[np.minimum(codes, len(self.present))].all():
            raise InputError(
                f"The release holds values of column {name!r} that the original does not.",
                remedy="Give the two tables that belong together.",
            )


def _most_frequent(held: NDArray[np.int64], counts: NDArray[np.integer]) -> list[NDArray[np.int64]]:
    """Return a cell for each value, or for the most frequent ones and one for the rest."""
    if len(held) <= MOST_VALUES:
        return [np.array([code]) for code in held]
    order = held[np.argsort(-counts[held], kind="stable")]
    first, rest = order[: MOST_VALUES - 1], order[MOST_VALUES - 1 :]
    return [*(np.array([code]) for code in np.sort(first)), np.sort(rest)]


def _spread(
    shares: Sequence[NDArray[np.float64]], index: Sequence[NDArray[np.integer]]
) -> NDArray[np.float64]:
    """Return how many records fall in each cell, where each is spread over several.

    Records that show the same are taken together, and the table is the product of two matrices:
    the first column's cells by units, and units by the cells of all other columns.
    """
    units, times = np.unique(np.stack(index), axis=1, return_counts=True)
    width = prod(one.shape[1] for one in shares)
    total = np.zeros((shares[0].shape[1], width // shares[0].shape[1]))
    step = max(1, _SHARES_AT_ONCE // max(total.shape))
    for begin in range(0, units.shape[1], step):
        some = units[:, begin : begin + step]
        first = shares[0][some[0]] * times[begin : begin + step, None]
        others = np.ones((some.shape[1], 1))
        for share, place in zip(shares[1:], some[1:], strict=True):
            others = (others[:, :, None] * share[place][:, None, :]).reshape(some.shape[1], -1)
        total += first.T @ others
    return total.reshape(-1)


def _outer(shares: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    found = np.ones(1)
    for share in shares:
        found = np.multiply.outer(found, share).reshape(-1)
    return found


def _distance(original: NDArray[np.float64], release: NDArray[np.float64]) -> Distance:
    variation = float(np.abs(original - release).sum()) / 2
    common = float(np.sqrt(original * release).sum())
    return Distance(variation, sqrt(max(0.0, 1.0 - common)), len(original))
