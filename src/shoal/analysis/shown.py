"""What records show, as numbers that analyses can take: exact values and closures alike.

A reader of a closure knows that the value lies in it, and no more: it counts for each value of the
table that it covers, all to the same share. An exact value is a closure of one.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from shoal.encoding.closures import Sets, Spans
from shoal.encoding.domain import IntervalDomain, SetDomain
from shoal.encoding.recoding import SUPPRESSED
from shoal.measures.counts import covered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.encoding.closures import Closures
    from shoal.encoding.domain import Domain
    from shoal.encoding.recoding import Recoding

# Values of an attribute that analyses tell apart; rarer ones are taken together.
MOST_VALUES = 50


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Some values of an attribute: one value, an interval of numbers, or all rare ones."""

    name: str
    codes: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """The quasi-identifiers of records, original or released.

    Parameters
    ----------
    domains
        The attributes.
    closures
        For each attribute the closures that occur.
    index
        For each attribute which of them each record shows.
    """

    domains: tuple[Domain, ...]
    closures: tuple[Closures, ...]
    index: tuple[NDArray[np.int64], ...]

    @classmethod
    def exact(cls, domains: tuple[Domain, ...], codes: Sequence[NDArray[np.integer]]) -> Shown:
        """Return records that show their values."""
        return cls(
            domains,
            tuple(_singles(domain) for domain in domains),
            tuple(column.astype(np.int64) for column in codes),
        )

    @classmethod
    def recoded(cls, domains: tuple[Domain, ...], recoding: Recoding) -> Shown:
        """Return records that show closures; a suppressed one shows the whole domain."""
        closures, index = [], []
        gone = recoding.unit == SUPPRESSED
        for domain, column in zip(domains, recoding.columns, strict=True):
            closures.append(_with_everything(column.closures, domain))
            shown = np.append(column.index, 0)[recoding.unit].astype(np.int64)
            shown[gone] = len(column.closures)
            index.append(shown)
        return cls(domains, tuple(closures), tuple(index))

    @property
    def records(self) -> int:
        """Number of records."""
        return len(self.index[0])

    def take(self, records: NDArray[np.integer]) -> Shown:
        """Return some of the records."""
        return Shown(self.domains, self.closures, tuple(column[records] for column in self.index))

    def drawn(self, rng: np.random.Generator) -> Shown:
        """Return records with one value of each closure, all values of it equally likely."""
        codes = []
        for domain, closures, index in zip(self.domains, self.closures, self.index, strict=True):
            luck = rng.random(len(index))
            if isinstance(closures, Sets):
                place = closures.offsets[index] + (luck * closures.counts[index]).astype(np.int64)
                codes.append(closures.members[place])
                continue
            first = closures.first[index].astype(np.int64)
            last = np.minimum(closures.last[index], domain.size - 1).astype(np.int64)
            held = np.flatnonzero(domain.present)
            below, end = np.searchsorted(held, first), np.searchsorted(held, last, "right")
            place = below + (luck * (end - below)).astype(np.int64)
            anything = first + (luck * (last - first + 1)).astype(np.int64)
            known = held[np.minimum(place, len(held) - 1)]
            codes.append(np.where(end > below, known, anything))
        return Shown.exact(self.domains, codes)

    def share(self, attribute: int, codes: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return for each closure of an attribute the share of its values among these codes."""
        domain = self.domains[attribute]
        closures = self.closures[attribute]
        present = domain.present
        chosen = np.zeros(domain.size, dtype=np.bool_)
        chosen[codes] = True
        within = covered(present.astype(np.int64), closures)
        every = covered(np.ones(domain.size, dtype=np.int64), closures)
        held = np.where(
            within > 0,
            covered((chosen & present).astype(np.int64), closures),
            covered(chosen.astype(np.int64), closures),  # no value of the table lies in it
        )
        return np.asarray(held / np.maximum(np.where(within > 0, within, every), 1))

    def memberships(self, groups: Sequence[Sequence[Group]]) -> list[NDArray[np.float32]]:
        """Return for each attribute the share of each closure in each group."""
        return [
            np.stack([self.share(place, one.codes) for one in of_attribute], axis=1).astype(
                np.float32
            )
            for place, of_attribute in enumerate(groups)
        ]

    def ends(self, attribute: int) -> NDArray[np.float32]:
        """Return low end, middle and high end of each closure of numbers, and if it is missing.

        Numbers run from 0 to 1 over those of the table. A missing value stands in the middle.
        """
        domain, spans = self.domains[attribute], self.closures[attribute]
        assert isinstance(domain, IntervalDomain)
        assert isinstance(spans, Spans)
        numbers = domain.numbers[domain.present[: len(domain.numbers)]]
        if len(numbers) == 0:
            return np.zeros((len(spans), 4), dtype=np.float32)
        width = numbers[-1] - numbers[0]
        scaled = (domain.numbers - numbers[0]) / (width if width > 0 else 1.0)
        last = len(scaled) - 1
        low, high = scaled[np.minimum(spans.first, last)], scaled[np.minimum(spans.last, last)]
        gone = np.zeros(len(spans))
        if domain.missing is not None:
            gone = self.share(attribute, np.array([domain.missing]))
            low, high = np.where(gone == 1, 0.5, low), np.where(gone == 1, 0.5, high)
        return np.stack([low, (low + high) / 2, high, gone], axis=1).astype(np.float32)


def groups_of(shown: Shown, bins: int) -> list[list[Group]]:
    """Return the groups of values that analyses tell apart, from exact records.

    Numbers fall into intervals with about as many records each. Of categories the most frequent
    ones stand for themselves.
    """
    found = []
    for place, domain in enumerate(shown.domains):
        counts = np.bincount(shown.index[place], minlength=domain.size)
        if isinstance(domain, IntervalDomain):
            found.append(bins_of(domain, counts, bins))
        else:
            found.append(_frequent(domain, counts))
    return found


def bins_of(domain: IntervalDomain, counts: NDArray[np.int64], bins: int) -> list[Group]:
    """Return intervals with about as many records each, and the missing value."""
    held = np.flatnonzero(domain.present[: len(domain.numbers)])
    groups = []
    if len(held):
        below = np.cumsum(counts[held]) - counts[held]
        parts = below * bins // max(int(counts[held].sum()), 1)
        first = np.flatnonzero(np.diff(parts, prepend=-1))
        # Ends that only the release has belong to the interval that begins below them.
        starts = [0, *held[first[1:]].tolist(), len(domain.numbers)]
        lasts = [*(first[1:] - 1).tolist(), len(held) - 1]
        for place, (start, end) in enumerate(pairwise(starts)):
            ends = domain.texts[held[first[place]]], domain.texts[held[lasts[place]]]
            name = ends[0] if ends[0] == ends[1] else f"{ends[0]}..{ends[1]}"
            groups.append(Group(name, np.arange(start, end)))
    if domain.missing is not None:
        groups.append(Group("missing", np.array([domain.missing])))
    return groups


def _frequent(domain: Domain, counts: NDArray[np.int64]) -> list[Group]:
    order = np.argsort(-counts, kind="stable")
    kept = np.sort(order[:MOST_VALUES])
    groups = [Group(domain.texts[code] or "missing", np.array([code])) for code in kept]
    if domain.size > MOST_VALUES:
        groups.append(Group("rare values", np.sort(order[MOST_VALUES:])))
    return groups


def _singles(domain: Domain) -> Closures:
    codes = np.arange(domain.size, dtype=np.int32)
    if isinstance(domain, SetDomain):
        return Sets(np.arange(domain.size + 1, dtype=np.int64), codes)
    return Spans(codes, codes)


def _with_everything(closures: Closures, domain: Domain) -> Closures:
    if isinstance(closures, Sets):
        every = np.arange(domain.size, dtype=np.int32)
        return Sets(
            np.append(closures.offsets, closures.offsets[-1] + domain.size),
            np.concatenate((closures.members, every)),
        )
    last = domain.size if isinstance(domain, IntervalDomain) else domain.size - 1
    return Spans(np.append(closures.first, np.int32(0)), np.append(closures.last, np.int32(last)))
