"""The protocol of privacy models beyond class size, and the counts they look at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.models.protection import ProtectedValues, Protection
    from shoal.table import Table


@dataclass(frozen=True, slots=True, eq=False)
class ClassHistograms:
    """How often each value occurs in each class, for the pairs that occur at all.

    Parameters
    ----------
    owner, value, count
        Class, value and number of records of each pair, sorted by class and value.
    classes
        Number of classes.
    """

    owner: NDArray[np.int64]
    value: NDArray[np.int64]
    count: NDArray[np.int64]
    classes: int

    @classmethod
    def of(
        cls,
        owner: NDArray[np.integer],
        value: NDArray[np.integer],
        count: NDArray[np.integer],
        classes: int,
    ) -> ClassHistograms:
        """Sum the counts of equal pairs."""
        width = int(value.max(initial=0)) + 1
        keys, index = np.unique(owner.astype(np.int64) * width + value, return_inverse=True)
        summed = np.bincount(index, count, minlength=len(keys)).astype(np.int64)
        return cls(keys // width, keys % width, summed, classes)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Records of each class."""
        sizes = np.bincount(self.owner, self.count, minlength=self.classes)
        return sizes.astype(np.int64)

    @property
    def largest(self) -> NDArray[np.int64]:
        """How often the most frequent value of each class occurs in it."""
        largest = np.zeros(self.classes, dtype=np.int64)
        np.maximum.at(largest, self.owner, self.count)
        return largest


class Model(Protocol):
    """A condition on the values of one column within every class.

    Its text is what a user writes to request it. A monotone model that holds for two classes holds
    for their union, so that merging such classes never breaks it.
    """

    @property
    def column(self) -> str | None:
        """The column whose values it reads; ``None`` for every sensitive one."""

    @property
    def monotone(self) -> bool:
        """Whether the union of two classes that meet it meets it."""

    def holds(self, histograms: ClassHistograms) -> NDArray[np.bool_]:
        """Return which classes meet the model."""

    def shortfalls(self, histograms: ClassHistograms) -> NDArray[np.float64]:
        """Return how far each class is from meeting the model; 0 where it meets it.

        Larger classes weigh more, so that the shortfalls of classes can be added up: merging two
        classes helps if the sum falls.
        """

    def require_feasible(self, histogram: NDArray[np.int64]) -> None:
        """Raise ``InfeasibleError`` if not even the whole table, as one class, meets the model."""


class PrivacyModel(Model, Protocol):
    """A model that users can request, before it has seen a table."""

    def fit(self, table: Table, values: ProtectedValues) -> Protection:
        """Return the model on the values of its column, with the codes that it reads."""
