"""The cut rule: Mondrian cuts as a pure function of exact histograms.

Whatever counts (NumPy, DuckDB, Spark), equal counts give equal trees: the rule sees nothing but how
many records of each cell hold each code, uses a fixed order of attributes, and breaks every tie.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from shoal.encoding.domain import TreeDomain
from shoal.engines.cut_tree import Cut, CutTree
from shoal.errors import InfeasibleError
from shoal.models import ClassHistograms

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from shoal.encoding import Domain
    from shoal.models import Model

# A cell that cannot be cut may hold so many times the target.
LARGEST_CELL = 4
# A cut leaves so many classes of k records on either side, so that each can be searched.
LEAST_CLASSES = 10
# A cell has room for so many classes of k records, whatever the target.
CLASSES_IN_A_CELL = 100
# A cut is balanced if the smaller side holds one of so many parts.
BALANCED = 4


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """How many records of each cell hold each code of a column; pairs that occur, in any order.

    Parameters
    ----------
    cell
        Places in the requested list of cells.
    code, count
        The code, and how many records of the cell hold it.
    """

    cell: NDArray[np.int64]
    code: NDArray[np.int64]
    count: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        cell: NDArray[np.integer],
        code: NDArray[np.integer],
        count: NDArray[np.integer] | None = None,
    ) -> Histogram:
        """Sum the counts of equal pairs; without counts, each entry is one record."""
        width = int(code.max(initial=0)) + 1
        keys = cell.astype(np.int64) * width + code
        if count is None:
            pairs, summed = np.unique(keys, return_counts=True)
        else:
            pairs, index = np.unique(keys, return_inverse=True)
            summed = np.zeros(len(pairs), dtype=np.int64)
            np.add.at(summed, index, count.astype(np.int64))
        return cls(pairs // width, pairs % width, summed.astype(np.int64))


class HistogramSource(Protocol):
    """Something that counts the codes of a table: the only thing that differs between engines."""

    def histograms(self, tree: CutTree, cells: Sequence[str]) -> Sequence[Histogram]:
        """Return for each attribute how many records of each of these cells hold each code.

        Parameters
        ----------
        tree
            The cuts so far; ``cells`` are some of its cells.
        cells
            Paths; a histogram names a cell by its place in this list.
        """


def cell_target(requested: int, k: int) -> int:
    """Return how many records a cell holds at most: as requested, with room for 100 classes."""
    return max(requested, CLASSES_IN_A_CELL * k)


def grow_tree(
    source: HistogramSource,
    domains: Sequence[Domain],
    weights: Sequence[float],
    *,
    n: int,
    k: int,
    target: int,
    least: int | None = None,
    report: Callable[[CutTree], None] | None = None,
) -> CutTree:
    """Return the cut tree of a table, level by level, until no cell exceeds the target.

    A cell is cut at the attribute of greatest weighted loss whose most even cut leaves at least a
    quarter of the records on either side; failing that, at the attribute whose cut is the most
    even. A hierarchy is cut between children of the lowest node that covers the cell. Ties go to
    the first attribute and to the lowest code. Neither side gets fewer than 10 k records.

    Parameters
    ----------
    source
        Counts codes.
    domains, weights
        The attributes of the whole table.
    n, k
        Records of the table, and the smallest size of a class.
    target
        Most records of a cell; see :func:`cell_target`.
    least
        Fewest records of a side of a cut where the source counts a sample, whose cells may be of
        any size; unless given, 10 k.
    report
        Called with the tree after each level.

    Raises
    ------
    InfeasibleError
        If a cell of more than four times the target cannot be cut.
    """
    tree = CutTree({}, {"": n})
    pending = [""] if n > target else []
    while pending:
        cuts = dict(tree.cuts)
        records = dict(tree.records)
        following: list[str] = []
        found = best_cuts(
            source.histograms(tree, pending),
            domains,
            weights,
            len(pending),
            least or LEAST_CLASSES * k,
        )
        for path, best in zip(pending, found, strict=True):
            if best is None:
                if least is None:
                    require_small(records[path], target)
                continue
            cut, first = best
            cuts[path] = cut
            whole = records.pop(path)
            records[path + "0"], records[path + "1"] = first, whole - first
            following += [side for side in (path + "0", path + "1") if records[side] > target]
        pending = sorted(following)
        tree = CutTree(cuts, records)
        if report is not None:
            report(tree)
    return tree


def levels_done(tree: CutTree, target: int) -> float:
    """Return the share of levels that a tree probably has already, while it grows."""
    depth = max(map(len, tree.cells))
    left = np.log2(max(1.0, max(tree.records.values()) / target))
    return float(depth / (depth + left)) if depth else 0.0


def best_cuts(
    histograms: Sequence[Histogram],
    domains: Sequence[Domain],
    weights: Sequence[float],
    cells: int,
    least: int,
) -> list[tuple[Cut, int] | None]:
    """Return the cut of each cell and the records of its side ``0``; nothing if there is no cut."""
    losses = np.zeros((cells, len(domains)))
    smaller = np.zeros((cells, len(domains)), dtype=np.int64)
    code = np.zeros((cells, len(domains)), dtype=np.int64)
    first = np.zeros((cells, len(domains)), dtype=np.int64)
    sizes = np.zeros(cells, dtype=np.int64)
    for place, (histogram, domain) in enumerate(zip(histograms, domains, strict=True)):
        order = np.lexsort((histogram.code, histogram.cell))
        entry = Histogram(histogram.cell[order], histogram.code[order], histogram.count[order])
        sizes = np.bincount(entry.cell, entry.count, minlength=cells).astype(np.int64)
        starts = np.searchsorted(entry.cell, np.arange(cells)).astype(np.int64)
        closures, index = domain.close(entry.code, starts)
        losses[:, place] = weights[place] * domain.loss(closures)[index]
        even = _most_even(entry, starts, sizes, domain)
        smaller[:, place], code[:, place], first[:, place] = even
    found: list[tuple[Cut, int] | None] = []
    for cell in range(cells):
        order = np.lexsort((np.arange(len(domains)), -losses[cell]))
        able = [int(a) for a in order if smaller[cell, a] >= least]
        if not able:
            found.append(None)
            continue
        balanced = [a for a in able if BALANCED * smaller[cell, a] >= sizes[cell]]
        best = balanced[0] if balanced else max(able, key=lambda a: int(smaller[cell, a]))
        found.append((Cut(best, int(code[cell, best])), int(first[cell, best])))
    return found


def _most_even(
    entry: Histogram, starts: NDArray[np.int64], sizes: NDArray[np.int64], domain: Domain
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return for each cell the smaller side of its most even cut, its code, and side ``0``."""
    reached = np.cumsum(entry.count)
    before = (reached - entry.count)[starts]
    below = reached - before[entry.cell]  # records of the cell with this code or a lower one
    even = np.minimum(below, sizes[entry.cell] - below)
    if isinstance(domain, TreeDomain):
        even = np.where(_between_children(entry, starts, domain), even, 0)
    most = np.maximum.reduceat(even, starts)
    # The first entry that is as even as any: the lowest code.
    at = np.flatnonzero(even == most[entry.cell])
    at = at[np.unique(entry.cell[at], return_index=True)[1]]
    return most, entry.code[at], below[at]


def _between_children(
    entry: Histogram, starts: NDArray[np.int64], domain: TreeDomain
) -> NDArray[np.bool_]:
    """Return after which entries another child of the cell's lowest common node begins."""
    ends = np.append(starts[1:], len(entry.code)) - 1
    low, high = entry.code[starts], entry.code[ends]
    meet = domain.ancestors[:, low] == domain.ancestors[:, high]
    level = np.argmax(meet, axis=0)  # the lowest level at which all of the cell is one node
    child = np.maximum(level - 1, 0)[entry.cell]
    node = domain.ancestors[child, entry.code]
    return np.append((node[1:] != node[:-1]) & (entry.cell[1:] == entry.cell[:-1]), False)


def require_small(records: int, target: int) -> None:
    """Refuse a cell that cannot be cut and is too large to be solved."""
    if records > LARGEST_CELL * target:
        raise InfeasibleError(
            f"A cell of {records:,} records cannot be cut: its records are equal, or nearly so, in "
            f"every quasi-identifier, and cells hold about {target:,} records.",
            remedy=f"Allow larger cells with `cell_records={-(-records // LARGEST_CELL)}` or "
            "more, if the memory allows it, or add a quasi-identifier that distinguishes "
            "them.",
        )


def histogram_of_persons(counts: NDArray[np.int64], k: int) -> Histogram:
    """Return what :func:`join_for_models` takes for persons, from their number in each cell.

    Who they are is unknown here: of two cells that are joined, the one with more persons counts. So
    their number is never overstated, and k of them are enough to know.
    """
    known = np.minimum(counts, k)
    cell = np.repeat(np.arange(len(counts)), known)
    code = np.arange(len(cell)) - np.repeat(np.cumsum(known) - known, known)
    return Histogram(cell, code, np.ones(len(cell), dtype=np.int64))


def join_for_models(
    tree: CutTree, models: Sequence[Model], histograms: Sequence[Histogram], *, target: int
) -> CutTree:
    """Return the tree with cells joined until every cell, as one class, meets every model.

    A cell that breaks a model is joined with everything below the cut that made it. Only then has
    each cell a solution of its own.

    Parameters
    ----------
    models
        Models as they are fitted to the whole table.
    histograms
        For each model how many records of each cell hold each value; cells by number.
    target
        What the tree was grown for.

    Raises
    ------
    InfeasibleError
        If that takes a cell of more than four times the target.
    """
    owner = np.arange(len(tree.cells))
    while True:
        broken: set[str] = set()
        for model, counted in zip(models, histograms, strict=True):
            holds = model.holds(
                ClassHistograms.of(
                    owner[counted.cell], counted.code, counted.count, len(tree.cells)
                )
            )
            broken |= {tree.cells[cell][:-1] for cell in np.flatnonzero(~holds) if tree.cells[cell]}
        if not broken:
            break
        joined = tree
        for path in sorted(broken):
            if path in joined.cuts:  # not yet part of a cell that was joined before it
                joined = joined.joined(path)
        places = {cell: number for number, cell in enumerate(joined.cells)}
        moved = [
            next(places[cell[:end]] for end in range(len(cell) + 1) if cell[:end] in places)
            for cell in tree.cells
        ]
        owner = np.array(moved)[owner]
        tree = joined
    for cell in tree.cells:
        if tree.records[cell] > LARGEST_CELL * target:
            raise InfeasibleError(
                f"A cell of {tree.records[cell]:,} records cannot be cut without breaking a "
                f"privacy model on one side; cells hold about {target:,} records.",
                remedy="Allow larger cells with `cell_records`, or choose weaker models.",
            )
    return tree
