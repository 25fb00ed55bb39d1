"""Who could be whom: the released records that an attacker has to choose from for each person.

An attacker knows a person's original quasi-identifiers and so finds the person's equivalence class.
Each released record of the class is a candidate. For a large release a sample of persons is
examined; candidates of a large class are sampled too, and each stands for several.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_TARGETS = 3_000
MOST_CANDIDATES = 60


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Pairs of a target and a candidate, those of one target together.

    Parameters
    ----------
    target, candidate
        Records by number; each target is one of its own candidates.
    starts
        Where the pairs of each target start, and last the number of pairs.
    stands_for
        How many candidates each pair stands for; 1 where none was left out.
    """

    target: NDArray[np.int64]
    candidate: NDArray[np.int64]
    starts: NDArray[np.int64]
    stands_for: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def own(self) -> NDArray[np.bool_]:
        """Which pairs are a target with itself."""
        return np.asarray((self.target == self.candidate) & (self.stands_for > 0))

    @classmethod
    def in_classes(cls, classes: NDArray[np.int64], rng: np.random.Generator) -> Candidates:
        """Pair sampled records with those of their class; ``classes`` numbers the class of each."""
        n = len(classes)
        targets = np.arange(n)
        if n > MOST_TARGETS:
            targets = np.sort(rng.choice(n, MOST_TARGETS, replace=False))
        wanted = np.zeros(int(classes.max()) + 1, dtype=np.bool_)
        wanted[classes[targets]] = True
        members = np.flatnonzero(wanted[classes])
        order = members[np.argsort(classes[members], kind="stable")]
        sizes = np.bincount(classes[members])
        first = np.concatenate(([0], np.cumsum(sizes)))
        return cls._drawn(targets, order, first[classes[targets]], sizes[classes[targets]], rng)

    @classmethod
    def in_matches(cls, matches: NDArray[np.int64], rng: np.random.Generator) -> Candidates:
        """Pair sampled records with the records that may be theirs in a freeform release.

        Row r of ``matches`` names the records whose original the cells of record r were made to
        cover; the candidates of a record are the rows that name it. Rows of -1 are suppressed,
        and rows that name fewer than others are filled up with -1.
        """
        released = np.flatnonzero(matches[:, 0] >= 0)
        named = matches[released].ravel()
        by = np.repeat(released, matches.shape[1])[named >= 0]
        named = named[named >= 0]
        order = by[np.argsort(named, kind="stable")]
        sizes = np.bincount(named, minlength=len(matches))
        first = np.concatenate(([0], np.cumsum(sizes)))
        targets = released
        if len(targets) > MOST_TARGETS:
            targets = np.sort(rng.permutation(released)[:MOST_TARGETS])
        return cls._drawn(targets, order, first[targets], sizes[targets], rng)

    @classmethod
    def _drawn(
        cls,
        targets: NDArray[np.int64],
        order: NDArray[np.int64],
        first: NDArray[np.int64],
        sizes: NDArray[np.int64],
        rng: np.random.Generator,
    ) -> Candidates:
        """Take all candidates of a target, or a sample of them with the target among them."""
        taken = np.minimum(sizes, MOST_CANDIDATES)
        starts = np.concatenate(([0], np.cumsum(taken)))
        target = np.repeat(targets, taken)
        place = np.arange(starts[-1]) - np.repeat(starts[:-1], taken)
        large = np.repeat(sizes > MOST_CANDIDATES, taken)
        span = np.repeat(sizes, taken)
        drawn = (rng.random(len(place)) * span).astype(np.int64)
        candidate = order[np.repeat(first, taken) + np.where(large, drawn, place)]
        # Of a sample the first is the target itself; the others stand for the rest.
        itself = large & (place == 0)
        candidate[itself] = target[itself]
        again = large & (place > 0) & (candidate == target)
        stands_for = np.ones(len(place))
        others = large & (place > 0) & ~again
        drawn_others = np.add.reduceat(others, starts[:-1]) if len(targets) else np.zeros(0)
        weight = (sizes - 1) / np.maximum(drawn_others, 1)
        stands_for[others] = np.repeat(weight, taken)[others]
        stands_for[again] = 0.0
        return cls(target, candidate, starts, stands_for)
