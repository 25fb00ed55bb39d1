"""Agglomerative clustering of Adult: loss and CPU seconds, one thread; every instruction set."""

from __future__ import annotations

from functools import partial

from benchmarks.problems import adult30k, adult_suppressed, mean_loss
from benchmarks.timing import print_table, timed
from shoal._core import kernels
from shoal.algorithms import Partition, Run, make_algorithm

PAPER = {10: 0.302, 50: 0.394}
"""LM of sequential clustering; the paper calls the agglomerative one almost identical."""


def run() -> dict[str, list[dict[str, object]]]:
    """Time the algorithm as users call it, then the kernel by instruction set."""
    losses: list[dict[str, object]] = []
    for k in (5, 10, 50):
        problem = adult30k(k)
        if problem is None:
            return {}
        for shrink in (False, True):
            chosen = make_algorithm("agglomerative", {"shrink": shrink})
            done = timed(partial(chosen.solve, problem, Run(seed=1)), repeats=3)
            losses.append({"table": "adult30k × 8", "k": k, "shrink": shrink,
                           "gcp": mean_loss(problem, done.result), "paper": "",
                           "cpu_s": done.cpu, "wall_s": done.wall})  # fmt: skip
    for k, printed in PAPER.items():
        problem = adult_suppressed(k, private="income")
        if problem is not None:
            chosen = make_algorithm("agglomerative")
            done = timed(partial(chosen.solve, problem, Run(seed=1)), repeats=1)
            losses.append({"table": "adult × 14, suppression", "k": k, "shrink": False,
                           "gcp": mean_loss(problem, done.result), "paper": printed,
                           "cpu_s": done.cpu, "wall_s": done.wall})  # fmt: skip
    print_table(
        ("table", "k", "shrink", "GCP", "paper's LM", "CPU s", "wall s"),
        [tuple(row.values()) for row in losses],
    )
    return {"losses": losses, "paths": _paths()}


def _paths() -> list[dict[str, object]]:
    """Compare instruction sets, which must agree."""
    problem = adult30k(10)
    assert problem is not None
    objective = problem.objective()
    figures: list[dict[str, object]] = []
    for path in kernels.available_paths():
        done = timed(
            lambda path=path: Partition.of(  # type: ignore[misc]
                *kernels.agglomerative(objective, 10, False, kernels.Control(), path)
            ),
            repeats=3,
        )
        figures.append({"path": path, "cpu_s": done.cpu, "gcp": mean_loss(problem, done.result)})
    assert len({figure["gcp"] for figure in figures}) == 1
    print_table(("path", "CPU s", "GCP"), [tuple(row.values()) for row in figures])
    return figures
