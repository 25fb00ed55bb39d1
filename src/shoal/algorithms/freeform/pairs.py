"""Covers from covers of pairs of near records: half the degree, an eighth of the work."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.cover import Cover, matchings, named
from shoal.algorithms.freeform.covering import cover_by, restricted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from shoal.algorithms.freeform.covering import Solve
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

    # From the rows of pairs and the pairs that each of as many released records holds.
    Refine = Callable[[NDArray[np.int32], NDArray[np.int32]], NDArray[np.int32]]


def cover_by_pairs(solve: Solve, refine: Refine, near: Sequence[NDArray[np.int64]]) -> Solve:
    """Return the solver that pairs near records and lets each pair stay together.

    Pairs are found within each group of ``near`` records. ``solve`` covers the first ones of all
    pairs with half of k, which ``refine`` improves with regard to both. What is found holds for
    both of every pair: two released records that cover both of every pair they hold. One perfect
    matching too many is taken away where k is odd, and a last record without partner is put in
    between.
    """

    def solve_pairs(problem: Problem, run: Run) -> Cover:
        first, second, alone = near_pairs(problem, run, near)
        half = (problem.k + 1) // 2
        found = solve(replace(restricted(problem, first), k=half), run).matches
        pairs = problem.folded.row_of[np.stack([first, second], axis=1)]
        found = refine(pairs, found)
        others = np.sort(np.concatenate([first, second]))
        place = np.searchsorted(others, np.stack([first, second]))
        covered = np.empty((len(others), 2 * half), dtype=np.int64)
        covered[place[0]] = covered[place[1]] = np.concatenate(place[:, found], axis=1)
        if alone is not None:
            covered = _with_one_more(covered)
            others = np.append(others, alone)
        if problem.k % 2:
            covered = _thinned(covered)
        return Cover(np.arange(problem.n, dtype=np.int64), named(_renamed(covered, others)))

    return solve_pairs


def near_pairs(
    problem: Problem, run: Run, near: Sequence[NDArray[np.int64]]
) -> tuple[NDArray[np.int64], NDArray[np.int64], int | None]:
    """Return records and their partners, and who is left without.

    An optimal assignment of every record to another is a set of rings of near records; every
    second step along a ring is a pair. The last ones of odd rings go into the next assignment.
    """
    pairs: list[NDArray[np.int64]] = []
    alone = np.empty(0, dtype=np.int64)
    for group in (*near, None):
        left = alone if group is None else group
        while len(left) > 1:
            asked = replace(restricted(problem, left), k=2)
            follower = cover_by("assignments")(asked, run).matches[:, 1]
            found = _along_rings(follower)
            pairs.append(left[found])
            left = np.delete(left, found.ravel())
        alone = left if group is None else np.append(alone, left)
    first, second = np.concatenate(pairs).T
    return first, second, int(alone[0]) if len(alone) else None


def _along_rings(follower: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return every second step of a permutation without fixed points, the ends of odd rings out."""
    following = follower.tolist()
    seen = [False] * len(following)
    pairs = []
    for start in range(len(following)):
        now = start
        while not seen[now]:
            after = following[now]
            seen[now] = True
            if seen[after]:
                break
            seen[after] = True
            pairs.append((now, after))
            now = following[after]
    return np.array(pairs, dtype=np.int64)


def _with_one_more(covered: NDArray[np.int64]) -> NDArray[np.int64]:
    """Let one more record in: k released ones of a perfect matching hand theirs on for it."""
    division = matchings(covered.astype(np.int32), np.random.default_rng(0)) == 0
    released, place = np.nonzero(division)
    holder = np.empty(len(covered), dtype=np.int64)
    holder[covered[released, place]] = released
    handed = covered[-1].copy()
    who = holder[handed]
    made = covered.copy()
    made[who] = np.where(division[who], len(covered), made[who])
    return np.vstack([made, handed])


def _thinned(covered: NDArray[np.int64]) -> NDArray[np.int64]:
    """Take a perfect matching away."""
    kept = matchings(covered.astype(np.int32), np.random.default_rng(0)) != 0
    thin: NDArray[np.int64] = covered[kept].reshape(len(covered), -1)
    return thin


def _renamed(covered: NDArray[np.int64], names: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give records other numbers, a permutation."""
    made = np.empty_like(covered)
    made[names] = names[covered]
    return made
