"""Gaps of lower bounds where k is large, models bite, or tables are large.

Every part divides a table with `refine`, proves a bound by what single records lose under models
and one by cheapest closures and prices, each within CPU seconds (``SHOAL_BOUND_SECONDS``, 60). One
part at a time: ``python -m benchmarks bound_gaps:sets-k50``.

The parts ``optimum-k…`` compare both bounds with the proved optimum of small samples.
"""

from __future__ import annotations

import os
import statistics
import time
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.bounds import bound_within
from benchmarks.exact import cpu_run, sample
from benchmarks.pages import PageTable, number
from benchmarks.problems import adult30k, adult_suppressed, census, mean_loss, of_frame
from benchmarks.refine import make_problem
from benchmarks.timing import print_table
from shoal.algorithms import Partition, Run, make_algorithm
from shoal.algorithms.budget import Budget
from shoal.algorithms.least_closures import bound_by_closures
from shoal.algorithms.lower_bound import find_lower_bound

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.algorithms import Problem

COMMAND = "python -m benchmarks bound_gaps"
SEED = 1


class Task(NamedTuple):
    """A table, its k and what classes are held to; steps of the search for a division."""

    table: str
    k: int
    steps: int
    model: str = ""


TASKS = {
    **{f"sets-k{k}": Task("sets", k, 10_000_000) for k in (5, 10, 50)},
    **{f"hierarchies-k{k}": Task("hierarchies", k, 10_000_000) for k in (5, 10, 50)},
    **{f"suppress-only-k{k}": Task("suppress-only", k, 1_000_000) for k in (5, 50)},
    "census-500000-k5": Task("census", 5, 1_000_000),
    "sets-k5-distinct": Task("models", 5, 10_000_000, "distinct-l-diversity:2"),
    "sets-k5-close": Task("models", 5, 10_000_000, "t-closeness:0.1"),
}


def run() -> dict[str, dict[str, object]]:
    """Run every part."""
    return {part: measure() for part, measure in PARTS.items()}


def problem_of(task: Task) -> Problem | None:
    """Return the problem of a part; ``None`` if its table is not here."""
    if task.table == "suppress-only":
        return adult_suppressed(task.k, private="income")
    if task.table == "census":
        return of_frame(census(500_000), task.k)
    if task.table == "models":
        return adult30k(task.k, task.model)
    return make_problem(task.table, task.k)


def _measured(part: str) -> dict[str, object]:
    """Divide, then bound: losses, bounds and the CPU seconds of each."""
    task = TASKS[part]
    problem = problem_of(task)
    if problem is None:
        return {}
    start = time.process_time()
    division = make_algorithm("refine").solve(
        problem, Run(seed=SEED, budget=Budget(steps=task.steps))
    )
    solved = time.process_time()
    seconds = float(os.environ.get("SHOAL_BOUND_SECONDS", "60"))
    budget = Budget(seconds=seconds, began=solved, clock=time.process_time)
    by_closures = bound_by_closures(problem, Run(seed=SEED, budget=budget))
    closed = time.process_time()
    by_prices = bound_within(problem, division, seconds).loss
    priced = time.process_time()
    loss = mean_loss(problem, division)
    bound = max(by_prices, by_closures)
    figure: dict[str, object] = {
        "table": task.table,
        "records": problem.n,
        "attributes": len(problem.codes),
        "k": task.k,
        "model": task.model,
        "loss": loss,
        "refine_cpu_s": solved - start,
        "single_records": by_closures,
        "single_records_cpu_s": closed - solved,
        "bound": bound,
        "bound_cpu_s": priced - solved,
        "gap": (loss - bound) / loss,
    }
    print_table(tuple(figure), [tuple(figure.values())])
    return figure


# Samples that `optimal` solves within seconds.
SAMPLES = 10
SAMPLE_SIZE = 60
SECONDS_OF_OPTIMAL = 60.0
SAMPLED_KS = (3, 5)


def _against_optimum(k: int) -> dict[str, object]:
    """Return medians, over samples, of how far bounds and `refine` are from the optimum."""
    single, priced, refined = [], [], []
    for seed in range(SAMPLES):
        problem = sample(SAMPLE_SIZE, k, seed)
        if problem is None:
            return {}
        best = make_algorithm("optimal").solve(problem, cpu_run(seed, SECONDS_OF_OPTIMAL))
        assert isinstance(best, Partition)
        if not best.optimal:
            continue
        optimum = mean_loss(problem, best)
        found = make_algorithm("refine").solve(
            problem, Run(seed=SEED, budget=Budget(steps=1_000_000))
        )
        # Without rounds of the search for prices, what single records lose is what is proved.
        least = find_lower_bound(problem, best, Run(seed=SEED), rounds=0).loss
        bound = find_lower_bound(problem, best, Run(seed=SEED)).loss
        single.append(1 - least / optimum)
        priced.append(1 - bound / optimum)
        refined.append(mean_loss(problem, found) / optimum - 1)
    figure: dict[str, object] = {
        "records": SAMPLE_SIZE,
        "k": k,
        "samples": SAMPLES,
        "proved": len(single),
        "single_records": statistics.median(single),
        "prices": statistics.median(priced),
        "most_prices": max(priced),
        "refine": statistics.median(refined),
    }
    print_table(tuple(figure), [tuple(figure.values())])
    return figure


PARTS = {part: partial(_measured, part) for part in TASKS} | {
    f"optimum-k{k}": partial(_against_optimum, k) for k in SAMPLED_KS
}


def _gaps(stored: Mapping[str, Mapping[str, object]]) -> PageTable:
    header = ("Table", "k", "Loss", "Single records", "after", "Bound", "after", "Gap")
    parts = [part for part in TASKS if part in stored]
    rows = [
        (
            f"{one['table']}, {one['records']:,} × {one['attributes']}"
            + (f", {one['model']}" if one["model"] else ""),
            str(one["k"]),
            number(one["loss"]),
            number(one["single_records"]),
            f"{one['single_records_cpu_s']:.1f} s",
            number(one["bound"]),
            f"{one['bound_cpu_s']:.0f} s",
            f"{100 * float(str(one['gap'])):.0f} %",
        )
        for one in (stored[part] for part in parts)
    ]
    return PageTable(header, rows, parts)


def _optima(stored: Mapping[str, Mapping[str, object]]) -> PageTable:
    header = ("Records", "k", "Samples", "Single records", "Prices", "Prices, worst", "`refine`")
    parts = [f"optimum-k{k}" for k in SAMPLED_KS if f"optimum-k{k}" in stored]
    rows = [
        (
            str(one["records"]),
            str(one["k"]),
            str(one["proved"]),
            *(
                f"{sign}{100 * float(str(one[key])):.1f} %"
                for sign, key in (
                    ("−", "single_records"),
                    ("−", "prices"),
                    ("−", "most_prices"),
                    ("+", "refine"),
                )
            ),
        )
        for one in (stored[part] for part in parts)
    ]
    return PageTable(header, rows, parts)


TABLES = {"gaps": _gaps, "optima": _optima}
