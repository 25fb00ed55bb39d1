"""Sequential clustering of Adult: the paper's Tables 2 and 3, diversity, and speed."""

from __future__ import annotations

import polars as pl

import shoal
from benchmarks.problems import EIGHT, adult30k, adult_suppressed, mean_loss
from benchmarks.timing import print_table, timed
from shoal.algorithms import Run, make_algorithm
from tests.shared_data import find_data

TABLE_2 = {10: 0.302, 20: 0.340, 30: 0.364, 40: 0.380, 50: 0.394, 100: 0.439}
"""Mean LM of ten runs."""
WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0)
TABLE_3 = {
    50: (0.07, 0.14, 0.31, 0.51, 0.54),
    75: (0.08, 0.14, 0.32, 0.51, 0.56),
    100: (0.08, 0.15, 0.34, 0.54, 0.58),
}
"""Mean entropy of classes in bits for each weight of MI."""
SEEDS = 10

Rows = list[dict[str, object]]


def run() -> dict[str, Rows]:
    """Print and return every part."""
    parts = {"table_2": _table_2(), "table_3": _table_3(), "diversity": _diversity()}
    return {**parts, "speed": _speed()}


def _show(rows: Rows) -> Rows:
    if rows:
        print_table(tuple(rows[0]), [tuple(row.values()) for row in rows])
    return rows


def _table_2() -> Rows:
    rows: Rows = []
    for k, paper in TABLE_2.items():
        problem = adult_suppressed(k, private="income")
        if problem is None:
            return []
        for polish in (False, True):
            chosen = make_algorithm("sequential", {"polish": polish})
            runs = [chosen.solve(problem, Run(seed=seed)) for seed in range(SEEDS)]
            losses = [mean_loss(problem, found) for found in runs]
            mean = sum(losses) / SEEDS
            rows.append({"k": k, "polish": polish, "LM": mean, "least": min(losses),
                         "paper": paper, "over paper": mean / paper})  # fmt: skip
    return _show(rows)


def _table_3() -> Rows:
    path = find_data("adult")
    if path is None:
        return []
    frame = pl.read_csv(path)
    public = [name for name in frame.columns if name != "income"]
    rows: Rows = []
    for k, weight, paper in (
        (k, weight, paper)
        for k, papers in TABLE_3.items()
        for weight, paper in zip(WEIGHTS, papers, strict=True)
    ):
        facts = shoal.anonymize(
            frame,
            k=k,
            quasi=public,
            suppress_only=public,
            sensitive=["income"],
            measure=f"wmi:{weight}",
            algorithm="sequential",
            seed=1,
        ).facts
        entropy = facts["measures"]["entropy_diversity"]
        rows.append(
            {
                "k": k,
                "w": weight,
                "entropy": entropy,
                "paper": paper,
                "wall s": facts["seconds"]["solve"],
            }
        )
    return _show(rows)


def _diversity() -> Rows:
    path = find_data("adult30k")
    if path is None:
        return []
    rows: Rows = []
    for model in ("distinct-l-diversity:2", "frequency-l-diversity:1.3"):
        facts = shoal.anonymize(
            pl.read_csv(path),
            k=5,
            quasi=EIGHT,
            sensitive=["salary-class"],
            model=[model],
            algorithm="sequential",
            seed=1,
        ).facts
        gcp, suppressed = facts["measures"]["gcp"], facts["suppressed"]
        rows.append({"model": model, "GCP": gcp, "suppressed": suppressed,
                     "wall s": facts["seconds"]["solve"]})  # fmt: skip
    return _show(rows)


def _speed() -> Rows:
    rows: Rows = []
    tasks = [
        ("adult × 14, suppression", adult_suppressed(10, private="income"), 1, 1),
        ("adult × 14, suppression", adult_suppressed(50, private="income"), 1, 1),
        ("adult30k × 8", adult30k(10), 1, 1),
        ("adult30k × 8", adult30k(50), 4, 1),
        ("adult30k × 8", adult30k(50), 4, 2),
    ]
    for table, problem, restarts, threads in tasks:
        if problem is None:
            continue
        chosen = make_algorithm("sequential", {"restarts": restarts})
        done = timed(
            lambda: chosen.solve(problem, Run(seed=1, threads=threads)),  # noqa: B023
            repeats=3,
        )
        rows.append({"table": table, "k": problem.k, "restarts": restarts, "threads": threads,
                     "GCP": mean_loss(problem, done.result), "CPU s": done.cpu,
                     "wall s": done.wall})  # fmt: skip
    return _show(rows)
