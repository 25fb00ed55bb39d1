"""Domains: the ordered values of one attribute, what a closure of them costs and how it reads.

A Domain gives every value a small integer code such that the closures of its kind are cheap: an
interval of codes for numbers and trees, a set of codes for categories.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

import numpy as np

from shoal.encoding import notation
from shoal.encoding.closures import (
    Closures,
    Sets,
    Spans,
    distinct_sets_of_units,
    distinct_spans,
    spans_of_units,
)
from shoal.table import SetLoss

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal._core import kernels
    from shoal.table import Attribute

# Beyond every other position by more than the whole range: any closure that mixes a missing cell
# with numbers then loses everything, with no special case in a kernel.
MISSING_POSITION = 4.0


class Domain(Protocol):
    """What the rest of the program needs to know about an attribute's values."""

    @property
    def attribute(self) -> Attribute:
        """The attribute whose values these are."""

    @property
    def size(self) -> int:
        """Number of codes."""

    @property
    def texts(self) -> Sequence[str]:
        """How the value of each code is written; a missing value is the empty text."""

    @property
    def missing(self) -> int | None:
        """The code of the missing value, if the table has one."""

    @property
    def present(self) -> NDArray[np.bool_]:
        """Which codes the table holds (a hierarchy may list more)."""

    def add_to(
        self, records: kernels.Records, codes: NDArray[np.unsignedinteger], weight: float
    ) -> None:
        """Hand this attribute's codes to the kernels."""

    def close(
        self, codes: NDArray[np.integer], starts: NDArray[np.int64]
    ) -> tuple[Closures, NDArray[np.int32]]:
        """Return the distinct closures of all units, and for each unit its place among them.

        Units are consecutive runs of ``codes``, which begin at ``starts``.
        """

    def loss(self, closures: Closures) -> NDArray[np.float64]:
        """Return the share of information that each closure loses, in [0, 1]."""

    def star(self, closures: Closures) -> NDArray[np.bool_]:
        """Return which closures are written ``*``."""

    def write(self, closures: Closures) -> list[str]:
        """Return each closure in the text notation."""

    def sizes(self, closures: Closures) -> NDArray[np.float64]:
        """Return how many values of the table each closure covers."""


def _spans(closures: Closures) -> Spans:
    assert isinstance(closures, Spans)
    return closures


def _covered(present: NDArray[np.bool_], spans: Spans) -> NDArray[np.float64]:
    below = np.concatenate(([0], np.cumsum(present), [present.sum()]))
    return (below[spans.last + 1] - below[spans.first]).astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class IntervalDomain:
    """Numbers, dates or ranks in ascending order; the missing value, if any, comes last.

    A closure that covers everything, ``*``, ends at the code after the last one. ``outward`` holds,
    where ends of intervals are rounded, the code of the multiple below and above each number.
    ``time_zone`` is that of a column of moments; their numbers are seconds of UTC.
    """

    attribute: Attribute
    texts: Sequence[str]
    numbers: NDArray[np.float64]
    positions: NDArray[np.float64]
    missing: int | None
    present: NDArray[np.bool_]
    outward: tuple[NDArray[np.int32], NDArray[np.int32]] | None = None
    time_zone: str | None = None

    @property
    def size(self) -> int:
        """Number of codes."""
        return len(self.positions)

    def add_to(
        self, records: kernels.Records, codes: NDArray[np.unsignedinteger], weight: float
    ) -> None:
        """Hand this attribute's codes to the kernels."""
        records.add_interval(codes, self.positions, weight)

    def close(
        self, codes: NDArray[np.integer], starts: NDArray[np.int64]
    ) -> tuple[Spans, NDArray[np.int32]]:
        """Return lowest and highest value; mixing missing cells with numbers covers all."""
        spans = spans_of_units(codes, starts)
        if self.missing is not None:
            mixed = (spans.last == self.missing) & (spans.first != self.missing)
            spans.first[mixed] = 0
            spans.last[mixed] = self.size
        if self.outward is not None:
            wide = (spans.first != spans.last) & (spans.last < len(self.numbers))
            spans.first[wide] = self.outward[0][spans.first[wide]]
            spans.last[wide] = self.outward[1][spans.last[wide]]
        return distinct_spans(spans)

    def loss(self, closures: Closures) -> NDArray[np.float64]:
        """Return width over permissible range."""
        spans = _spans(closures)
        positions = np.append(self.positions, 2 * MISSING_POSITION)
        # A union of closures may end at the missing value without having been closed to `*`.
        lost: NDArray[np.float64] = positions[spans.last] - positions[spans.first]
        return np.minimum(1.0, lost)

    def star(self, closures: Closures) -> NDArray[np.bool_]:
        """Return which closures cover everything."""
        return np.equal(_spans(closures).last, self.size)

    def write(self, closures: Closures) -> list[str]:
        """Return exact values as they are, intervals as ``[low..high]``."""
        spans = _spans(closures)
        texts = self.texts
        return [
            notation.STAR
            if star
            else notation.exact(texts[first])
            if first == last
            else notation.interval(texts[first], texts[last])
            for first, last, star in zip(
                spans.first.tolist(), spans.last.tolist(), self.star(spans).tolist(), strict=True
            )
        ]

    def sizes(self, closures: Closures) -> NDArray[np.float64]:
        """Return how many values of the table each interval covers."""
        return _covered(self.present, _spans(closures))


@dataclass(frozen=True, slots=True, eq=False)
class _ListedValues:
    """Values in the order of their texts, all of the table; the missing one, if any, last."""

    attribute: Attribute
    texts: Sequence[str]
    missing: int | None

    @property
    def size(self) -> int:
        """Number of codes."""
        return len(self.texts)

    @property
    def present(self) -> NDArray[np.bool_]:
        """All codes: the domain is made from the table."""
        return np.ones(self.size, dtype=np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class SetDomain(_ListedValues):
    """Plain categories; the missing value, if any, comes last."""

    @property
    def step(self) -> float:
        """Loss of every value beyond the first; the second may cost more, see :class:`SetLoss`."""
        whole = self.size - 1 if self.attribute.set_loss is SetLoss.SHARE else self.size
        return 1.0 / whole if self.size > 1 else 0.0

    @property
    def binary(self) -> bool:
        """Whether each value counts as an attribute of its own, with values 0 and 1."""
        return self.attribute.set_loss is SetLoss.BINARY and self.size > 1

    def loss_of(self, counts: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return what sets of so many values lose."""
        beyond = counts.astype(np.float64) - (0.0 if self.binary else 1.0)
        return np.minimum(1.0, np.where(counts > 1, beyond * self.step, 0.0))

    def add_to(
        self, records: kernels.Records, codes: NDArray[np.unsignedinteger], weight: float
    ) -> None:
        """Hand this attribute's codes to the kernels."""
        if not self.binary:
            records.add_set(codes, self.size, self.step, weight)
            return
        for code in range(self.size):
            shown = (codes == code).astype(np.uint8)
            records.add_all_or_nothing(shown, 2, weight * self.step)

    def close(
        self, codes: NDArray[np.integer], starts: NDArray[np.int64]
    ) -> tuple[Sets, NDArray[np.int32]]:
        """Return the set of values of each unit."""
        return distinct_sets_of_units(codes, starts, self.size)

    def loss(self, closures: Closures) -> NDArray[np.float64]:
        """Return what each set loses, by the number of its values."""
        assert isinstance(closures, Sets)
        return self.loss_of(closures.counts)

    def star(self, closures: Closures) -> NDArray[np.bool_]:
        """Return none: a set is always spelt out."""
        return np.zeros(len(closures), dtype=np.bool_)

    def write(self, closures: Closures) -> list[str]:
        """Return exact values as they are, sets as ``{a|b}``."""
        assert isinstance(closures, Sets)
        members = [notation.member(text) for text in self.texts]
        exact = [notation.exact(text) for text in self.texts]
        codes = closures.members.tolist()
        cuts = closures.offsets.tolist()
        return [
            exact[codes[start]]
            if end - start == 1
            else "{" + "|".join([members[code] for code in codes[start:end]]) + "}"
            for start, end in pairwise(cuts)
        ]

    def sizes(self, closures: Closures) -> NDArray[np.float64]:
        """Return how many values each set holds."""
        assert isinstance(closures, Sets)
        return closures.counts.astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class TreeDomain:
    """Leaves of a hierarchy in depth-first order; an unlisted missing value hangs at the root."""

    attribute: Attribute
    texts: Sequence[str]
    ancestors: NDArray[np.int32]
    node_names: Sequence[str]
    node_first: NDArray[np.int32]
    node_last: NDArray[np.int32]
    node_loss: NDArray[np.float64]
    missing: int | None
    present: NDArray[np.bool_]

    @property
    def size(self) -> int:
        """Number of codes."""
        return len(self.texts)

    @property
    def levels(self) -> tuple[int, int]:
        """Lowest and highest level that a release may show."""
        return self.attribute.levels or (0, len(self.ancestors) - 1)

    def add_to(
        self, records: kernels.Records, codes: NDArray[np.unsignedinteger], weight: float
    ) -> None:
        """Hand this attribute's codes to the kernels."""
        loss = self.node_loss
        lowest, _ = self.levels
        if lowest:
            # Nodes below the lowest level are shown as the node above them, and lose as much.
            loss = loss.copy()
            for nodes in self.ancestors[:lowest]:
                loss[nodes] = self.node_loss[self.ancestors[lowest]]
        records.add_tree(codes, self.ancestors, self.node_first, self.node_last, loss, weight)

    def node(self, spans: Spans) -> NDArray[np.int32]:
        """Return the lowest node above the first and the last leaf of each interval.

        Of those that a release may show: not below the lowest level.
        """
        lowest, _ = self.levels
        found = self.ancestors[-1, spans.first]
        for level in range(len(self.ancestors) - 2, lowest - 1, -1):
            low = self.ancestors[level, spans.first]
            found = np.where(low == self.ancestors[level, spans.last], low, found)
        return np.asarray(found, dtype=np.int32)

    def close(
        self, codes: NDArray[np.integer], starts: NDArray[np.int64]
    ) -> tuple[Spans, NDArray[np.int32]]:
        """Return the leaves below the lowest common node of each unit."""
        node = self.node(spans_of_units(codes, starts))
        return distinct_spans(Spans(self.node_first[node], self.node_last[node]))

    def loss(self, closures: Closures) -> NDArray[np.float64]:
        """Return (leaves below the node - 1) / (all leaves - 1)."""
        return self.node_loss[self.node(_spans(closures))]

    def star(self, closures: Closures) -> NDArray[np.bool_]:
        """Return which closures are the root."""
        spans = _spans(closures)
        whole = (spans.first == 0) & (spans.last == self.size - 1)
        return np.asarray(whole & (spans.first != spans.last), dtype=np.bool_)

    def write(self, closures: Closures) -> list[str]:
        """Return the name of each node; an exact value is escaped where it needs to be."""
        spans = _spans(closures)
        lowest, _ = self.levels
        return [
            notation.node(self.texts[first])
            if first == last and not lowest
            else notation.STAR
            if star
            else notation.node(self.node_names[node])
            for first, last, star, node in zip(
                spans.first.tolist(),
                spans.last.tolist(),
                self.star(spans).tolist(),
                self.node(spans).tolist(),
                strict=True,
            )
        ]

    def sizes(self, closures: Closures) -> NDArray[np.float64]:
        """Return how many leaves that the table holds lie below each node."""
        return _covered(self.present, _spans(closures))


@dataclass(frozen=True, slots=True, eq=False)
class SuppressDomain(_ListedValues):
    """Values that are either kept or replaced by ``*``."""

    def add_to(
        self, records: kernels.Records, codes: NDArray[np.unsignedinteger], weight: float
    ) -> None:
        """Hand this attribute's codes to the kernels."""
        records.add_all_or_nothing(codes, self.size, weight)

    def close(
        self, codes: NDArray[np.integer], starts: NDArray[np.int64]
    ) -> tuple[Spans, NDArray[np.int32]]:
        """Return the one value of each unit, or everything."""
        spans = spans_of_units(codes, starts)
        mixed = self.star(spans)
        spans.first[mixed] = 0
        spans.last[mixed] = self.size - 1
        return distinct_spans(spans)

    def loss(self, closures: Closures) -> NDArray[np.float64]:
        """Return 0 for a kept value, 1 for ``*``."""
        return self.star(closures).astype(np.float64)

    def star(self, closures: Closures) -> NDArray[np.bool_]:
        """Return which closures hold more than one value."""
        spans = _spans(closures)
        return np.not_equal(spans.first, spans.last)

    def write(self, closures: Closures) -> list[str]:
        """Return exact values as they are, ``*`` for the rest."""
        spans = _spans(closures)
        return [
            notation.exact(self.texts[first]) if first == last else notation.STAR
            for first, last in zip(spans.first.tolist(), spans.last.tolist(), strict=True)
        ]

    def sizes(self, closures: Closures) -> NDArray[np.float64]:
        """Return 1 for a kept value, the size of the domain for ``*``."""
        return _covered(self.present, _spans(closures))
