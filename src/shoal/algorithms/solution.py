"""What algorithms answer with: one kind of solution for each way of publishing a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from shoal.verifier.anonymity_set import CLASSES

if TYPE_CHECKING:
    import numpy as np

    from shoal.algorithms.problem import Problem
    from shoal.encoding.recoding import Recoding


class Solution(Protocol):
    """An answer to a problem; a module of its own defines each kind.

    Everything after an algorithm sees the recoding alone, so releases of all kinds compare on
    equal terms: same measures, same verifier, same facts.
    """

    @property
    def optimal(self) -> bool:
        """Whether no solution of this kind has less loss, by proof."""

    @property
    def lower_bound(self) -> float | None:
        """Loss that no solution of this kind can go below, where one was proved."""

    def recode(self, problem: Problem, rng: np.random.Generator) -> Recoding:
        """Return what every record shows: the only way from a solution to closures."""


def promise_of(solution: Solution) -> str:
    """Return what the verifier is to hold a release to: classes, unless the solution says else."""
    return str(getattr(solution, "promise", CLASSES))
