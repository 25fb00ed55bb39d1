"""Cuts that are chosen from a sample of the records, and cells that are counted exactly.

The tree differs from that of exact counts, which is the same on every engine. What is guaranteed
does not: every cell holds at least k records by exact count, whatever the sample shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.engines.cut_tree import CutTree
from shoal.engines.cutting import LEAST_CLASSES, grow_tree, require_small

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shoal.encoding import Domain
    from shoal.engines.cutting import HistogramSource

# A side that so many sampled records fall on is unlikely to be much smaller than it looks.
_LEAST_SEEN = 30


def grow_from_sample(
    sample: HistogramSource,
    domains: Sequence[Domain],
    weights: Sequence[float],
    *,
    sampled: int,
    n: int,
    k: int,
    target: int,
    report: Callable[[CutTree], None] | None = None,
) -> CutTree:
    """Return the cut tree of a sample; its cells are to be counted with :func:`recounted`.

    Parameters
    ----------
    sample
        Counts codes of the sample.
    domains, weights
        The attributes of the whole table.
    sampled, n
        Records of the sample and of the table.
    k, target
        As for :func:`shoal.engines.cutting.grow_tree`.
    report
        Called with the tree after each level.
    """
    return grow_tree(
        sample,
        domains,
        weights,
        n=sampled,
        k=k,
        target=max(1, target * sampled // n),
        least=max(_LEAST_SEEN, LEAST_CLASSES * k * sampled // n),
        report=report,
    )


def recounted(tree: CutTree, counts: Sequence[int], *, k: int, target: int) -> CutTree:
    """Return the tree with exact counts, in which every cell below k is merged with its neighbour.

    Parameters
    ----------
    tree
        Its cuts are kept, but for those that are merged.
    counts
        For each cell its records in the whole table.
    k
        Smallest size of a cell.
    target
        What the tree was grown for.

    Raises
    ------
    InfeasibleError
        If a cell holds more than four times the target.
    """
    found = CutTree(tree.cuts, dict(zip(tree.cells, map(int, counts), strict=True)))
    while small := [path for path in found.cells if path and found.records[path] < k]:
        # The deepest first: so the fewest cells are merged.
        found = found.joined(max(small, key=len)[:-1])
    for records in found.records.values():
        require_small(records, target)
    return found
