"""Branch and price: the tree below the root of the search."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from shoal.algorithms.exact.highs import INFINITY
from shoal.algorithms.exact.optimal.branching import Branches, Doubt, doubts
from shoal.algorithms.exact.optimal.rounding import round_now_and_then
from shoal.algorithms.exact.optimal.search import NOTHING, BudgetSpentError, is_whole

if TYPE_CHECKING:
    from shoal.algorithms.exact.optimal.columns import Cuts
    from shoal.algorithms.exact.optimal.generation import Prices
    from shoal.algorithms.exact.optimal.search import Converged, Search
    from shoal.algorithms.partition import Partition

# The integer program is in vain after so many parts that it did not improve.
IN_VAIN = 5
LEAST_ROWS = 100

# Of what is most in doubt, so much is tried, each by so many simplex iterations.
TRIALS = 10
ITERATIONS_OF_A_TRIAL = 30
# Cuts are added to a part while a round narrows its gap by this share.
ROUNDS_OF_CUTS = 3
WORTH_CUTTING = 0.05
# A trial that shows no gain counts with this share of the gap.
LEAST_GAIN = 1e-3


@dataclass(order=True, slots=True)
class Part:
    """A part of all divisions: those that keep to some branches.

    ``cuts`` and ``prices`` are those of the part that it comes from: with them its relaxation is as
    tight from the start as that one was, whichever part was looked at in between.
    """

    bound: float
    number: int
    branches: Branches = field(compare=False)
    cuts: Cuts = field(compare=False)
    prices: Prices | None = field(compare=False, default=None)


def most_columns(search: Search[Any], times: int) -> int:
    """Return how many columns so many for each row are; small tables count as larger ones."""
    return times * max(LEAST_ROWS, search.program.rows)


def grow(search: Search[Partition]) -> None:
    """Divide what is left into parts until none can hold a better division.

    A part is done with if its bound says so, or if the columns that a better division of it could
    use are few enough for the integer program. Otherwise it is cut in two by the number of classes
    or by a pair of records, whichever promises most on both sides. Until the first is done with,
    the search goes straight down, for a better division; then the part of least bound comes first.
    """
    waiting = [Part(search.lower, 0, Branches.none(), search.relaxation.cuts)]
    below: list[Part] = []
    settled = search.upper
    made = in_vain = 0
    straight_down = True
    while (waiting or below) and not search.closed:
        part = below.pop() if below else heapq.heappop(waiting)
        upper = search.upper
        limits = search.limits
        times = limits.in_tree if in_vain < IN_VAIN else limits.after_failures
        fresh, bound = _divided(search, part, made, most_columns(search, times))
        settled = min(settled, bound)
        made += len(fresh)
        if not fresh:
            straight_down = False
            in_vain = in_vain + 1 if search.upper >= upper else 0
        elif straight_down:
            below.append(fresh.pop(0))
        for child in fresh:
            heapq.heappush(waiting, child)
        left = [one.bound for one in (*waiting[:1], *below)]
        search.raise_lower(min([settled, *left]))
    if not waiting and not below:
        search.raise_lower(min(settled, (1 - NOTHING) * search.upper))


def _divided(
    search: Search[Partition], part: Part, made: int, most: int
) -> tuple[list[Part], float]:
    """Return the parts of a part; none if it is done with, and then what nothing in it is below."""
    now = _tightened(search, part)
    if now.solution is None or is_whole(now.solution):
        # One that is whole is taken already, but known to be the best only up to the bound.
        return [], now.bound
    round_now_and_then(search, now)
    found = search.every(now, part.branches, search.upper - now.priced, most)
    if found.complete:
        chosen = search.choose(found.columns, part.branches)
        if chosen is not None and chosen.proved:
            return [], search.settled
    return _children(search, part, now, made), INFINITY


def _tightened(search: Search[Partition], part: Part) -> Converged:
    """Solve the relaxation of a part, with more cuts while they pay."""
    search.relaxation.use_cuts(part.cuts)
    now = search.converge(part.branches, part.bound, part.prices)
    for _ in range(ROUNDS_OF_CUTS):
        centre = search.cut(now)
        if centre is None:
            break
        before = now
        now = search.converge(part.branches, before.bound, centre)
        if now.priced - before.priced < WORTH_CUTTING * (search.upper - now.bound):
            break
    return now


def _children(search: Search[Partition], part: Part, now: Converged, made: int) -> list[Part]:
    """Return the two parts of a part, the one that seems to lose less first."""
    assert now.solution is not None
    values = now.solution.values[search.program.ways_out :]
    columns = search.relaxation.columns
    open_questions = doubts(columns, values, search.problem.counts, TRIALS)
    if not open_questions:
        search.run.note(
            "optimal branches on the number of classes and on pairs of records that have no "
            "equals; in this table that was not enough for a proof."
        )
        raise BudgetSpentError
    tried = [(_guesses(search, part.branches, doubt), doubt) for doubt in open_questions]
    loss = now.solution.loss
    gap = max(search.upper - loss, 0.0)

    def promise(guesses: tuple[float, float]) -> float:
        up, down = (min(max(guess - loss, LEAST_GAIN * gap), gap) for guess in guesses)
        return up * down

    (up, down), doubt = max(tried, key=lambda each: promise(each[0]))
    parts = [
        Part(
            now.bound,
            made + place,
            part.branches.joined(doubt, upward=upward),
            search.relaxation.cuts,
            now.prices,
        )
        for place, upward in ((1, True), (2, False))
    ]
    return parts if up <= down else parts[::-1]


def _guesses(search: Search[Partition], branches: Branches, doubt: Doubt) -> tuple[float, float]:
    return (
        _guess(search, branches, doubt, upward=True),
        _guess(search, branches, doubt, upward=False),
    )


def _guess(search: Search[Partition], branches: Branches, doubt: Doubt, *, upward: bool) -> float:
    search.spend()
    largest = search.generator.largest(branches.joined(doubt, upward=upward))
    return search.relaxation.trial(
        branches, doubt, largest, search.run, ITERATIONS_OF_A_TRIAL, upward=upward
    )
