"""Distinct l-diversity: every class holds at least l different sensitive values."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import InfeasibleError, counted
from shoal.models.protection import ProtectedValues, Protection
from shoal.models.registry import Parameter, privacy_model, settle, spell

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.models.model import ClassHistograms
    from shoal.models.rounding import Number
    from shoal.table import Table


@privacy_model(
    "distinct-l-diversity",
    parameters=(Parameter("l", Fraction(1), whole=True),),
    example="2",
    meaning="A class holds at least l different values.",
    aliases={"p-sensitive": "with p for l", "p-sensitive-k-anonymity": "with p for l"},
)
@dataclass(frozen=True, slots=True, init=False)
class DistinctDiversity:
    """At least l different values in every class; monotone. Also known as p-sensitivity.

    A missing cell is a value of its own.

    Parameters
    ----------
    column
        The sensitive column; ``None`` for every one.
    l
        The smallest number of different values in a class.

    Examples
    --------
    >>> str(DistinctDiversity("diagnosis", 3))
    'distinct-l-diversity:3@diagnosis'
    """

    column: str | None
    l: int  # noqa: E741 (the literature's letter)

    def __init__(self, column: str | None, l: Number) -> None:  # noqa: E741
        settle(self, column, l)

    def __str__(self) -> str:
        return spell(self)

    def fit(self, table: Table, values: ProtectedValues) -> Protection:  # noqa: ARG002
        """Return the model on the values of a table."""
        note = (
            f"distinct-l-diversity counts the values of {self.column!r} in a class, not how often "
            f"they occur: a class of 300 in which all but one record are alike meets l = 2. "
            f"frequency-l-diversity bounds that share."
        )
        return Protection(self, values.codes, (note,))

    @property
    def monotone(self) -> bool:
        """A union holds every value of its parts."""
        return True

    def holds(self, histograms: ClassHistograms) -> NDArray[np.bool_]:
        """Return which classes hold enough values."""
        return np.bincount(histograms.owner, minlength=histograms.classes) >= self.l

    def shortfalls(self, histograms: ClassHistograms) -> NDArray[np.float64]:
        """Return how many values are lacking."""
        values = np.bincount(histograms.owner, minlength=histograms.classes)
        return np.maximum(self.l - values, 0).astype(np.float64)

    def require_feasible(self, histogram: NDArray[np.int64]) -> None:
        """Raise ``InfeasibleError`` if the whole table has too few values."""
        values = int(np.count_nonzero(histogram))
        if values < self.l:
            raise InfeasibleError(
                f"{self}: no release can meet it, since the column has only "
                f"{counted(values, 'value')}.",
                remedy=f"The largest feasible l is {values}.",
                feasible=values,
            )
