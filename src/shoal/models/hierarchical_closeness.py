"""t-closeness with hierarchical distance: values that meet low in a tree count as near."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from shoal.models.closeness import equal_distances
from shoal.models.model import ClassHistograms
from shoal.models.rounding import TOLERANCE, plain

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class HierarchicalCloseness:
    """Every class is within t of the table, values being as far apart as the level they meet at.

    Two values that first meet at level i of a tree of height h are i/h apart. In such a tree the
    least work of turning one distribution into another is the mean, over the levels below the
    root, of the equal distance between them at that level. Monotone.

    Parameters
    ----------
    whole
        The share of each value in the original table.
    nodes
        ``nodes[level, value]``: the node above a value at each level below the root; level 0 is
        the value itself.
    """

    column: str
    t: Fraction
    whole: NDArray[np.float64] = field(repr=False, compare=False)
    nodes: NDArray[np.int64] = field(repr=False, compare=False)

    def __str__(self) -> str:
        return f"hierarchical-t-closeness:{plain(self.t)}@{self.column}"

    @property
    def monotone(self) -> bool:
        """A mixture of classes is no further from the table than the furthest of them."""
        return True

    def holds(self, histograms: ClassHistograms) -> NDArray[np.bool_]:
        """Return which classes are close enough."""
        return self.distances(histograms) <= float(self.t) + TOLERANCE

    def distances(self, histograms: ClassHistograms) -> NDArray[np.float64]:
        """Return the distance of each class from the table."""
        total = np.zeros(histograms.classes)
        for level in self.nodes:
            above = ClassHistograms.of(
                histograms.owner, level[histograms.value], histograms.count, histograms.classes
            )
            usual = np.bincount(level, self.whole).astype(np.float64)
            total += equal_distances(above, usual)
        return total / len(self.nodes)

    def shortfalls(self, histograms: ClassHistograms) -> NDArray[np.float64]:
        """Return the distance beyond t, times the records of each class."""
        return np.maximum(self.distances(histograms) - float(self.t), 0.0) * histograms.sizes

    def require_feasible(self, histogram: NDArray[np.int64]) -> None:
        """Pass: the whole table is at distance 0 from itself."""
