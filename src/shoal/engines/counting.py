"""Counting codes in memory with NumPy: what the other engines' counts must equal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.engines.cutting import Histogram

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.engines.cut_tree import CutTree


class CodesInMemory:
    """Histograms of codes that are in memory.

    Parameters
    ----------
    codes
        For each quasi-identifier the code of each record.
    """

    def __init__(self, codes: Sequence[NDArray[np.integer]]) -> None:
        self.codes = codes

    def histograms(self, tree: CutTree, cells: Sequence[str]) -> list[Histogram]:
        """Return for each attribute how many records of each of these cells hold each code."""
        place = np.full(len(tree.cells), -1)
        for number, path in enumerate(cells):
            place[tree.cells.index(path)] = number
        owner = place[tree.assign(self.codes)]
        requested = owner >= 0
        return [Histogram.of(owner[requested], codes[requested]) for codes in self.codes]
