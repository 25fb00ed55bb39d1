"""The order in which `sorted`, `greedy` and Split & Carry walk the records."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.encoding.domain import IntervalDomain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.problem import Problem


def sorted_rows(problem: Problem) -> NDArray[np.int32]:
    """Return the distinct rows in lexicographic order, attributes by ascending weighted variance.

    Attributes that vary least come first, so that neighbours in the order agree in them and the
    cuts fall where values are dispersed anyway. A variance is taken over the range of its
    attribute (the paper takes raw values, which depend on units), of the codes where there are no
    numbers, and divided by the square of the weight.
    """
    variances = [
        _variance(codes, domain, problem.counts) / weight**2
        for codes, domain, weight in zip(
            problem.codes, problem.domains, problem.weights, strict=True
        )
    ]
    # lexsort takes its last key as the first to compare; stable, so equal variances keep order.
    by_variance = np.argsort(variances, kind="stable")
    return np.lexsort([problem.codes[j] for j in reversed(by_variance)]).astype(np.int32)


def _variance(
    codes: NDArray[np.unsignedinteger], domain: object, counts: NDArray[np.int32]
) -> float:
    if isinstance(domain, IntervalDomain):
        values = np.minimum(domain.positions, 1.0)[codes]
    else:
        size = domain.size  # type: ignore[attr-defined]
        values = codes / max(size - 1, 1)
    mean = np.average(values, weights=counts)
    return float(np.average((values - mean) ** 2, weights=counts))
