"""Repair of classes that break a model: loss before it, after it, after merging alone."""

from __future__ import annotations

import time
from dataclasses import replace

from benchmarks.problems import adult30k, mean_loss
from benchmarks.timing import print_table
from shoal.algorithms import Run, solve_partition
from shoal.algorithms.cluster.repair import merge_until_models_hold, repair

CASES = (
    ("k-member", 5, "distinct-l-diversity:2"),
    ("k-member", 5, "frequency-l-diversity:1.3"),
    ("greedy", 5, "entropy-l-diversity:1.3"),
    ("hilbert", 50, "frequency-l-diversity:1.2"),
    ("agglomerative", 10, "t-closeness:0.3"),
)


def run() -> dict[str, list[dict[str, object]]]:
    """Losses on adult30k, eight attributes, private salary class, from the same classes."""
    figures: list[dict[str, object]] = []
    for name, k, model in CASES:
        problem = adult30k(k, model)
        if problem is None:
            return {}
        classes = solve_partition(name, replace(problem, models=(), protected=()), Run(seed=1))
        merged = merge_until_models_hold(problem, classes, Run(seed=1))
        start = time.process_time()
        repaired = repair(problem, classes, Run(seed=1))
        figures.append({"algorithm": name, "k": k, "model": model,
                        "before": mean_loss(problem, classes),
                        "united": mean_loss(problem, merged),
                        "repaired": mean_loss(problem, repaired),
                        "cpu_s": time.process_time() - start})  # fmt: skip
    print_table(
        ("algorithm", "k", "model", "GCP before", "united", "repaired", "CPU s"),
        [tuple(row.values()) for row in figures],
    )
    return {"repair": figures}
