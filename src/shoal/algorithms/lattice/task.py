"""A problem as a lattice: ladders for its attributes, losses in whole numbers, nodes judged."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from math import inf, log2, prod
from typing import TYPE_CHECKING

import numpy as np

from shoal._core import kernels
from shoal.algorithms.kernel_model_kinds import add_to_kernel
from shoal.algorithms.kernel_models import kernel_models
from shoal.algorithms.lattice import measured
from shoal.algorithms.lattice.seen import most_checks
from shoal.algorithms.levels import Levels
from shoal.encoding.ladder import Ladder
from shoal.errors import ParameterError
from shoal.measures.counts import covered, entropy_of_counts
from shoal.models import DistinctDiversity, DistinctPersons

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run
    from shoal.models import Model

KERNEL_MEASURES = ("gcp", "gcp_sum", "mi", "dm", "precision", "height")
MEASURES = (*KERNEL_MEASURES, *measured.MEASURES)
# Sums over all records of costs in these units stay below 2^62.
_BITS = 61
_MOST_BITS = 45


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """What is known of some nodes.

    Parameters
    ----------
    suppressed
        Records of each that are in classes too small or against a model.
    loss
        The loss of each, where it is sound; infinite elsewhere.
    floor
        What no node at or above each can go below.
    sound
        Whether it meets k, the models and the suppression limit.
    base
        Whether what can be inferred holds: no node below one where it fails is sound.
    """

    suppressed: NDArray[np.int64]
    loss: NDArray[np.float64]
    floor: NDArray[np.float64]
    sound: NDArray[np.bool_]
    base: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class LatticeTask:
    """A problem in the form that lattice algorithms take.

    Losses are whole numbers inside the kernel, so that they do not depend on the order of adding
    up, and lower bounds compare exactly; :meth:`value` turns them into the measure's figure.
    Measures that the kernel does not know come from the evaluator of releases, node by node.
    """

    problem: Problem
    ladders: tuple[Ladder, ...]
    kernel: kernels.Lattice
    level_costs: tuple[NDArray[np.float64], ...]
    scale: float
    offset: float
    measure: measured.NodeMeasure | None = None

    @classmethod
    def of(cls, problem: Problem) -> LatticeTask:
        """Return the lattice of a problem.

        Raises
        ------
        ParameterError
            If a model is of a kind that the kernel does not know.
        """
        for model in problem.models:
            if add_to_kernel.dispatch(type(model)) is add_to_kernel.dispatch(object):
                raise ParameterError(
                    f"Lattice algorithms cannot keep {model}.", remedy="Choose another algorithm."
                )
        ladders = tuple(Ladder.of(domain) for domain in problem.domains)
        loss, costs, suppressed, scale, offset = _losses(problem, ladders)
        kernel = kernels.Lattice(
            problem.counts,
            problem.k,
            problem.suppression_limit,
            loss,
            suppressed,
            kernel_models(problem),
            [_inferable(problem, model) for model in problem.models],
        )
        level_costs = []
        for ladder, codes, cost in zip(ladders, problem.codes, costs, strict=True):
            kernel.add(codes, ladder.looks, cost, ladder.silent.astype(np.uint8))
            level_costs.append(cost[:, codes] @ problem.counts / scale)
        slow = measured.NodeMeasure.of(problem, ladders) if loss == "unmeasured" else None
        return cls(problem, ladders, kernel, tuple(level_costs), scale, offset, slow)

    @property
    def heights(self) -> NDArray[np.int64]:
        """The highest level of each attribute."""
        return np.array([ladder.height for ladder in self.ladders])

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return prod(ladder.height + 1 for ladder in self.ladders)

    def value(self, loss: int) -> float:
        """Return the figure of the measure that a loss of the kernel stands for."""
        return max(loss / self.scale + self.offset, 0.0)

    def floor(self, node: NDArray[np.integer]) -> float:
        """Return what the levels of a node alone lose, as far as they tell."""
        costs = zip(self.level_costs, node.tolist(), strict=True)
        return float(sum(cost[level] for cost, level in costs)) + self.offset

    def judge(self, nodes: NDArray[np.integer], run: Run) -> Judged:
        """Count the classes of each node."""
        suppressed, loss, floor, sound, base = self.kernel.judge(
            np.ascontiguousarray(nodes, dtype=np.uint8), run.threads, run.control
        )
        figures = np.where(sound != 0, loss / self.scale + self.offset, inf)
        bounds = floor / self.scale + self.offset
        if self.measure is not None:
            for place in np.flatnonzero(sound).tolist():
                figures[place], _ = self.measure.judge(nodes[place])
        return Judged(suppressed, figures, bounds, sound != 0, base != 0)

    def is_sound(self, nodes: NDArray[np.integer], run: Run) -> NDArray[np.bool_]:
        """Return which nodes meet k, the models and the suppression limit."""
        judged = np.ascontiguousarray(nodes, dtype=np.uint8)
        return np.asarray(self.kernel.judge(judged, run.threads, run.control)[3] != 0)

    def search(self, way: str, run: Run) -> Levels:
        """Search the whole lattice in one of the kernel's ways.

        Raises
        ------
        ParameterError
            If the lattice is too large for that.
        """
        run.report(0.0)
        subsets = way == "incognito"
        if self.kernel.nodes(subsets) > kernels.most_lattice_nodes:
            raise _too_large(way, self.nodes, "nodes" + " and more with its subsets" * subsets)
        if self.measure is not None:
            return measured.search_by_measure(self, way, run)
        node, loss, checks, complete = self.kernel.search(
            way, run.threads, run.remaining(), most_checks(run), run.control
        )
        # A budget may end before the first sound node; the top always is one.
        found = node.astype(np.int64) if len(node) else self.heights
        run.control.steps = checks
        if not complete:
            run.note(
                f"{way} was stopped after {checks:,} nodes; the best of them is released, but a "
                "better one may exist."
            )
        optimal = complete and (way != "samarati" or self.problem.measure == "height")
        return self.answer(found, run, bound=self.value(loss) if optimal else None)

    def answer(self, node: NDArray[np.integer], run: Run, *, bound: float | None = None) -> Levels:
        """Return a node as a solution; a bound is its loss, where that was proved the least."""
        made = Levels.of(
            self.problem, node.tolist(), self.ladders, optimal=bound is not None, lower_bound=bound
        )
        run.report(1.0)
        return made


def require_searchable(way: str, attributes: int) -> None:
    """Refuse a search of the whole lattice of so many attributes, before anything is made for it.

    Parameters
    ----------
    attributes
        How many attributes have two values or more, and so at least two levels.

    Raises
    ------
    ParameterError
        If even two levels each make a lattice that is too large.
    """
    if 2**attributes > kernels.most_lattice_nodes:
        raise _too_large(way, 2**attributes, "nodes or more")


def _too_large(way: str, nodes: int, noun: str) -> ParameterError:
    # Lattices of many attributes have more nodes than a float can count.
    return ParameterError(
        f"{way} searches the whole lattice, but this one has {Decimal(nodes):.3g} {noun}.",
        remedy="Choose kgen, random or datafly, or fewer quasi-identifiers.",
    )


def _inferable(problem: Problem, model: Model) -> bool:
    """Return whether a node above one that meets the model meets it too.

    Counting distinct values that holds whatever is suppressed. Other models may break when a
    suppressed class joins a sound one, so they are inferred only where nothing is suppressed.
    """
    if isinstance(model, DistinctDiversity | DistinctPersons):
        return True
    return model.monotone and problem.suppression_limit == 0


def _losses(
    problem: Problem, ladders: tuple[Ladder, ...]
) -> tuple[str, list[NDArray[np.int64]], int, float, float]:
    """Return the kind of loss, costs of all looks and of suppression, their unit and offset."""
    measure = problem.measure
    if measure not in KERNEL_MEASURES or measure == "dm":
        nothing = [np.zeros(one.looks.shape, np.int64) for one in ladders]
        return "discernibility" if measure == "dm" else "unmeasured", nothing, 0, 1.0, 0.0
    n = problem.n
    if measure == "height":
        return "level", [_by_level(one, 1) for one in ladders], 0, float(n), 0.0
    offset = 0.0
    bits = _BITS - n.bit_length()
    if measure == "mi":
        offset = -log2(n)
        figures = []
        for ladder, codes, weight in zip(ladders, problem.codes, problem.weights, strict=True):
            counts = np.bincount(codes, problem.counts, minlength=ladder.domain.size)
            counts = counts.astype(np.int64)
            offset += weight * entropy_of_counts(counts)
            covers = [np.maximum(covered(counts, closures), 1) for closures in ladder.closures]
            figures.append(weight * np.log2(ladder.spread(covers)))
        bits -= n.bit_length().bit_length()
        whole = [weight * log2(n) for weight in problem.weights]
    elif measure == "precision":
        figures = [_by_level(one, 1) / max(one.top, 1) / len(ladders) for one in ladders]
        whole = [0.0] * len(ladders)
    else:
        pairs = zip(problem.weights, ladders, strict=True)
        figures = [weight * ladder.losses for weight, ladder in pairs]
        whole = list(problem.weights)
    unit = float(2 ** min(bits, _MOST_BITS))
    costs = [np.rint(figure * unit).astype(np.int64) for figure in figures]
    suppressed = sum(
        max(round(one * unit), int(cost.max())) for one, cost in zip(whole, costs, strict=True)
    )
    scale = unit if measure == "gcp_sum" else unit * n
    return "level" if measure == "precision" else "cost", costs, suppressed, scale, offset


def _by_level(ladder: Ladder, step: int) -> NDArray[np.int64]:
    levels = (ladder.bottom + np.arange(len(ladder.looks), dtype=np.int64))[:, None] * step
    return np.broadcast_to(levels, ladder.looks.shape).copy()
