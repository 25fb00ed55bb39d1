"""The search of a portfolio for classes: where it begins, local search, bound and exact search."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.algorithm import solve_partition
from shoal.algorithms.auto.policy import (
    UNITED,
    exact_search,
    is_look_worth_time,
    is_stepped,
    search_for,
)
from shoal.algorithms.auto.starts import FASTEST, RIGID, Starts
from shoal.algorithms.constants import (
    BOUND_SHARE,
    DOUBTED_FROM,
    EXACT_SHARES,
    HANDICAPS,
    HOPELESS,
    LARGE_CLASS,
    LONG_LOOK_SHARE,
    LOOK_JUDGES,
    LOOK_STEPS,
    MANY_CLASSES,
    MANY_CLASSES_FACTOR,
    MOST_BOUND_SHARE,
    MOST_BOUNDED,
    MOST_LOOKS_SHARE,
    MOST_SEARCHES,
    OFTEN_FROM,
    RIGID_LOOK_SHARE,
    SEARCHES,
    SETTLED_FROM,
    SHALLOWEST,
    SHORTEST_BOUND,
    START_LOOK_SHARE,
    STEPS_A_SECOND,
    TWICE_FROM,
    USUAL_START,
)
from shoal.algorithms.lower_bound import MEASURE, find_lower_bound
from shoal.algorithms.solution import without_proof

if TYPE_CHECKING:
    from collections.abc import Callable

    from shoal.algorithms.auto.contest import Contest
    from shoal.algorithms.budget import Budget
    from shoal.algorithms.partition import Partition
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run


class Search:
    """Improves the best classes of a contest, from the starts that entered it.

    Parameters
    ----------
    problem
        What is divided; where records may be suppressed, only exact search suppresses any.
    """

    def __init__(
        self, problem: Problem, run: Run, contest: Contest[Partition], starts: Starts
    ) -> None:
        self.problem = problem
        self.whole = starts.whole
        self.run = run
        self.contest = contest
        self.starts = starts
        self.budget = run.budget
        self.taken = 0  # steps
        self.steps_a_second = 0.0  # as looks showed it
        self.leader = FASTEST  # the start that looks improved most

    def improve(self, budget: Budget) -> None:
        """Improve the best classes so far: bound, local search, exact search."""
        run = self.run
        self.budget = budget
        exact = exact_search(self.problem, self.budget.seconds_left)
        if not exact:
            with run.part(0.0, 0.0):
                self._bound()
        share = 1 - EXACT_SHARES[exact]
        with run.part(0.0, share):
            self._refine(share)
        if exact:
            with run.part(share, 1.0):
                self._search_exactly(exact)

    def enter(self, step: str, work: Callable[[], Partition]) -> float:
        """Do a step whose steps count."""
        loss = self.contest.enter(step, work)
        self.taken += self.run.control.steps
        return loss

    @property
    def _is_timed(self) -> bool:
        return self.budget.seconds is not None

    def _is_over(self) -> bool:
        return self.contest.is_over(self.budget)

    def _refine(self, share: float) -> None:
        """Search from the start that short looks find most promising.

        With steps, looks come on top, and the search itself has them all: from the classes of
        `k-member` it does what `refine` would do. Where that is more than a search needs to settle,
        several from different starts share them.
        """
        whole = self.budget.share(share)
        ranked = self._ranked_starts(whole)
        if not ranked:
            if self._is_best_rigid:
                self._search_beside_rigid(whole)
                return
            self._refine_once(self._start_without_looks(whole), whole)
            return
        searches = self._searches(ranked, whole)
        if self._is_timed and len(searches) == 1:
            searches = [self._better_of_two(ranked, whole)]
        for place, name in enumerate(searches):
            part = whole.share(1 / (len(searches) - place if self._is_timed else len(searches)))
            self._refine_once(ranked[name], part, place)
        self.starts.found = {
            searches[0]: ranked[searches[0]]
        }  # a further search goes on from the best

    def _start_without_looks(self, budget: Budget) -> Partition | None:
        """Return what to search from where no looks tell: the usual start if it is hardly behind.

        A short search would not make up for that; it begins with whatever is best. So does every
        search where losses jump, as `k-member` is no better a start there than others.
        """
        losses, found = self.starts.losses, self.starts.found
        seconds = budget.seconds_left if self._is_timed else 0.0
        if is_stepped(self.problem):
            return None
        if USUAL_START not in found or STEPS_A_SECOND * seconds < SHALLOWEST * self.whole.rows:
            return None
        ahead = [name for name in found if found[name] is self.contest.best]
        is_near = ahead and losses[USUAL_START] <= HANDICAPS.get(ahead[0], 1.0) * losses[ahead[0]]
        return found[USUAL_START] if is_near else None

    def _search_beside_rigid(self, budget: Budget) -> None:
        """Search from the best start whose classes records can leave, and from what is best then.

        If it is hardly behind, it has all the time.
        """
        losses = self.starts.losses
        name = min((name for name in self.starts.found if name != RIGID), key=losses.__getitem__)
        start = self.starts.found[name]
        if losses[name] <= HANDICAPS[RIGID] * losses[RIGID]:
            self._refine_once(start, budget)
            return
        self._refine_once(start, budget.share(RIGID_LOOK_SHARE), 1, "look")
        self._refine_once(None, budget)

    @property
    def _is_best_rigid(self) -> bool:
        """Whether the best classes are large and have k records each, so that none can leave."""
        if not self._is_timed or self.problem.k < LARGE_CLASS or FASTEST not in self.starts.found:
            return False
        return self.contest.best is self.starts.found.get(RIGID)

    def _searches(self, ranked: dict[str, Partition], budget: Budget) -> list[str]:
        """Return the starts from which to search, by the steps for each record."""
        names = list(ranked)
        steps = self.steps_a_second * budget.seconds_left if self._is_timed else budget.steps or 0
        depth = steps / self.whole.rows
        if not self._is_timed and names[0] == USUAL_START:
            return names[:1]
        has_many = self.whole.n >= MANY_CLASSES * self.whole.k
        settled = depth / MANY_CLASSES_FACTOR if has_many else depth
        if settled < TWICE_FROM:
            is_doubtful = names[0] not in (USUAL_START, UNITED) and USUAL_START in names
            return [names[0], USUAL_START] if is_doubtful and depth >= DOUBTED_FROM else names[:1]
        # The usual one is always among them.
        order = [names[0], *sorted(names[1:], key=lambda name: name != USUAL_START)]
        number = SEARCHES if settled >= OFTEN_FROM else 2
        number = max(number, min(int(settled / SETTLED_FROM), MOST_SEARCHES))
        return (order * number)[:number]

    def _ranked_starts(self, budget: Budget) -> dict[str, Partition]:
        """Return the starts, those that a short search improves most first; none if all are alike.

        What is best so far then takes their place.
        """
        seconds = budget.seconds_left if self._is_timed else 0.0
        share = self._share_of_look(seconds)
        is_worth_time = is_look_worth_time(self.problem, seconds)
        starts = self._promising_starts(int(MOST_LOOKS_SHARE / share)) if is_worth_time else {}
        # A look that takes less time than its result takes to judge tells nothing.
        dear = share * budget.seconds_left < LOOK_JUDGES * self.contest.judging
        if len(starts) < 2 or dear:
            return {}
        clock, began, before = self.budget.clock, self.budget.clock(), self.taken
        each = budget.share(share)
        losses = {
            name: self._refine_once(start, each.from_now(), turn, "look")
            for turn, (name, start) in enumerate(starts.items(), 1)
        }
        self.steps_a_second = (self.taken - before) / max(clock() - began, 1e-6)
        if min(losses.values()) == inf:
            return {}  # stopped before any was done
        ranked = sorted(losses, key=lambda name: HANDICAPS.get(name, 1.0) * losses[name])
        self.leader = min(losses, key=lambda name: losses[name])
        return {name: starts[name] for name in ranked}

    def _share_of_look(self, seconds: float) -> float:
        """Return the share of the time that a look takes until its search has begun to tell."""
        depth = STEPS_A_SECOND * seconds / self.whole.rows
        if not self._is_timed or depth == 0:
            return START_LOOK_SHARE
        return max(START_LOOK_SHARE, LOOK_STEPS / depth)

    def _better_of_two(self, ranked: dict[str, Partition], budget: Budget) -> str:
        """Return the start to search from: by longer looks, if a handicap decided."""
        first = next(iter(ranked))
        if first == self.leader:
            return first
        losses = {
            name: self._refine_once(ranked[name], budget.share(LONG_LOOK_SHARE), turn, "look")
            for turn, name in enumerate((first, self.leader), len(ranked) + 1)
        }
        return min(losses, key=lambda name: losses[name])

    def _promising_starts(self, number: int) -> dict[str, Partition]:
        """Return the starts from which a short search may still win, that of `refine` always.

        Of more than so many, those that lose least.
        """
        losses, found = self.starts.losses, self.starts.found
        limit = HOPELESS * min(losses[name] for name in found)
        chosen = [name for name in found if losses[name] <= limit or name == USUAL_START]

        def rank(name: str) -> tuple[bool, float]:
            return name != USUAL_START, HANDICAPS.get(name, 1.0) * losses[name]

        kept = sorted(chosen, key=rank)[:number]
        return {name: found[name] for name in chosen if name in kept}

    def _refine_once(
        self, start: Partition | None, budget: Budget, turn: int = 0, name: str = "refine"
    ) -> float:
        """Search from a start, or from the best so far, and return what that loses."""
        if self._is_over():
            return inf
        if budget.seconds is not None:
            # What it finds must be judged in time, too.
            budget = replace(budget, seconds=budget.seconds - self.contest.judging)
            if budget.seconds_left <= 0:
                return inf
        search = search_for(self.problem, budget.seconds_left)
        seed = int(np.random.SeedSequence([self.run.seed, turn]).generate_state(1)[0])
        run = replace(self.run, budget=budget, seed=seed if turn else self.run.seed)
        begun = self.contest.best if start is None else start
        return self.enter(name, lambda: search.improve(self.whole, begun, run))

    def _bound(self) -> None:
        """Prove in a small part of a longer time what no division can go below."""
        left = self.budget.seconds_left
        seconds = BOUND_SHARE * left
        large = self.problem.rows > MOST_BOUNDED
        if self._is_over() or self.problem.measure != MEASURE or large:
            return
        if not SHORTEST_BOUND <= seconds < inf:
            return
        alone = self.run.child(self.budget.fresh(seconds=seconds), seed=0)

        def work() -> Partition:
            bound = find_lower_bound(self.problem, self.contest.best, alone).loss
            return replace(self.contest.best, lower_bound=bound)

        self.contest.enter("bound", work, most=MOST_BOUND_SHARE * left)

    def _search_exactly(self, way: str) -> None:
        if self._is_over():
            return
        # Everything that is left; of a budget of steps, what the search before was not given.
        budget = self.budget if self._is_timed else self.budget.share(EXACT_SHARES[way])
        if way == "improve":
            self.enter(way, partial(self._improve, self.contest.best, self.run.child(budget)))
            return
        # `optimal` weighs suppression itself; where it proves nothing, a division of all records
        # may still lose less.
        subproblems = (
            [self.problem, self.whole] if self.problem.suppression_limit else [self.problem]
        )
        for place, one in enumerate(subproblems):
            if self._is_over():
                return
            own = budget.share(1 / (len(subproblems) - place)) if self._is_timed else budget
            self.enter(way, partial(self._solve_optimally, one, self.run.child(own)))

    def _improve(self, best: Partition, run: Run) -> Partition:
        # Imported here: HiGHS and SciPy take longer to load than most tables take to solve.
        from shoal.algorithms.exact.optimal.improve import improve

        return improve(self.whole, best, run)

    def _solve_optimally(self, subproblem: Problem, run: Run) -> Partition:
        found = solve_partition("optimal", subproblem, run)
        return found if subproblem is self.problem else without_proof(found)
