"""Records generalized one by one, so that counterparts can be counted: k-concealment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.encoding.recoding import SUPPRESSED, ColumnRecoding, Recoding

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.problem import Problem
    from shoal.algorithms.solution import Guarantee


@dataclass(frozen=True, slots=True, eq=False)
class Concealment:
    """Each original is published as the closure of itself and some others.

    Parameters
    ----------
    records
        The originals that are released, ascending; the others are suppressed.
    members, starts
        The originals that each released record is the closure of, as places in ``records``, one
        after another, and where each begins.
    guarantee
        What a release guarantees.
    """

    records: NDArray[np.int64]
    members: NDArray[np.int32]
    starts: NDArray[np.int64]
    guarantee: Guarantee
    optimal: bool = False
    lower_bound: float | None = None

    def recode(self, problem: Problem, rng: np.random.Generator) -> Recoding:  # noqa: ARG002
        """Return what every record shows: the closure around itself."""
        rows = problem.folded.row_of[self.records[self.members]]
        columns = [
            ColumnRecoding(*domain.close(codes[rows], self.starts))
            for codes, domain in zip(problem.codes, problem.domains, strict=True)
        ]
        unit = np.full(problem.n, SUPPRESSED, dtype=np.int32)
        unit[self.records] = np.arange(len(self.records), dtype=np.int32)
        return Recoding.of(unit, columns)
