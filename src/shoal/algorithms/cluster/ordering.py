"""Orders in which `sorted`, `greedy`, `k-member` and Split & Carry walk the records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from shoal.encoding.domain import IntervalDomain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.problem import Problem
    from shoal.encoding.domain import Domain

Order = Literal["ranks", "values"]
ORDER = (
    "which variance decides the order of the sort keys: that of ranks, which does not depend on "
    "units, or that of the values themselves, as in the paper"
)


def sorted_rows(problem: Problem, order: Order = "ranks") -> NDArray[np.int32]:
    """Return the distinct rows in lexicographic order, attributes by ascending weighted variance.

    Attributes that vary least come first: they have few values, so that a class which mixes them
    loses most, and neighbours in the order agree in them. Ranks are codes: those of numbers are
    their ranks, and categories have no other number in either order. Scaling the variance to the
    range of each attribute would undo the idea; it makes `sorted` lose three to four times as
    much. A weight divides it by its square. Missing numbers do not vary.
    """
    variances = [
        _variance(_varying(codes, domain, order), problem.counts) / weight**2
        for codes, domain, weight in zip(
            problem.codes, problem.domains, problem.weights, strict=True
        )
    ]
    # lexsort takes its last key as the first to compare; stable, so equal variances keep order.
    by_variance = np.argsort(variances, kind="stable")
    return np.lexsort([problem.codes[j] for j in reversed(by_variance)]).astype(np.int32)


def commonest_rows(problem: Problem) -> NDArray[np.int32]:
    """Return the distinct rows by how common their values are, the commonest first.

    That is the product of the shares of a row's values, to the power of their weights: the chance
    of the row if attributes were independent.
    """
    chance = np.zeros(problem.rows)
    for codes, weight in zip(problem.codes, problem.weights, strict=True):
        shares = np.bincount(codes, problem.counts) / problem.n
        chance += weight * np.log(shares[codes])
    return np.argsort(-chance, kind="stable").astype(np.int32)


def _varying(
    codes: NDArray[np.unsignedinteger], domain: Domain, order: Order
) -> NDArray[np.float64]:
    if order == "ranks" or not isinstance(domain, IntervalDomain):
        return codes.astype(np.float64)
    numbers = domain.numbers
    if domain.missing is not None:
        numbers = np.append(numbers[: domain.missing], np.nan)
    return np.asarray(numbers[codes], dtype=np.float64)


def _variance(values: NDArray[np.float64], counts: NDArray[np.int32]) -> float:
    known = ~np.isnan(values)
    if not known.any():
        return 0.0
    mean = np.average(values[known], weights=counts[known])
    return float(np.average((values[known] - mean) ** 2, weights=counts[known]))
