"""What every clustering algorithm ends with: models made to hold, costly records left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.cluster.closures_of_classes import ClosuresOfClasses
from shoal.algorithms.cluster.repair import unite_until_models_hold
from shoal.algorithms.solution import Partition
from shoal.encoding.recoding import SUPPRESSED

if TYPE_CHECKING:
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run


def complete(problem: Problem, partition: Partition, run: Run) -> Partition:
    """Return the partition with every model met and the suppression limit made use of."""
    run.check()
    if problem.models:
        partition = unite_until_models_hold(problem, partition, run)
    if problem.suppression_limit:
        partition = leave_out_costliest(problem, partition)
    run.report(1.0)
    return partition


def leave_out_costliest(problem: Problem, partition: Partition) -> Partition:
    """Suppress whole classes, those of greatest loss per record first, as far as the limit allows.

    Leaving out a class whose loss lies above the mean lowers the mean loss of the rest, and the
    other classes stay as they are, so every model still holds. Classes without loss are kept.
    """
    losses = ClosuresOfClasses(problem, partition).losses()
    sizes = partition.sizes
    left = problem.suppression_limit - partition.suppressed
    gone = np.zeros(partition.number, dtype=np.bool_)
    mean = float(np.average(losses, weights=sizes))
    for place in np.argsort(-losses, kind="stable").tolist():
        if losses[place] <= mean:
            break
        if sizes[place] <= left:
            gone[place] = True
            left -= int(sizes[place])
    if not gone.any():
        return partition
    name = np.where(gone, SUPPRESSED, np.arange(partition.number))
    renamed = np.append(name, SUPPRESSED)[partition.classes]
    return Partition.of(partition.rows, renamed, partition.counts)
