"""Enhanced β-likeness: frequent sensitive values gain no more than their surprise."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from shoal.models.bounded_shares import LEEWAY
from shoal.models.likeness import Likeness
from shoal.models.registry import Parameter, privacy_model

if TYPE_CHECKING:
    from numpy.typing import NDArray


@privacy_model(
    "enhanced-beta-likeness",
    parameters=(Parameter("beta", Fraction(1, 10**9)),),
    example="2",
    meaning="In a class, no value has more than 1 + min(beta, -ln p) times p, its share in the "
    "table.",
)
@dataclass(frozen=True, slots=True, init=False)
class EnhancedLikeness(Likeness):
    """In every class (q - p) / p ≤ min(β, -ln p), p the share in the table, q in the class.

    Enhanced β-likeness of Cao and Karras (2012): a value above the share exp(-β) may gain less
    than β, so that none ever fills a class unless it fills the table. Monotone.

    Parameters
    ----------
    column
        The sensitive column; ``None`` for every one.
    beta
        The largest relative gain, of values that are rare enough.
    whole
        The share of each value in the original table.

    Examples
    --------
    >>> str(EnhancedLikeness("diagnosis", 2))
    'enhanced-beta-likeness:2@diagnosis'
    """

    @property
    def highest(self) -> NDArray[np.float64]:
        """The highest share of each value."""
        gain = np.minimum(float(self.beta), -np.log(self.whole))
        return self.whole * ((1 + gain) * (1 + LEEWAY))
