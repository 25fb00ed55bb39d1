"""The promise of `auto`: on generated tables it loses no more than any single algorithm.

``SHOAL_GENERATED_TABLES`` says how many tables (40), ``SHOAL_GENERATED_MOST`` their records at most
(50,000), ``SHOAL_GENERATED_SECONDS`` the budgets (1,3), and ``SHOAL_GENERATED_SEEDS`` which
seeds: `held` (the default) or `development`.
"""

from __future__ import annotations

import os
import time
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.generated_tables import GeneratedTable
from benchmarks.timing import print_table
from shoal.algorithms import Run, make_algorithm
from shoal.algorithms.budget import Budget
from shoal.algorithms.cluster.suppression import loss_of_partition
from shoal.algorithms.partition import Partition
from shoal.algorithms.run import ExpiredError
from shoal.errors import Cancelled

if TYPE_CHECKING:
    from shoal.algorithms import Problem

TABLES = int(os.environ.get("SHOAL_GENERATED_TABLES", "40"))
MOST = int(os.environ.get("SHOAL_GENERATED_MOST", "50000"))
SECONDS = tuple(float(part) for part in os.environ.get("SHOAL_GENERATED_SECONDS", "1,3").split(","))
HELD_BACK = os.environ.get("SHOAL_GENERATED_SEEDS", "held") == "held"
SINGLES = ("mondrian", "hilbert", "sorted", "k-member", "agglomerative", "sequential", "refine")
WORST = 10

Rows = list[dict[str, Any]]


def run() -> dict[str, Any]:
    """Print and return the distribution, and the worst cases."""
    rows: Rows = []
    for place in range(TABLES):
        rows += measure(2 * place + (0 if HELD_BACK else 1))
    told = summary(rows)
    print_table(list(told), [tuple(told.values())])
    rows.sort(key=lambda row: -row["above"])
    _show(rows[:WORST])
    return {"summary": told, "worst": rows[:WORST], "all": rows}


def measure(seed: int) -> Rows:
    """Return a row for each budget: `auto`, and the best single algorithm in the same time."""
    drawn = GeneratedTable(seed, MOST).draw()
    problem = drawn.problem()
    rows: Rows = []
    for seconds in SECONDS:
        ours, cpu = solve("auto", problem, seconds)
        found = {name: solve(name, problem, seconds)[0] for name in SINGLES}
        best = min(found, key=lambda name: found[name])
        rows.append(
            {
                "seed": seed,
                "records": problem.n,
                "attributes": len(problem.codes),
                "k": problem.k,
                "models": len(problem.models),
                "suppression": drawn.suppression,
                "seconds": seconds,
                "auto": ours,
                "cpu_s": cpu,
                "best": best,
                "its": found[best],
                # Losses near 0 do not compare by ratio: of ten million cells one may show.
                "above": (ours - found[best]) / max(found[best], 1e-6),
            }
        )
        _show(rows[-1:])
    return rows


def solve(name: str, problem: Problem, seconds: float) -> tuple[float, float]:
    """Return the loss that an algorithm reaches within so many seconds, and its CPU seconds.

    What is not done in twice the time counts as nothing; what is done, as done.
    """
    chosen = make_algorithm(name)
    run = Run(seed=1, budget=Budget(seconds=seconds))
    began = time.process_time()
    try:
        with run.at_most(inf if name == "auto" else seconds + 0.05):
            found = chosen.solve(problem, run)
    except (ExpiredError, Cancelled):
        return inf, time.process_time() - began
    assert isinstance(found, Partition)
    assert found.sizes.min() >= problem.k
    return loss_of_partition(problem, found), time.process_time() - began


def summary(rows: Rows) -> dict[str, Any]:
    """Return how `auto` compares over all rows."""
    above = np.array([row["above"] for row in rows])
    return {
        "cases": len(rows),
        "at or below": int((above <= 1e-9).sum()),
        "up to 2 % above": int(((above > 1e-9) & (above <= 0.02)).sum()),
        "2 to 5 % above": int(((above > 0.02) & (above <= 0.05)).sum()),
        "more": int((above > 0.05).sum()),
        "median": float(np.median(above)),
        "worst": float(above.max()),
    }


def _show(rows: Rows) -> None:
    print_table(list(rows[0]), [tuple(row.values()) for row in rows])
