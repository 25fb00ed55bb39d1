"""Values divided into groups, the same for all records: global recoding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.solution import Guarantee
from shoal.encoding.encode import FoldedRows
from shoal.encoding.recoding import SUPPRESSED, ColumnRecoding, Recoding

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.problem import Problem
    from shoal.encoding.domain import Domain


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """A division of each attribute's values into groups.

    Records that show the same groups in every attribute look alike; where they are fewer than k
    they are suppressed.

    Parameters
    ----------
    groups
        For each attribute the group of each code.
    optimal
        Whether no such division has less loss, by proof.
    lower_bound
        Loss that no such division can go below, where one was proved.
    """

    groups: tuple[NDArray[np.int32], ...]
    optimal: bool = False
    lower_bound: float | None = None

    @property
    def guarantee(self) -> Guarantee:
        """What a release guarantees: classes of at least k records that look the same."""
        return Guarantee.CLASSES

    def recode(self, problem: Problem, rng: np.random.Generator) -> Recoding:
        """Return what every record shows: the closure of the group of each of its values."""
        del rng  # equal records are treated alike
        columns = []
        shown = []
        for codes, domain, groups in zip(problem.codes, problem.domains, self.groups, strict=True):
            column, place = _close(codes, domain, groups)
            columns.append(column)
            shown.append(column.index[place].astype(np.uint32))
        cells = FoldedRows.of(shown)
        sizes = np.bincount(cells.row_of, problem.counts)
        unit = np.where(sizes >= problem.k, np.arange(len(sizes)), SUPPRESSED)[cells.row_of]
        units = [
            ColumnRecoding(column.closures, index[cells.first].astype(np.int32))
            for column, index in zip(columns, shown, strict=True)
        ]
        return Recoding.of(unit.astype(np.int32)[problem.folded.row_of], units)


def _close(
    codes: NDArray[np.unsignedinteger], domain: Domain, groups: NDArray[np.int32]
) -> tuple[ColumnRecoding, NDArray[np.int64]]:
    """Return the closures of the groups, and for each row its group's place among them."""
    held = np.unique(codes)  # a group shows the values that some record has
    ordered = held[np.argsort(groups[held], kind="stable")]
    of_ordered = groups[ordered]
    starts = np.flatnonzero(np.concatenate(([True], of_ordered[1:] != of_ordered[:-1])))
    place = np.zeros(int(groups.max()) + 1, dtype=np.int64)
    place[of_ordered[starts]] = np.arange(len(starts))
    return ColumnRecoding(*domain.close(ordered, starts)), place[groups[codes]]
