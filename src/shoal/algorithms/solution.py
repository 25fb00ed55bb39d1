"""Solutions: what algorithms return, one type per way of publishing a table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from shoal.table.guarantees import Guarantee

if TYPE_CHECKING:
    import numpy as np

    from shoal.algorithms.problem import Problem
    from shoal.encoding.recoding import Recoding

__all__ = ["Guarantee", "Solution", "without_proof"]


_Kind = TypeVar("_Kind", bound="Solution")


class Solution(Protocol):
    """A solution of a problem; each type has its own module.

    Everything after an algorithm sees the recoding alone, so releases of all types compare on
    equal terms: same measures, same verifier, same facts.
    """

    @property
    def optimal(self) -> bool:
        """Whether it is proved that no solution of this type has less loss."""

    @property
    def lower_bound(self) -> float | None:
        """Loss that no solution of this type can go below, if one was proved."""

    @property
    def guarantee(self) -> Guarantee:
        """What a release of this solution guarantees."""

    def recode(self, problem: Problem, rng: np.random.Generator) -> Recoding:
        """Return what every record shows: the only way from a solution to closures."""


def without_proof(solution: _Kind) -> _Kind:
    """Return a solution without its proof, which holds for another problem."""
    return cast("_Kind", replace(cast("Any", solution), optimal=False, lower_bound=None))
