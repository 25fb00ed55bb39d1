"""Pairs and triples of columns that may tell a quasi-identifier which none of them tells alone.

Nothing is judged here: the attack tries what is found. It predicts each record from all others, so
chance does not take it in.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    Codes = NDArray[np.int64]
    Views = Sequence[Codes]

_COMPARED = 700  # records on either side, so about half a million pairs
_MANY = 100
_BINS = 16
_LEAST_AGREEING = 20
_LEAST_BEYOND = 1.3
_SIGMAS = 5.0
_MOST_IN_THREES = 14
_MOST_TRIED = 4  # combinations for each quasi-identifier


@dataclass(frozen=True, slots=True, eq=False)
class Combination:
    """Columns that may tell a quasi-identifier together.

    Parameters
    ----------
    columns, attribute
        The columns, and the quasi-identifier.
    views
        What the columns show together, in codes.
    exact
        Whether they give the very value of the quasi-identifier.
    """

    columns: tuple[str, ...]
    attribute: str
    views: Views
    exact: bool = False


def combined(views: Mapping[str, Views], names: Sequence[str]) -> list[Codes]:
    """Return the codes of the cells of several columns together: as they are, and in bins."""
    joined = [_joined([views[name][0] for name in names])]
    coarse = [_coarse(views[name]) for name in names]
    if any(one is not views[name][0] for one, name in zip(coarse, names, strict=True)):
        joined.append(_joined(coarse))
    return joined


def likely_combinations(
    columns: Mapping[str, Views], attributes: Mapping[str, Views], rng: np.random.Generator
) -> Iterator[Combination]:
    """Yield pairs and triples that go with a quasi-identifier as none of their columns does alone.

    Pairs of records are compared: if two columns determine a value only together, records that
    agree in both agree in the value, and records that agree in one of them hardly do. What each
    column says alone tells how often they would if the columns were independent hints.

    Parameters
    ----------
    columns, attributes
        For each column, and for each quasi-identifier, the codes of its cells.
    """
    names = list(columns)
    if len(names) < 2:
        return
    agree = _Agreement.of(names, columns, attributes, rng)
    for attribute in attributes:
        found = [*agree.pairs(attribute)]
        if len(names) <= _MOST_IN_THREES:
            found += agree.triples(attribute)
        found.sort(key=lambda one: (len(one[1]), -one[0]))
        for _, members in found[:_MOST_TRIED]:
            yield Combination(members, attribute, combined(columns, members))


@dataclass(frozen=True, slots=True, eq=False)
class _Agreement:
    """For pairs of records, packed in bits, whether they agree in each column."""

    pairs_of_records: int
    bits: Mapping[str, NDArray[np.uint64]]
    of_attributes: Mapping[str, NDArray[np.uint64]]

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        columns: Mapping[str, Views],
        attributes: Mapping[str, Views],
        rng: np.random.Generator,
    ) -> _Agreement:
        n = len(columns[names[0]][0])
        half = min(_COMPARED, n // 2)
        drawn = rng.permutation(n)[: 2 * half]
        here, there = drawn[:half], drawn[half:]

        def compared(views: Views) -> NDArray[np.uint64]:
            codes = _coarse(views)
            bits = np.packbits(codes[here][:, None] == codes[there][None, :])
            return np.pad(bits, (0, -len(bits) % 8)).view(np.uint64)

        return cls(
            half * half,
            {name: compared(columns[name]) for name in names},
            {name: compared(views) for name, views in attributes.items()},
        )

    def pairs(self, attribute: str) -> Iterator[tuple[float, tuple[str, ...]]]:
        """Yield pairs of columns that say more than both should, and how much more."""
        usual, alone = self._alone(attribute)
        theirs = self.of_attributes[attribute]
        for first, second in combinations(self.bits, 2):
            both = self.bits[first] & self.bits[second]
            found = _beyond(both, theirs, alone[first] * alone[second] / max(usual, 1e-12))
            if found is not None:
                yield found, (first, second)

    def triples(self, attribute: str) -> Iterator[tuple[float, tuple[str, ...]]]:
        """Yield the same for three columns, of which no two do."""
        usual, alone = self._alone(attribute)
        theirs = self.of_attributes[attribute]
        names = list(self.bits)
        rates = {
            pair: _rate(self.bits[pair[0]] & self.bits[pair[1]], theirs)
            for pair in combinations(names, 2)
        }
        for three in combinations(names, 3):
            all_three = self.bits[three[0]] & self.bits[three[1]] & self.bits[three[2]]
            expected = max(
                rates[pair][1] * alone[next(one for one in three if one not in pair)]
                for pair in combinations(three, 2)
            )
            found = _beyond(all_three, theirs, expected / max(usual, 1e-12))
            if found is not None:
                yield found, three

    def _alone(self, attribute: str) -> tuple[float, dict[str, float]]:
        """Return how often pairs agree in a value, of all and of those that agree in a column."""
        theirs = self.of_attributes[attribute]
        usual = _count(theirs) / self.pairs_of_records
        alone = {name: max(_rate(bits, theirs)[1], usual) for name, bits in self.bits.items()}
        return usual, alone


def _beyond(
    agreeing: NDArray[np.uint64], theirs: NDArray[np.uint64], expected: float
) -> float | None:
    """Return how much information agreeing pairs have beyond what is expected; None if none."""
    number, rate = _rate(agreeing, theirs)
    if number < _LEAST_AGREEING or expected <= 0 or rate < _LEAST_BEYOND * expected:
        return None
    if (rate - expected) * number < _SIGMAS * np.sqrt(number * expected):
        return None
    return float(np.log(rate / expected)) * rate


def _rate(agreeing: NDArray[np.uint64], theirs: NDArray[np.uint64]) -> tuple[int, float]:
    number = _count(agreeing)
    return number, _count(agreeing & theirs) / max(number, 1)


def _count(bits: NDArray[np.uint64]) -> int:
    return int(np.bitwise_count(bits).sum(dtype=np.int64))


def _coarse(views: Views) -> Codes:
    """Return the codes of a column, in few bins if it has many values and an order."""
    codes = views[0]
    if len(views) == 1 or int(codes.max()) < _MANY:
        return codes
    bins = views[1]
    most = int(bins.max()) + 1
    return bins if most <= _BINS else bins * _BINS // most


def _joined(codes: Sequence[Codes]) -> Codes:
    joined = codes[0]
    for more in codes[1:]:
        both = joined * (int(more.max()) + 1) + more
        joined = np.unique(both, return_inverse=True)[1].astype(np.int64)
    return joined
