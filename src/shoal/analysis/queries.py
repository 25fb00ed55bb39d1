"""Counts that a reader of the release would answer, beside those of the original."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.analysis.intervals import mean_with_interval
from shoal.encoding.domain import IntervalDomain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.analysis.shown import Shown
    from shoal.encoding.domain import Domain

MOST_ATTRIBUTES = 3
# A query covers this share of an attribute's values.
LEAST_SHARE, MOST_SHARE = 0.05, 0.5
# Errors are divided by the true count, but by no less than this share of the records: an error of
# one where nobody is would otherwise outweigh all others.
SANITY = 0.001


def compare_counts(
    original: Shown, release: Shown, queries: int, rng: np.random.Generator
) -> dict[str, Any]:
    """Return how far counts from a release are from the true ones.

    A query counts the records that lie in a range or a set of values in each of one to three
    attributes, all drawn at random. The release answers as if each closure's values were equally
    likely and attributes independent within a record; records that were withheld are not counted.

    Returns
    -------
    dict
        ``error``: mean of |answer - truth| / max(truth, 0.1 % of records) with its confidence
        interval, ``median``, and ``by_attributes``, the mean for each number of attributes.
    """
    errors = np.zeros(queries)
    used = np.zeros(queries, dtype=np.int64)
    least = max(1.0, SANITY * original.records)
    attributes = len(original.domains)
    for query in range(queries):
        used[query] = rng.integers(1, min(MOST_ATTRIBUTES, attributes) + 1)
        chosen = rng.choice(attributes, size=used[query], replace=False)
        conditions = [(int(place), _range(original.domains[place], rng)) for place in chosen]
        truth, answer = _count(original, conditions), _count(release, conditions)
        errors[query] = abs(answer - truth) / max(truth, least)
    return {
        "queries": queries,
        "error": mean_with_interval(errors),
        "median": float(np.median(errors)),
        "by_attributes": {
            str(number): float(errors[used == number].mean()) for number in np.unique(used)
        },
    }


def _range(domain: Domain, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the codes that a query covers: neighbours where values are ordered."""
    held = np.flatnonzero(domain.present)
    wanted = max(1, round(float(rng.uniform(LEAST_SHARE, MOST_SHARE)) * len(held)))
    if isinstance(domain, IntervalDomain):
        start = int(rng.integers(0, len(held) - wanted + 1))
        return np.asarray(held[start : start + wanted], np.int64)
    return np.asarray(rng.choice(held, size=wanted, replace=False), np.int64)


def _count(shown: Shown, conditions: list[tuple[int, NDArray[np.int64]]]) -> float:
    product = np.ones(shown.records)
    for place, codes in conditions:
        product *= shown.share(place, codes)[shown.index[place]]
    return float(product.sum())
