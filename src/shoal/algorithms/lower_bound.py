"""What no division into classes can go below: a proved bound. Kernel: cpp/src/exact/bound.cpp."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal._core import kernels
from shoal.algorithms.algorithm import solve_partition
from shoal.algorithms.cover import Cover
from shoal.algorithms.cover_parts import CoverParts
from shoal.algorithms.least_closures import bound_by_closures
from shoal.algorithms.partition import Partition
from shoal.algorithms.required_values import required_values
from shoal.encoding.recoding import SUPPRESSED
from shoal.errors import ParameterError
from shoal.models import DistinctDiversity, PersonalK
from shoal.models.persons import DistinctPersons

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.algorithm import Traits
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run
    from shoal.algorithms.solution import Solution

MEASURE = "gcp"
# From this k on, classes are too many to search through in the usual time, and a smaller k may
# prove more; below it, the bound for k itself was higher on every table measured.
LARGE_K = 8
# Of the time, what k itself has; its half and these have the rest.
OWN_SHARE = 0.6
SMALLER = (5, 3, 2)
# Of the time, what may go to the bound by closures of single records.
CLOSURES_SHARE = 0.3
# Tables up to so many rows are divided again for a smaller k, which takes a second or two; on
# larger ones the division for k must do.
MOST_DIVIDED = 50_000
# Of the time, what goes to a division without the models where they ask for no different values:
# prices, which leave such models aside, start too high from classes that meet them.
DIVIDED_SHARE = 0.05
# Prices know of values only if more classes than this lack some where models are left aside, since
# rows with different values are searched one by one. Adult as sets, k = 5, distinct 2-diversity, 60
# CPU seconds: of 14 random values .0125 with and .0128 without them, of the income .0164 and .0118.
LEAST_LACKING = 0.05


@dataclass(frozen=True, slots=True)
class LowerBound:
    """A loss that no release of classes can go below.

    Parameters
    ----------
    loss
        The bound, per record, in the measure ``gcp``.
    rounds
        Rounds of the search for better prices.
    converged
        Whether more time would not raise it noticeably.
    k
        The k it was proved for: that of the problem, a smaller one, or, where every class needs
        more different values than that, their number.
    """

    loss: float
    rounds: int
    converged: bool
    k: int


class NeededValues(NamedTuple):
    """How many different values every class holds, the value of each row, and if that is all."""

    different: int
    codes: NDArray[np.unsignedinteger]
    alone: bool


def require_boundable(measure: str, traits: Traits | None = None) -> None:
    """Raise unless the bound holds for this measure and the releases of this algorithm.

    Raises
    ------
    ParameterError
        If it does not, with the reason.
    """
    if measure != MEASURE:
        raise ParameterError(
            f"Lower bounds exist for {MEASURE} only, not for {measure}: the proof needs a loss "
            "that each class has by itself and that never falls when a class grows.",
            remedy="Leave out the bound, or `measure`.",
        )
    if traits is not None and traits.without_bound:
        raise ParameterError(
            f"There is no lower bound for this algorithm: {traits.without_bound}.",
            remedy="Leave out `bound_seconds`, or choose another algorithm.",
        )


def find_lower_bound(
    problem: Problem, solution: Solution | None, run: Run, *, rounds: int | None = None
) -> LowerBound:
    """Return a proved lower bound of the loss of every division into classes of at least k.

    The idea: prices for records such that no class costs less than its records' prices. Their sum
    is a bound; a linear program over the classes found so far proposes prices, and an exact search
    corrects them. Beside it, what each record loses at least by itself (``least_closures.py``); the
    higher of the two counts. Time as given by ``run``; memory O(n·m) and the classes found. With
    ``rounds`` the result is equal for any number of threads.

    What is proved: every release in classes of at least k that suppresses no more records than the
    limit allows, each at a loss of 1, loses at least this much. Of privacy models, prices know the
    least personal k and how many different values every class needs, of the model that needs most;
    models only forbid classes, so the bound holds with any of them.
    What single records lose takes account of personal ks and of the values that models require.
    Classes of at least k are also classes of at least any smaller k, with the same suppression
    limit, so a bound for a smaller k holds as well. Where k is large and its own bound has not
    converged, part of the time goes to smaller ones, and the highest bound is returned.

    Parameters
    ----------
    solution
        A good division, from whose losses the prices start; found with ``k-member`` otherwise.
    rounds
        A deterministic limit, for each k; without it and without seconds, the search ends when it
        converges.
    """
    require_boundable(problem.measure)
    run.check()
    if isinstance(solution, Cover | CoverParts):
        # Imported here: HiGHS and SciPy take longer to load than most bounds take to prove.
        from shoal.algorithms.exact.covers.solving import bound_covers

        return bound_covers(problem, solution, run)
    problem = replace(problem, k=least_k(problem))
    some = run.child(run.budget.share(CLOSURES_SHARE), control=run.control.child())
    by_closures = bound_by_closures(problem, some)
    found = _bound_by_prices(problem, solution, run, rounds)
    if found.loss >= by_closures:
        return found
    run.control.bound = by_closures
    return LowerBound(by_closures, found.rounds, found.converged, problem.k)


def _bound_by_prices(
    problem: Problem, solution: Solution | None, run: Run, rounds: int | None
) -> LowerBound:
    needed, best, shown = _needed_values(problem), None, run.control
    if needed is not None and rounds is None and _lacking(problem, needed, run) <= LEAST_LACKING:
        needed = None
    if needed is not None:
        # Prices start from classes that meet what they know of, and no more: those of t-closeness
        # cost more than twice as much on Adult as sets.
        known = isinstance(solution, Partition) and needed.alone
        strict = replace(
            problem,
            k=max(problem.k, needed.different),
            models=(DistinctDiversity("", needed.different),),
            protected=(needed.codes,),
        )
        started = solution if known else _divided(strict, run)
        best = _bound_by_ks(strict, started, run, rounds, needed)
        # Cuts exist for k alone, and may prove more where values are easy to have.
        if run.remaining() <= 0 or not (best.converged or rounds is not None):
            return best
        run = run.child(run.budget, control=shown.child())
    if problem.models:
        # Their classes cost more than prices, which leave models aside, can account for.
        problem = replace(problem, models=(), protected=())
        solution = _divided(problem.without_suppression(), run)
    found = _bound_by_ks(problem, solution, run, rounds, None)
    if best is None:
        return found
    best = max(best, found, key=lambda bound: bound.loss)
    shown.bound = best.loss
    return best


def _bound_by_ks(
    problem: Problem,
    solution: Solution | None,
    run: Run,
    rounds: int | None,
    needed: NeededValues | None,
) -> LowerBound:
    """Return the highest bound for k and smaller ones."""
    smaller = smaller_ks(problem.k)
    own = run.within(run.budget.share(OWN_SHARE)) if smaller else run
    best = _bound_for(problem, solution, own, rounds, needed)
    for place, k in enumerate(smaller):
        if best.converged or run.remaining() <= 0:
            break
        if needed is not None and k < needed.different:
            break
        subproblem = replace(problem, k=k)
        # A control of its own, so that the bound shown does not fall.
        alone = run.child(run.budget.share(1 / (len(smaller) - place)), control=run.control.child())
        divided = None if problem.rows <= MOST_DIVIDED else solution
        found = _bound_for(subproblem, divided, alone, rounds, needed)
        if found.loss > best.loss:
            best = replace(found, converged=False)
            run.control.bound = best.loss
    return best


def _divided(problem: Problem, run: Run) -> Partition:
    """Return a good division for prices to start from, in a small share of the time."""
    name = "k-member" if problem.rows <= MOST_DIVIDED else "mondrian"
    alone = run.child(seed=0, threads=1)
    if run.budget.seconds is not None:
        share = run.budget.share(DIVIDED_SHARE)
        name, alone = "refine", run.child(share, seed=0, control=run.control.child())
    return solve_partition(name, problem, alone)


def least_k(problem: Problem) -> int:
    """Return how many records every class has at least, a personal k considered.

    A record with the smallest k still needs that many; records that require more only rule classes
    out.
    """
    personal = (int(model.ks[0]) for model in problem.models if isinstance(model, PersonalK))
    return max([problem.k, *personal])


def notes_on_bound(problem: Problem) -> list[str]:
    """Return notes on what a lower bound does not consider."""
    if not any(isinstance(model, PersonalK) for model in problem.models):
        return []
    note = (
        "`personal_k`: the bound is that of the smallest k that any record requires, "
        f"{least_k(problem)}, or what single records lose at their own k, if that is more. It "
        "holds, but may be lower than necessary."
    )
    return [note]


def smaller_ks(k: int) -> tuple[int, ...]:
    """Return the smaller k whose bounds may be higher than that of k, largest first.

    >>> smaller_ks(50), smaller_ks(8), smaller_ks(7)
    ((25, 5, 3, 2), (5, 4, 3, 2), ())
    """
    return tuple(sorted({k // 2, *SMALLER}, reverse=True)) if k >= LARGE_K else ()


def _needed_values(problem: Problem) -> NeededValues | None:
    """Return the values that most different ones are needed of in a class, if more than one."""
    needed = None
    for model, codes in zip(problem.models, problem.protected, strict=True):
        required = required_values(model, int(codes.max(initial=0)) + 1)
        different = 1 if required is None else required.different
        if different > (1 if needed is None else needed.different):
            alone = isinstance(model, DistinctDiversity | DistinctPersons)
            needed = NeededValues(different, codes, alone and len(problem.models) == 1)
    return needed


def _lacking(problem: Problem, needed: NeededValues, run: Run) -> float:
    """Return the share of classes that lack values if models are left aside."""
    plain = replace(problem, models=(), protected=(), suppression_limit=0)
    found = solve_partition("mondrian", plain, run.child(seed=0, control=run.control.child()))
    values = int(needed.codes.max(initial=0)) + 1
    pairs = np.unique(found.classes.astype(np.int64) * values + needed.codes[found.rows])
    held = np.bincount(pairs // values, minlength=found.number)
    return float(np.mean(held < needed.different))


def _bound_for(
    problem: Problem,
    solution: Solution | None,
    run: Run,
    rounds: int | None,
    needed: NeededValues | None,
) -> LowerBound:
    if not isinstance(solution, Partition):
        alone = run.child(seed=0, threads=1)
        # Values that classes need may be had only if some records are suppressed.
        divided = problem.without_suppression() if needed is None else problem
        solution = solve_partition("k-member", divided, alone)
    # Rows that differ in other protected values alone cost the same.
    values = [] if needed is None else [needed.codes]
    row_of, first = kernels.fold([*problem.codes, *values])
    counts = np.bincount(row_of, problem.counts).astype(np.int32)
    records = kernels.Records(counts)
    for codes, domain, weight in zip(problem.codes, problem.domains, problem.weights, strict=True):
        domain.add_to(records, codes[first], weight)
    kept = solution.classes != SUPPRESSED
    run.control.loss, run.control.progress = -1.0, 0.0
    loss, taken, converged = kernels.lower_bound(
        records,
        row_of[solution.rows[kept]],
        solution.classes[kept],
        solution.counts[kept],
        solution.number,
        k=problem.k,
        suppression_limit=problem.suppression_limit,
        threads=run.threads,
        rounds=-1 if rounds is None else rounds,
        seconds=min(run.remaining(), 1e9),
        control=run.control,
        different=1 if needed is None else needed.different,
        values=np.zeros(0, np.int32) if needed is None else needed.codes[first].astype(np.int32),
    )
    return LowerBound(loss, taken, converged, problem.k)
