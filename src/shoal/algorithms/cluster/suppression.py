"""Which records to leave out when a share of them may be suppressed."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from shoal._core import kernels
from shoal.algorithms.partition import Partition
from shoal.algorithms.run import ExpiredError
from shoal.encoding.closures import Spans
from shoal.encoding.domain import IntervalDomain
from shoal.encoding.recoding import SUPPRESSED
from shoal.errors import InfeasibleError
from shoal.models import ClassHistograms

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from shoal.algorithms.problem import Problem

    Divide = Callable[[Problem], Partition]

# Outliers hide each other: without the first, the next one shows. A few rounds find most.
ROUNDS = 8


def leave_out_costliest(problem: Problem, partition: Partition, divide: Divide) -> Partition:
    """Return the better of two ways to use the suppression limit, by the loss of the rest.

    Either whole classes go, those of greatest loss per record first: the other classes stay as
    they are. Or single records go, those without which their classes would lose least, and the
    rest is divided anew: that serves outliers, which would cost any company dearly.

    Parameters
    ----------
    divide
        How the algorithm at hand divides a problem into classes that meet every model.
    """
    choices = [partition, _without_classes(problem, partition)]
    outliers = _outliers(problem, partition)
    if outliers.sum() and problem.n - outliers.sum() >= problem.k:
        # The rest alone may be too uniform for a model that the whole table meets; or there is no
        # time left for it.
        with suppress(InfeasibleError, ExpiredError):
            choices.append(_divided_without(problem, outliers, divide))
    sound = [choice for choice in choices if is_sound_as_read(problem, choice)]
    return min(sound, key=lambda choice: loss_of_rest(problem, choice))


def is_sound_as_read(problem: Problem, partition: Partition) -> bool:
    """Return whether models hold also where suppressed records look like those of a class.

    A class that shows ``*`` everywhere cannot be told from suppressed records: to a reader both
    are one class, which must meet every model too. In the bounds notation a missing number looks
    like ``*``.
    """
    if not problem.models or not partition.suppressed:
        return True
    kept = partition.classes != SUPPRESSED
    rows, starts = partition.rows[kept], partition.starts - np.count_nonzero(~kept)
    blank = np.ones(partition.number, dtype=np.bool_)
    silent = blank.copy()
    for codes, domain in zip(problem.codes, problem.domains, strict=True):
        closures, index = domain.close(codes[rows], starts)
        star = domain.star(closures)
        blank &= star[index]
        if isinstance(domain, IntervalDomain) and isinstance(closures, Spans):
            star = star | (closures.first == (-1 if domain.missing is None else domain.missing))
        silent &= star[index]
    return all(_holds_with_suppressed(problem, partition, alike) for alike in (blank, silent))


def _holds_with_suppressed(
    problem: Problem, partition: Partition, alike: NDArray[np.bool_]
) -> bool:
    """Return whether the given classes, if any, and all suppressed records meet every model."""
    if not alike.any():
        return True
    # SUPPRESSED is -1: it takes the entry appended at the end.
    entries = np.append(alike, True)[partition.classes]
    rows, counts = partition.rows[entries], partition.counts[entries]
    one_class = np.zeros(len(rows), dtype=np.int64)
    return all(
        bool(model.holds(ClassHistograms.of(one_class, values[rows], counts, 1)).all())
        for model, values in zip(problem.models, problem.protected, strict=True)
    )


def _losses(problem: Problem, partition: Partition) -> NDArray[np.float64]:
    """Return the loss per record of each class, under the problem's measure."""
    kept = partition.classes != SUPPRESSED
    entries = partition.rows[kept], partition.classes[kept], partition.counts[kept]
    totals = problem.objective().totals(*entries, partition.number)
    return np.asarray(totals / partition.sizes)


def loss_of_rest(problem: Problem, partition: Partition) -> float:
    """Return the mean loss of the records that are not suppressed, under the problem's measure."""
    return float(np.average(_losses(problem, partition), weights=partition.sizes))


def _without_classes(problem: Problem, partition: Partition) -> Partition:
    losses = _losses(problem, partition)
    sizes = partition.sizes
    left = problem.suppression_limit
    gone = np.zeros(partition.number, dtype=np.bool_)
    mean = float(np.average(losses, weights=sizes))
    for place in np.argsort(-losses, kind="stable").tolist():
        if losses[place] <= mean:
            break
        if sizes[place] <= left:
            gone[place] = True
            left -= int(sizes[place])
    name = np.where(gone, SUPPRESSED, np.arange(partition.number))
    return Partition.of(partition.rows, name[partition.classes], partition.counts)


def _divided_without(problem: Problem, outliers: NDArray[np.int32], divide: Divide) -> Partition:
    """Divide the problem that is left when so many records of each row are gone."""
    counts = problem.counts - outliers
    kept = np.flatnonzero(counts)
    divided = divide(problem.part(kept, counts[kept]))
    gone = np.flatnonzero(outliers)
    return Partition.of(
        np.concatenate((kept[divided.rows], gone)),
        np.concatenate((divided.classes, np.full(len(gone), SUPPRESSED))),
        np.concatenate((divided.counts, outliers[gone])),
    )


def _outliers(problem: Problem, partition: Partition) -> NDArray[np.int32]:
    """Return how many records of each row to leave out, at most the limit in all."""
    objective = problem.objective()
    rows, classes = partition.rows, partition.classes
    counts = partition.counts.copy()
    out = np.zeros(problem.rows, dtype=np.int32)
    left = problem.suppression_limit
    for rounds in range(ROUNDS, 0, -1):
        present = np.flatnonzero(counts)
        gain = kernels.gains(
            objective, rows[present], classes[present], counts[present], partition.number
        )
        # An entry of several equal records gains nothing until the last of them is gone.
        share = gain / counts[present]
        best = present[np.argsort(-share, kind="stable")]
        best = best[counts[best] <= left]
        taken = best[np.cumsum(counts[best]) <= max(1, left // rounds)]
        taken = taken[_positive(gain, present, taken)]
        if len(taken) == 0:
            break
        np.add.at(out, rows[taken], counts[taken])
        left -= int(counts[taken].sum())
        counts[taken] = 0
    return out


def _positive(
    gain: NDArray[np.float64], present: NDArray[np.int64], taken: NDArray[np.int64]
) -> NDArray[np.bool_]:
    return np.asarray(gain[np.searchsorted(present, taken)] > 0)
