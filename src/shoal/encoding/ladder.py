"""Ladders: the levels of generalization of one attribute, from exact values up to everything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from shoal.encoding.closures import Closures, Sets, Spans
from shoal.encoding.domain import IntervalDomain, SetDomain, TreeDomain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.encoding.domain import Domain

_Figure = TypeVar("_Figure", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class Ladder:
    """What every value of an attribute looks like on each level.

    A hierarchical attribute has the levels of its tree that a release may show. Any other has two,
    the value itself and everything, or one if it has a single value.

    Parameters
    ----------
    domain
        The attribute's values.
    looks
        ``looks[level, code]``: place of what the code shows in ``closures[level]``.
    closures
        For each level its closures.
    bottom, top
        Level of the hierarchy that is the first here, and that of its root.
    """

    domain: Domain
    looks: NDArray[np.int32]
    closures: tuple[Closures, ...]
    bottom: int = 0
    top: int = 1

    @classmethod
    def of(cls, domain: Domain) -> Ladder:
        """Return the levels that a domain offers."""
        if isinstance(domain, TreeDomain):
            return _of_tree(domain)
        codes = np.arange(domain.size, dtype=np.int32)
        exact, everything = _two_levels(domain)
        if domain.size == 1:
            return cls(domain, codes[None, :], (exact,), 0, 0)
        return cls(domain, np.stack((codes, np.zeros_like(codes))), (exact, everything))

    @property
    def height(self) -> int:
        """Number of steps from the first level to the last."""
        return len(self.looks) - 1

    @property
    def losses(self) -> NDArray[np.float64]:
        """Loss of each code on each level; it never falls from one level to the next."""
        return self.spread([self.domain.loss(closures) for closures in self.closures])

    @property
    def silent(self) -> NDArray[np.bool_]:
        """Which codes may read as a suppressed cell on which level.

        That is ``*``, and in the bounds notation a missing number.
        """
        found = self.spread([self.domain.star(closures) for closures in self.closures])
        if isinstance(self.domain, IntervalDomain) and self.domain.missing is not None:
            found[:, self.domain.missing] = True
        return found

    def spread(self, figures: list[NDArray[_Figure]]) -> NDArray[_Figure]:
        """Return a figure of each code on each level, given those of the closures."""
        return np.stack([of[looks] for of, looks in zip(figures, self.looks, strict=True)])


def _of_tree(domain: TreeDomain) -> Ladder:
    looks: list[NDArray[np.int32]] = []
    closures: list[Closures] = []
    lowest, highest = domain.levels
    for nodes in domain.ancestors[lowest : highest + 1]:
        shown, place = np.unique(nodes, return_inverse=True)
        looks.append(place.astype(np.int32))
        closures.append(Spans(domain.node_first[shown], domain.node_last[shown]))
    top = len(domain.ancestors) - 1
    return Ladder(domain, np.stack(looks), tuple(closures), lowest, top)


def _two_levels(domain: Domain) -> tuple[Closures, Closures]:
    codes = np.arange(domain.size, dtype=np.int32)
    if isinstance(domain, SetDomain):
        ends = np.array([0, domain.size], dtype=np.int64)
        return Sets(np.arange(domain.size + 1, dtype=np.int64), codes), Sets(ends, codes)
    # Everything ends at the code after the last one where a domain of numbers writes it as `*`.
    last = domain.size if isinstance(domain, IntervalDomain) else domain.size - 1
    everything = Spans(np.zeros(1, dtype=np.int32), np.array([last], dtype=np.int32))
    return Spans(codes, codes), everything
