"""Which records of a partition to suppress, where some may be."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from shoal._core import kernels
from shoal.algorithms.constants import (
    JUDGED_ENTRIES,
    OUTLIER_ROUNDS,
    WORTH_HALF_THE_TIME,
    WORTH_SUPPRESSING,
)
from shoal.algorithms.partition import Partition
from shoal.algorithms.run import ExpiredError
from shoal.algorithms.suppression import (
    loss_to_lower,
    note_price,
    suppression_costs,
)
from shoal.encoding.closures import Spans
from shoal.encoding.domain import IntervalDomain
from shoal.encoding.recoding import SUPPRESSED
from shoal.errors import InfeasibleError
from shoal.models import ClassHistograms

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

    Divide = Callable[[Problem], Partition]


def suppress_outliers(
    problem: Problem, partition: Partition, run: Run, divide: Divide
) -> Partition:
    """Return the partition, or a better one in which some records are suppressed.

    Records without which their classes would lose much less are suppressed, and the rest is divided
    again; that is kept only if the total loss falls, suppressed records counted as lost.

    To lower the loss of the released records alone, the limit is used up: single records that cost
    their classes most go, or whole classes of greatest loss, whichever leaves the rest better.

    Parameters
    ----------
    partition
        A partition of all records.
    divide
        How the algorithm at hand divides a problem into classes that meet every model.
    """
    objective = problem.objective()
    choices, notes = [partition], list(run.notes)
    if problem.suppress_for == "released":
        choices.append(_without_classes(problem, partition, objective))
    outliers = _outliers(problem, partition, objective)
    if outliers.sum() and problem.n - outliers.sum() >= problem.k:
        # The rest alone may be too uniform for a model that the whole table meets; or there is no
        # time left for it.
        with suppress(InfeasibleError, ExpiredError):
            choices.append(_divided_without(problem, outliers, divide))
    sound = [choice for choice in choices if is_sound_as_read(problem, choice)]
    best = min(sound, key=lambda choice: loss_of_partition(problem, choice, objective))
    if best is partition:
        run.notes[:] = notes  # those of another division
    note_price(problem, run, *_lost(problem, best, objective))
    return best


def loss_of_partition(
    problem: Problem, partition: Partition, objective: kernels.Objective | None = None
) -> float:
    """Return the loss of a partition that suppression is to lower, under the problem's measure."""
    return loss_to_lower(problem, *_lost(problem, partition, objective or problem.objective()))


def is_suppression_worth_time(problem: Problem, partition: Partition) -> bool:
    """Return whether a second division is likely to gain enough to spend half of the time on it."""
    objective = problem.objective()
    some = _some_classes(partition)
    gains = _net_gains(problem, some, some.counts, objective)
    lost = float(_totals(some, objective).sum())
    return float(np.clip(gains, 0.0, None).sum()) > WORTH_HALF_THE_TIME * lost


def _some_classes(partition: Partition) -> Partition:
    """Return every so many-th class of a partition of very many rows."""
    every = len(partition.rows) // JUDGED_ENTRIES
    if every < 2:
        return partition
    chosen = partition.classes % every == 0
    return Partition.of(partition.rows[chosen], partition.classes[chosen], partition.counts[chosen])


def _kept(partition: Partition) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    kept = partition.classes != SUPPRESSED
    return partition.rows[kept], partition.classes[kept], partition.counts[kept]


def _totals(partition: Partition, objective: kernels.Objective) -> NDArray[np.float64]:
    """Return the loss of each class, all its records together."""
    return np.asarray(objective.totals(*_kept(partition), partition.number))


def _lost(
    problem: Problem, partition: Partition, objective: kernels.Objective
) -> tuple[float, NDArray[np.int64]]:
    """Return the loss of all released records, and how many of each row are suppressed."""
    gone = partition.classes == SUPPRESSED
    suppressed = np.bincount(
        partition.rows[gone], partition.counts[gone], minlength=problem.rows
    ).astype(np.int64)
    return float(_totals(partition, objective).sum()), suppressed


def is_sound_as_read(problem: Problem, partition: Partition) -> bool:
    """Return whether models hold also where suppressed records look like those of a class.

    A class that shows ``*`` everywhere looks like suppressed records: to a reader both
    are one class, which must meet every model too. In min_max notation a missing number looks
    like ``*`` where no column of flags distinguishes them.
    """
    if not problem.models or not partition.suppressed:
        return True
    kept = partition.classes != SUPPRESSED
    rows, starts = partition.rows[kept], partition.starts - np.count_nonzero(~kept)
    blank = np.ones(partition.number, dtype=np.bool_)
    silent = blank.copy()
    for domain, column in zip(problem.domains, problem.close(rows, starts), strict=True):
        closures, index = column.closures, column.index
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


def _without_classes(
    problem: Problem, partition: Partition, objective: kernels.Objective
) -> Partition:
    """Return the partition without the classes of greatest loss, as many as the limit allows."""
    sizes = partition.sizes
    losses = _totals(partition, objective) / sizes
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


def _net_gains(
    problem: Problem,
    partition: Partition,
    counts: NDArray[np.int32],
    objective: kernels.Objective,
) -> NDArray[np.float64]:
    """Return for each entry what its class gains without it, beyond what suppressing it costs.

    Entries whose ``counts`` are 0 are gone already. An entry of several equal records gains nothing
    until the last of them is gone.
    """
    gains = np.zeros(len(counts))
    present = np.flatnonzero(counts)
    rows = partition.rows[present]
    gains[present] = kernels.gains(
        objective, rows, partition.classes[present], counts[present], partition.number
    )
    if problem.suppress_for == "total":
        gains -= WORTH_SUPPRESSING * suppression_costs(problem)[partition.rows] * counts
    return gains


def _outliers(
    problem: Problem, partition: Partition, objective: kernels.Objective
) -> NDArray[np.int32]:
    """Return how many records of each row to suppress, at most the limit in all."""
    counts = partition.counts.copy()
    out = np.zeros(problem.rows, dtype=np.int32)
    left = problem.suppression_limit
    for rounds in range(OUTLIER_ROUNDS, 0, -1):
        gains = _net_gains(problem, partition, counts, objective)
        worth = np.flatnonzero((gains > 0) & (counts <= left))
        best = worth[np.argsort(-gains[worth] / counts[worth], kind="stable")]
        taken = best[np.cumsum(counts[best]) <= max(1, left // rounds)]
        if len(taken) == 0:
            break
        np.add.at(out, partition.rows[taken], counts[taken])
        left -= int(counts[taken].sum())
        counts[taken] = 0
    return out
