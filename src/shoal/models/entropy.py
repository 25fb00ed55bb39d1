"""Entropy l-diversity: the sensitive values of a class are as mixed as l equally frequent ones."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import exp, log
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import InfeasibleError
from shoal.models.protection import ProtectedValues, Protection
from shoal.models.registry import Parameter, privacy_model, settle, spell
from shoal.models.rounding import TOLERANCE, cut_down

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.models.model import ClassHistograms
    from shoal.models.rounding import Number
    from shoal.table import Table


def _entropies(histograms: ClassHistograms) -> NDArray[np.float64]:
    sizes = histograms.sizes
    terms = histograms.count * np.log(sizes[histograms.owner] / histograms.count)
    return np.bincount(histograms.owner, terms, minlength=histograms.classes) / sizes


@privacy_model(
    "entropy-l-diversity",
    parameters=(Parameter("l", Fraction(1)),),
    example="2",
    meaning="The values of a class are as mixed as l equally frequent ones.",
)
@dataclass(frozen=True, slots=True, init=False)
class EntropyDiversity:
    """The entropy of every class is at least log l; monotone.

    Entropy and log l are both in nats here; any common base gives the same condition. exp(entropy)
    is the number of equally frequent values that would be as mixed.

    Parameters
    ----------
    column
        The sensitive column; ``None`` for every one.
    l
        Every class is at least as mixed as this many equally frequent values.
    """

    column: str | None
    l: Fraction  # noqa: E741 (the literature's letter)

    def __init__(self, column: str | None, l: Number) -> None:  # noqa: E741
        settle(self, column, l)

    def __str__(self) -> str:
        return spell(self)

    def fit(self, table: Table, values: ProtectedValues) -> Protection:  # noqa: ARG002
        """Return the model on the values of a table."""
        return Protection(self, values.codes)

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
