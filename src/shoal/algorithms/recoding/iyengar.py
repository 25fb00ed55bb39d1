"""`iyengar`: genetic search over groupings of values.

Kernel: cpp/src/recoding/recoding_search.cpp.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from shoal.algorithms.algorithm import (
    Family,
    Form,
    Traits,
    algorithm,
)
from shoal.algorithms.budget import USUAL_WIDTH, Budget
from shoal.algorithms.recoding.search import (
    MEASURES,
    WITHOUT_MODELS,
    Meter,
    best_cut,
    open_search,
)
from shoal.algorithms.suppression import search_with_and_without

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal._core import kernels
    from shoal.algorithms.cut import Cut
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

    Groups = tuple[NDArray[np.int32], ...]

DEFAULT_STEPS = 5_000
STEPS_A_ROW = 10  # what a small table gets by default
WIDE_SECONDS = 10.0  # and a wide one, if that is less
# A mutation is a proposal that is taken whatever it costs.
ANYTHING = 1e9
# What a record suppressed beyond the limit costs; it outweighs any loss that it could save.
PRESSURE = 100.0


@dataclass(frozen=True, slots=True, eq=False)
class _Individual:
    groups: Groups
    fitness: float


def _default_budget(problem: Problem) -> Budget:
    steps = min(DEFAULT_STEPS, STEPS_A_ROW * problem.rows)
    # A child may change every attribute, each at the cost of a pass over all of them.
    seconds = WIDE_SECONDS if len(problem.codes) > USUAL_WIDTH else None
    return Budget(seconds=seconds, steps=steps)


@algorithm(
    "iyengar",
    family=Family.RECODING,
    traits=Traits(
        summary="Group the values of each attribute, the same way for all records, by a genetic "
        "search.",
        use_when="you compare with `annealing`, which loses less in the same time",
        cost=f"set by `time` or `steps` (groupings counted); {STEPS_A_ROW} per row by default, at "
        f"most {DEFAULT_STEPS:,} ({WIDE_SECONDS:.0f} seconds for wide tables)",
        paper="Iyengar, Transforming data to satisfy privacy constraints (2002)",
        anytime=True,
        random=True,
        measures=MEASURES,
        form=Form.GLOBAL,
        without_models=WITHOUT_MODELS,
        default_budget=_default_budget,
    ),
)
class Iyengar:
    """A population of groupings that mate and mutate, kept for comparison with ``annealing``.

    The idea: a child takes the grouping of each attribute from one of two parents, each the best of
    a few drawn at random; then some of its values change groups. If it is better than the worst of
    the population, it replaces it (steady state). States and loss are those of ``annealing``, not
    only groupings along a hierarchy as in the paper it comes from. Each child costs passes over the
    distinct rows, O(n·m); memory is O(n·m).
    """

    population: int = Field(default=50, ge=2, le=100_000, description="groupings kept")
    tournament: int = Field(
        default=3, ge=1, le=1000, description="candidates drawn for each parent"
    )
    mutation: float = Field(
        default=2.0,
        ge=0.0,
        le=1000.0,
        description="average number of values that change in a child",
    )
    contiguous: bool = Field(default=True, description="groups of numbers are intervals")

    def solve(self, problem: Problem, run: Run) -> Cut:
        """Return the best grouping found; all values in one group is the first."""
        return search_with_and_without(problem, run, self._search)

    def _search(self, problem: Problem, run: Run) -> tuple[Cut, float]:
        rng = run.generator()
        search = open_search(
            problem,
            int(rng.integers(2**64, dtype="uint64")),
            contiguous=self.contiguous,
            control=run.control,
        )
        run.report(0.0)
        collapsed = tuple(np.zeros(d.size, dtype=np.int32) for d in problem.domains)
        people = [self._assess(problem, search, collapsed)]
        meter = Meter(run)
        meter.spend(1, search.best_loss)
        while meter.spent < 1:
            if len(people) < self.population:
                # From a handful of changes to one of every second value.
                changes = int(rng.integers(1, 2 + sum(map(len, collapsed)) // 2))
                groups = self._mutate(search, collapsed, changes, rng)
            else:
                groups = self._mutate(
                    search,
                    self._mate(people, rng),
                    int(rng.poisson(self.mutation)),
                    rng,
                )
            child = self._assess(problem, search, groups)
            meter.spend(1, search.best_loss)
            if len(people) < self.population:
                people.append(child)
                continue
            worst = max(range(len(people)), key=lambda place: people[place].fitness)
            if child.fitness < people[worst].fitness:
                people[worst] = child
        run.report(1.0)
        return best_cut(problem, search), search.best_loss

    def _mate(self, people: list[_Individual], rng: np.random.Generator) -> Groups:
        """Return the groups of a child: each attribute's from one of two parents."""
        parents = []
        for _ in range(2):
            drawn = rng.integers(len(people), size=self.tournament)
            parents.append(
                min((people[int(place)] for place in drawn), key=lambda one: one.fitness)
            )
        chosen = rng.integers(2, size=len(parents[0].groups))
        return tuple(parents[int(parent)].groups[place] for place, parent in enumerate(chosen))

    @staticmethod
    def _mutate(
        search: kernels.RecodingSearch, groups: Groups, changes: int, rng: np.random.Generator
    ) -> Groups:
        """Return groups after some changes, each of an attribute drawn by its number of values."""
        sizes = np.array([len(one) for one in groups])
        each = rng.multinomial(changes, sizes / sizes.sum())
        for place, one in enumerate(groups):
            search.set_groups(place, one)
        for drawn in np.flatnonzero(each).tolist():
            search.walk(
                drawn,
                int(each[drawn]),
                temperature=ANYTHING,
                uncollapse=0.5,
                pressure=PRESSURE,
                hastings=False,
            )
        return tuple(search.groups(place) for place in range(len(groups)))

    @staticmethod
    def _assess(problem: Problem, search: kernels.RecodingSearch, groups: Groups) -> _Individual:
        for place, one in enumerate(groups):
            search.set_groups(place, one)
        search.walk(0, 0, temperature=0.0, uncollapse=0.5, pressure=PRESSURE, hastings=False)
        beyond = max(0, search.suppressed - problem.suppression_limit)
        return _Individual(groups, search.loss + PRESSURE * beyond / problem.n)
