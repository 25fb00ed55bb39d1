"""How many people are unique in the population that a table is a sample of: four estimates.

All start from how many classes of each size the sample has. Pitman's model fits a two-parameter
prior to them (Hoshino 2001), the SNB model a shifted negative binomial distribution (Chen and
Keller-McNulty 1998), Zayatz (1991) reasons back from the sample by the hypergeometric
distribution, and Dankar et al. (2012) decide which of them to use.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import least_squares, minimize_scalar
from scipy.special import gammaln
from scipy.stats import hypergeom

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.risks.classes import Classes

# Below this sampling fraction Dankar's rule takes Pitman's estimate.
SMALL_FRACTION = 0.1
_RESIDUAL = 1e-3  # share of the observed counts by which a fit may miss them
# Where the search for Pitman's parameters starts; negative α means a bounded number of classes.
_ALPHAS = (-50.0, -20.0, -10.0, -5.0, -2.0, -1.0, -0.5, -0.2, -0.1, 0.0,
           0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.999999)  # fmt: skip
_LOG_THETA = (-12.0, 35.0)
_NO_ALPHA = 1e-9
_FAR = 14.0  # logarithms of SNB's parameters beyond this change nothing any more


@dataclass(frozen=True, slots=True, eq=False)
class SizeCounts:
    """How many classes of each size a sample has.

    Parameters
    ----------
    sizes, classes
        Each size that occurs, ascending, and its number of classes.
    fraction
        Sampling fraction, above 0 and up to 1.
    """

    sizes: NDArray[np.int64]
    classes: NDArray[np.int64]
    fraction: float

    @classmethod
    def of(cls, classes: Classes, fraction: float) -> SizeCounts:
        """Count the classes of a table; records that show nothing are left aside."""
        sizes, counts = np.unique(classes.members[~classes.starred], return_counts=True)
        return cls(sizes.astype(np.int64), counts.astype(np.int64), fraction)

    @property
    def sample(self) -> int:
        """Records of the sample."""
        return int(self.sizes @ self.classes)

    @property
    def population(self) -> int:
        """People of the population."""
        return max(self.sample, round(self.sample / self.fraction))

    def of_size(self, size: int) -> int:
        """Return how many classes have this size."""
        return int(self.classes[self.sizes == size].sum())


@dataclass(frozen=True, slots=True)
class PopulationUniqueness:
    """Estimated shares of the population that are unique; ``None`` where a model has no fit.

    Parameters
    ----------
    dankar
        The estimate that Dankar's rule takes.
    chosen
        The model it takes it from.
    """

    pitman: float | None
    zayatz: float | None
    snb: float | None
    dankar: float | None
    chosen: str


def population_uniqueness(classes: Classes, fraction: float) -> PopulationUniqueness:
    """Return the estimates for a sample of a population."""
    return estimated_uniqueness(SizeCounts.of(classes, fraction))


def estimated_uniqueness(counts: SizeCounts) -> PopulationUniqueness:
    """Return the estimates for a sample with so many classes of each size."""
    fraction = counts.fraction
    if counts.of_size(1) == 0:
        return PopulationUniqueness(0.0, 0.0, 0.0, 0.0, "no record of the sample is unique")
    share = 1.0 / counts.population
    if fraction >= 1:
        exact = counts.of_size(1) * share
        return PopulationUniqueness(exact, exact, exact, exact, "the sample is the population")
    found = {
        "pitman": pitman(counts),
        "zayatz": zayatz(counts),
        "snb": snb(counts),
    }
    chosen = _dankar(found, fraction)
    shares = {name: None if value is None else value * share for name, value in found.items()}
    return PopulationUniqueness(**shares, dankar=shares[chosen], chosen=chosen)


def _dankar(found: dict[str, float | None], fraction: float) -> str:
    """Return the model to use: Pitman for small samples, else the lower of Zayatz and SNB."""
    if fraction <= SMALL_FRACTION:
        return "zayatz" if found["pitman"] is None else "pitman"
    zayatz_uniques, snb_uniques = found["zayatz"], found["snb"]
    assert zayatz_uniques is not None
    return "snb" if snb_uniques is not None and snb_uniques <= zayatz_uniques else "zayatz"


def zayatz(counts: SizeCounts) -> float:
    """Return the expected number of population uniques by Zayatz' estimate.

    The sample's distribution of class sizes is taken for the population's; Bayes' rule then says
    how likely a class of one in the sample is a class of one in the population.
    """
    chances = hypergeom.pmf(1, counts.population, counts.sizes, counts.sample)
    weighted = counts.classes * chances
    likely = float(weighted[counts.sizes == 1].sum() / weighted.sum())
    return counts.of_size(1) * likely / counts.fraction


def pitman(counts: SizeCounts) -> float | None:
    """Return the expected number of population uniques under Pitman's sampling formula.

    Parameters θ and α are the maximum of the likelihood
    Σᵢ log(θ + iα), i < u, minus Σᵢ log(θ + i), i < n, plus Σⱼ cⱼ Σᵢ log(i - α), i < j,
    with u classes, n records and cⱼ classes of size j. The expected number of uniques among N is
    N · Γ(θ + 1)/Γ(θ + α) · Γ(N + θ + α - 1)/Γ(N + θ), which for large N is
    Γ(θ + 1)/Γ(θ + α) · N^α.
    """
    if counts.sample == int(counts.classes.sum()):  # all unique: the likelihood has no maximum
        return None
    losses = [_best_theta(counts, alpha)[0] for alpha in _ALPHAS]
    place = int(np.argmin(losses))
    low, high = _ALPHAS[max(place - 1, 0)], _ALPHAS[min(place + 1, len(_ALPHAS) - 1)]
    alpha = float(
        minimize_scalar(
            lambda one: _best_theta(counts, one)[0], bounds=(low, high), method="bounded"
        ).x
    )
    theta = _best_theta(counts, alpha)[1]
    total = counts.population
    # Γ(θ + α) has no sign to care for: θ + α > 0 wherever there are two classes.
    uniques = np.exp(
        np.log(total)
        + gammaln(theta + 1)
        - gammaln(theta + alpha)
        + gammaln(total + theta + alpha - 1)
        - gammaln(total + theta)
    )
    return float(uniques) if 0 <= uniques <= total else None


def _best_theta(counts: SizeCounts, alpha: float) -> tuple[float, float]:
    """Return the least negative log-likelihood for an α, and the θ that has it."""
    n, u = counts.sample, int(counts.classes.sum())
    lowest = max(-alpha, -alpha * (u - 1))  # θ + iα > 0 for every i < u, and θ + α > 0
    large = counts.sizes > 1
    of_sizes = gammaln(counts.sizes[large] - alpha) - gammaln(1 - alpha)
    constant = float(counts.classes[large] @ of_sizes)

    def negative_likelihood(place: float) -> float:
        theta = lowest + np.exp(place)
        return float(gammaln(theta + n) - gammaln(theta + 1) - _rising(theta, alpha, u)) - constant

    found = minimize_scalar(negative_likelihood, bounds=_LOG_THETA, method="bounded")
    return float(found.fun), float(lowest + np.exp(found.x))


def _rising(theta: float, alpha: float, u: int) -> float:
    """Return Σ log(θ + iα) for i from 1 below u."""
    if abs(alpha) < _NO_ALPHA:
        return float((u - 1) * np.log(theta))
    ratio = theta / abs(alpha)
    ends = (ratio + 1, ratio + u) if alpha > 0 else (ratio - u + 1, ratio)
    return float((u - 1) * np.log(abs(alpha)) + gammaln(ends[1]) - gammaln(ends[0]))


def snb(counts: SizeCounts) -> float | None:
    """Return the expected number of population uniques under the SNB model.

    Class sizes of the population are 1 plus a negative binomial variable with parameters α and β,
    and their number K is Shlosser's estimate. α and β are those under which a Bernoulli sample is
    expected to have as many classes of one and of two as it has; uniques are then K · β^α.
    """
    pi = counts.fraction
    ones, twos = counts.of_size(1), counts.of_size(2)
    total = shlosser(counts)
    if not np.isfinite(total) or twos == 0:
        return None

    def misses(place: NDArray[np.float64]) -> NDArray[np.float64]:
        alpha, beta = np.exp(place[0]), 1.0 / (1.0 + np.exp(-place[1]))
        d = (1 - pi) * (1 - beta)
        power = np.exp(alpha * (np.log(beta) - np.log1p(-d)))
        one = total * pi * power * (1 + alpha * d / (1 - d))
        two = total * pi**2 / 2 * power * alpha * (1 - beta) / (1 - d) ** 2 * (2 - (1 - alpha) * d)
        return np.array([one / ones - 1, two / twos - 1])

    best = None
    for alpha in (-2.0, 0.0, 2.0):
        for beta in (-4.0, 0.0, 3.0):
            start = np.array([alpha, beta])
            found = least_squares(misses, start, bounds=(-_FAR, _FAR), xtol=1e-14, ftol=1e-14)
            if best is None or found.cost < best.cost:
                best = found
    assert best is not None
    if np.abs(best.fun).max() > _RESIDUAL:
        return None
    alpha, beta = np.exp(best.x[0]), 1.0 / (1.0 + np.exp(-best.x[1]))
    return float(total * beta**alpha)


def shlosser(counts: SizeCounts) -> float:
    """Return an estimate of how many classes the population has (Shlosser 1981, modified).

    Haas and Stokes (1998): u + c₁ · A · B² with A = Σ iπ²(1-π²)^(i-1)cᵢ / Σ (1-π)^i((1+π)^i-1)cᵢ
    and B = Σ (1-π)^i cᵢ / Σ iπ(1-π)^(i-1)cᵢ.
    """
    pi, sizes, classes = counts.fraction, counts.sizes.astype(np.float64), counts.classes
    lost = (1 - pi) ** sizes
    twice = float((sizes * pi**2 * (1 - pi**2) ** (sizes - 1)) @ classes)
    scale = float(((1 - pi**2) ** sizes - lost) @ classes)
    unseen = float(lost @ classes) / float((sizes * pi * (1 - pi) ** (sizes - 1)) @ classes)
    return float(classes.sum()) + counts.of_size(1) * twice / scale * unseen**2
