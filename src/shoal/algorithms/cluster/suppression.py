"""Which records to leave out when a share of them may be suppressed."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.cluster.closures_of_classes import ClosuresOfClasses, sum_weighted
from shoal.algorithms.partition import Partition
from shoal.encoding.closures import Spans
from shoal.encoding.domain import IntervalDomain, SetDomain
from shoal.encoding.encode import FoldedRows
from shoal.encoding.recoding import SUPPRESSED
from shoal.errors import InfeasibleError
from shoal.privacy import ClassHistograms

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from shoal.algorithms.problem import Problem
    from shoal.encoding.domain import Domain

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
        # The rest alone may be too uniform for a model that the whole table meets.
        with suppress(InfeasibleError):
            choices.append(_divided_without(problem, outliers, divide))
    sound = [choice for choice in choices if is_sound_as_read(problem, choice)]
    return min(sound, key=lambda choice: _loss_of_rest(problem, choice))


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


def _loss_of_rest(problem: Problem, partition: Partition) -> float:
    losses = ClosuresOfClasses(problem, partition).losses()
    return float(np.average(losses, weights=partition.sizes))


def _without_classes(problem: Problem, partition: Partition) -> Partition:
    losses = ClosuresOfClasses(problem, partition).losses()
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
    record_rows = np.repeat(np.arange(len(kept), dtype=np.int32), counts[kept])
    rest = replace(
        problem,
        codes=tuple(codes[kept] for codes in problem.codes),
        protected=tuple(codes[kept] for codes in problem.protected),
        private=None if problem.private is None else problem.private[kept],
        folded=FoldedRows(
            record_rows,
            np.searchsorted(record_rows, np.arange(len(kept))).astype(np.int32),
            counts[kept],
        ),
        suppression_limit=0,
    )
    divided = divide(rest)
    gone = np.flatnonzero(outliers)
    return Partition.of(
        np.concatenate((kept[divided.rows], gone)),
        np.concatenate((divided.classes, np.full(len(gone), SUPPRESSED))),
        np.concatenate((divided.counts, outliers[gone])),
    )


def _outliers(problem: Problem, partition: Partition) -> NDArray[np.int32]:
    """Return how many records of each row to leave out, at most the limit in all."""
    rows, classes = partition.rows, partition.classes
    counts = partition.counts.copy()
    out = np.zeros(problem.rows, dtype=np.int32)
    left = problem.suppression_limit
    for rounds in range(ROUNDS, 0, -1):
        present = np.flatnonzero(counts)
        gain = _gains(problem, rows[present], classes[present], counts[present])
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


def _gains(
    problem: Problem,
    rows: NDArray[np.int32],
    classes: NDArray[np.int32],
    counts: NDArray[np.int32],
) -> NDArray[np.float64]:
    """Return by how much the total loss of its class falls when an entry leaves it."""
    now: list[NDArray[np.float64]] = []
    without: list[NDArray[np.float64]] = []
    for codes, domain in zip(problem.codes, problem.domains, strict=True):
        with_entry, alone = _losses_without_entry(codes[rows], classes, domain)
        now.append(with_entry)
        without.append(alone)
    size = np.bincount(classes, counts)[classes]
    total_now = size * sum_weighted(problem.weights, now)
    return total_now - (size - counts) * sum_weighted(problem.weights, without)


def _losses_without_entry(
    codes: NDArray[np.unsignedinteger], classes: NDArray[np.int32], domain: Domain
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return for each entry the loss of its class with it and without it, in one attribute."""
    order = np.lexsort((codes, classes))
    code, owner = codes[order].astype(np.int32), classes[order]
    first = np.concatenate(([True], owner[1:] != owner[:-1]))
    starts = np.flatnonzero(first)
    ends = np.append(starts[1:], len(owner)) - 1
    place = np.cumsum(first) - 1
    sole = np.ones(len(code), dtype=np.bool_)
    same = (code[1:] == code[:-1]) & ~first[1:]
    sole[1:] &= ~same
    sole[:-1] &= ~same
    if isinstance(domain, SetDomain):
        distinct = np.add.reduceat((first | np.concatenate(([True], ~same))).astype(int), starts)
        held = distinct[place]
        losses = domain.loss_of(held), domain.loss_of(np.maximum(held - sole, 1))
    else:
        low, high = code[starts][place], code[ends][place]
        second = code[np.minimum(starts + 1, ends)][place]
        second_last = code[np.maximum(ends - 1, starts)][place]
        index = np.arange(len(code))
        low_without = np.where(index == starts[place], second, low)
        high_without = np.where(index == ends[place], second_last, high)
        losses = (
            domain.loss(Spans(low, high)),
            domain.loss(Spans(low_without, np.maximum(low_without, high_without))),
        )
    back = np.empty(len(order), dtype=np.int64)
    back[order] = np.arange(len(order))
    return losses[0][back], losses[1][back]
