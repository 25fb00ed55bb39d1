"""`annealing`: simulated annealing over groupings of values.

Kernel: cpp/src/recoding/recoding_search.cpp.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import Field

from shoal.algorithms.algorithm import (
    Family,
    Form,
    Traits,
    algorithm,
)
from shoal.algorithms.recoding.search import (
    DEFAULT_STEPS,
    MEASURES,
    STEPS_A_ROW,
    WITHOUT_MODELS,
    Meter,
    best_cut,
    default_budget,
    open_search,
    temperatures,
)
from shoal.algorithms.recoding.sim1 import anneal_as_printed
from shoal.algorithms.suppression import search_with_and_without
from shoal.table.schema import Kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal._core import kernels
    from shoal.algorithms.cut import Cut
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

    Groups = tuple[NDArray[np.int32], ...]

# One annealing: some turns of all attributes, the first half warm, the second downhill under a
# pressure that rises until too many suppressed records cost more than anything else.
LEAST_TURNS, MOST_TURNS, FIRST_TURNS = 3, 8, 10
# Proposals to one attribute before the next has its turn: changing the attribute costs a pass
# over the table, so an attribute with few values gets more of them than it needs. From nothing
# the first turns are short: the first attribute would take all the room that k leaves.
PROPOSALS_A_VALUE, LEAST_PROPOSALS, FIRST_PROPOSALS = 4, 32, 4
HEATS = (0.0, 0.1, 0.3, 1.0)  # of the typical rise of a proposal
PRESSURES, MOST_PRESSURE = (1.0, 10.0, 100.0), 1e4
REPAIRS, TURNS_AFTER_REPAIR = 4, 2
UNCOLLAPSE_OVER_LIMIT = 0.1
# The share of the budget for annealings from nothing; the others begin at what came of two of
# the best states, or at one of them with some attributes collapsed.
FRESH, POOL, CROSSED = 0.15, 8, 0.7


@algorithm(
    "annealing",
    family=Family.RECODING,
    traits=Traits(
        summary="Group the values of each attribute, the same way for all records, by simulated "
        "annealing.",
        use_when="all records must share one grouping of values, above all for classifiers "
        "(`measure='cm'`)",
        cost=f"set by `time` or `steps` (proposals); {STEPS_A_ROW:,} per distinct row by default, "
        f"at most {DEFAULT_STEPS:,}, fewer for wide tables",
        paper="Winkler, Using simulated annealing for k-anonymity (2002)",
        anytime=True,
        random=True,
        measures=MEASURES,
        form=Form.GLOBAL,
        without_models=WITHOUT_MODELS,
        default_budget=default_budget,
    ),
)
class Annealing:
    """One grouping of each attribute's values for the whole table (Sim1).

    The idea: attributes take turns. A value is drawn and either takes a value from elsewhere into
    its group (collapsing) or becomes a group of its own (uncollapsing). A change is accepted if it
    lowers the loss, or, with a chance that falls over time, if it raises it a little. Records in
    classes below k are suppressed; beyond the limit, each one adds a penalty to the loss that grows
    over time. Numbers keep contiguous groups unless set otherwise, a hierarchy is cut into its
    nodes, and a suppress-only value is kept or not.

    Changes from the paper: the temperature of each attribute starts at the median rise of its
    proposals, times a factor. Many short annealings follow each other instead of one long one,
    since which attributes collapse is decided early and seldom revised. Some begin with all values
    in one group; the others begin with a mixture of two of the best states so far, attribute by
    attribute, or with one of them in which some attributes are collapsed, so that others may use
    the room. Proposals to one attribute come in batches. ``hastings`` corrects for proposals that
    are likelier one way than back; the paper leaves this out, so at a constant temperature its
    chain has no Boltzmann distribution.

    ``schedule=paper`` is Sim1 as printed: one chain that starts from the table as it is, one
    proposal to each attribute in turn, the partner drawn from the value itself and all values
    outside its group, and numbers treated like categories. Groups of numbers may then overlap:
    cells and facts show each from its least to its greatest. What the paper leaves open is our
    choice: the temperature of an attribute falls linearly to 0 from the median rise of its
    proposals, times ``heat``. A turn costs a pass over the table, so without a budget it makes a
    twentieth of the default proposals.

    A proposal costs one step for each combination of the other attributes' groups in which the
    moved value occurs, never a pass over the table. Memory is O(n·m).
    """

    schedule: Literal["pool", "paper"] = Field(
        default="pool",
        description="many short annealings from a pool of states, or the paper's single chain "
        "(Sim1), which `restarts`, `uncollapse_early`, `uncollapse_late` and `contiguous` do not "
        "change",
    )
    restarts: int = Field(
        default=1, ge=1, le=1000, description="independent searches that share the budget"
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
        default=False, description="weight acceptance by the probabilities of proposals"
    )

    def solve(self, problem: Problem, run: Run) -> Cut:
        """Return the best grouping found; all values in one group is the first."""
        return search_with_and_without(problem, run, self._search)

    def _search(self, problem: Problem, run: Run) -> tuple[Cut, float]:
        rng = run.generator()
        printed = self.schedule == "paper"
        search = open_search(
            problem,
            int(rng.integers(2**64, dtype="uint64")),
            contiguous=self.contiguous and not printed,
            control=run.control,
        )
        run.report(0.0)
        search.walk(0, 0, temperature=0.0, uncollapse=0.5, pressure=1.0, hastings=False)
        if printed:
            anneal_as_printed(problem, search, run, heat=self.heat, hastings=self.hastings)
            return best_cut(problem, search), search.best_loss
        chain = _Chain(self, problem, search, Meter(run), rng)
        for number in range(self.restarts):
            chain.search_until((number + 1) / self.restarts)
        run.report(1.0)
        return best_cut(problem, search), search.best_loss


@dataclass(frozen=True, slots=True, eq=False)
class _State:
    loss: float
    groups: Groups


@dataclass(frozen=True, slots=True)
class _Walk:
    """How proposals of one turn are drawn and taken."""

    heats: list[float]  # of the attributes
    uncollapse: float
    pressure: float
    most: int | None  # proposals to an attribute


@dataclass(slots=True, eq=False)
class _Chain:
    """One annealing after another, and the best states they ended in."""

    settings: Annealing
    problem: Problem
    search: kernels.RecodingSearch
    meter: Meter
    rng: np.random.Generator

    def search_until(self, end: float) -> None:
        """Fill a pool by annealings from nothing, then better it until a share is spent."""
        nothing = tuple(np.zeros(domain.size, dtype=np.int32) for domain in self.problem.domains)
        begin = self.meter.spent
        pool: list[_State] = []
        while self.meter.spent < end:
            fresh = not pool or self.meter.spent < begin + FRESH * (end - begin)
            resting = self._place(nothing) if fresh else self._descendant(pool)
            turns = FIRST_TURNS if fresh else int(self.rng.integers(LEAST_TURNS, MOST_TURNS + 1))
            self._anneal(turns, resting, fresh=fresh)
            self._keep(pool)

    def _place(self, groups: Groups) -> set[int]:
        for place, one in enumerate(groups):
            self.search.set_groups(place, one)
        return set()

    def _keep(self, pool: list[_State]) -> None:
        """Take the state as it is into the pool, if it is sound and better than another there."""
        if self._is_over_limit:
            return
        loss = self.search.loss
        if any(abs(loss - one.loss) < 1e-12 for one in pool):
            return
        groups = tuple(self.search.groups(place) for place in range(len(self.problem.domains)))
        if len(pool) < POOL:
            pool.append(_State(loss, groups))
            return
        worst = max(range(POOL), key=lambda place: pool[place].loss)
        if loss < pool[worst].loss:
            pool[worst] = _State(loss, groups)

    def _descendant(self, pool: list[_State]) -> set[int]:
        """Place a state that comes of the pool; return the attributes that should wait."""
        first, second, other = (pool[int(place)] for place in self.rng.integers(len(pool), size=3))
        parent = min(first, second, key=lambda one: one.loss)
        if len(pool) > 1 and self.rng.random() < CROSSED:
            pairs = zip(parent.groups, other.groups, strict=True)
            mixed = self.rng.random(len(parent.groups)) < 0.5
            return self._place(
                tuple(b if swap else a for (a, b), swap in zip(pairs, mixed, strict=True))
            )
        self._place(parent.groups)
        divided = [place for place, one in enumerate(parent.groups) if one.min() != one.max()]
        number = min(int(self.rng.geometric(0.5)), max(1, len(parent.groups) // 2))
        collapsed = self.rng.permutation(divided)[:number].tolist()
        for place in collapsed:
            self.search.set_groups(place, self._merged(place, parent.groups[place]))
        return set(collapsed)

    def _merged(self, place: int, groups: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return all values in one group, or some neighbouring groups as one."""
        kind = self.problem.domains[place].attribute.kind
        if kind not in {Kind.NUMERIC, Kind.CATEGORICAL} or self.rng.random() < 0.5:
            return np.zeros_like(groups)
        names, first = np.unique(groups, return_index=True)
        names = names[np.argsort(first)]
        if kind is Kind.CATEGORICAL:
            names = self.rng.permutation(names)
        low, high = sorted(self.rng.integers(len(names) + 1, size=2).tolist())
        some = names[low:high] if high - low > 1 else names
        return np.where(np.isin(groups, some), some[0], groups).astype(np.int32)

    def _anneal(self, turns: int, resting: set[int], *, fresh: bool) -> None:
        """Anneal from the state as it is: warm at first, then downhill and towards the limit."""
        settings = self.settings
        pressure = float(self.rng.choice(PRESSURES))
        heats = self._temperatures(settings.heat * float(self.rng.choice(HEATS)), pressure)
        for turn in range(turns):
            now = turn / (turns - 1)
            cold = now > 0.5
            walk = _Walk(
                [0.0 if cold else heat * (1 - 2 * now) for heat in heats],
                (1 - now) * settings.uncollapse_early + now * settings.uncollapse_late,
                pressure ** (2 - 2 * now) * MOST_PRESSURE ** (2 * now - 1) if cold else pressure,
                FIRST_PROPOSALS << turn if fresh else None,
            )
            self._turn(walk, resting if turn == 0 else set())
        if self._is_over_limit:
            self._repair()

    def _repair(self) -> None:
        """Unite groups until few enough records are suppressed, then part what can be parted.

        A cell of few records may be far from any other, so that no single step helps: steps that
        change nothing but the loss are taken too.
        """
        heats = self._temperatures(1.0, 0.0)
        for _ in range(REPAIRS):
            self._turn(_Walk(heats, UNCOLLAPSE_OVER_LIMIT, MOST_PRESSURE, None), set())
            if not self._is_over_limit:
                break
        downhill = [0.0] * len(heats)
        for _ in range(TURNS_AFTER_REPAIR):
            late = self.settings.uncollapse_late
            self._turn(_Walk(downhill, late, MOST_PRESSURE, None), set())

    @property
    def _is_over_limit(self) -> bool:
        return self.search.suppressed > self.problem.suppression_limit

    def _turn(self, walk: _Walk, resting: set[int]) -> None:
        """Propose changes of all attributes in turn, but of those that rest."""
        for place in self.rng.permutation(len(self.problem.domains)).tolist():
            if place in resting or self.meter.spent >= 1:
                continue
            size = self.problem.domains[place].size
            proposals = max(LEAST_PROPOSALS, PROPOSALS_A_VALUE * size)
            proposals = min(proposals, walk.most or proposals)
            self.search.walk(
                place,
                proposals,
                temperature=walk.heats[place],
                uncollapse=walk.uncollapse,
                pressure=walk.pressure,
                hastings=self.settings.hastings,
            )
            self.meter.spend(proposals, self.search.best_loss)

    def _temperatures(self, heat: float, pressure: float) -> list[float]:
        """Return for each attribute the typical rise of the loss by a proposal, times a factor."""
        return temperatures(self.search, len(self.problem.domains), heat, pressure)
