"""Freeform against classes, against the optimum of tiny tables, and the speed of its kernels.

``SHOAL_FULL=1`` runs all sizes; without it everything ends within a few minutes. Each part runs by
itself, too: ``freeform:figure_7a_k2``; ``SHOAL_SAMPLES`` says how many samples that takes.
"""

from __future__ import annotations

import os
import resource
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from scipy.optimize import linear_sum_assignment

from benchmarks.data import find_data
from benchmarks.problems import EIGHT, census, released_loss, with_sets
from benchmarks.timing import print_table
from shoal._core import kernels
from shoal.algorithms import Problem, Run, make_algorithm
from shoal.algorithms.budget import Budget
from shoal.algorithms.freeform.kernel_covers import lexicographic_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from shoal.algorithms import Solution

FULL = os.environ.get("SHOAL_FULL") == "1"
ONE_SHOT = ("ring", "k-concealment", "ff-greedy", "ff-sortgreedy", "ff-hungarian", "ff-mincost")
PRINTED = "ff-greedy, originals choose"
# A sample of 14 records on which the solver is not done by then counts as not proved.
MIP_SECONDS = 20.0
# k, most GCP of ff-refine at 20 CPU seconds
TARGETS = {5: 0.0285, 10: 0.0535, 50: 0.156}


def run() -> dict[str, list[dict[str, object]]]:
    """Run all parts; each prints a table."""
    return {name: part() for name, part in PARTS.items()}


def share_of_processor() -> float:
    """Return how much of a processor this process gets, from a second of idling."""
    wall, cpu = time.monotonic(), time.process_time()
    while time.monotonic() < wall + 1.0:
        pass
    return (time.process_time() - cpu) / (time.monotonic() - wall)


def solve(
    name: str, problem: Problem, seconds: float | None = None, **parameters: Any
) -> tuple[float, float]:
    """Return the GCP and the CPU seconds of an algorithm.

    The limit is in CPU seconds, as well as can be foreseen on a busy machine.
    """
    if seconds is not None:
        seconds /= share_of_processor()
    start = time.process_time()
    found = solution_of(name, problem, seconds, **parameters)
    cpu = time.process_time() - start
    return released_loss(problem, found), cpu


def solution_of(
    name: str, problem: Problem, seconds: float | None = None, **parameters: Any
) -> Solution:
    """Return what an algorithm finds; ``PRINTED`` is ff-greedy as the paper prints it."""
    if name == PRINTED:
        parameters["chooser"] = "original"
    return make_algorithm(name.partition(",")[0], parameters).solve(
        problem, Run(seed=1, budget=Budget(seconds=seconds))
    )


def optimum(k: int, table: str = "census") -> list[dict[str, object]]:
    """Take samples of 14 records: how far each gets from k-concealment to the optimum."""
    samples = int(os.environ.get("SHOAL_SAMPLES", "100"))
    names = ("ring", "ff-mincost", "ff-greedy", PRINTED, "ff-sortgreedy", "ff-hungarian",
             "ff-refine")  # fmt: skip
    frame = census(4_000) if table == "census" else adult_records(4_000)
    if frame is None:
        return []
    sums = dict.fromkeys(("k-concealment", "ff-mip", *names), 0.0)
    proved = 0
    for sample in range(samples):
        rows = np.random.default_rng(sample).choice(frame.height, 14, replace=False)
        problem = with_sets(frame[rows.tolist()], k)
        found = make_algorithm("ff-mip").solve(
            problem, Run(seed=1, budget=Budget(seconds=MIP_SECONDS))
        )
        proved += found.optimal
        sums["ff-mip"] += released_loss(problem, found)
        for name in ("k-concealment", *names):
            sums[name] += solve(name, problem)[0]
    worst, best = sums["k-concealment"], sums["ff-mip"]
    # The gain of the paper's figure: how much of the way from k-concealment to the optimum.
    gains = {name: (worst - sums[name]) / max(worst - best, 1e-12) for name in names}
    if k == 2 and proved == samples:
        assert sums["ff-mincost"] <= best + 1e-6 * samples
    figures: list[dict[str, object]] = [
        {"table": table, "k": k, "samples": samples, "proved": proved,
         "concealment_gcp": worst / samples, "optimal_gcp": best / samples, **gains}
    ]  # fmt: skip
    print_table(tuple(figures[0]), [tuple(row.values()) for row in figures])
    return figures


def adult_records(records: int) -> pl.DataFrame | None:
    """Return the first records of adult30k."""
    path = find_data("adult30k")
    if path is None:
        print("adult30k is not here; left out")
        return None
    return pl.read_csv(path).head(records).select(EIGHT)


def adult(records: int, k: int) -> Problem | None:
    """Return the problem of the first records of adult30k."""
    frame = adult_records(records)
    return None if frame is None else with_sets(frame, k)


def classes(k: int) -> list[dict[str, object]]:
    """First 5,000 records of adult30k: every algorithm, and both refinements at equal time."""
    figures: list[dict[str, object]] = []
    problem = adult(5_000, k)
    if problem is None:
        return []
    for name in ONE_SHOT:
        if name != "k-concealment" or FULL:
            gcp, cpu = solve(name, problem)
            figures.append({"k": k, "algorithm": name, "gcp": gcp, "cpu_s": cpu})
    for name in ("refine", "ff-refine"):
        gcp, cpu = solve(name, problem, 20.0 if FULL else 8.0)
        figures.append({"k": k, "algorithm": name, "gcp": gcp, "cpu_s": cpu})
    print_table(("k", "algorithm", "GCP", "CPU s"), [tuple(row.values()) for row in figures])
    return figures


def pair_costs(problem: Problem) -> NDArray[np.float64]:
    """Return the loss of the closure of every two records, as a matrix."""
    costs = np.zeros((problem.n, problem.n))
    rows = problem.folded.row_of
    for codes, domain, weight in zip(problem.codes, problem.domains, problem.weights, strict=True):
        values = codes[rows].astype(np.int64)
        positions = getattr(domain, "positions", None)
        if positions is not None:
            costs += weight * np.abs(positions[values][:, None] - positions[values])
        else:
            costs += weight * domain.step * (values[:, None] != values)  # type: ignore[attr-defined]
    return costs


def hungarian() -> list[dict[str, object]]:
    """One round against scipy with its matrix, in the same run: equal optimum, ratio of time."""
    figures: list[dict[str, object]] = []
    for n in (2_000, 5_000):
        problem = adult(n, 2) or with_sets(census(n), 2)
        start = time.process_time()
        costs = pair_costs(problem)
        np.fill_diagonal(costs, 1e3)
        theirs = float(costs[linear_sum_assignment(costs)].mean())
        scipy_cpu = time.process_time() - start
        del costs
        start = time.process_time()
        records = problem.records()
        members = kernels.cover(
            records, 2, "assignments", lexicographic_rows(problem), 1, kernels.Control()
        )
        ours_cpu = time.process_time() - start
        ours = kernels.cover_loss(records, 2, members)
        assert abs(ours - theirs) < 1e-6
        figures.append({"n": n, "gcp": ours, "cpu_s": ours_cpu, "scipy_cpu_s": scipy_cpu,
                        "ratio": scipy_cpu / ours_cpu})  # fmt: skip
    print_table(tuple(figures[0]), [tuple(row.values()) for row in figures])
    return figures


def large() -> list[dict[str, object]]:
    """Large tables: time and memory."""
    figures: list[dict[str, object]] = []
    for name, n, k, most in (("ff-hungarian", 20_000, 5, 60.0), ("ff-greedy", 64_000, 15, 12.0)):
        problem = with_sets(census(n), k)
        gcp, cpu = solve(name, problem)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        figures.append({"algorithm": name, "n": n, "k": k, "gcp": gcp, "cpu_s": cpu,
                        "at_most_s": most, "peak_gb": peak})  # fmt: skip
    print_table(tuple(figures[0]), [tuple(row.values()) for row in figures])
    return figures


def all_adult() -> list[dict[str, object]]:
    """All 30,162 records, k = 10: freeform and classes at equal time."""
    problem = adult(30_162, 10)
    figures: list[dict[str, object]] = []
    for name in ("refine", "ff-refine") if problem is not None else ():
        assert problem is not None
        gcp, cpu = solve(name, problem, 60.0)
        figures.append({"algorithm": name, "n": 30_162, "k": 10, "gcp": gcp, "cpu_s": cpu})
    print_table(("algorithm", "n", "k", "GCP", "CPU s"), [tuple(row.values()) for row in figures])
    return figures


def parts() -> dict[str, Callable[[], list[dict[str, object]]]]:
    """Name the parts."""
    named: dict[str, Callable[[], list[dict[str, object]]]] = {
        f"figure_7a_k{k}": partial(optimum, k) for k in (range(2, 8) if FULL else (2, 4, 6))
    }
    named |= {f"figure_7a_adult_k{k}": partial(optimum, k, "adult") for k in (2, 4, 6)}
    for k in TARGETS if FULL else (5, 10):
        named[f"classes_k{k}"] = partial(classes, k)
    named["hungarian"] = hungarian
    if FULL:
        named |= {"large": large, "all_adult": all_adult}
    return named


PARTS = parts()
