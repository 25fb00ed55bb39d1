"""Limits on the share of every value in a class: what several models come down to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.models.model import ClassHistograms

# Limits are products of rounded numbers; a smaller difference than this, relative to the limit,
# is none.
LEEWAY = 5e-10


class BoundedShares(Protocol):
    """A model that requires the share of every value to lie within limits of its own."""

    @property
    def lowest(self) -> NDArray[np.float64]:
        """The lowest share of each value."""

    @property
    def highest(self) -> NDArray[np.float64]:
        """The highest share of each value."""


def beyond_limits(model: BoundedShares, histograms: ClassHistograms) -> NDArray[np.float64]:
    """Return by how much the shares of each class lie outside their limits, all values together.

    A value that a class lacks is below its limit by all of it.
    """
    lowest, highest = model.lowest, model.highest
    value, owner = histograms.value, histograms.owner
    shares = histograms.count / histograms.sizes[owner]
    outside = np.maximum(shares - highest[value], 0.0) + np.maximum(lowest[value] - shares, 0.0)
    present = np.bincount(owner, outside, minlength=histograms.classes)
    required = np.count_nonzero(lowest)
    if not required:
        return np.asarray(present, np.float64)
    lacking = np.bincount(owner, lowest[value] > 0, minlength=histograms.classes) < required
    # A difference of sums is rounded, so that it may come out as none.
    absent = lowest.sum() - np.bincount(owner, lowest[value], minlength=histograms.classes)
    least = lowest[lowest > 0].min()
    return np.asarray(present + np.where(lacking, np.maximum(absent, least), 0.0), np.float64)
