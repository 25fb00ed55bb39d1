"""The common repair of classes that break a privacy model.

Kernel: cpp/src/clustering/repair.cpp.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Protocol

import numpy as np

from shoal._core import kernels
from shoal.algorithms.constants import FEW_VALUES, PARTNERS_TRIED
from shoal.algorithms.kernel_model_kinds import kernel_knows
from shoal.algorithms.kernel_models import kernel_models
from shoal.algorithms.partition import Partition
from shoal.encoding.recoding import SUPPRESSED
from shoal.errors import InfeasibleError
from shoal.models import ClassHistograms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

_NOTHING = 1e-12  # rounding
_PURPOSE = ", so that every class meets"


def repair(problem: Problem, partition: Partition, run: Run) -> Partition:
    """Return classes that meet every model, changed as cheaply as can be found.

    A class that breaks a model exchanges records with near classes, or its records go to several
    of them, or it is merged with one, whichever adds least to the total loss under the problem's
    measure (cpp/include/shoal/clustering/repair.hpp). A model of a kind that kernels do not know
    can only be repaired by merging. Notes record what was changed.

    Raises
    ------
    InfeasibleError
        If not even the whole table as one class meets every model.
    """
    if not all(kernel_knows(model) for model in problem.models):
        return merge_until_models_hold(problem, partition, run)
    entries, broken, exchanged, scattered, united, sound = kernels.repair(
        problem.objective(), kernel_models(problem), *_kept(partition), run.control
    )
    if not sound:
        raise _infeasible(problem)
    if not broken:
        return partition
    changes = [
        f"{exchanged} pairs of records changed places" if exchanged else "",
        f"the records of {scattered} classes moved to other classes" if scattered else "",
        f"{united} classes were merged with others" if united else "",
    ]
    _note(
        problem,
        run,
        f"{broken} of {partition.number} classes broke a model: "
        f"{', '.join(change for change in changes if change)}",
    )
    left_out = partition.classes == SUPPRESSED
    return Partition.of(
        *(
            np.concatenate((of_all[left_out], repaired))
            for of_all, repaired in zip(
                (partition.rows, partition.classes, partition.counts), entries, strict=True
            )
        )
    )


def _kept(
    partition: Partition,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], int]:
    kept = partition.classes != SUPPRESSED
    return partition.rows[kept], partition.classes[kept], partition.counts[kept], partition.number


def _infeasible(problem: Problem) -> InfeasibleError:
    return InfeasibleError(
        f"Not even all records together meet {', '.join(str(model) for model in problem.models)}."
    )


def _note(problem: Problem, run: Run, changed: str) -> None:
    """Note what was changed, in place of what was noted of an earlier division."""
    note = f"{changed}{_PURPOSE} {', '.join(str(model) for model in problem.models)}."
    run.notes[:] = [*(earlier for earlier in run.notes if _PURPOSE not in earlier), note]


def merge_until_models_hold(problem: Problem, partition: Partition, run: Run) -> Partition:
    """Merge every class that breaks a model with others, as cheaply as can be found.

    The cost of a union is the growth of the total loss. A class takes the cheapest partner with
    which it meets every model; where there is none, the one that lowers the shortfall most for
    its cost; where none lowers it, the cheapest. Merging never breaks a monotone model, and the
    whole table meets all of them (checked before), so this ends. Time O(c) for each of the unions
    needed, c the number of classes.
    """
    values = [_values(partition.histograms(codes)) for codes in problem.protected]
    classes = np.arange(partition.number)
    sound, shortfall = _judge(problem, [one.of(classes) for one in values])
    if sound.all():
        return partition
    unions = kernels.Unions(problem.objective(), *_kept(partition))
    name = classes.copy()
    alive = np.ones(partition.number, dtype=np.bool_)
    for start in np.flatnonzero(~sound).tolist():
        chosen = start
        while alive[chosen] and not sound[chosen]:
            run.check()
            if alive.sum() == 1:
                raise _infeasible(problem)
            partner = _partner(problem, values, chosen, unions.growth(chosen), shortfall)
            unions.unite(partner, chosen)
            for one in values:
                one.merge(partner, chosen)
            alive[chosen] = False
            name[name == chosen] = partner
            # A class that met the models may break them once it has taken in one that did not.
            both = _judge(problem, [one.of(np.array([partner])) for one in values])
            sound[partner], shortfall[partner] = bool(both[0][0]), float(both[1][0])
            chosen = partner
    gone = int(np.count_nonzero(~alive))
    _note(problem, run, f"{gone} of {partition.number} classes were merged with others")
    renamed = np.append(name, SUPPRESSED)[partition.classes]
    return Partition.of(partition.rows, renamed, partition.counts)


class _Values(Protocol):
    """The values of one column in every class, kept up to date while classes are merged."""

    def of(self, classes: NDArray[np.int64], with_class: int | None = None) -> ClassHistograms:
        """Return the histograms of these classes, each merged with one more if it is given."""

    def merge(self, kept: int, gone: int) -> None:
        """Add the values of one class to another."""


class _Table:
    """A row of counts for each class: for columns of few values."""

    def __init__(self, histograms: ClassHistograms, width: int) -> None:
        self.counts = np.zeros((histograms.classes, width), dtype=np.int64)
        self.counts[histograms.owner, histograms.value] = histograms.count

    def of(self, classes: NDArray[np.int64], with_class: int | None = None) -> ClassHistograms:
        counts = self.counts[classes]
        if with_class is not None:
            counts += self.counts[with_class]
        owner, value = np.nonzero(counts)
        return ClassHistograms(owner, value, counts[owner, value], len(classes))

    def merge(self, kept: int, gone: int) -> None:
        self.counts[kept] += self.counts[gone]


class _Lists:
    """The values that each class holds, and how often: for columns of many values."""

    def __init__(self, histograms: ClassHistograms) -> None:
        cuts = np.searchsorted(histograms.owner, np.arange(1, histograms.classes))
        self.value = np.split(histograms.value, cuts)
        self.count = np.split(histograms.count, cuts)

    def of(self, classes: NDArray[np.int64], with_class: int | None = None) -> ClassHistograms:
        value = [self.value[one] for one in classes.tolist()]
        count = [self.count[one] for one in classes.tolist()]
        owner = np.repeat(np.arange(len(classes)), [len(one) for one in value])
        if with_class is not None:
            more = self.value[with_class]
            owner = np.concatenate((owner, np.repeat(np.arange(len(classes)), len(more))))
            value.append(np.tile(more, len(classes)))
            count.append(np.tile(self.count[with_class], len(classes)))
        return ClassHistograms.of(owner, np.concatenate(value), np.concatenate(count), len(classes))

    def merge(self, kept: int, gone: int) -> None:
        both = self.of(np.array([kept]), gone)
        self.value[kept], self.count[kept] = both.value, both.count


def _values(histograms: ClassHistograms) -> _Values:
    width = int(histograms.value.max(initial=0)) + 1
    return _Table(histograms, width) if width <= FEW_VALUES else _Lists(histograms)


def _judge(
    problem: Problem, histograms: list[ClassHistograms]
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return which classes meet every model, and how far each is from it."""
    sound = np.ones(histograms[0].classes, dtype=np.bool_)
    shortfall = np.zeros(histograms[0].classes)
    for model, histogram in zip(problem.models, histograms, strict=True):
        sound &= model.holds(histogram)
        shortfall += model.shortfalls(histogram)
    return sound, shortfall


def _partner(
    problem: Problem,
    values: list[_Values],
    chosen: int,
    growth: NDArray[np.float64],
    shortfall: NDArray[np.float64],
) -> int:
    """Return the class to merge with, given the cost of each."""
    possible = np.flatnonzero(growth < np.inf)
    for tried in (*PARTNERS_TRIED, sys.maxsize):
        nearest = possible
        if tried < len(possible):
            nearest = np.sort(np.argpartition(growth, tried)[:tried])
        sound, after = _judge(problem, [one.of(nearest, chosen) for one in values])
        if sound.any():
            return _cheapest(nearest[sound], growth)
        if len(nearest) == len(possible):
            break
    lowered = shortfall[nearest] + shortfall[chosen] - after
    helps = lowered > _NOTHING
    if not helps.any():
        return _cheapest(nearest, growth)
    price = growth[nearest[helps]] / lowered[helps]
    return int(nearest[helps][np.argmin(price)])


def _cheapest(classes: NDArray[np.int64], growth: NDArray[np.float64]) -> int:
    return int(classes[np.argmin(growth[classes])])
