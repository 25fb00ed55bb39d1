"""`kgen`: a genetic search of the lattice.

Kernel of the node checks: cpp/src/lattice/lattice.cpp.
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
from shoal.algorithms.lattice.climbing import lower
from shoal.algorithms.lattice.genetics import (
    between,
    cross,
    mutate,
    mutate_horizontally,
    reduction,
    selection_probabilities,
)
from shoal.algorithms.lattice.seen import DEFAULT_NODES, Known, Ledger, default_budget
from shoal.algorithms.lattice.support import SupportMaps
from shoal.algorithms.lattice.task import MEASURES, LatticeTask
from shoal.algorithms.suppression import search_with_and_without

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.levels import Levels
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

    Node = NDArray[np.int64]


@dataclass(slots=True)
class _Individual:
    """A node of the population, and for how many generations it has been there."""

    node: Node
    known: Known
    penalty: int = 0

    @property
    def loss(self) -> float:
        """Its loss if it is sound, else what its levels lose."""
        return self.known.loss if self.known.sound else self.known.floor


@algorithm(
    "kgen",
    family=Family.LATTICE,
    traits=Traits(
        summary="Let a population of level combinations evolve; for many quasi-identifiers.",
        use_when="the lattice is too large for `flash`: many quasi-identifiers, each with a "
        "hierarchy",
        cost=(
            f"set by `steps` (nodes) or `time`, or until stagnation; {DEFAULT_NODES:,} nodes by "
            "default"
        ),
        paper="De Pascale et al., Real-world K-Anonymity applications: the KGen approach, 2023",
        anytime=True,
        random=True,
        measures=MEASURES,
        form=Form.FULL_DOMAIN,
        default_budget=default_budget,
    ),
)
class KGen:
    """The best feasible node found comes back; proved best only if every node was judged.

    The idea: the levels that each attribute would need even alone bound the lattice from below. The
    nodes in between evolve by a crossover that knows which parents are feasible, and by mutations
    along and across the paths of the lattice. With `selection=paper`, `descend=false` and
    `patience=0` it follows the paper, whose selection favours great losses. The default keeps the
    best feasible nodes and the infeasible ones nearest to the limit, and lowers each best node of a
    population attribute by attribute. Time is O(n·m) per node, or less if the classes of a finer
    node are at hand; any number of attributes. Steps are nodes visited; a node found again is not
    judged again.
    """

    population: int = Field(default=100, ge=4, le=100_000, description="nodes of the population")
    crossover: float = Field(
        default=0.9, ge=0.0, le=1.0, description="chance that two parents are crossed"
    )
    mutation: float = Field(
        default=0.2, ge=0.0, le=1.0, description="chance that one level is drawn again"
    )
    horizontal: float = Field(
        default=0.4, ge=0.0, le=1.0, description="chance of a mutation to another path"
    )
    share: float = Field(
        default=0.5, ge=0.0, le=1.0, description="share of levels that a horizontal mutation moves"
    )
    selection: Literal["elite", "paper"] = Field(
        default="elite",
        description="how parents and survivors are chosen: the best, or by the paper's formula",
    )
    descend: bool = Field(
        default=True,
        description="whether the best node of a population is lowered attribute by attribute",
    )
    patience: int = Field(
        default=20,
        ge=0,
        le=1_000_000,
        description="generations without a better node before a restart; 0 means never",
    )
    restarts: int = Field(default=4, ge=0, le=1_000_000, description="number of restarts")
    support_maps: bool = Field(
        default=False,
        description="count classes by intersecting bit sets of records first, as the paper does",
    )

    def solve(self, problem: Problem, run: Run) -> Levels:
        """Return the best node that was met."""
        return search_with_and_without(problem, run, self._search)

    def _search(self, problem: Problem, run: Run) -> tuple[Levels, float]:
        task = LatticeTask.of(problem)
        run.report(0.0)
        low = np.zeros_like(task.heights)
        with run.until_stopped():
            low = reduction(task, run)
        maps = SupportMaps(problem, task.ladders) if self.support_maps else None
        ledger = Ledger(task, run, low, maps)
        rng = run.generator()
        with run.until_stopped():
            for _ in range(self.restarts + 1):
                if ledger.is_over():
                    break
                self._evolve(ledger, rng)
        bound = ledger.least if ledger.exhausted else None
        return task.answer(ledger.best, run, bound=bound), ledger.least

    def _evolve(self, ledger: Ledger, rng: np.random.Generator) -> None:
        """Let one population live until the budget ends or nothing better has come for long."""
        population = self._first(ledger, rng)
        idle, least = 0, float("inf")
        while not ledger.is_over() and (self.patience == 0 or idle < self.patience):
            nodes: list[Node] = []
            for _ in range(0, self.population, 2):
                nodes += self._offspring(ledger, population, rng)
            nodes = ledger.affordable(nodes)
            offspring = [
                _Individual(node, known)
                for node, known in zip(nodes, ledger.look(nodes), strict=True)
            ]
            best = min((*population, *offspring), key=lambda one: one.known.loss)
            if self.descend and best.known.loss < least:
                best = _Individual(*lower(ledger, best.node, best.known, rng))
                offspring.append(best)
            idle = 0 if best.known.loss < least else idle + 1
            least = min(least, best.known.loss)
            for one in population:
                one.penalty += 1
            population = self._survivors([*population, *offspring], rng)

    def _first(self, ledger: Ledger, rng: np.random.Generator) -> list[_Individual]:
        low, high = ledger.low, ledger.high
        nodes = [between(low, high, rng) for _ in range(self.population)]
        if self.selection == "elite":
            # With many attributes a node drawn evenly is hardly ever sound; some start higher up.
            for place in range(0, self.population, 2):
                up = rng.random(len(low)) < rng.random()
                nodes[place] = np.where(up, high, nodes[place])
        nodes = ledger.affordable(nodes)
        known = ledger.look(nodes)
        return [_Individual(node, one) for node, one in zip(nodes, known, strict=True)]

    def _offspring(
        self, ledger: Ledger, population: list[_Individual], rng: np.random.Generator
    ) -> list[Node]:
        first, second = self._parents(population, rng)
        nodes = [first.node, second.node]
        if rng.random() < self.crossover:
            nodes = cross(
                first.node,
                second.node,
                (first.known.sound, second.known.sound),
                lambda node: ledger.look([node])[0].sound,
                rng,
            )
        made = []
        for node in nodes:
            child = node
            if rng.random() < self.mutation:
                child = mutate(child, ledger.low, ledger.high, rng)
            if rng.random() < self.horizontal:
                child = mutate_horizontally(child, ledger.low, ledger.high, self.share, rng)
            made.append(child)
        return made

    def _parents(
        self, population: list[_Individual], rng: np.random.Generator
    ) -> tuple[_Individual, _Individual]:
        if self.selection == "paper":
            first, second = rng.choice(len(population), 2, p=_chances(population))
        else:
            # The population is in order of merit: of two drawn, the earlier one wins.
            first, second = rng.integers(0, len(population), (2, 2)).min(axis=0)
        return population[int(first)], population[int(second)]

    def _survivors(
        self, everyone: list[_Individual], rng: np.random.Generator
    ) -> list[_Individual]:
        distinct = {one.node.tobytes(): one for one in reversed(everyone)}
        everyone = list(distinct.values())
        size = min(self.population, len(everyone))
        if self.selection == "paper":
            chances = _chances(everyone)
            size = min(size, int(np.count_nonzero(chances)))
            drawn = rng.choice(len(everyone), size, replace=False, p=chances)
            return [everyone[int(place)] for place in drawn]
        sound = sorted((one for one in everyone if one.known.sound), key=lambda one: one.loss)
        unsound = sorted(
            (one for one in everyone if not one.known.sound),
            key=lambda one: (one.known.suppressed, one.loss),
        )
        half = max(size // 2, size - len(unsound))
        kept = [*sound[:half], *unsound[: size - min(half, len(sound))]]
        order = np.argsort([place % half for place in range(len(kept))], kind="stable")
        return [kept[int(place)] for place in order]


def _chances(population: list[_Individual]) -> NDArray[np.float64]:
    losses = np.array([one.loss for one in population])
    losses[~np.isfinite(losses)] = 0.0  # nothing would be shown: no parent
    return selection_probabilities(losses, np.array([one.penalty for one in population]))
