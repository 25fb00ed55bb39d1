"""Means with confidence intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

CONFIDENCE = 0.95


def mean_with_interval(values: NDArray[np.float64]) -> dict[str, float]:
    """Return mean and 95 % confidence interval (Student's t) of repeated figures.

    Figures of cross-validation folds share training records, so their interval is a little too
    narrow; no unbiased one is known.

    >>> mean_with_interval(np.array([0.25, 0.5, 0.75]))["mean"]
    0.5
    """
    mean = float(np.mean(values))
    half = 0.0
    if len(values) > 1:
        # Imported here: most runs need no interval.
        from scipy.special import stdtrit

        error = float(np.std(values, ddof=1) / np.sqrt(len(values)))
        half = float(stdtrit(len(values) - 1, (1 + CONFIDENCE) / 2)) * error
    return {"mean": mean, "low": mean - half, "high": mean + half}
