"""What searches for a global recoding share: the kernel for a problem, budgets, the answer."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal._core import kernels
from shoal.algorithms.cut import Cut
from shoal.algorithms.problem import weight_of_mi

if TYPE_CHECKING:
    from collections.abc import Callable

    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

MEASURES = ("gcp", "mi", "pmi", "wmi", "cm", "cm_fields", "precision")
WITHOUT_MODELS = "its search counts the records of groups, not their sensitive values"
_GOALS = {"gcp": "loss", "precision": "levels", "cm": "cells", "cm_fields": "fields"}


def open_search(problem: Problem, seed: int, *, contiguous: bool) -> kernels.CutSearch:
    """Return the kernel's search, with all values of each attribute in one group.

    Precision is that of the groups, whether or not their records are suppressed, as it is for
    the nodes of a lattice.
    """
    share = weight_of_mi(problem.measure)
    labels = np.zeros(0, dtype=np.uint8) if problem.private is None else problem.private
    return kernels.CutSearch(
        problem.records(),
        labels,
        int(labels.max(initial=0)) + 1,
        goal=_GOALS.get(problem.measure, "information"),
        share=1.0 if share is None else share,
        k=problem.k,
        limit=problem.suppression_limit,
        contiguous=contiguous,
        seed=seed,
    )


def best_cut(problem: Problem, search: kernels.CutSearch) -> Cut:
    """Return the best division that a search met."""
    return Cut(tuple(search.best_groups(place) for place in range(len(problem.domains))))


@dataclass(slots=True)
class Budget:
    """How much of a run is spent, by steps where they are given, else by time."""

    run: Run
    steps: int | None
    seconds: float | None
    taken: int = 0

    @classmethod
    def of(cls, run: Run, default_steps: int) -> Budget:
        """Return the budget that a run was given, or a default number of steps."""
        if run.steps is not None or run.seconds is None:
            return cls(run, run.steps or default_steps, run.seconds)
        return cls(run, None, run.seconds)

    def spend(self, steps: int, loss: float) -> None:
        """Count steps, and tell whoever watches."""
        self.taken += steps
        self.run.control.steps = self.taken
        self.run.control.loss = loss
        self.run.report(min(1.0, self.spent))

    @property
    def spent(self) -> float:
        """The share of the budget that is spent; at least 1 when it is used up."""
        by_steps = self.taken / self.steps if self.steps else 0.0
        if self.seconds is None:
            return by_steps
        passed = time.monotonic() - self.run.started
        return max(by_steps, passed / self.seconds if self.seconds > 0 else 1.0)

    def clock_of_steps(self, length: int) -> Callable[[], float]:
        """Return a clock that runs from 0 to 1 over the next steps."""
        begin = self.taken
        return lambda: (self.taken - begin) / length

    def clock_of_share(self, share: float) -> Callable[[], float]:
        """Return a clock that runs from 0 to 1 over the next share of the budget."""
        begin = self.spent
        return lambda: (self.spent - begin) / share if share > 0 else 1.0
