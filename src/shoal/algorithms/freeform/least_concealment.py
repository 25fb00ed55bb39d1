"""(k,1), (1,k), (k,k) and k-concealment of least loss, by an integer program; tiny tables.

A released record is the closure of some originals, its own among them, and covers every original
inside it. So each record chooses one of the closed sets that hold it. An original counts a released
record among its matches if that one covers it and, for concealment, if the pair lies in a perfect
matching. As every record covers itself, that is so exactly when covers lead back: from the
original, as a released record, over originals that are covered in turn, to the released record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.exact.linear_program import LinearProgram, ProgramBuilder
from shoal.algorithms.solution import Guarantee

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.problem import Problem


def closed_sets(problem: Problem) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return every set of records that some closure covers, and what that closure loses.

    The problem must have a row for every record.
    """
    n = problem.n
    masks = np.arange(1, 2**n)
    held = (masks[:, None] >> np.arange(n)) & 1 == 1
    rows = np.nonzero(held)[1]
    starts = np.cumsum(held.sum(axis=1)) - held.sum(axis=1)
    shown = np.stack([column.index for column in problem.close(rows, starts)], axis=1)
    # A record is covered if the closure stays what it is with it.
    covers = np.stack(
        [(shown[(masks | 1 << one) - 1] == shown).all(axis=1) for one in range(n)], axis=1
    )
    closed = (covers == held).all(axis=1)
    return held[closed], problem.losses(rows, starts)[closed]


def concealing_program(
    problem: Problem, guarantee: Guarantee, ks: NDArray[np.int64]
) -> tuple[LinearProgram, NDArray[np.int64], NDArray[np.bool_]]:
    """Return the program, and for each of its first columns whose set it is and what it holds.

    Parameters
    ----------
    ks
        How many counterparts each original requires: k, or a personal k above it.
    """
    n, k = problem.n, problem.k
    sets, losses = closed_sets(problem)
    if guarantee in (Guarantee.K_1, Guarantee.K_K):
        large = sets.sum(axis=1) >= k
        sets, losses = sets[large], losses[large]
    which, owner = np.nonzero(sets)
    held = sets[which]
    program = ProgramBuilder()
    chosen = program.add(len(which), 0.0, 1.0, losses[which] / n, integer=True)
    for one in range(n):
        own = chosen[owner == one]
        program.constrain(tuple(own[:, None]), (1.0,) * len(own), 1.0, 1.0)
    if guarantee in (Guarantee.ONE_K, Guarantee.K_K):
        for one in range(n):
            those = chosen[held[:, one]]
            program.constrain(tuple(those[:, None]), (1.0,) * len(those), ks[one], np.inf)
    if guarantee is Guarantee.CONCEALMENT:
        _require_matches(program, chosen, owner, held, ks)
    return program.build(), owner, held


def _require_matches(
    program: ProgramBuilder,
    chosen: NDArray[np.int64],
    owner: NDArray[np.int64],
    held: NDArray[np.bool_],
    ks: NDArray[np.int64],
) -> None:
    """Require of every original k - 1 released records beside its own that lead back to it."""
    n = held.shape[1]
    pairs = [(a, b) for a in range(n) for b in range(n) if a != b]
    # Variables: released record a covers original b.
    covers = dict(zip(pairs, program.add(len(pairs), 0.0, 1.0, 0.0).tolist(), strict=True))
    for (a, b), cover in covers.items():
        those = chosen[(owner == a) & held[:, b]].tolist()
        _equal(program, [(cover, -1.0), *((place, 1.0) for place in those)], 0.0)
    matches = dict(
        zip(pairs, program.add(len(pairs), 0.0, 1.0, 0.0, integer=True).tolist(), strict=True)
    )
    for (a, b), match in matches.items():
        _at_most(program, match, covers[a, b])
        # A unit flows from b over covers back to a.
        flow = dict(zip(pairs, program.add(len(pairs), 0.0, 1.0, 0.0).tolist(), strict=True))
        for arc, place in flow.items():
            _at_most(program, place, covers[arc])
        for node in range(n):
            terms = [(place, 1.0) for (tail, _), place in flow.items() if tail == node]
            terms += [(place, -1.0) for (_, head), place in flow.items() if head == node]
            if node in (a, b):
                terms.append((match, -1.0 if node == b else 1.0))
            _equal(program, terms, 0.0)
    for original in range(n):
        those = [place for (_, b), place in matches.items() if b == original]
        columns = tuple(np.array([place]) for place in those)
        program.constrain(columns, (1.0,) * len(those), ks[original] - 1, np.inf)


def _equal(program: ProgramBuilder, terms: list[tuple[int, float]], value: float) -> None:
    places, values = zip(*terms, strict=True)
    program.constrain(tuple(np.array([place]) for place in places), values, value, value)


def _at_most(program: ProgramBuilder, one: int, other: int) -> None:
    columns = (np.array([one]), np.array([other]))
    program.constrain(columns, (1.0, -1.0), -np.inf, 0.0)
