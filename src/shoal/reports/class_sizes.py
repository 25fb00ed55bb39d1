"""How large classes are, in a few ranges of sizes."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from shoal.reports.report import SizeBucket

if TYPE_CHECKING:
    from shoal.risks.classes import Classes

STARRED = "starred"
"""The bucket of records that show nothing."""
_STARTS = (1, 2, 3, 5, 10, 20, 50, 100, 1_000, 10_000)


def class_sizes(before: Classes | None, after: Classes) -> tuple[SizeBucket, ...]:
    """Return the share of records in classes of each range of sizes; starred ones come last."""
    buckets = []
    for start, end in pairwise([*_STARTS, np.iinfo(np.int64).max]):
        shares = [None if one is None else _share(one, start, end) for one in (before, after)]
        if shares[0] or shares[1]:
            buckets.append(SizeBucket(_label(start, end), shares[0], shares[1] or 0.0))
    hidden = int(after.records[after.starred].sum()) / max(after.n, 1)
    if hidden:
        buckets.append(SizeBucket(STARRED, None if before is None else 0.0, hidden))
    return tuple(buckets)


def _share(classes: Classes, start: int, end: int) -> float:
    inside = (classes.members >= start) & (classes.members < end) & ~classes.starred
    return int(classes.records[inside].sum()) / max(classes.n, 1)


def _label(start: int, end: int) -> str:
    if end - start == 1:
        return f"{start:,}"
    return f"{start:,} or more" if start == _STARTS[-1] else f"{start:,} to {end - 1:,}"
