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
# records, form, k, steps of the search for a division, seconds for the bound, loss above the bound
TASKS = (
    (2_000, "numeric", 3, 100_000_000, 30.0, 0.03),
    (2_000, "numeric", 5, 100_000_000, 30.0, 0.06),
    (5_000, "numeric", 3, 400_000_000, 60.0, 0.03),
    (5_000, "numeric", 5, 400_000_000, 60.0, 0.06),
    (30_162, "numeric", 5, 800_000_000, 300.0, 0.15),
    (30_162, "sets", 5, 800_000_000, 300.0, 0.15),
)


def run() -> list[dict[str, object]]:
    """Refine, then bound; CPU seconds of each, and by how much the loss may be above the best."""
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
        figures.append(
            {
                "records": records,
                "form": form,
                "k": k,
                "loss": loss,
                "bound": bound.loss,
                "above": loss / bound.loss - 1,
                "wanted": wanted,
                "refine_cpu_s": solved - start,
                "bound_cpu_s": proved - solved,
                "rounds": bound.rounds,
                "converged": bound.converged,
            }
        )
    print_table(
        ("records", "form", "k", "loss", "bound", "loss/bound - 1", "at most", "refine CPU s",
         "bound CPU s", "rounds", "converged"),
        [tuple(figure.values()) for figure in figures],
    )  # fmt: skip
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
