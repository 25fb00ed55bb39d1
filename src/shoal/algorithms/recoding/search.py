"""What searches for a global recoding share: the kernel for a problem, budgets, the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal._core import kernels
from shoal.algorithms.budget import Budget, for_width
from shoal.algorithms.cut import Cut
from shoal.algorithms.problem import weight_of_mi

if TYPE_CHECKING:
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

MEASURES = ("gcp", "mi", "pmi", "wmi", "cm", "cm_fields", "precision")
WITHOUT_MODELS = (
    "its search counts the records of each cell, but neither sensitive values nor persons, and "
    "knows one k for all"
)
DEFAULT_STEPS = 1_000_000
STEPS_A_ROW = 1_000  # what a small table gets by default
_SAMPLE = 32
_GOALS = {"gcp": "loss", "precision": "levels", "cm": "cells", "cm_fields": "fields"}


def default_budget(problem: Problem) -> Budget:
    """Return how many proposals `annealing` makes unless set."""
    steps = min(DEFAULT_STEPS, STEPS_A_ROW * problem.rows)
    return Budget(steps=for_width(steps, len(problem.codes)))


def temperatures(
    search: kernels.RecodingSearch, attributes: int, heat: float, pressure: float
) -> list[float]:
    """Return for each attribute the typical rise of the loss by a proposal, times a factor."""
    found = []
    for place in range(attributes):
        rises = np.zeros(0)
        if heat > 0:
            changes = search.sample(place, _SAMPLE, uncollapse=0.5, pressure=pressure)
            rises = changes[changes > 0]
        found.append(heat * float(np.median(rises)) if len(rises) else 0.0)
    return found


def open_search(
    problem: Problem, seed: int, *, contiguous: bool, control: kernels.Control | None = None
) -> kernels.RecodingSearch:
    """Return the kernel's search, with all values of each attribute in one group.

    Precision is that of the groups, whether or not their records are suppressed, as it is for
    the nodes of a lattice.
    """
    share = weight_of_mi(problem.measure)
    labels = np.zeros(0, dtype=np.uint8) if problem.target is None else problem.target
    return kernels.RecodingSearch(
        problem.records(),
        labels,
        int(labels.max(initial=0)) + 1,
        goal=_GOALS.get(problem.measure, "information"),
        share=1.0 if share is None else share,
        k=problem.k,
        limit=problem.suppression_limit,
        contiguous=contiguous,
        seed=seed,
        control=kernels.Control() if control is None else control,
    )


def best_cut(problem: Problem, search: kernels.RecodingSearch) -> Cut:
    """Return the best division that a search met."""
    return Cut(tuple(search.best_groups(place) for place in range(len(problem.domains))))


@dataclass(slots=True)
class Meter:
    """How much of a run's budget is spent, by steps or by the clock, whichever is further."""

    run: Run
    taken: int = 0

    def spend(self, steps: int, loss: float) -> None:
        """Count steps, and tell whoever watches."""
        self.taken += steps
        self.run.control.steps = self.taken
        self.run.control.loss = loss
        self.run.report(min(1.0, self.spent))

    @property
    def spent(self) -> float:
        """The share of the budget that is spent; at least 1 when it is used up."""
        budget = self.run.budget
        by_steps = self.taken / budget.steps if budget.steps else 0.0
        if budget.seconds is None:
            return by_steps
        by_time = budget.seconds_spent / budget.seconds if budget.seconds > 0 else 1.0
        return max(by_steps, by_time)
