"""Support maps: for every value of every level the set of records that have it, as bits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shoal.algorithms.problem import Problem
    from shoal.encoding.ladder import Ladder


class SupportMaps:
    """The records of each value, and their intersections: an independent way to count classes.

    Sets of records are whole numbers, one bit a record; a class is the intersection of the sets
    of its values. Time O(classes x values x n / 64) for each attribute; memory n bits for each
    value of each level.
    """

    def __init__(self, problem: Problem, ladders: Sequence[Ladder]) -> None:
        self._k = problem.k
        self._all = (1 << problem.n) - 1
        self._maps = [
            [self._sets(looks[codes][problem.folded.row_of]) for looks in ladder.looks]
            for ladder, codes in zip(ladders, problem.codes, strict=True)
        ]

    @staticmethod
    def _sets(looks: np.ndarray[tuple[int], np.dtype[np.int32]]) -> dict[int, int]:
        found = {}
        for look in np.unique(looks).tolist():
            bits = np.packbits(looks == look, bitorder="little")
            found[look] = int.from_bytes(bits.tobytes(), "little")
        return found

    def rows(self, attribute: int, level: int) -> dict[int, int]:
        """Return the set of records of each value that an attribute shows on a level."""
        return self._maps[attribute][level]

    def classes(self, node: Iterable[int]) -> list[int]:
        """Return the classes of a node as sets of records."""
        return self._intersect(node, 0)[0]

    def suppressed(self, node: Iterable[int]) -> int:
        """Return how many records are in classes of fewer than k.

        A set that has fewer than k records need not be divided further.
        """
        return self._intersect(node, self._k)[1]

    def _intersect(self, node: Iterable[int], least: int) -> tuple[list[int], int]:
        classes, small = [self._all], 0
        for maps, level in zip(self._maps, node, strict=True):
            parts = []
            for group in classes:
                for rows in maps[level].values():
                    both = group & rows
                    if both and both.bit_count() >= least:
                        parts.append(both)
                    elif both:
                        small += both.bit_count()
            classes = parts
        return classes, small
