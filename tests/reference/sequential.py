"""Algorithms 1 to 3 of the sequential paper, as printed, on numbers whose range is 1."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    # The columns. Clusters are small: arrays would take ten times as long.
    Values = Sequence[Sequence[float]]
    Clusters = list[list[int]]


def loss(values: Values, cluster: Sequence[int]) -> float:
    """Return |C| · gc(C): the size of a cluster times its mean width."""
    if not cluster:
        return 0.0
    held = [[column[i] for i in cluster] for column in values]
    return len(cluster) * sum(max(one) - min(one) for one in held) / len(held)


def diversity(private: Sequence[int], cluster: Sequence[int]) -> float:
    """Return div(C): the size over the count of the most frequent private value."""
    if not cluster:
        return float("inf")
    return len(cluster) / max(Counter(private[i] for i in cluster).values())


def split(
    records: Sequence[int], private: Sequence[int], t: int, rng: np.random.Generator
) -> Clusters:
    """Return Algorithm 3: t clusters, by a permutation for each private value."""
    clusters: Clusters = [[] for _ in range(t)]
    for value in sorted({private[i] for i in records}):
        those = rng.permutation([i for i in records if private[i] == value]).tolist()
        least, more = divmod(len(those), t)
        for cluster, number in zip(clusters, rng.permutation(t).tolist(), strict=True):
            cluster += [those.pop() for _ in range(least + (number < more))]
    return clusters


def sequential(
    values: Values,
    k: int,
    k0: int,
    largest: float,
    rng: np.random.Generator,
    *,
    private: Sequence[int] | None = None,
    ell: float = 1.0,
) -> Clusters:
    """Return Algorithm 1, or with private values Algorithm 2.

    Parameters
    ----------
    k0
        Records of a cluster at the start.
    largest
        A larger cluster is split.
    """
    n = len(values[0])
    # All alike without private values: then Algorithm 3 cuts a random order into equal parts.
    secret = [0] * n if private is None else private

    def diverse(cluster: Sequence[int]) -> bool:
        return private is None or diversity(secret, cluster) >= ell

    clusters = split(range(n), secret, n // k0, rng)
    if not all(map(diverse, clusters)):
        return [list(range(n))]
    moved = True
    while moved:
        moved = False
        for record in range(n):
            own = next(cluster for cluster in clusters if record in cluster)
            rest = [i for i in own if i != record]
            if not diverse(rest):
                continue
            others = [c for c in clusters if c is not own and diverse([*c, record])]
            if not others:
                continue
            gain = loss(values, own) - loss(values, rest)
            costs = [loss(values, [*c, record]) - loss(values, c) - gain for c in others]
            best = int(np.argmin(costs))
            if rest and costs[best] >= 0:
                continue
            own.remove(record)
            others[best].append(record)
            clusters = [cluster for cluster in clusters if cluster]
            moved = True
        for cluster in [c for c in clusters if len(c) > largest]:
            halves = split(cluster, secret, 2, rng)
            if all(map(diverse, halves)):
                clusters.remove(cluster)
                clusters += halves
    return united(values, clusters, k)


def united(values: Values, clusters: Clusters, k: int) -> Clusters:
    """Return steps 11 to 14: small clusters unify, the closest two first."""

    def distance(one: list[int], other: list[int]) -> float:
        return loss(values, one + other) - loss(values, one) - loss(values, other)

    while True:
        small = [cluster for cluster in clusters if len(cluster) < k]
        if not small:
            return clusters
        candidates = small if len(small) > 1 else clusters
        one, other = min(
            ((a, b) for a in small for b in candidates if a is not b),
            key=lambda pair: distance(*pair),
        )
        clusters = [c for c in clusters if c is not one and c is not other] + [one + other]
