"""Conditions on a release as a whole, and what they look at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedClasses:
    """The classes of a release; starred records are one of them.

    Parameters
    ----------
    sizes
        Records of each class.
    people
        For each class the people of the population whom its cells cover, where a population is
        given.
    absent
        People of the population whom no class covers.
    uniqueness
        The estimated share of the population that is unique, where a sampling fraction is given.
    """

    sizes: NDArray[np.int64]
    people: NDArray[np.int64] | None = None
    absent: int = 0
    uniqueness: float | None = None

    @property
    def records(self) -> int:
        """Records of the release."""
        return int(self.sizes.sum())


class ReleaseModel(Protocol):
    """A condition on a release as a whole. Its text is what a user writes to request it."""

    @property
    def needs(self) -> tuple[str, ...]:
        """The options that must be set for it."""

    def holds(self, classes: ReleasedClasses) -> bool:
        """Return whether a release with these classes meets the model."""

    def enough(self, records: int) -> int:
        """Return a class size with which a release meets the model, if any release does."""
