"""KL, the divergence between the distribution of the original and that of the release.

The release's distribution spreads every record evenly over the combinations of values that it may
stand for. Only the combinations that the original holds matter, so the product of all domains is
never built: for each distinct original row the densities of the units that cover it are summed.
Rows and units are halved together along the attribute that parts them best until few are left,
and those are compared by bitmaps over units.
"""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING

import numpy as np

from shoal.encoding.closures import Sets, Spans
from shoal.encoding.encode import FoldedRows
from shoal.errors import InputError
from shoal.measures.measure import measure

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.encoding.closures import Closures
    from shoal.measures.released import Released

_PAIRS_AT_ONCE = 2**22
_WORTH_HALVING = 0.8
_SAMPLE = 512
_LARGEST_TABLE = 2**27


@measure(
    "kl",
    "How far statistics made from the release are from those of the original, in bits; 0 means "
    "they are the same.",
    original=True,
)
def kl(released: Released) -> float:
    """Return the sum over original rows of p log2(p / q).

    p is the share of a row in the original table, q its share in the release.
    """
    rows = FoldedRows.of([codes.astype(np.uint32) for codes in released.codes])
    share = rows.counts / released.n
    # Logarithms throughout: of hundreds of attributes shares underflow.
    density = _Densities(released, rows.first).of_rows()
    if released.suppressed:
        everything = sum(log2(int(domain.present.sum())) for domain in released.domains)
        density = np.logaddexp2(density, log2(released.suppressed) - everything)
    if np.isneginf(density).any():
        raise InputError(
            "No cells of the release cover some records of the original.",
            remedy="Give the two tables that belong together; `shoal verify` names the rows.",
        )
    spread = density - log2(released.n)
    return max(float(share @ (np.log2(share) - spread)), 0.0)


class _Column:
    """One attribute: codes of the distinct rows, and which units cover which code."""

    def __init__(
        self, codes: NDArray[np.integer], closures: Closures, of_unit: NDArray[np.int32]
    ) -> None:
        self.codes = codes.astype(np.int32)
        self.closures = closures
        self.of_unit = of_unit
        if isinstance(closures, Spans):
            first, last = closures.first, closures.last
        else:
            first = closures.members[closures.offsets[:-1]]
            last = closures.members[closures.offsets[1:] - 1]
        self.first, self.last = first[of_unit], last[of_unit]

    def bitmaps(self, codes: NDArray[np.int64], units: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return for each code the units that cover it, as packed bits."""
        if isinstance(self.closures, Sets):
            closures, place = _distinct(self.of_unit[units])
            some = self.closures.take(closures)
            owner = np.repeat(np.arange(len(some)), some.counts)
            where = np.searchsorted(codes, some.members)
            known = np.append(codes, -1)[where] == some.members
            holds = np.zeros((len(codes), len(closures)), dtype=np.bool_)
            holds[where[known], owner[known]] = True
            return _packed(holds[:, place])
        holds = (self.first[units] <= codes[:, None]) & (codes[:, None] <= self.last[units])
        return _packed(holds)


class _Densities:
    """For each distinct original row, the records that units spread over it, as logarithms."""

    def __init__(self, released: Released, rows: NDArray[np.int32]) -> None:
        shown = np.flatnonzero(~released.blank)
        density = np.log2(released.recoding.sizes[shown])
        self.columns: list[_Column] = []
        for codes, domain, column in zip(
            released.codes, released.domains, released.recoding.columns, strict=True
        ):
            of_unit = column.index[shown]
            self.columns.append(_Column(codes[rows], column.closures, of_unit))
            # A closure that holds no value of the table covers no row, whatever its density.
            density -= np.log2(np.maximum(domain.sizes(column.closures), 1.0))[of_unit]
        self.density = density
        self.found = np.full(len(rows), -np.inf)

    def of_rows(self) -> NDArray[np.float64]:
        """Return the logarithm of the sum of densities of the units that cover each row."""
        rows, units = (
            np.arange(len(every), dtype=np.int64) for every in (self.found, self.density)
        )
        open_parts = [(rows, units)]
        while open_parts:
            rows, units = open_parts.pop()
            if not len(units):
                continue
            halves = self._halves(rows, units) if len(rows) * len(units) > _PAIRS_AT_ONCE else None
            if halves is not None:
                open_parts += halves
                continue
            pieces = -(-len(rows) * len(units) // _LARGEST_TABLE)
            for some in np.array_split(rows, min(pieces, len(rows))):
                self._compare(some, units)
        return self.found

    def _halves(
        self, rows: NDArray[np.int64], units: NDArray[np.int64]
    ) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]] | None:
        """Divide the rows near the median of the attribute that leaves fewest pairs to compare.

        Which attribute that is, is judged by a sample; the division itself is of all.
        """
        some_rows = rows[:: -(-len(rows) // _SAMPLE)]
        some_units = units[:: -(-len(units) // _SAMPLE)]
        best, chosen, border = _WORTH_HALVING * len(some_rows) * len(some_units), None, 0
        for column in self.columns:
            codes = np.sort(column.codes[some_rows])
            middle = codes[len(codes) // 2]
            # Rows below the border go down, the others up; both sides get some.
            at = int(np.searchsorted(codes, middle)) or int(np.searchsorted(codes, middle, "right"))
            if at == len(codes):
                continue
            down = int(np.count_nonzero(column.first[some_units] <= codes[at - 1]))
            up = int(np.count_nonzero(column.last[some_units] >= codes[at]))
            pairs = at * down + (len(codes) - at) * up
            if pairs < best:
                best, chosen, border = pairs, column, int(codes[at])
        if chosen is None:
            return None
        low = chosen.codes[rows] < border
        lower = units[chosen.first[units] < border]
        upper = units[chosen.last[units] >= border]
        return [(rows[low], lower), (rows[~low], upper)]

    def _compare(self, rows: NDArray[np.int64], units: NDArray[np.int64]) -> None:
        width = 8 * -(-len(units) // 64)  # whole words, which are quick to look through
        weights = np.full(8 * width, -np.inf)
        weights[: len(units)] = self.density[units]
        drawn = []
        for column in self.columns:
            codes, place = _distinct(column.codes[rows])
            drawn.append((column.bitmaps(codes, units), place))
        bits = np.full((len(rows), width), 255, dtype=np.uint8)
        for bitmap, place in drawn:
            bits &= bitmap[place]
        row, byte = _nonzero_bytes(bits)
        if not len(row):
            return
        members = np.unpackbits(bits[row, byte][:, None], axis=1).astype(np.bool_)
        logs = np.where(members, weights.reshape(width, 8)[byte], -np.inf)
        first = np.flatnonzero(np.append(True, row[1:] != row[:-1]))
        most = np.full(len(rows), -np.inf)
        most[row[first]] = np.maximum.reduceat(logs.max(axis=1), first)
        mass = np.bincount(row, np.exp2(logs - most[row][:, None]).sum(axis=1), len(rows))
        covered = row[first]
        self.found[rows[covered]] = np.logaddexp2(
            self.found[rows[covered]], most[covered] + np.log2(mass[covered])
        )


def _distinct(codes: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct codes, ascending, and the place of each code among them."""
    held = np.bincount(codes) > 0
    return np.flatnonzero(held), (np.cumsum(held) - 1)[codes]


def _packed(holds: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Return rows of truth values as bits, in whole words."""
    bits = np.packbits(holds, axis=1)
    return np.pad(bits, ((0, 0), (0, -bits.shape[1] % 8)))


def _nonzero_bytes(bits: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where bytes are not zero, as :func:`numpy.nonzero` does, a word at a time."""
    row, word = np.nonzero(bits.view(np.uint64))
    within, byte = np.nonzero(bits.reshape(len(bits), -1, 8)[row, word])
    return row[within], 8 * word[within] + byte
