"""Lower bounds on Adult: how far the best division found can be from the best possible."""

from __future__ import annotations

import time
from typing import Any

import polars as pl

from benchmarks.problems import EIGHT, mean_loss
from benchmarks.timing import print_table
from shoal.algorithms import Problem, Run, make_algorithm
from shoal.algorithms.lower_bound import find_lower_bound
from shoal.config import make_job
from shoal.encoding import encode
from shoal.pipeline import schema_of
from shoal.table import Table
from tests.shared_data import find_data

SEED = 1
# records, form, k, steps of refine, seconds for the bound, gap wanted (None: not asked for). About
# eight CPU minutes in all where nothing else runs; longer searches narrow the gap from above.
TASKS = (
    (2_000, "numeric", 3, 50_000_000, 10.0, None),
    (2_000, "numeric", 5, 50_000_000, 20.0, None),
    (5_000, "numeric", 3, 150_000_000, 20.0, 0.03),
    (5_000, "numeric", 5, 150_000_000, 60.0, 0.06),
    (30_162, "numeric", 5, 200_000_000, 140.0, 0.15),
    (30_162, "sets", 5, 200_000_000, 60.0, None),
)


def run() -> list[dict[str, object]]:
    """Refine, then bound; CPU seconds of each, and the share of the loss that may be avoidable."""
    figures: list[dict[str, object]] = []
    for records, form, k, steps, seconds, wanted in TASKS:
        problem = adult_sample(records, form, k)
        if problem is None:
            return figures
        start = time.process_time()
        division = make_algorithm("refine").solve(problem, Run(seed=SEED, steps=steps))
        solved = time.process_time()
        bound = find_lower_bound(problem, division, Run(seed=SEED, seconds=seconds))
        proved = time.process_time()
        loss = mean_loss(problem, division)
        figure: dict[str, object] = {
            "records": records,
            "form": form,
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
        # One at a time: each takes a minute or more, and an interrupt must not lose the others.
        print_table(tuple(figure), [tuple(figure.values())])
        figures.append(figure)
    return figures


def adult_sample(records: int, form: str, k: int) -> Problem | None:
    """Return a sample with the eight columns as ranks of their values, or age and seven sets."""
    path = find_data("adult30k")
    if path is None:
        print("adult30k is not here; left out")
        return None
    frame = pl.read_csv(path).select(EIGHT)
    if records < frame.height:
        frame = frame.sample(records, seed=SEED)
    words: dict[str, Any] = {"k": k, "quasi": EIGHT}
    if form == "numeric":
        frame = frame.select(pl.col(name).rank("dense").cast(pl.Int64) for name in EIGHT)
    return Problem.of(encode(Table.of(frame, schema_of(frame, make_job(words)))), k)
