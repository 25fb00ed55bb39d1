"""`optimal` at work: divisions to start from, then the search for a proof."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.algorithm import solve_partition
from shoal.algorithms.cluster.closures_of_classes import ClosuresOfClasses
from shoal.algorithms.exact.highs import SolverFailedError
from shoal.algorithms.exact.optimal.branching import Branches
from shoal.algorithms.exact.optimal.choosing import choose
from shoal.algorithms.exact.optimal.columns import Cuts
from shoal.algorithms.exact.optimal.conditions import allowed_columns, meets_models
from shoal.algorithms.exact.optimal.divisions import columns_of, division_search, partition_of
from shoal.algorithms.exact.optimal.generation import Generator, Prices
from shoal.algorithms.exact.optimal.improve import improve
from shoal.algorithms.exact.optimal.root import solve
from shoal.algorithms.exact.optimal.search import PROVED, nodes_within
from shoal.algorithms.least_closures import MOST_SETS, bound_by_closures
from shoal.algorithms.lower_bound import CLOSURES_SHARE, least_k, notes_on_bound
from shoal.errors import Cancelled

if TYPE_CHECKING:
    from shoal.algorithms.partition import Partition
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

# Where a model forbids the cap on sizes, all classes are listed if there are no more than these.
FEW_CLASSES = 20_000
# The first divisions take a number of steps, the same on every machine, if that surely fits.
STEPS_A_RECORD = 20_000
SECONDS_A_STEP = 2e-7
RESTARTS = 4
# Of the time, or of the steps, for the first division; of the rest for the bound under models.
START_SHARE = 0.2
BOUND_SHARE = 0.5


def solve_plain(problem: Problem, run: Run) -> Partition:
    """Solve under k-anonymity alone."""
    starts = _starts(problem, run)
    search = division_search(problem, _after_starts(run), starts[0])
    for other in starts[1:]:
        search.know(columns_of(other, search.generator))
    solve(search)
    return replace(search.best, optimal=search.closed, lower_bound=search.lower_bound)


def _starts(problem: Problem, run: Run) -> list[Partition]:
    """Return divisions by local search, the best first; without models nothing is suppressed."""
    subproblem = problem if problem.models else replace(problem, suppression_limit=0)
    steps = STEPS_A_RECORD * problem.n
    fits = RESTARTS * steps * SECONDS_A_STEP <= START_SHARE * run.remaining()
    seeds = np.random.SeedSequence(run.seed).generate_state(RESTARTS, np.uint64)
    found: list[Partition] = []
    if run.budget.steps is not None:
        own = run.budget.fresh(steps=int(START_SHARE * run.budget.steps / RESTARTS))
    elif fits:
        own = run.budget.fresh(steps=steps)
    else:
        own = run.budget.fresh(seconds=START_SHARE * (run.budget.seconds or 0.0) / RESTARTS)
    for seed in seeds.tolist():
        if found and run.remaining() <= 0:
            break
        try:
            found.append(
                solve_partition("refine", subproblem, run.child(own.from_now(), seed=seed))
            )
        except Cancelled:
            if run.control.abandoned or not found:
                raise
            break
        run.report(0.0)
    return sorted(found, key=lambda one: _loss(subproblem, one))


def _loss(problem: Problem, partition: Partition) -> float:
    losses = ClosuresOfClasses(problem, partition).losses()
    return float(losses @ partition.sizes) + partition.suppressed


def _after_starts(run: Run) -> Run:
    """Return the run with the steps that the starts leave."""
    steps = run.budget.steps
    left = None if steps is None else steps - int(START_SHARE * steps)
    return run.within(replace(run.budget, steps=left))


def solve_with_models(problem: Problem, run: Run) -> Partition:
    """Solve under further models: exactly if all classes can be listed, else with a bound."""
    best = _starts(problem, run)[0]
    run = _after_starts(run)
    # It takes models into account, and needs no prices, for which few steps may not be enough.
    by_closures = _bound_by_closures(problem, run)
    try:
        exact = _among_all(problem, run)
    except Cancelled:
        if run.control.abandoned:
            raise
        return replace(best, lower_bound=by_closures)
    if exact is not None:
        return exact
    run.note(*notes_on_bound(problem))
    plain = replace(problem, k=least_k(problem), models=(), protected=())
    search = division_search(plain, run.within(run.budget.share(BOUND_SHARE)), best)
    solve(search)
    if search.closed and meets_models(problem, search.best):
        return replace(search.best, optimal=True, lower_bound=search.lower_bound)
    steps = run.budget.steps
    left = None if steps is None else max(0, steps - search.steps)
    better = improve(problem, best, run.within(replace(run.budget, steps=left)))
    run.control.steps += search.steps
    return replace(better, lower_bound=max(search.lower_bound, by_closures))


def _bound_by_closures(problem: Problem, run: Run) -> float:
    """Return what single records lose at least; a step pays for a row of a set of attributes."""
    steps = run.budget.steps
    most = MOST_SETS if steps is None else min(MOST_SETS, 1 + steps // problem.rows)
    return bound_by_closures(problem, run.within(run.budget.share(CLOSURES_SHARE)), most=most)


def _among_all(problem: Problem, run: Run) -> Partition | None:
    """Return the best of all divisions, classes of any size, or ``None`` if there are too many."""
    generator = Generator(problem, run, largest=problem.n)
    nothing = Prices(np.zeros(problem.rows), 0.0, 0.0, np.zeros(0))
    found = generator.price(
        nothing,
        Cuts.none(),
        Branches.none(),
        below=float(problem.n + 1),
        every=FEW_CLASSES,
        steps=run.budget.steps,
    )
    if not found.complete:
        return None
    columns = found.columns.take(allowed_columns(problem, found.columns))
    try:
        chosen = choose(
            generator.program, columns, Cuts.none(), run, nodes=nodes_within(run.budget.steps)
        )
    except SolverFailedError as error:
        run.note(f"HiGHS failed to choose among all classes ({error}).")
        return None
    if chosen.times is None or not chosen.proved:
        return None
    used = columns.take(np.repeat(np.arange(len(columns)), chosen.times))
    partition = partition_of(used, chosen.withheld)
    if not meets_models(problem, partition):
        return None
    total = float(used.costs.sum()) + int(chosen.withheld.sum())
    lower = total - generator.error - PROVED * max(1.0, total)
    return replace(partition, optimal=True, lower_bound=max(0.0, lower) / problem.n)
