"""Privacy models as conditions on columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.cluster.suppression import is_sound_as_read
from shoal.models import ClassHistograms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.exact.optimal.columns import Columns
    from shoal.algorithms.partition import Partition
    from shoal.algorithms.problem import Problem


def allowed_columns(problem: Problem, columns: Columns) -> NDArray[np.bool_]:
    """Return which columns meet every model of a problem."""
    allowed = np.ones(len(columns), dtype=np.bool_)
    owners = columns.owners
    for model, values in zip(problem.models, problem.protected, strict=True):
        histograms = ClassHistograms.of(owners, values[columns.rows], columns.counts, len(columns))
        allowed &= model.holds(histograms)
    return allowed


def meets_models(problem: Problem, partition: Partition) -> bool:
    """Return whether every class meets every model, suppressed records considered."""
    return all(
        bool(model.holds(partition.histograms(values)).all())
        for model, values in zip(problem.models, problem.protected, strict=True)
    ) and is_sound_as_read(problem, partition)
