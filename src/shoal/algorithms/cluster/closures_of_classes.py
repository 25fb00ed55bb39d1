"""Closures of all classes side by side: what merging two of them would cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from shoal.encoding.closures import WORD, Sets, Spans
from shoal.encoding.recoding import SUPPRESSED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.partition import Partition
    from shoal.algorithms.problem import Problem
    from shoal.encoding.domain import Domain, SetDomain


class _Column(Protocol):
    def losses(self) -> NDArray[np.float64]: ...
    def losses_with(self, chosen: int) -> NDArray[np.float64]: ...
    def merge(self, kept: int, gone: int) -> None: ...


class _SpanColumn:
    def __init__(self, domain: Domain, spans: Spans) -> None:
        self.domain = domain
        self.first, self.last = spans.first.copy(), spans.last.copy()

    def losses(self) -> NDArray[np.float64]:
        return self.domain.loss(Spans(self.first, self.last))

    def losses_with(self, chosen: int) -> NDArray[np.float64]:
        first = np.minimum(self.first, self.first[chosen])
        last = np.maximum(self.last, self.last[chosen])
        return self.domain.loss(Spans(first, last))

    def merge(self, kept: int, gone: int) -> None:
        self.first[kept] = min(self.first[kept], self.first[gone])
        self.last[kept] = max(self.last[kept], self.last[gone])


class _SetColumn:
    """Sets as rows of machine words: most domains need one."""

    def __init__(self, domain: SetDomain, sets: Sets) -> None:
        self.domain = domain
        width = -(-domain.size // WORD) * WORD
        held = np.zeros((len(sets), width), dtype=np.bool_)
        held[np.repeat(np.arange(len(sets)), sets.counts), sets.members] = True
        self.bits = np.packbits(held, axis=1).view(np.uint64)

    def losses(self) -> NDArray[np.float64]:
        return self._loss(self.bits)

    def losses_with(self, chosen: int) -> NDArray[np.float64]:
        return self._loss(self.bits | self.bits[chosen])

    def merge(self, kept: int, gone: int) -> None:
        self.bits[kept] |= self.bits[gone]

    def _loss(self, bits: NDArray[np.uint64]) -> NDArray[np.float64]:
        counts = np.bitwise_count(bits)
        held = counts[:, 0] if bits.shape[1] == 1 else counts.sum(axis=1, dtype=np.int64)
        return self.domain.loss_of(held)


class ClosuresOfClasses:
    """The closures of every class of a partition, kept up to date while classes are merged."""

    def __init__(self, problem: Problem, partition: Partition) -> None:
        kept = partition.rows[partition.classes != SUPPRESSED]
        starts = partition.starts - (len(partition.rows) - len(kept))
        self.weights = problem.weights
        self.columns: list[_Column] = []
        for codes, domain in zip(problem.codes, problem.domains, strict=True):
            closures, index = domain.close(codes[kept], starts)
            every = closures.take(index)
            column = _SpanColumn if isinstance(every, Spans) else _SetColumn
            self.columns.append(column(domain, every))  # type: ignore[arg-type]

    def losses(self) -> NDArray[np.float64]:
        """Return the loss per record of each class."""
        return sum_weighted(self.weights, [column.losses() for column in self.columns])

    def losses_with(self, chosen: int) -> NDArray[np.float64]:
        """Return the loss per record of each class if it were merged with the chosen one."""
        return sum_weighted(self.weights, [column.losses_with(chosen) for column in self.columns])

    def merge(self, kept: int, gone: int) -> None:
        """Widen one class by another."""
        for column in self.columns:
            column.merge(kept, gone)


def sum_weighted(
    weights: tuple[float, ...], losses: list[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Return the weighted sum over attributes."""
    total = np.zeros(len(losses[0]))
    for weight, loss in zip(weights, losses, strict=True):
        total += weight * loss
    return total
