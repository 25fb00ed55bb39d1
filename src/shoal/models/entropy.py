"""Entropy l-diversity: the private values of a class are as mixed as l equally frequent ones."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import InfeasibleError
from shoal.models.rounding import TOLERANCE, cut_down, plain

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from shoal.models.model import ClassHistograms


def _entropies(histograms: ClassHistograms) -> NDArray[np.float64]:
    sizes = histograms.sizes
    terms = histograms.count * np.log(sizes[histograms.owner] / histograms.count)
    return np.bincount(histograms.owner, terms, minlength=histograms.classes) / sizes


@dataclass(frozen=True, slots=True)
class EntropyDiversity:
    """The entropy of every class is at least log l; monotone.

    Entropy and log l are both in nats here; any common base says the same. exp(entropy) is the
    number of equally frequent values that would be as mixed.
    """

    column: str
    l: Fraction  # noqa: E741 (the literature's letter)

    def __str__(self) -> str:
        return f"entropy-l-diversity:{plain(self.l)}@{self.column}"

    @property
    def monotone(self) -> bool:
        """Entropy is concave: a mixture is at least as mixed as its least mixed part."""
        return True

    def holds(self, histograms: ClassHistograms) -> NDArray[np.bool_]:
        """Return which classes are mixed enough."""
        return _entropies(histograms) >= log(self.l) - TOLERANCE

    def shortfalls(self, histograms: ClassHistograms) -> NDArray[np.float64]:
        """Return the nats that the records of each class lack together."""
        return np.maximum(log(self.l) - _entropies(histograms), 0.0) * histograms.sizes

    def require_feasible(self, histogram: NDArray[np.int64]) -> None:
        """Raise ``InfeasibleError`` if the whole table is not mixed enough."""
        shares = histogram[histogram > 0] / histogram.sum()
        entropy = float(-(shares @ np.log(shares)))
        if entropy < log(self.l) - TOLERANCE:
            raise InfeasibleError(
                f"{self}: no release can meet it, since the whole table has an entropy of only "
                f"{entropy:.4f} nats, as {exp(entropy):.4f} equally frequent values would have.",
                remedy=f"The largest feasible l is {cut_down(exp(entropy))}.",
                feasible=exp(entropy),
            )
