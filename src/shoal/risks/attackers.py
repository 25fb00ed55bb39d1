"""Re-identification risk of three attackers: prosecutor, journalist and marketer.

Definitions follow El Emam, *Guide to the De-Identification of Personal Health Information*, as ARX
computes them. A record in a class of f records is picked out of its class by chance, 1 in f; a
journalist, who does not know whether a person is in the table, picks among the F people of the
population who look the same, with F ≥ f.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import hyp2f1

from shoal.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.risks.classes import Classes


# Beyond this class size the terms 1 / C(f + n, n) of the series vanish within so many.
_SUMMED = 20
_TERMS = 200


@dataclass(frozen=True, slots=True)
class AttackRisk:
    """How likely an attacker is to be right.

    Parameters
    ----------
    average, highest
        Mean and maximum over the records of the chance of picking the right person.
    above
        Share of the records whose chance exceeds the threshold.
    """

    average: float
    highest: float
    above: float

    @classmethod
    def of(
        cls, risks: NDArray[np.float64], counts: NDArray[np.integer], threshold: float
    ) -> AttackRisk:
        """Summarize risks, each of so many records."""
        total = int(counts.sum())
        if total == 0:
            return cls(0.0, 0.0, 0.0)
        return cls(
            average=float(risks @ counts) / total,
            highest=float(risks.max()),
            above=int(counts[risks > threshold].sum()) / total,
        )


def require_share(name: str, value: float) -> float:
    """Return a share, above 0 and up to 1.

    Raises
    ------
    ParameterError
        If it is not a share.
    """
    if not 0 < value <= 1:
        raise ParameterError(
            f"{name} is {value:g}.", remedy="It takes a share above 0, up to 1, such as 0.2."
        )
    return value


def prosecutor(classes: Classes, threshold: float) -> AttackRisk:
    """Return the risk from an attacker who knows that the person is in the table: 1/f."""
    return AttackRisk.of(1.0 / classes.members, classes.records, threshold)


def journalist(classes: Classes, population: NDArray[np.integer], threshold: float) -> AttackRisk:
    """Return the risk from an attacker who does not know who is in the table: 1/F.

    The average is the larger of two: over classes, as if everybody of the population were equally
    likely to be looked for, and over records.

    Parameters
    ----------
    population
        For each class how many people of the population look the same, F.
    """
    found = AttackRisk.of(1.0 / population, classes.records, threshold)
    over_classes = len(classes) / float(population.sum())
    return AttackRisk(max(found.average, over_classes), found.highest, found.above)


def estimated_journalist(classes: Classes, fraction: float, threshold: float) -> AttackRisk:
    """Return the journalist's risk where only the sampling fraction is known: E(1/F | f).

    The individual risk of Benedetti and Franconi (1998), as in sdcMicro: given that f people of a
    class were sampled with probability π, F has a negative binomial distribution, and
    E(1/F | f) = π/f · ₂F₁(1, 1; f + 1; 1 - π).
    """
    risks = expected_inverse(classes.members, fraction)
    return AttackRisk.of(risks, classes.records, threshold)


def expected_inverse(sizes: NDArray[np.integer], fraction: float) -> NDArray[np.float64]:
    """Return E(1/F | f) for each sample frequency f.

    >>> expected_inverse(np.array([1, 4]), 1.0).tolist()
    [1.0, 0.25]
    """
    sizes = sizes.astype(np.float64)
    rest = 1.0 - fraction
    few = np.minimum(sizes, _SUMMED)
    found = np.where(sizes > _SUMMED, 1.0, hyp2f1(1.0, 1.0, few + 1.0, rest))
    # For large classes of small samples the library overflows, and the sum itself ends soon.
    many = sizes[sizes > _SUMMED]
    term, total = np.ones_like(many), np.ones_like(many)
    for n in range(_TERMS):
        term = term * ((n + 1) * rest / (many + 1.0 + n))
        total += term
    found[sizes > _SUMMED] = total
    return np.asarray(fraction / sizes * found)


def marketer(classes: Classes, population: NDArray[np.integer] | None = None) -> float:
    """Return the share of records that an attacker who links the whole table is expected to match.

    Without a population that is classes over records, the prosecutor's average.
    """
    sizes = classes.members if population is None else population
    return AttackRisk.of(1.0 / sizes, classes.records, 1.0).average
