"""The least loss that any release in classes must have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.algorithms import Budget, Partition, Problem, Run, make_algorithm
from shoal.algorithms.cluster.refine import SMALL
from shoal.algorithms.lower_bound import find_lower_bound, require_boundable
from shoal.encoding import encode
from shoal.io import CallerFrame
from shoal.measures import Released, find_measure
from shoal.options import make_job
from shoal.pipeline.figures import measured
from shoal.pipeline.gap import gap_of
from shoal.pipeline.progress import Stages, solve, watched
from shoal.pipeline.run import schema_of
from shoal.table import Table

if TYPE_CHECKING:
    from shoal.pipeline.progress import Watcher
    from shoal.pipeline.run import Hierarchies

DEFAULT_BOUND_SECONDS = 60.0


def bound(
    frame: Any,
    *,
    hierarchy: Hierarchies | None = None,
    watch: Watcher | None = None,
    **words: Any,
) -> dict[str, Any]:
    """Return a loss that no release of a frame in classes of at least k can go below.

    A good division is searched for in a quarter of the time, and the bound proved in the rest;
    docs/bounds.md says what exactly is proved.

    Parameters
    ----------
    frame
        As for :func:`shoal.anonymize`.
    **words
        The words of a job; ``bound_seconds`` are the seconds, 60 unless given.

    Returns
    -------
    dict
        ``lower_bound``; ``loss`` of the best division found, and its ``gap``, the share of that
        loss that may be avoidable; ``converged``, whether more time would not raise the bound;
        ``n``, ``k``, ``measure`` and ``seconds``.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> people = pl.DataFrame({"age": [35, 36, 37, 61, 62, 66], "sex": list("FFFMMM")})
    >>> told = shoal.bound(people, k=3, quasi=["age", "sex"])
    >>> round(told["lower_bound"], 4), round(told["gap"], 4)
    (0.0565, 0.0)
    """
    source = CallerFrame.of(frame).polars
    job = make_job(words)
    find_measure(job.measure)
    require_boundable(job.measure)
    stages = Stages(watch)
    limit = DEFAULT_BOUND_SECONDS if job.bound_seconds is None else job.bound_seconds
    with stages.stage("encode"):
        encoded = encode(Table.of(source, schema_of(source, job, hierarchy)))
        problem = Problem.of(encoded, job.k, suppression=job.suppression)
    # A small table is searched through long before its time is up.
    quick = problem.n <= SMALL and limit >= 4
    run = Run(seed=0, threads=job.threads, budget=Budget(seconds=None if quick else limit / 4))
    with stages.stage("solve"):
        solution = solve(make_algorithm("refine"), problem, run, stages)
    assert isinstance(solution, Partition)
    run = Run(seed=0, threads=job.threads, budget=Budget(seconds=limit * 3 / 4))
    with stages.stage("bound"):
        found = watched("bound", lambda: find_lower_bound(problem, solution, run), run, stages)
    recoding = solution.recode(problem, run.generator())
    shown = Released(encoded.domains, encoded.weights, encoded.codes, recoding, encoded.n, job.k)
    loss = measured(shown, job)["measures"][job.measure]
    return {
        "n": encoded.n,
        "k": job.k,
        "measure": job.measure,
        "lower_bound": found.loss,
        "loss": loss,
        "gap": gap_of(loss, found.loss),
        "converged": found.converged,
        "seconds": stages.seconds,
    }
