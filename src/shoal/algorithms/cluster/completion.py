"""What every clustering algorithm ends with: models made to hold, costly records left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.cluster.closures_of_classes import ClosuresOfClasses
from shoal.algorithms.solution import Partition
from shoal.encoding.recoding import SUPPRESSED

if TYPE_CHECKING:
    from numpy.typing import NDArray

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


def unite_until_models_hold(problem: Problem, partition: Partition, run: Run) -> Partition:
    """Unite every class that breaks a model with the class that makes this cheapest.

    Uniting never breaks a monotone model, and the whole table meets all of them (that was asked
    before), so this ends. The cost of a union is the growth of the total loss. Time O(c) for each
    of the unions needed, c the number of classes.
    """
    histograms = [partition.histograms(values) for values in problem.protected]
    sound = np.ones(partition.number, dtype=np.bool_)
    for model, histogram in zip(problem.models, histograms, strict=True):
        sound &= model.holds(histogram)
    if sound.all():
        return partition
    closures = ClosuresOfClasses(problem, partition)
    sizes = partition.sizes.astype(np.float64)
    losses = closures.losses()
    name = np.arange(partition.number)
    members = np.split(np.arange(len(partition.rows)), partition.starts)[1:]
    alive = np.ones(partition.number, dtype=np.bool_)
    unions = 0
    for start in np.flatnonzero(~sound).tolist():
        chosen = start
        while alive[chosen] and not sound[chosen]:
            run.check()
            together = closures.losses_with(chosen)
            growth = (sizes + sizes[chosen]) * together - sizes * losses
            growth[~alive] = np.inf
            growth[chosen] = np.inf
            partner = int(np.argmin(growth))
            closures.unite(partner, chosen)
            losses[partner] = together[partner]
            sizes[partner] += sizes[chosen]
            alive[chosen] = False
            name[name == chosen] = partner
            members[partner] = np.concatenate((members[partner], members[chosen]))
            unions += 1
            # A class that met the models may break them once it has taken in one that did not.
            sound[partner] = _holds(problem, partition, members[partner])
            chosen = partner
    run.notes.append(
        f"{unions} classes were united with others so that every class meets "
        f"{', '.join(str(model) for model in problem.models)}."
    )
    return Partition.of(partition.rows, _renamed(partition, name), partition.counts)


def _renamed(partition: Partition, name: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.append(name, SUPPRESSED)[partition.classes]


def _holds(problem: Problem, partition: Partition, members: NDArray[np.int64]) -> bool:
    """Return whether the class of these entries meets every model."""
    rows, counts = partition.rows[members], partition.counts[members]
    one = Partition(rows, np.zeros(len(rows), dtype=np.int32), counts)
    return all(
        bool(model.holds(one.histograms(values))[0])
        for model, values in zip(problem.models, problem.protected, strict=True)
    )


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
    return Partition.of(partition.rows, _renamed(partition, name), partition.counts)
