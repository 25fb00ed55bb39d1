"""Records divided into classes that look the same: local recoding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.solution import Guarantee
from shoal.encoding.recoding import SUPPRESSED, Recoding

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.problem import Problem
    from shoal.models import ClassHistograms


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """Records divided into classes; given by distinct rows, which may be divided too.

    Parameters
    ----------
    rows, classes, counts
        Entry i says that ``counts[i]`` records of row ``rows[i]`` are in class ``classes[i]``,
        or are suppressed where that is ``SUPPRESSED``. Entries are grouped by class, ascending.
    optimal
        Whether no partition has less loss, by proof.
    lower_bound
        Loss that no partition can go below, where one was proved.
    """

    rows: NDArray[np.int32]
    classes: NDArray[np.int32]
    counts: NDArray[np.int32]
    optimal: bool = False
    lower_bound: float | None = None

    @classmethod
    def of(
        cls,
        rows: NDArray[np.integer],
        classes: NDArray[np.integer],
        counts: NDArray[np.integer],
    ) -> Partition:
        """Group entries by class and number the classes without gaps."""
        order = np.argsort(classes, kind="stable")
        rows, classes, counts = rows[order], classes[order], counts[order]
        fresh = np.concatenate(([True], classes[1:] != classes[:-1]))
        numbered = np.cumsum(fresh) - 1
        numbered -= int((classes == SUPPRESSED).any())
        return cls(rows.astype(np.int32), numbered.astype(np.int32), counts.astype(np.int32))

    @property
    def guarantee(self) -> Guarantee:
        """What a release guarantees: classes of at least k records that look the same."""
        return Guarantee.CLASSES

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where each class begins among the entries."""
        return np.searchsorted(self.classes, np.arange(self.number)).astype(np.int64)

    @property
    def number(self) -> int:
        """Number of classes."""
        return int(self.classes[-1]) + 1 if len(self.classes) else 0

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Records of each class."""
        kept = self.classes != SUPPRESSED
        sizes = np.bincount(self.classes[kept], self.counts[kept], minlength=self.number)
        return sizes.astype(np.int64)

    @property
    def suppressed(self) -> int:
        """Number of suppressed records."""
        return int(self.counts[self.classes == SUPPRESSED].sum())

    def histograms(self, values: NDArray[np.integer]) -> ClassHistograms:
        """Count the values of each class, given a value for each distinct row."""
        # Imported here: releases without models need no histograms.
        from shoal.models import ClassHistograms

        kept = self.classes != SUPPRESSED
        return ClassHistograms.of(
            self.classes[kept], values[self.rows[kept]], self.counts[kept], self.number
        )

    def class_of_record(self, problem: Problem, rng: np.random.Generator) -> NDArray[np.int32]:
        """Return the class of each record.

        Which of several equal records goes to which class is drawn at random: a fixed order would
        let an adversary who knows the file's order narrow it down.
        """
        mixed = rng.permutation(problem.n)
        place = mixed[np.argsort(problem.folded.row_of[mixed], kind="stable")]
        order = np.argsort(self.rows, kind="stable")
        classes = np.empty(problem.n, dtype=np.int32)
        classes[place] = np.repeat(self.classes[order], self.counts[order])
        return classes

    def recode(self, problem: Problem, rng: np.random.Generator) -> Recoding:
        """Return what every record shows: the closures of its class."""
        kept = self.rows[self.classes != SUPPRESSED]
        starts = self.starts - (len(self.rows) - len(kept))
        columns = problem.close(kept, starts)
        return Recoding.of(self.class_of_record(problem, rng), columns)
