"""The file door: find an original for every released record, or prove that there is none.

Equal rows of both tables are folded. Records can only be matched when their sensitive and other
values are equal, so the tables fall apart into blocks of equal such values. Small blocks are
compared pair by pair, all at once; large ones by bitmaps over their originals.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.verifier.grouping import Groups, common_codes, group_rows, ranges
from shoal.verifier.transport import Filling, fill, largest_flow

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from shoal.verifier.coverage import Coverage
    from shoal.verifier.witness import Tables

_SMALL_BLOCK_PAIRS = 2**14
_PAIRS_AT_ONCE = 2**22
_LARGEST_STORE = 2**26
_TABLE_CELLS_AT_ONCE = 2**20


@dataclass(frozen=True, slots=True)
class Assignment:
    """An original row for every released row, or the rows that provably cannot all have one.

    Parameters
    ----------
    witness
        For each released row the row of its original; ``None`` when there is no assignment.
    short_rows
        Released rows that together are covered by fewer originals than they are.
    reached
        Number of originals that cover any of them.
    effort
        What was done, in words.
    """

    witness: NDArray[np.int64] | None
    short_rows: NDArray[np.int64]
    reached: int
    effort: str


def untouched_blocks(tables: Tables) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each original and each released row the block of its untouched values."""
    originals = len(tables.original)
    columns = [
        common_codes(tables.original[name], tables.released[name])
        for name in tables.schema.untouched
    ]
    if not columns:
        return np.zeros(originals, np.int64), np.zeros(len(tables.released), np.int64)
    blocks = group_rows(columns).of_row()
    return blocks[:originals], blocks[originals:]


class Bitmaps:
    """Bitmaps over a set of original rows, by the cells of released rows.

    Parameters
    ----------
    coverages
        The quasi-identifiers.
    originals
        Original rows, the bits of a bitmap.
    released
        Released rows, one for each group.
    most_stored
        The most bytes to keep for an attribute; beyond it bitmaps are drawn whenever asked for.
    """

    def __init__(
        self,
        coverages: Sequence[Coverage],
        originals: NDArray[np.int64],
        released: NDArray[np.int64],
        most_stored: int = _LARGEST_STORE,
    ) -> None:
        self._width = (len(originals) + 7) // 8
        self._attributes = [
            _AttributeBitmaps(coverage, originals, released, most_stored) for coverage in coverages
        ]

    def __call__(self, groups: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return for each group the originals that its cells cover, as packed bits."""
        bits = np.full((len(groups), self._width), 255, np.uint8)
        for attribute in self._attributes:
            attribute.narrow(bits, groups)
        return bits


class _AttributeBitmaps:
    """Bitmaps of one attribute: drawn once for each distinct cell, or anew when they are large."""

    def __init__(
        self,
        coverage: Coverage,
        originals: NDArray[np.int64],
        released: NDArray[np.int64],
        most_stored: int,
    ) -> None:
        self._covering = coverage.covering
        self._cells, self._of_group = np.unique(coverage.cells[released], return_inverse=True)
        self._row_values = coverage.values[originals]
        self._values, self._of_original = np.unique(self._row_values, return_inverse=True)
        self._width = (len(originals) + 7) // 8
        few = len(self._cells) * self._width <= most_stored
        self._drawn = self._draw(self._cells) if few else None

    def narrow(self, bits: NDArray[np.uint8], groups: NDArray[np.int64]) -> None:
        """Keep in each group's bitmap the originals that this attribute's cell covers."""
        wanted = self._of_group[groups]
        if self._drawn is not None:
            bits &= self._drawn[wanted]
        else:
            cells, place = np.unique(wanted, return_inverse=True)
            bits &= self._draw(self._cells[cells])[place]

    def _draw(self, cells: NDArray[np.uint32]) -> NDArray[np.uint8]:
        drawn = np.empty((len(cells), self._width), np.uint8)
        step = max(1, _TABLE_CELLS_AT_ONCE // max(1, len(self._row_values)))
        repetitive = 4 * len(self._values) < len(self._row_values)
        for start in range(0, len(cells), step):
            chunk = cells[start : start + step]
            table = (
                self._covering.table(self._values, chunk)[:, self._of_original]
                if repetitive
                else self._covering.table(self._row_values, chunk)
            )
            drawn[start : start + step] = np.packbits(table, axis=1, bitorder="little")
        return drawn


def assign(tables: Tables) -> Assignment:
    """Find a one-to-one assignment of originals to all released records, or prove there is none."""
    block_of_original, block_of_released = untouched_blocks(tables)
    kept = np.flatnonzero(tables.kept)
    originals = group_rows(
        [block_of_original[kept], *(coverage.values[kept] for coverage in tables.coverages)]
    )
    released = group_rows([block_of_released, *(coverage.cells for coverage in tables.coverages)])
    problem = _Folded(
        tables.coverages,
        originals,
        released,
        kept[originals.first],
        block_of_original[kept[originals.first]],
        block_of_released[released.first],
    )
    parts: list[Filling] = []
    for part in problem.parts():
        filling = problem.fill(part)
        parts.append(filling)
        if len(filling.short):
            break
    effort = (
        f"{len(kept):,} originals folded into {len(originals):,} groups and "
        f"{len(tables.released):,} released records into {len(released):,}, "
        f"a maximum flow over {sum(part.edges for part in parts):,} pairs"
    )
    if parts and len(parts[-1].short):
        in_short = np.zeros(len(released), bool)
        in_short[parts[-1].short] = True
        rows = np.flatnonzero(in_short[released.of_row()])
        return Assignment(None, rows, parts[-1].reached, effort)
    witness = _expand(parts, originals, released, kept)
    return Assignment(witness, np.empty(0, np.int64), 0, effort)


@dataclass(frozen=True, slots=True)
class _Part:
    """Blocks that are filled together: original and released groups, and small or large."""

    originals: NDArray[np.int64]
    released: NDArray[np.int64]
    small: bool


@dataclass(frozen=True, slots=True)
class _Folded:
    coverages: Sequence[Coverage]
    originals: Groups
    released: Groups
    original_rows: NDArray[np.int64]
    block_of_original: NDArray[np.int64]  # ascending: groups are sorted by block first
    block_of_released: NDArray[np.int64]  # ascending

    def parts(self) -> Iterator[_Part]:
        """Yield every block that holds a released record, small blocks many at a time."""
        blocks = np.unique(self.block_of_released)
        limits = [
            np.searchsorted(of_group, blocks, side=side)
            for of_group in (self.block_of_original, self.block_of_released)
            for side in ("left", "right")
        ]
        first_original, last_original, first_released, last_released = limits
        pairs = (last_original - first_original) * (last_released - first_released)
        small = pairs <= _SMALL_BLOCK_PAIRS
        for block in np.flatnonzero(~small):
            yield _Part(
                np.arange(first_original[block], last_original[block]),
                np.arange(first_released[block], last_released[block]),
                small=False,
            )
        chunk = np.cumsum(pairs[small]) // _PAIRS_AT_ONCE
        for number in np.unique(chunk):
            chosen = np.flatnonzero(small)[chunk == number]
            yield _Part(
                ranges(first_original[chosen], last_original[chosen]),
                ranges(first_released[chosen], last_released[chosen]),
                small=True,
            )

    def fill(self, part: _Part) -> Filling:
        """Fill the released groups of a part, or prove that some cannot be filled."""
        supply = self.originals.sizes[part.originals]
        demand = self.released.sizes[part.released]
        if part.small:
            return self._fill_pairwise(part, supply, demand)
        rows = self.original_rows[part.originals]
        filling = fill(
            supply, demand, Bitmaps(self.coverages, rows, self.released.first[part.released])
        )
        return replace(
            filling,
            released=part.released[filling.released],
            original=part.originals[filling.original],
            short=part.released[filling.short],
        )

    def _fill_pairwise(
        self, part: _Part, supply: NDArray[np.int64], demand: NDArray[np.int64]
    ) -> Filling:
        released, original = self._covering_pairs(part)
        taken = largest_flow(supply, demand, released, original)
        filled = np.bincount(released, weights=taken, minlength=len(demand))
        hungry = np.flatnonzero(filled < demand)
        if len(hungry):
            return self.fill(self._block(int(self.block_of_released[part.released[hungry[0]]])))
        used = taken > 0
        return Filling(
            part.released[released[used]],
            part.originals[original[used]],
            taken[used],
            np.empty(0, np.int64),
            0,
            len(taken),
        )

    def _block(self, block: int) -> _Part:
        return _Part(
            np.flatnonzero(self.block_of_original == block),
            np.flatnonzero(self.block_of_released == block),
            small=False,
        )

    def _covering_pairs(self, part: _Part) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return all pairs of one block that cover, as places in the part, ascending."""
        block_of_original = self.block_of_original[part.originals]
        block_of_released = self.block_of_released[part.released]
        first = np.searchsorted(block_of_original, block_of_released, side="left")
        last = np.searchsorted(block_of_original, block_of_released, side="right")
        released = np.repeat(np.arange(len(part.released)), last - first)
        original = ranges(first, last)
        values = self.original_rows[part.originals]
        cells = self.released.first[part.released]
        for coverage in self.coverages:
            good = coverage.covering.covers(
                coverage.values[values[original]], coverage.cells[cells[released]]
            )
            released, original = released[good], original[good]
        return released, original


def _expand(
    parts: Sequence[Filling], originals: Groups, released: Groups, kept: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the original row of each released row, from amounts between folded groups."""
    amount = np.concatenate([part.amount for part in parts])
    from_group = np.repeat(np.concatenate([part.original for part in parts]), amount)
    to_group = np.repeat(np.concatenate([part.released for part in parts]), amount)

    order = np.argsort(from_group, kind="stable")
    ordered = from_group[order]
    rank = np.arange(len(ordered)) - np.searchsorted(ordered, ordered)
    row = np.empty(len(order), np.int64)
    row[order] = kept[originals.rows[originals.starts[ordered] + rank]]

    witness = np.empty(len(released.rows), np.int64)
    witness[released.rows] = row[np.argsort(to_group, kind="stable")]
    return witness
