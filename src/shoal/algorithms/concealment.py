"""Records generalized one by one, so that counterparts can be counted: k-concealment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.encoding.recoding import SUPPRESSED, Recoding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.algorithms.problem import Problem
    from shoal.algorithms.solution import Guarantee


@dataclass(frozen=True, slots=True, eq=False)
class Concealment:
    """Each original has a released record that is the closure of itself and some others.

    Parameters
    ----------
    records
        The originals that are released; the others are suppressed.
    members, starts
        The originals that each released record is the closure of, as places in ``records``, one
        after another, and where each begins. Released record i holds original i.
    guarantee
        What a release guarantees.
    """

    records: NDArray[np.int64]
    members: NDArray[np.int32]
    starts: NDArray[np.int64]
    guarantee: Guarantee
    optimal: bool = False
    lower_bound: float | None = None

    def lost(self, problem: Problem) -> tuple[float, NDArray[np.int64]]:
        """Return the loss of all released records, and how many of each row are suppressed."""
        row_of = problem.folded.row_of
        losses = problem.losses(row_of[self.records[self.members]], self.starts)
        kept = np.bincount(row_of[self.records], minlength=problem.rows)
        return float(losses.sum()), problem.counts - kept

    def match(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return for each original of ``records`` the released record that it is published as.

        That is a perfect matching between originals and released records that hold them, sought
        among nodes and edges in random order, so that no order of records shows in it.
        """
        # Imported here: SciPy takes longer to load than most algorithms take to run.
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import maximum_bipartite_matching

        n = len(self.records)
        owner = np.repeat(np.arange(n), np.diff(np.append(self.starts, len(self.members))))
        name, place = rng.permutation(n), rng.permutation(n)
        graph = csr_array(
            (np.ones(len(owner), dtype=np.int8), (name[owner], place[self.members])), shape=(n, n)
        )
        released_of = np.argsort(name)
        found = maximum_bipartite_matching(graph, perm_type="row")
        return np.asarray(released_of[found[place]], dtype=np.int64)

    def recode(self, problem: Problem, rng: np.random.Generator) -> Recoding:
        """Return what every record shows: the closure of the released record drawn for it."""
        rows = problem.folded.row_of[self.records[self.members]]
        unit = np.full(problem.n, SUPPRESSED, dtype=np.int32)
        unit[self.records] = self.match(rng)
        return Recoding.of(unit, problem.close(rows, self.starts))


def joined(parts: Sequence[Concealment]) -> Concealment:
    """Return the generalized records of disjoint parts as those of all; nothing is proved of them.

    A record that is covered inside its part is covered in the whole, and perfect matchings of the
    parts are one of the whole.
    """
    sizes = np.cumsum([0, *(len(part.records) for part in parts)])
    held = np.cumsum([0, *(len(part.members) for part in parts)])
    return Concealment(
        np.concatenate([part.records for part in parts]),
        np.concatenate(
            [part.members + first for part, first in zip(parts, sizes[:-1], strict=True)]
        ).astype(np.int32),
        np.concatenate([part.starts + first for part, first in zip(parts, held[:-1], strict=True)]),
        parts[0].guarantee,
    )
