"""Covers of different k side by side: freeform releases under a personal k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.algorithms.cover import recode_parts
from shoal.algorithms.solution import Guarantee

if TYPE_CHECKING:
    import numpy as np

    from shoal.algorithms.cover import Cover
    from shoal.algorithms.problem import Problem
    from shoal.encoding.recoding import Recoding


@dataclass(frozen=True, slots=True, eq=False)
class CoverParts:
    """Covers of disjoint sets of records, each with a k that none of its records exceeds.

    An original of a part hides among as many released records as the part's k, all equally likely.

    Parameters
    ----------
    parts
        The covers; their ``records`` are those of the whole problem, and no two share one.
    optimal
        Whether no such release has less loss, by proof.
    lower_bound
        Loss that none can go below, where one was proved.
    """

    parts: tuple[Cover, ...]
    optimal: bool = False
    lower_bound: float | None = None

    @property
    def guarantee(self) -> Guarantee:
        """What a release guarantees: equally likely counterparts, as many as required."""
        return Guarantee.FREEFORM

    def recode(self, problem: Problem, rng: np.random.Generator) -> Recoding:
        """Return what every record shows: the closure of the released record drawn for it."""
        return recode_parts(problem, self.parts, [part.match(rng) for part in self.parts])
