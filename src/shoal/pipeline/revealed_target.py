"""Classes whose records all have the same value of the target: they give it away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.encoding import SUPPRESSED, encode_values

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from shoal.encoding import Recoding


def count_homogeneous(recoding: Recoding, target: NDArray[np.unsignedinteger]) -> tuple[int, int]:
    """Return how many classes hold one value of the target, and how many there are."""
    shown = recoding.unit != SUPPRESSED
    pairs = np.unique(np.stack([recoding.unit[shown], target[shown]]), axis=1)
    values = np.bincount(pairs[0].astype(np.int64))
    return int(np.count_nonzero(values == 1)), int(np.count_nonzero(values))


def note_on_revealed_target(recoding: Recoding, target: pl.Series) -> str | None:
    """Return how many classes give the target away, if any does."""
    alike, classes = count_homogeneous(recoding, encode_values(target)[0])
    if not alike:
        return None
    return (
        f"In {alike:,} of {classes:,} classes all records have the same value of "
        f"{target.name!r}: whoever finds a person's class knows it. If it must stay secret, "
        "require a privacy model beyond k (`models`), which rules such classes out."
    )
