"""The least loss of all divisions of a line of records into consecutive runs."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Loss = Callable[[Sequence[int]], float]


def least_by_trying_all(loss: Loss, records: Sequence[int], k: int) -> float:
    """Try every set of cuts; runs may be as long as they like."""
    n = len(records)
    best = float("inf")
    for number in range(n // k):
        for inner in combinations(range(k, n - k + 1), number):
            cuts = (0, *inner, n)
            if all(end - start >= k for start, end in pairwise(cuts)):
                total = sum(loss(records[start:end]) for start, end in pairwise(cuts))
                best = min(best, total)
    return best


def least_by_prefixes(loss: Loss, records: Sequence[int], k: int, longest: int) -> float:
    """Extend the best division of every shorter line by one run of k to ``longest`` records."""
    least = [0.0] + [float("inf")] * len(records)
    for end in range(k, len(records) + 1):
        least[end] = min(
            least[start] + loss(records[start:end])
            for start in range(max(end - longest, 0), end - k + 1)
        )
    return least[-1]
