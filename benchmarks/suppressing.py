"""`auto` where records may be suppressed: beside singles, and beside itself without suppression.

Parts are tables: ``python -m benchmarks suppressing:sets,c2k``; those in CPU seconds begin with
`cpu`. ``SHOAL_SUPPRESSING_SECONDS`` says how long each run may take (3),
``SHOAL_SUPPRESSING_SEEDS`` how many seeds (1), ``SHOAL_SUPPRESSING_RECORDS`` how many records are
drawn from each table at most (all). With ``SHOAL_SUPPRESSING_STEPS`` budgets of the other parts are
steps, so that other work on the machine changes nothing.
"""

from __future__ import annotations

import os
import statistics
import time
from functools import partial
from math import inf
from typing import Any

from benchmarks.auto import table_words
from benchmarks.large_k import census_words
from benchmarks.pages import PageTable, number, percent, share
from benchmarks.timing import print_table
from shoal._core import kernels
from shoal.algorithms import Problem, Run, make_algorithm
from shoal.algorithms.budget import Budget
from shoal.algorithms.cluster.suppression import loss_of_partition
from shoal.algorithms.partition import Partition
from shoal.algorithms.run import ExpiredError
from shoal.encoding import encode
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Table

SECONDS = float(os.environ.get("SHOAL_SUPPRESSING_SECONDS", "3"))
STEPS = os.environ.get("SHOAL_SUPPRESSING_STEPS", "")
SEEDS = range(1, 1 + int(os.environ.get("SHOAL_SUPPRESSING_SEEDS", "1")))
RECORDS = int(os.environ.get("SHOAL_SUPPRESSING_RECORDS", "1000000"))
SHARES = (0.01, 0.02, 0.05)
SINGLES = ("mondrian", "hilbert", "k-member", "agglomerative", "sequential", "refine")
CASES = {"sets": 10, "hierarchies": 10, "diabetic": 10, "c2k": 5, "census": 50}
# Quadratic algorithms take minutes on more distinct rows.
MOST_ROWS = 40_000
# Seconds beyond the budget that an algorithm may take to end.
GRACE = 0.05

Rows = list[dict[str, Any]]


def run() -> dict[str, Rows]:
    """Run every part whose table is at hand."""
    return {name: part() for name, part in PARTS.items()}


def _measure(table: str, k: int, clock: str) -> Rows:
    words = census_words() if table == "census" else table_words(table)
    if words is None:
        print(f"{table} is not here; left out")
        return []
    frame = words.pop("frame")
    if frame.height > RECORDS:
        frame = frame.sample(RECORDS, seed=1)
    job = Job.from_dict({"k": k, **words})
    encoded = encode(Table.of(frame, schema_of(frame, job)))
    rows: Rows = []
    without = None
    for suppression in (0.0, *SHARES):
        problem = Problem.of(encoded, k, suppression=suppression)
        ours = statistics.median(_solve("auto", problem, seed, clock) for seed in SEEDS)
        without = ours if without is None else without
        found = {
            name: _solve(name, problem, SEEDS[0], clock)
            for name in SINGLES
            if clock == "cpu" or _is_quick(name, problem)
        }
        best = min(found, key=lambda name: found[name])
        rows.append(
            {
                "table": table,
                "k": k,
                "records": problem.n,
                "suppression": suppression,
                "auto": ours,
                "without": without,
                "best": best,
                "its": found[best],
                "above_without": ours / without - 1,
                "above_best": ours / found[best] - 1,
            }
        )
        print_table(list(rows[-1]), [tuple(rows[-1].values())])
    return rows


def _is_quick(name: str, problem: Problem) -> bool:
    slow = name in {"agglomerative", "sequential", "k-member"}
    return not slow or problem.rows <= MOST_ROWS


def _solve(name: str, problem: Problem, seed: int, clock: str) -> float:
    """Return the loss; infinite if it takes more than the CPU seconds there are."""
    by_cpu = clock == "cpu"
    if by_cpu:
        budget = Budget(clock=time.process_time).fresh(seconds=SECONDS)
    else:
        budget = Budget(steps=int(STEPS)) if STEPS else Budget(seconds=SECONDS)
    run = Run(seed=seed, budget=budget)
    kernels.count_cpu_seconds(by_cpu)
    try:
        with run.at_most(SECONDS + GRACE if by_cpu and name != "auto" else inf):
            found = make_algorithm(name).solve(problem, run)
    except ExpiredError:
        return inf
    finally:
        kernels.count_cpu_seconds(False)
    assert isinstance(found, Partition)
    assert found.suppressed <= problem.suppression_limit
    return loss_of_partition(problem, found)


PARTS = {name: partial(_measure, name, k, "") for name, k in CASES.items()} | {
    f"cpu-{name}": partial(_measure, name, k, "cpu") for name, k in CASES.items()
}


def _losses(parts: dict[str, Rows], clock: str = "") -> PageTable:
    """Return what `auto` loses where records may be suppressed, a row per table and limit."""
    shown = [f"{clock}{part}" for part in CASES if f"{clock}{part}" in parts]
    rows = [
        [
            f"{row['table']}, {number(row['records'])}",
            number(row["k"]),
            percent(row["suppression"]),
            share(row["auto"]),
            _signed(row["above_without"]) if row["suppression"] else "",
            f"`{row['best']}`, {share(row['its'])}",
            _signed(row["above_best"]),
        ]
        for part in shown
        for row in parts[part]
    ]
    header = (
        "table", "k", "suppression", "`auto`", "to none suppressed", "best single", "to that",
    )  # fmt: skip
    return PageTable(header, rows, shown)


def _signed(value: float) -> str:
    return f"{value:+.2%}".replace("%", " %")


TABLES = {"losses": _losses, "cpu_losses": partial(_losses, clock="cpu-")}
