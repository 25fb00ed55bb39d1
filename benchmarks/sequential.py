"""Sequential clustering of Adult: the paper's Tables 2 and 3, diversity, speed, restarts."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

import shoal
from benchmarks.data import find_data
from benchmarks.problems import EIGHT, adult30k, adult_suppressed, mean_loss
from benchmarks.timing import Timed, print_table, timed
from shoal._core import kernels
from shoal.algorithms import Partition, Problem, Run, Solution, make_algorithm
from shoal.encoding import encode, encode_values
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable

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
ADULT_RECORDS = 45_222
GOALS = {"suppression 10": 2.0, "suppression 50": 0.6, "interval and sets 10": 2.0}
"""CPU seconds that one start may take on a quiet machine."""

Rows = list[dict[str, object]]


def run() -> dict[str, Rows]:
    """Print and return every part."""
    return {name: part() for name, part in PARTS.items()}


def _show(rows: Rows) -> Rows:
    if rows:
        print_table(tuple(rows[0]), [tuple(row.values()) for row in rows])
    return rows


def _table_2(k: int) -> Rows:
    paper = TABLE_2[k]
    problem = adult_suppressed(k, private="income")
    if problem is None:
        return []
    rows: Rows = []
    for polish in (False, True):
        chosen = make_algorithm("sequential", {"polish": polish})
        runs = [chosen.solve(problem, Run(seed=seed)) for seed in range(SEEDS)]
        losses = [mean_loss(problem, found) for found in runs]
        mean = sum(losses) / SEEDS
        rows.append({"k": k, "polish": polish, "LM": mean, "least": min(losses),
                     "paper": paper, "over paper": mean / paper})  # fmt: skip
    return _show(rows)


def _openers_and_ties(k: int) -> Rows:
    """Compare greedy classes by where they open and which of equally near records they take."""
    problem = adult_suppressed(k, private="income")
    if problem is None:
        return []
    ways: dict[str, tuple[str, dict[str, object]]] = {
        "sequential, as printed": ("sequential", {"polish": False}),
        "k-member, ties to the first in sorted order": ("k-member", {}),
        "k-member, ties to the rarest": ("k-member", {"ties": "rarest"}),
        "k-member, nearest to the centre": ("k-member", {"nearest_to": "centre"}),
        "greedy, in sorted order": ("greedy", {}),
        "greedy, commonest first": ("greedy", {"order": "commonest"}),
    }
    rows: Rows = []
    for way, (name, settings) in ways.items():
        loss = mean_loss(problem, make_algorithm(name, settings).solve(problem, Run(seed=1)))
        base = float(str(rows[0]["LM"])) if rows else loss
        rows.append({"way": way, "k": k, "LM": loss, "over sequential": loss / base})
    return _show(rows)


def _table_3(k: int) -> Rows:
    rows: Rows = []
    for weight, paper in zip(WEIGHTS, TABLE_3[k], strict=True):
        released = _for_weight(k, weight, {"polish": False}, seed=1)
        if released is None:
            return []
        rows.append(
            {
                "k": k,
                "w": weight,
                "entropy": released.facts.measures["entropy_diversity"],
                "paper": paper,
                "wall s": released.figures.seconds["solve"],
            }
        )
    return _show(rows)


def _for_weight(
    k: int, weight: float, param: dict[str, object], seed: int, steps: int | None = None
) -> shoal.Release[pl.DataFrame] | None:
    """Return Adult released under a weighted mean of MI and PMI; ``None`` where it is absent."""
    path = find_data("adult")
    if path is None:
        return None
    frame = pl.read_csv(path)
    public = [name for name in frame.columns if name != "income"]
    return shoal.anonymize(
        frame,
        k=k,
        quasi=public,
        suppress_only=public,
        sensitive=["income"],
        measure=f"wmi:{weight}",
        algorithm="sequential",
        param=param,
        seed=seed,
        steps=steps,
    )


def _table_3_open(k: int = 100) -> Rows:
    """Try what the paper leaves open in Table 3: seeds, the end of the passes, the mean."""
    ways: dict[str, tuple[dict[str, object], int, int | None]] = {
        "as printed": ({"polish": False}, 1, None),
        "another seed": ({"polish": False}, 2, None),
        "polished": ({"polish": True}, 1, None),
        **{
            f"ended after pass {passes}": ({"polish": False}, 1, passes * ADULT_RECORDS)
            for passes in (1, 2, 4)
        },
    }
    rows: Rows = []
    for way, (param, seed, steps) in ways.items():
        for weight in (0.0, 0.5, 1.0):
            released = _for_weight(k, weight, param, seed, steps)
            if released is None:
                return []
            public = [name for name in released.frame.columns if name != "income"]
            classes = (
                released.frame.group_by([*public, "income"])
                .len()
                .group_by(public)
                .agg(pl.col("len").entropy(base=2, normalize=True).alias("bits"), pl.sum("len"))
            )
            rows.append(
                {
                    "k": k,
                    "way": way,
                    "w": weight,
                    "classes": classes.height,
                    "mean of classes": classes["bits"].mean(),
                    "mean of records": float(
                        np.average(classes["bits"].to_numpy(), weights=classes["len"].to_numpy())
                    ),
                    "paper": dict(zip(WEIGHTS, TABLE_3[k], strict=True))[weight],
                }
            )
    return _show(rows)


def _table_3_clusters(k: int) -> Rows:
    """Count every cluster of Table 3 once, also those whose records look alike once released."""
    path = find_data("adult")
    if path is None:
        return []
    frame = pl.read_csv(path)
    public = [name for name in frame.columns if name != "income"]
    job = Job.from_dict({"k": k, "quasi": public, "suppress_only": public, "sensitive": ["income"]})
    encoded = encode(Table.of(frame, schema_of(frame, job)))
    incomes = encode_values(frame["income"])[0]
    rows: Rows = []
    for weight, paper in zip(WEIGHTS, TABLE_3[k], strict=True):
        problem = Problem.of(
            encoded, k, measure=f"wmi:{weight}", target=incomes, rng=np.random.default_rng(1)
        )
        found = make_algorithm("sequential", {"polish": False}).solve(problem, Run(seed=1))
        assert isinstance(found, Partition)
        # Records that differ in the target alone are different rows.
        income = incomes[problem.folded.first][found.rows]
        shares = np.array([np.bincount(found.classes, found.counts * (income == one))
                           for one in np.unique(incomes)])  # fmt: skip
        shares /= shares.sum(axis=0)
        bits = -np.sum(shares * np.log2(np.where(shares > 0, shares, 1.0)), axis=0)
        rows.append(
            {
                "k": k,
                "w": weight,
                "clusters": len(bits),
                "mean of clusters": float(bits.mean()),
                "paper": paper,
            }
        )
    return _show(rows)


def _diversity() -> Rows:
    path = find_data("adult30k")
    if path is None:
        return []
    rows: Rows = []
    for model in ("distinct-l-diversity:2", "frequency-l-diversity:1.3"):
        made = shoal.anonymize(
            pl.read_csv(path),
            k=5,
            quasi=EIGHT,
            sensitive=["salary-class"],
            models=[model],
            algorithm="sequential",
            seed=1,
        )
        gcp, suppressed = made.facts["measures"]["gcp"], made.facts["suppressed"]
        rows.append({"model": model, "GCP": gcp, "suppressed": suppressed,
                     "wall s": made.figures.seconds["solve"]})  # fmt: skip
    return _show(rows)


def _speed() -> Rows:
    """Time default runs; beside them, one raw scan of all records for each of n / k classes."""
    rows: Rows = []
    tasks = {
        "suppression 10": adult_suppressed(10, private="income"),
        "suppression 50": adult_suppressed(50, private="income"),
        "interval and sets 10": adult30k(10),
    }
    for task, problem in tasks.items():
        if problem is None:
            continue
        done = _timed_restarts(problem, restarts=1, threads=1)
        nanoseconds = _raw_scan(problem)
        raw = nanoseconds * 1e-9 * problem.n**2 / problem.k
        rows.append({"task": task, "GCP": mean_loss(problem, done.result), "CPU s": done.cpu,
                     "goal": GOALS[task], "raw ns/record": nanoseconds, "raw pass s": raw,
                     "raw passes": done.cpu / raw})  # fmt: skip
    return _show(rows)


def _restarts() -> Rows:
    """Show what a second thread gives: wall time of one over wall time of two."""
    rows: Rows = []
    problem = adult30k(50)
    if problem is None:
        return rows
    one, two = (_timed_restarts(problem, restarts=4, threads=threads) for threads in (1, 2))
    assert isinstance(one.result, Partition)
    assert isinstance(two.result, Partition)
    same = bool(
        np.array_equal(one.result.rows, two.result.rows)
        and np.array_equal(one.result.classes, two.result.classes)
    )
    rows.append({"restarts": 4, "k": 50, "wall s, 1 thread": one.wall, "2 threads": two.wall,
                 "ratio": one.wall / two.wall, "same classes": same})  # fmt: skip
    return _show(rows)


def _timed_restarts(problem: Problem, *, restarts: int, threads: int) -> Timed[Solution]:
    chosen = make_algorithm("sequential", {"restarts": restarts})
    return timed(lambda: chosen.solve(problem, Run(seed=1, threads=threads)), repeats=3)


def _raw_scan(problem: Problem) -> float:
    """Return nanoseconds per record of the fastest plain scan of this table's records."""
    members = np.array([0, 1], dtype=np.int32)
    records = problem.records()
    return min(
        float(np.median(kernels.scan_speed(records, members, path, 51))) / problem.rows * 1e9
        for path in kernels.available_paths()
    )


PARTS: dict[str, Callable[[], Rows]] = {
    **{f"table_2_k{k}": partial(_table_2, k) for k in TABLE_2},
    **{f"table_3_k{k}": partial(_table_3, k) for k in TABLE_3},
    "table_3_open": _table_3_open,
    **{f"table_3_clusters_k{k}": partial(_table_3_clusters, k) for k in TABLE_3},
    **{f"ties_k{k}": partial(_openers_and_ties, k) for k in (10, 50)},
    "diversity": _diversity,
    "speed": _speed,
    "restarts": _restarts,
}
