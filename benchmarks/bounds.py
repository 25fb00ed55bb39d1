"""Lower bounds: how far the best division found can be from the best possible.

One part at a time: ``python -m benchmarks bounds:numeric-5000-k3``.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from benchmarks.data import find_data
from benchmarks.milp_tables import fars_codes
from benchmarks.problems import EIGHT, mean_loss, of_frame
from benchmarks.refine import make_problem
from benchmarks.timing import print_table
from shoal.algorithms import Run, make_algorithm
from shoal.algorithms.budget import Budget
from shoal.algorithms.lower_bound import LowerBound, find_lower_bound
from shoal.errors import Cancelled

if TYPE_CHECKING:
    from shoal.algorithms import Problem, Solution

SEED = 1
FARS = ("CASE_STATE", "AGE", "SEX", "target")
# form, records, k, steps of refine, CPU seconds for the bound, gap wanted (None: not asked for).
TASKS = {
    f"{form}-{records}-k{k}": (form, records, k, steps, seconds, wanted)
    for form, records, k, steps, seconds, wanted in (
        ("numeric", 2_000, 3, 50_000_000, 20.0, None),
        ("numeric", 2_000, 5, 50_000_000, 40.0, None),
        ("numeric", 5_000, 3, 150_000_000, 60.0, 0.03),
        ("numeric", 5_000, 5, 150_000_000, 60.0, 0.06),
        ("numeric", 30_162, 5, 200_000_000, 200.0, 0.15),
        ("sets", 30_162, 5, 200_000_000, 150.0, None),
        ("hierarchies", 30_162, 5, 100_000_000, 150.0, None),
        ("fars", 40_000, 3, 100_000_000, 60.0, None),
    )
}


def run() -> dict[str, dict[str, object]]:
    """Run every part."""
    return {part: measure() for part, measure in PARTS.items()}


def _measured(part: str) -> dict[str, object]:
    """Refine, then bound; CPU seconds of each, and the share of the loss that may be avoidable."""
    form, records, k, steps, seconds, wanted = TASKS[part]
    problem = _problem(form, records, k)
    if problem is None:
        return {}
    start = time.process_time()
    division = make_algorithm("refine").solve(problem, Run(seed=SEED, budget=Budget(steps=steps)))
    solved = time.process_time()
    bound = bound_within(problem, division, seconds)
    proved = time.process_time()
    loss = mean_loss(problem, division)
    figure: dict[str, object] = {
        "form": form,
        "records": records,
        "k": k,
        "loss": loss,
        "bound": bound.loss,
        "gap": (loss - bound.loss) / loss,
        "wanted": wanted,
        "refine_cpu_s": solved - start,
        "bound_cpu_s": proved - solved,
        "rounds": bound.rounds,
        "converged": bound.converged,
    }
    print_table(tuple(figure), [tuple(figure.values())])
    return figure


PARTS = {part: partial(_measured, part) for part in TASKS}


def bound_within(problem: Problem, division: Solution, seconds: float) -> LowerBound:
    """Return the bound after so many CPU seconds of one thread, however busy the machine is."""
    run = Run(seed=SEED)
    before = time.process_time()
    with ThreadPoolExecutor(1) as pool:
        task = pool.submit(find_lower_bound, problem, division, run)
        while not task.done() and time.process_time() - before < seconds:
            wait([task], timeout=0.2)
        run.control.cancel()
        try:
            return task.result()
        except Cancelled:
            return LowerBound(run.control.bound, run.control.steps, converged=False, k=problem.k)


def _problem(form: str, records: int, k: int) -> Problem | None:
    if form in {"sets", "hierarchies"}:
        return make_problem(form, k)
    frame = (
        fars_codes(("CASE_STATE", "AGE", "SEX", "target")) if form == "fars" else _ranks(records)
    )
    if frame is None:
        print(f"The table of {form} is not here; left out")
        return None
    return of_frame(frame[:records], k)


def _ranks(records: int) -> pl.DataFrame | None:
    """Return a sample of Adult with the eight columns as ranks of their values."""
    path = find_data("adult30k")
    if path is None:
        return None
    frame = pl.read_csv(path).select(EIGHT)
    if records < frame.height:
        frame = frame.sample(records, seed=SEED)
    return frame.select(pl.col(name).rank("dense").cast(pl.Int64) for name in EIGHT)
