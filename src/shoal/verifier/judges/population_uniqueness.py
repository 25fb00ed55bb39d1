"""Population uniqueness: how many of the population are unique, by the rule of Dankar et al.

The estimates are worked out from their definitions, by sums and searches that are not those with
which releases are made.
"""

from __future__ import annotations

from collections import Counter
from math import exp, inf, lgamma, log
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from shoal.verifier.judges.judge import release_judge

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from shoal.verifier.judges.judge import JudgedRelease

SizeCounts: TypeAlias = "Counter[int]"  # classes of each size

# Up to this sampling fraction the rule takes Pitman's estimate.
_SMALL = 0.1
_MISS = 1e-3


@release_judge("population-uniqueness", needs="sampling_fraction")
def population_uniqueness(numbers: Sequence[Fraction], release: JudgedRelease) -> tuple[bool, str]:
    """Compare the estimated share of the population that is unique with the share."""
    assert release.fraction is not None
    counts = Counter(release.sizes.tolist())
    records = sum(size * number for size, number in counts.items())
    population = max(records, round(records / release.fraction))
    uniques = estimate(counts, records, population, release.fraction)
    reached = uniques / population
    return reached <= numbers[0], f"an estimated share of {reached:.4g} of the population is unique"


def estimate(counts: SizeCounts, records: int, population: int, fraction: float) -> float:
    """Return the expected number of people who are unique in the population."""
    if counts[1] == 0 or fraction >= 1:
        return float(counts[1])
    by_zayatz = _zayatz(counts, records, population) / fraction
    if fraction <= _SMALL:
        by_pitman = _pitman(counts, records, population)
        return by_zayatz if by_pitman is None else by_pitman
    by_snb = _snb(counts, fraction)
    return by_zayatz if by_snb is None else min(by_zayatz, by_snb)


def _zayatz(counts: SizeCounts, records: int, population: int) -> float:
    """Return how many of the sample's uniques are expected to be unique in the population.

    A class of j people leaves one in the sample with a chance in proportion to
    j C(N - j, n - 1); classes of the population are taken to be as large as those of the sample.
    """

    def chance(size: int) -> float:
        if population - size < records - 1:
            return 0.0
        return size * exp(
            _log_choose(population - size, records - 1) - _log_choose(population - 1, records - 1)
        )

    likely = counts[1] / sum(number * chance(size) for size, number in counts.items())
    return counts[1] * likely


def _log_choose(total: int, chosen: int) -> float:
    return lgamma(total + 1) - lgamma(chosen + 1) - lgamma(total - chosen + 1)


def _pitman(counts: SizeCounts, records: int, population: int) -> float | None:
    """Return the uniques expected under Pitman's sampling formula of greatest likelihood."""
    classes = sum(counts.values())
    if classes == records:
        return None
    steps = np.arange(1, classes)
    large = [(size, number) for size, number in counts.items() if size > 1]

    def theta_of(place: float, alpha: float) -> float:
        return max(-alpha, -alpha * (classes - 1)) + exp(place)

    def unlikely(at: NDArray[np.float64]) -> float:
        place, alpha = float(at[0]), float(at[1])
        if alpha >= 1 or abs(place) > 40:
            return inf
        theta = theta_of(place, alpha)
        seen = float(np.log(theta + alpha * steps).sum())
        rising = lgamma(theta + records) - lgamma(theta + 1)
        sizes = sum(number * (lgamma(size - alpha) - lgamma(1 - alpha)) for size, number in large)
        return rising - seen - sizes

    starts = [(log(classes), alpha) for alpha in (-5.0, -0.5, 0.1, 0.5, 0.9)]
    place, alpha = _least(unlikely, starts)
    theta = theta_of(place, alpha)
    expected = log(population) + lgamma(theta + 1) - lgamma(theta + alpha)
    expected += lgamma(population + theta + alpha - 1) - lgamma(population + theta)
    found = exp(expected) if expected < log(population) + 1 else inf
    return found if found <= population else None


def _snb(counts: SizeCounts, fraction: float) -> float | None:
    """Return the uniques expected under the SNB model that explains classes of one and of two."""
    ones, twos = counts[1], counts[2]
    total = _classes_of_population(counts, fraction)
    if twos == 0 or not total < inf:
        return None

    def misses(at: NDArray[np.float64]) -> tuple[float, float]:
        alpha, beta = exp(float(at[0])), 1 / (1 + exp(-float(at[1])))
        hidden = (1 - fraction) * (1 - beta)
        power = exp(alpha * (log(beta) - log(1 - hidden)))
        one = total * fraction * power * (1 + alpha * hidden / (1 - hidden))
        two = total * fraction**2 / 2 * power * alpha * (1 - beta)
        two *= (2 - (1 - alpha) * hidden) / (1 - hidden) ** 2
        return one / ones - 1, two / twos - 1

    def apart(at: NDArray[np.float64]) -> float:
        if float(np.abs(at).max()) > 14:
            return inf
        first, second = misses(at)
        return first**2 + second**2

    starts = [(alpha, beta) for alpha in (-2.0, 0.0, 2.0) for beta in (-4.0, 0.0, 3.0)]
    found = np.array(_least(apart, starts))
    if max(map(abs, misses(found))) > _MISS:
        return None
    alpha, beta = exp(float(found[0])), 1 / (1 + exp(-float(found[1])))
    return float(total * beta**alpha)


def _least(
    of: Callable[[NDArray[np.float64]], float], starts: Sequence[tuple[float, float]]
) -> tuple[float, float]:
    """Return where a function of two numbers is least, of the places that searches end at."""
    # Imported here: every verifier loads all judges, and few need estimates.
    from scipy.optimize import minimize

    tries = [
        minimize(
            of,
            np.array(start),
            method="Nelder-Mead",
            options={"xatol": 1e-9, "fatol": 1e-10, "maxiter": 4000, "maxfev": 4000},
        )
        for start in starts
    ]
    best = min(tries, key=lambda one: float(one.fun))
    return float(best.x[0]), float(best.x[1])


def _classes_of_population(counts: SizeCounts, fraction: float) -> float:
    """Return Shlosser's estimate of the number of classes, as Haas and Stokes modify it."""
    missed = 1 - fraction
    top = sum(i * fraction**2 * (1 - fraction**2) ** (i - 1) * c for i, c in counts.items())
    low = sum(missed**i * ((1 + fraction) ** i - 1) * c for i, c in counts.items())
    unseen = sum(missed**i * c for i, c in counts.items())
    seen_once = sum(i * fraction * missed ** (i - 1) * c for i, c in counts.items())
    if low == 0 or seen_once == 0:
        return inf
    return sum(counts.values()) + counts[1] * (top / low) * (unseen / seen_once) ** 2
