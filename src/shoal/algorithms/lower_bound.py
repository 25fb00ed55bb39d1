"""What no division into classes can go below: a proved bound. Kernel: cpp/src/exact/bound.cpp."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal._core import kernels
from shoal.algorithms.algorithm import Form, solve_partition
from shoal.algorithms.partition import Partition
from shoal.encoding.recoding import SUPPRESSED
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from shoal.algorithms.algorithm import Traits
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run
    from shoal.algorithms.solution import Solution

MEASURE = "gcp"


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
    """

    loss: float
    rounds: int
    converged: bool


def require_boundable(measure: str, traits: Traits | None = None) -> None:
    """Raise unless the bound holds for this measure and the releases of this algorithm.

    Raises
    ------
    ParameterError
        If it does not, with the reason.
    """
    if measure != MEASURE:
        raise ParameterError(
            f"A lower bound is known for {MEASURE} alone, not for {measure}: its proof needs a "
            f"loss that each class has by itself and that never falls when a class grows.",
            remedy="Leave out the bound, or `measure`.",
        )
    if traits is not None and traits.form == Form.FREEFORM:
        raise ParameterError(
            "The lower bound holds for releases in classes; a freeform release has none and can "
            "lose less than any of them.",
            remedy="Leave out `bound_seconds`, or choose an algorithm that makes classes.",
        )


def find_lower_bound(
    problem: Problem, solution: Solution | None, run: Run, *, rounds: int | None = None
) -> LowerBound:
    """Return a proved lower bound of the loss of every division into classes of at least k.

    The idea: prices for records such that no class costs less than its records' prices. Their sum
    is a bound; a linear program over the classes found so far proposes prices, and an exact search
    corrects them. Privacy models are left aside: they only forbid classes. Time as given by
    ``run``; memory O(n·m) and the classes found. The result is equal for any number of threads.

    Parameters
    ----------
    solution
        A good division, from whose losses the prices start; found with ``k-member`` otherwise.
    rounds
        A deterministic limit; without it and without seconds, the search ends when it converges.
    """
    require_boundable(problem.measure)
    run.check()
    if not isinstance(solution, Partition):
        solution = solve_partition("k-member", problem, run.child(seed=0, threads=1))
    # Rows that differ in protected values alone cost the same.
    row_of, first = kernels.fold(list(problem.codes))
    counts = np.bincount(row_of, problem.counts).astype(np.int32)
    records = kernels.Records(counts)
    for codes, domain, weight in zip(problem.codes, problem.domains, problem.weights, strict=True):
        domain.add_to(records, codes[first], weight)
    kept = solution.classes != SUPPRESSED
    run.control.loss, run.control.progress = -1.0, 0.0
    return LowerBound(
        *kernels.lower_bound(
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
        )
    )
