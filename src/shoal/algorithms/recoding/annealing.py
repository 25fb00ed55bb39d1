"""`annealing`: simulated annealing over groupings of values. Kernel: cpp/src/cut_search.cpp."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from shoal.algorithms.algorithm import Family, Form, Traits, algorithm
from shoal.algorithms.recoding.search import (
    MEASURES,
    WITHOUT_MODELS,
    Budget,
    best_cut,
    open_search,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from shoal._core import kernels
    from shoal.algorithms.cut import Cut
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

DEFAULT_STEPS = 1_000_000
STEPS_A_ROW = 1_000  # what a small table gets by default
# Proposals to one attribute before the next has its turn: changing the attribute costs a pass
# over the table, so an attribute with few values gets more of them than it needs.
PROPOSALS_A_VALUE, LEAST_PROPOSALS = 8, 96
SAMPLE = 64
# Temperatures fall from the typical rise of a proposal to a thousandth of it.
COOLING = 1e-3
# The share of a restart that goes downhill only, before the annealing and after it.
FIRST_DESCENT, LAST_DESCENT = 0.03, 0.05
LEAST_PRESSURE, MOST_PRESSURE = 0.5, 1e4
# Most of the budget goes to short annealings, this many proposals a value each, unless it allows
# only a few of them; the rest goes to a long one. Which attributes collapse is decided early on
# and seldom revised, so many beginnings find more than one long walk. Pressure rises by these
# factors in turn: slowly where groups can be large, fast where a short one would end too early.
SHORT, SHORT_SHARE, LEAST_SHORT = 300, 0.75, 8
RISES = (1.1, 1.5)


@algorithm(
    "annealing",
    family=Family.RECODING,
    traits=Traits(
        summary="Group the values of each attribute, the same way for all records, by simulated "
        "annealing.",
        cost=f"--time S or --steps N proposals; without either {STEPS_A_ROW:,} a distinct row, "
        f"at most {DEFAULT_STEPS:,}",
        paper="Winkler, Using simulated annealing for k-anonymity (2002)",
        anytime=True,
        random=True,
        measures=MEASURES,
        form=Form.GLOBAL,
        without_models=WITHOUT_MODELS,
    ),
)
class Annealing:
    """One grouping of each attribute's values for the whole table (Sim1).

    The idea: attributes take turns; a value is drawn and either takes a value from elsewhere into
    its group (collapsing) or becomes a group of its own (uncollapsing); a change is taken if it
    lowers the loss, or by chance if it raises it by little, and the less the later. Records that
    look like fewer than k are suppressed; beyond the limit each one presses on the loss, the more
    the longer the limit is missed. Numbers keep contiguous groups unless told otherwise, a
    hierarchy is cut into its nodes, and a suppress-only value is kept or not.

    Changes from the paper: the temperature of each attribute starts at the median rise of its
    proposals and falls geometrically; many short annealings come before a long one, and the best
    counts; proposals to one attribute come in batches; ``hastings``
    corrects for proposals that are likelier one way than back, which the paper leaves out, so
    that at a constant temperature its chain has no Boltzmann distribution.

    A proposal costs one step for each combination of the other attributes' groups that the moved
    value occurs with, never a pass over the table. Memory O(n·m).
    """

    restarts: int = Field(
        default=1, ge=1, le=1000, description="long annealings that share the end of the budget"
    )
    heat: float = Field(default=1.0, ge=0.0, le=1000.0, description="factor on the temperatures")
    uncollapse_early: float = Field(
        default=0.4, gt=0.0, lt=1.0, description="share of uncollapsing proposals at the start"
    )
    uncollapse_late: float = Field(
        default=0.6, gt=0.0, lt=1.0, description="share of uncollapsing proposals at the end"
    )
    contiguous: bool = Field(default=True, description="groups of numbers are intervals")
    hastings: bool = Field(
        default=False, description="weigh acceptance by the chances of proposals"
    )

    def solve(self, problem: Problem, run: Run) -> Cut:
        """Return the best grouping found; all values in one group is the first."""
        seed = int(run.generator().integers(2**64, dtype="uint64"))
        search = open_search(problem, seed, contiguous=self.contiguous)
        run.report(0.0)
        search.walk(0, 0, temperature=0.0, uncollapse=0.5, pressure=1.0, hastings=False)
        budget = Budget.of(run, min(DEFAULT_STEPS, STEPS_A_ROW * problem.rows))
        short = SHORT * sum(domain.size for domain in problem.domains)
        if budget.steps is None or budget.steps >= LEAST_SHORT * short:
            rises = cycle(RISES)
            while budget.spent < SHORT_SHARE:
                self._anneal(problem, search, budget, budget.clock_of_steps(short), next(rises))
        each = (1 - budget.spent) / self.restarts
        for _ in range(self.restarts):
            self._anneal(problem, search, budget, budget.clock_of_share(each), RISES[0])
        run.report(1.0)
        return best_cut(problem, search)

    def _anneal(
        self,
        problem: Problem,
        search: kernels.CutSearch,
        budget: Budget,
        clock: Callable[[], float],
        rise: float,
    ) -> None:
        """Anneal once, from all values in one group, until the clock reaches 1."""
        sizes = [domain.size for domain in problem.domains]
        for place, size in enumerate(sizes):
            search.set_groups(place, np.zeros(size, dtype=np.int32))
        start: list[float] | None = None
        pressure = 1.0
        back = False
        while (now := clock()) < 1 and budget.spent < 1:
            cold = now < FIRST_DESCENT or now > 1 - LAST_DESCENT
            if not cold and start is None:
                start = self._temperatures(search, len(sizes), pressure)
            if now > 1 - LAST_DESCENT and not back:
                back = True
                for place in range(len(sizes)):
                    search.set_groups(place, search.best_groups(place))
            uncollapse = (1 - now) * self.uncollapse_early + now * self.uncollapse_late
            for place, size in enumerate(sizes):
                proposals = max(LEAST_PROPOSALS, PROPOSALS_A_VALUE * size)
                heat = 0.0 if cold or start is None else start[place] * COOLING**now
                search.walk(
                    place,
                    proposals,
                    temperature=heat,
                    uncollapse=uncollapse,
                    pressure=pressure,
                    hastings=self.hastings,
                )
                budget.spend(proposals, search.best_loss)
                if budget.spent >= 1:
                    return
            if search.suppressed > problem.suppression_limit:
                pressure = min(rise * pressure, MOST_PRESSURE)
            else:
                pressure = max(pressure / rise**0.5, LEAST_PRESSURE)

    def _temperatures(
        self, search: kernels.CutSearch, attributes: int, pressure: float
    ) -> list[float]:
        """Return for each attribute the typical rise of the loss by a proposal."""
        found = []
        for place in range(attributes):
            changes = search.sample(place, SAMPLE, uncollapse=0.5, pressure=pressure)
            rises = changes[changes > 0]
            found.append(self.heat * float(np.median(rises)) if len(rises) else 0.0)
        return found
