"""`optimal`: classes of proved least loss. Kernels: cpp/src/led_search.cpp, rank_cuts.cpp."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.algorithm import Family, Traits, algorithm, solve_partition
from shoal.algorithms.cluster.closures_of_classes import ClosuresOfClasses
from shoal.algorithms.exact.optimal.branching import Branches
from shoal.algorithms.exact.optimal.choosing import choose
from shoal.algorithms.exact.optimal.columns import Cuts
from shoal.algorithms.exact.optimal.conditions import allowed_columns, meets_models
from shoal.algorithms.exact.optimal.divisions import partition_of
from shoal.algorithms.exact.optimal.generation import Generator, Prices
from shoal.algorithms.exact.optimal.improve import improve
from shoal.algorithms.exact.optimal.root import solve
from shoal.algorithms.exact.optimal.search import PROVED, Search, nodes_within
from shoal.algorithms.exact.solver import SolverFailedError
from shoal.algorithms.run import Run
from shoal.errors import Cancelled

if TYPE_CHECKING:
    from shoal.algorithms.partition import Partition
    from shoal.algorithms.problem import Problem

DEFAULT_SECONDS = 60.0
# Where a model forbids the cap on sizes, all classes are listed if there are no more than these.
FEW_CLASSES = 20_000
# The first divisions take a number of steps, the same on every machine, if that surely fits.
STEPS_A_RECORD = 20_000
SECONDS_A_STEP = 2e-7
RESTARTS = 4
# Of the time, or of the steps, for the first division; of the rest for the bound under models.
START_SHARE = 0.2
BOUND_SHARE = 0.5


@algorithm(
    "optimal",
    family=Family.EXACT,
    traits=Traits(
        summary="Find classes of least loss and prove that there are none better, or say how far "
        "off they can be at most.",
        cost=f"`time` or `steps`; without either at most {DEFAULT_SECONDS:.0f} seconds; proofs "
        "for hundreds of records and k up to about 5, grows steeply with both",
        paper="Set partitioning with generated columns and rank-1 cuts, this project's own; the "
        "problem is that of the MILP paper",
        optimal=True,
        anytime=True,
        random=True,
    ),
)
class Optimal:
    """Classes of least total loss, with a proof, or the best found with its gap to a proved bound.

    The idea: choose classes out of all classes there are, so that every record is in one (a set
    partitioning program). Its relaxation is solved over few classes; an exact search finds those
    that would improve it, until there are none, and cuts tighten it. A division found by `refine`
    bounds the loss from above, and so do those in which the classes that the relaxation is sure of
    stay and `refine` divides the rest; then every class that a better division could use is listed,
    and the integer program over the list decides. Where the list is too long, what is left is
    divided into parts by branches, those that raise the bound most, until each part's list is
    short.

    What is proved: for k-anonymity, any attributes and weights, with or without suppression (a
    suppressed record loses 1), ``lower_bound`` is a loss per record (GCP) that no division of this
    table into classes of at least k goes below, published as closures. Classes of k to 2k - 1
    records are enough, since a larger class can be cut in two without more loss. Bounds are
    Lagrangian ones at rounded prices, with reduced costs in exact arithmetic, and lowered for the
    rounding of losses (2⁻⁴⁰ of a cell); they trust no solver. The last step does: where HiGHS's
    branch and bound found nothing better among all classes up to some reduced cost, the bound is
    raised to what the others cost at least, on HiGHS's word. ``optimal`` says that no division has
    a total loss less by more than 2·10⁻⁶ of it, or of 1 if the total is below 1: HiGHS's
    tolerance, for which the bound is lowered. With further privacy models a large class cannot
    always be cut, so the cap on sizes is given up: tables of about a dozen records are still
    solved to proof; others get the best classes found, ``lower_bound`` is that of k-anonymity
    alone, which holds because models only forbid classes, and ``optimal`` is claimed only if a
    division of that loss meets every model.

    Time as given; memory in proportion to the classes listed, some 100 MB at most. Steps are nodes
    of the search for classes, and 20 for each simplex iteration, those of the integer programs
    included. It is never worse than its start. Branching is on the number of classes and on pairs
    of records that have no equals; a table where that does not suffice stays without a proof, and
    a note says so.
    """

    def solve(self, problem: Problem, run: Run) -> Partition:
        """Return the best classes found, with what was proved about them."""
        run.report(0.0)
        unlimited = run.seconds is None and run.steps is None
        budget = replace(run, seconds=DEFAULT_SECONDS) if unlimited else run
        found = _with_models(problem, budget) if problem.models else _plain(problem, budget)
        if unlimited and not found.optimal:
            run.notes.append(
                f"optimal searched for {DEFAULT_SECONDS:.0f} seconds; `time` or `steps` sets it."
            )
        run.report(1.0)
        return found


def _plain(problem: Problem, run: Run) -> Partition:
    """Solve under k-anonymity alone."""
    starts = _starts(problem, run)
    search = Search(problem, run, starts[0], steps=_rest(run))
    search.know(starts[1:])
    solve(search)
    return replace(search.best, optimal=search.closed, lower_bound=search.lower_bound)


def _starts(problem: Problem, run: Run) -> list[Partition]:
    """Return divisions by local search, the best first; without models nothing is suppressed."""
    asked = problem if problem.models else replace(problem, suppression_limit=0)
    steps = STEPS_A_RECORD * problem.n
    fits = RESTARTS * steps * SECONDS_A_STEP <= START_SHARE * run.remaining()
    seeds = np.random.SeedSequence(run.seed).generate_state(RESTARTS, np.uint64)
    found: list[Partition] = []
    for seed in seeds.tolist():
        first = Run(seed=seed, threads=run.threads, control=run.control)
        if run.steps is not None:
            first.steps = int(START_SHARE * run.steps / RESTARTS)
        elif fits:
            first.steps = steps
        else:
            first.seconds = START_SHARE * (run.seconds or 0.0) / RESTARTS
        if found and run.remaining() <= 0:
            break
        try:
            found.append(solve_partition("refine", asked, first))
        except Cancelled:
            if run.control.abandoned or not found:
                raise
            break
        run.report(0.0)
    return sorted(found, key=lambda one: _loss(asked, one))


def _loss(problem: Problem, partition: Partition) -> float:
    losses = ClosuresOfClasses(problem, partition).losses()
    return float(losses @ partition.sizes) + partition.suppressed


def _rest(run: Run) -> int | None:
    return None if run.steps is None else run.steps - int(START_SHARE * run.steps)


def _with_models(problem: Problem, run: Run) -> Partition:
    """Solve under further models: exactly if all classes can be listed, else with a bound."""
    best = _starts(problem, run)[0]
    try:
        exact = _among_all(problem, run)
    except Cancelled:
        if run.control.abandoned:
            raise
        return best
    if exact is not None:
        return exact
    steps = _rest(run)
    share = run
    if run.seconds is not None:
        share = replace(run, seconds=run.seconds - BOUND_SHARE * run.remaining())
    search = Search(
        replace(problem, models=(), protected=()),
        share,
        best,
        steps=None if steps is None else int(BOUND_SHARE * steps),
    )
    solve(search)
    if search.closed and meets_models(problem, search.best):
        return replace(search.best, optimal=True, lower_bound=search.lower_bound)
    left = replace(run, steps=None if steps is None else max(0, steps - search.steps))
    better = improve(problem, best, left)
    run.control.steps += search.steps
    return replace(better, lower_bound=search.lower_bound)


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
        steps=_rest(run),
    )
    if not found.complete:
        return None
    columns = found.columns.take(allowed_columns(problem, found.columns))
    try:
        chosen = choose(
            generator.program, columns, Cuts.none(), run, nodes=nodes_within(_rest(run))
        )
    except SolverFailedError as error:
        run.notes.append(f"HiGHS failed to choose among all classes ({error}).")
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
