"""Whether suppressed records may appear as ``*``: only as a class that hides each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.encoding import SUPPRESSED
from shoal.models import ClassHistograms

if TYPE_CHECKING:
    from shoal.algorithms import Problem
    from shoal.encoding import Recoding


def may_star(recoding: Recoding, problem: Problem) -> bool:
    """Return whether suppressed records, shown as ``*``, are at least k and meet every model.

    Fewer would single people out: everybody whom no class covers is one of them, sensitive values
    included. Records of a class that shows nothing count too, where there are classes.
    """
    suppressed = recoding.unit == SUPPRESSED
    if not suppressed.any():
        return True
    if recoding.matches is None:
        blank = np.append(recoding.blank(problem.domains), False)
        suppressed = suppressed | blank[recoding.unit]
    rows = problem.folded.row_of[suppressed]
    if len(rows) < problem.k:
        return False
    together = np.zeros(len(rows), np.int64)
    return all(
        bool(model.holds(ClassHistograms.of(together, codes[rows], together + 1, 1))[0])
        for model, codes in zip(problem.models, problem.protected, strict=True)
    )
