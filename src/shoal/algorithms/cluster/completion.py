"""What every clustering algorithm ends with: models made to hold, outliers suppressed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from shoal.algorithms.partition import Partition
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run


def complete(problem: Problem, run: Run, divide: Callable[[Problem], Partition]) -> Partition:
    """Return a partition that meets every model, with outliers suppressed where that helps.

    Parameters
    ----------
    divide
        How the algorithm divides a problem into classes of at least k; called again without the
        records that are suppressed.
    """

    def divide_soundly(subproblem: Problem) -> Partition:
        partition = divide(subproblem)
        run.check()
        if not subproblem.models:
            return partition
        from shoal.algorithms.cluster.repair import repair  # it imports every model

        return repair(subproblem, partition, run)

    run.report(0.0)
    if not problem.suppression_limit:
        partition = divide_soundly(problem)
    else:
        # Imported here: few runs may suppress records.
        from shoal.algorithms.cluster.suppression import suppress_outliers

        with run.part(0.0, 0.5):
            partition = divide_soundly(problem)
        with run.part(0.5, 1.0):
            partition = suppress_outliers(problem, partition, run, divide_soundly)
    run.report(1.0)
    return partition
