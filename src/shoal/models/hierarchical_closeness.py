"""t-closeness with hierarchical distance: values that meet low in a tree count as near."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import SchemaError
from shoal.models.closeness import equal_distances
from shoal.models.model import ClassHistograms
from shoal.models.protection import UNFITTED, ProtectedValues, Protection
from shoal.models.registry import Parameter, privacy_model, settle, spell
from shoal.models.rounding import TOLERANCE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.hierarchies import Hierarchy
    from shoal.models.rounding import Number
    from shoal.table import Table


_UNFITTED_NODES = np.empty((1, 0), np.int64)


@privacy_model(
    "hierarchical-t-closeness",
    parameters=(Parameter("t", Fraction(0), Fraction(1)),),
    example="0.2",
    meaning=(
        "The values of a class are distributed as in the table, within t; distances are those in "
        "their hierarchy."
    ),
)
@dataclass(frozen=True, slots=True, init=False)
class HierarchicalCloseness:
    """Every class is within t of the table, values being as far apart as the level they meet at.

    Two values that first meet at level i of a tree of height h are i/h apart. In such a tree the
    least work of turning one distribution into another is the mean, over the levels below the
    root, of the equal distance between them at that level. Monotone.

    Parameters
    ----------
    column
        The sensitive column; ``None`` for every one.
    t
        The largest distance.
    whole
        The share of each value in the original table.
    nodes
        ``nodes[level, value]``: the node above a value at each level below the root; level 0 is
        the value itself.
    """

    column: str | None
    t: Fraction
    whole: NDArray[np.float64] = field(repr=False, compare=False)
    nodes: NDArray[np.int64] = field(repr=False, compare=False)

    def __init__(
        self,
        column: str | None,
        t: Number,
        whole: NDArray[np.float64] = UNFITTED,
        nodes: NDArray[np.int64] = _UNFITTED_NODES,
    ) -> None:
        settle(self, column, t)
        object.__setattr__(self, "whole", whole)
        object.__setattr__(self, "nodes", nodes)

    def __str__(self) -> str:
        return spell(self)

    def fit(self, table: Table, values: ProtectedValues) -> Protection:
        """Return the model on the values of a table."""
        tree = table.schema.sensitive_hierarchies.get(self.column or "")
        if tree is None:
            raise SchemaError(
                f"hierarchical-t-closeness needs to know how near the values of {self.column!r} "
                "are.",
                remedy=f"Give their tree with `hierarchy={{{self.column!r}: 'FILE'}}`.",
            )
        nodes = _nodes(tree, values.labels)
        return Protection(replace(self, whole=values.shares, nodes=nodes), values.codes)

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


def _nodes(tree: Hierarchy, labels: Sequence[str]) -> NDArray[np.int64]:
    """Return the node of each value at every level below the root.

    A missing value that the tree does not list hangs at the root by itself.
    """
    own = len(tree.node_names)
    places = [tree.position.get(label, -1) for label in labels]
    above = np.hstack((tree.ancestors[:-1], np.full((tree.height, 1), own)))
    return above[:, places].astype(np.int64)
