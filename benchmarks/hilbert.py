"""Hilbert curve and optimal runs: loss on Adult beside the paper's, speed on a million records."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.problems import adult30k, adult_suppressed, mean_loss
from benchmarks.tables import census_like
from benchmarks.timing import print_table, timed
from shoal._core import kernels
from shoal.algorithms import Run, make_algorithm

RECORDS = 1_000_000
PAPER = {"hilbert": 0.645, "mondrian": 0.735}
"""LM at k = 50, 13 public attributes, education private."""


def run() -> dict[str, list[dict[str, object]]]:
    """Losses with and without rescaling, the paper's figure, and times of both kernels."""
    return {"losses": _losses(), "paper": _paper(), "speed": _speed()}


def _losses() -> list[dict[str, object]]:
    figures: list[dict[str, object]] = []
    for k in (5, 10, 50):
        problem = adult30k(k)
        if problem is None:
            return []
        for rescale in (True, False):
            chosen = make_algorithm("hilbert", {"rescale": rescale})
            done = timed(partial(chosen.solve, problem, Run(seed=1)), repeats=5)
            figures.append({"k": k, "rescale": rescale, "gcp": mean_loss(problem, done.result),
                            "cpu_s": done.cpu, "wall_s": done.wall})  # fmt: skip
    print_table(
        ("k", "rescaled", "GCP", "CPU s", "wall s"), [tuple(row.values()) for row in figures]
    )
    return figures


def _paper() -> list[dict[str, object]]:
    figures: list[dict[str, object]] = []
    for private in ("education", "income"):
        problem = adult_suppressed(50, private=private)
        if problem is None:
            return []
        for name, printed in PAPER.items():
            classes = make_algorithm(name).solve(problem, Run(seed=1))
            figures.append({"private": private, "attributes": len(problem.codes),
                            "algorithm": name, "lm": mean_loss(problem, classes),
                            "paper": printed if private == "education" else ""})  # fmt: skip
    print_table(
        ("private", "attributes", "algorithm", "LM", "paper's LM"),
        [tuple(row.values()) for row in figures],
    )
    return figures


def _speed() -> list[dict[str, object]]:
    table = census_like(RECORDS)
    every = table.records(np.ones(RECORDS, dtype=np.int32))
    axes = [
        np.round(np.arange(count) / max(count - 1, 1) * 71).astype(np.uint32)[codes]
        for codes, count in zip(table.codes, table.code_counts, strict=True)
    ]
    order = timed(lambda: kernels.hilbert_order(axes, 7, kernels.Control()), repeats=3)
    objective = kernels.Objective(every)
    figures: list[dict[str, object]] = []
    for k in (5, 10):
        runs = timed(
            partial(kernels.optimal_runs, objective, order.result, k, kernels.Control()), 3
        )
        together = order.cpu + runs.cpu
        figures.append({"records": RECORDS, "k": k, "order_cpu_s": order.cpu,
                        "runs_cpu_s": runs.cpu, "together_cpu_s": together})  # fmt: skip
    print_table(
        ("records, not folded", "k", "order CPU s", "runs CPU s", "together"),
        [tuple(row.values()) for row in figures],
    )
    return figures
