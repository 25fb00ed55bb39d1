"""Risk figures from their definitions: one record, one pair, one sum after the other."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import comb, exp, lgamma, log, prod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

Row = tuple[object, ...]


def prosecutor(rows: Sequence[Row], threshold: float) -> tuple[float, float, float]:
    """Average, highest and share above the threshold of 1/f."""
    sizes = Counter(rows)
    risks = [Fraction(1, sizes[row]) for row in rows]
    above = sum(risk > Fraction(threshold).limit_denominator(10**6) for risk in risks)
    return float(sum(risks) / len(rows)), float(max(risks)), above / len(rows)


def journalist(
    rows: Sequence[Row], population: Sequence[Row], threshold: float
) -> tuple[float, float, float]:
    """The same of 1/F; the average is the larger of that over classes and that over records."""
    sizes = Counter(population)
    risks = [Fraction(1, sizes[row]) for row in rows]
    over_records = sum(risks) / len(rows)
    over_classes = Fraction(len(set(rows)), sum(sizes[row] for row in set(rows)))
    above = sum(risk > Fraction(threshold).limit_denominator(10**6) for risk in risks)
    return float(max(over_records, over_classes)), float(max(risks)), above / len(rows)


def expected_inverse(f: int, pi: float, terms: int = 200_000) -> float:
    """E(1/F | f): F is the trial of the f-th success, each with probability pi."""
    total, chance = 0.0, pi**f
    for size in range(f, f + terms):
        total += chance / size
        chance *= (1 - pi) * size / (size - f + 1)
    return total


def zayatz(sizes: Counter[int], n: int, population: int) -> float:
    """Share of the population that is unique; sizes counts the classes of each size."""
    classes = sum(sizes.values())

    def chance_of_one(size: int) -> Fraction:
        return Fraction(size * comb(population - size, n - 1), comb(population, n))

    every = sum(Fraction(count, classes) * chance_of_one(size) for size, count in sizes.items())
    likely = Fraction(sizes[1], classes) * chance_of_one(1) / every
    return float(sizes[1] * likely / n)


def shlosser(sizes: Counter[int], pi: float) -> float:
    """Haas and Stokes' form of Shlosser's estimate of the population's classes."""
    first = sum(i * pi**2 * (1 - pi**2) ** (i - 1) * c for i, c in sizes.items())
    second = sum((1 - pi) ** i * ((1 + pi) ** i - 1) * c for i, c in sizes.items())
    third = sum((1 - pi) ** i * c for i, c in sizes.items())
    fourth = sum(i * pi * (1 - pi) ** (i - 1) * c for i, c in sizes.items())
    return sum(sizes.values()) + sizes[1] * first / second * (third / fourth) ** 2


def snb_counts(classes: float, alpha: float, beta: float, pi: float) -> tuple[float, float]:
    """Expected sample classes of one and of two, summed over the sizes of the population."""
    ones = twos = 0.0
    for more in range(3000):
        log_chance = (
            lgamma(more + alpha)
            - lgamma(alpha)
            - lgamma(more + 1)
            + alpha * log(beta)
            + more * log(1 - beta)
        )
        chance, size = exp(log_chance), more + 1
        ones += chance * size * pi * (1 - pi) ** (size - 1)
        if size > 1:
            twos += chance * comb(size, 2) * pi**2 * (1 - pi) ** (size - 2)
    return classes * ones, classes * twos


def pitman_likelihood(sizes: Counter[int], theta: float, alpha: float) -> float:
    """Logarithm of Pitman's sampling formula, without its constant."""
    n, u = sum(i * c for i, c in sizes.items()), sum(sizes.values())
    total = sum(log(theta + i * alpha) for i in range(1, u))
    total -= sum(log(theta + i) for i in range(1, n))
    for size, count in sizes.items():
        total += count * sum(log(i - alpha) for i in range(1, size))
    return total


def pitman_uniques(theta: float, alpha: float, population: int) -> float:
    """Expected uniques when people come one after the other, as the formula lets them.

    Each newcomer is of a new class with probability (θ + uα)/(θ + i), and joins one of the u1
    classes of one with probability u1 (1 - α)/(θ + i).
    """
    classes = uniques = 0.0
    for arrived in range(population):
        new = (theta + classes * alpha) / (theta + arrived)
        joined = uniques * (1 - alpha) / (theta + arrived)
        classes += new
        uniques += new - joined
    return uniques


def minimal_uniques(rows: Sequence[Row]) -> list[list[tuple[int, ...]]]:
    """For each record the sets of columns on which it is unique, but on no part of them."""
    m = len(rows[0])
    found: list[list[tuple[int, ...]]] = []
    for row in rows:
        minimal: list[tuple[int, ...]] = []
        for size in range(1, m + 1):
            for columns in combinations(range(m), size):
                alike = sum(all(row[c] == other[c] for c in columns) for other in rows)
                if alike == 1 and not any(set(one) <= set(columns) for one in minimal):
                    minimal.append(columns)
        found.append(minimal)
    return found


def suda_score(minimal: Sequence[tuple[int, ...]], m: int, largest: int) -> int:
    """Elliot's score: the product of m - i for i from a set's size to the largest, below m."""
    return sum(
        prod(m - i for i in range(len(columns), min(largest, m - 1) + 1)) for columns in minimal
    )


def matches(
    left: Sequence[Sequence[frozenset[object]]], right: Sequence[Sequence[frozenset[object]]]
) -> list[int]:
    """For each record how many others share a value with it in every column."""
    return [
        sum(all(a & b for a, b in zip(row, other, strict=True)) for other in right) for row in left
    ]
