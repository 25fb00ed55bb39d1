"""Full-domain searches on adult30k: optima, nodes judged a second, and clustering beside them."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import polars as pl

import shoal
from benchmarks.data import find_data
from benchmarks.timing import print_table, timed
from shoal.algorithms import Levels, Problem, Run, make_algorithm
from shoal.encoding import encode
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Table

if TYPE_CHECKING:
    from shoal.encoding import EncodedTable

NO_LIMIT = 0.99999
CASES = [(5, 0.0), (5, 0.02), (5, NO_LIMIT), (10, 0.02), (10, NO_LIMIT), (50, 0.02), (50, NO_LIMIT)]
ALGORITHMS = ("exhaustive", "flash", "ola", "incognito", "samarati", "datafly", "random", "kgen")
REFINE_SECONDS = 10.0

Rows = list[dict[str, Any]]


def run() -> dict[str, Rows]:
    """Print and return the tables."""
    path = find_data("adult30k")
    if path is None:
        print("adult30k is not here; left out")
        return {}
    frame = pl.read_csv(path, infer_schema=False)
    trees = {name: str(path.parent / "hierarchies" / f"{name}.csv") for name in frame.columns}
    job = Job.from_dict({"k": 5, "quasi": frame.columns, "hierarchy": trees})
    encoded = encode(Table.of(frame, schema_of(frame, job)))
    return {
        "speed": _speed(encoded),
        "optima": _optima(encoded),
        "forms": _forms(frame, trees),
    }


def _speed(encoded: EncodedTable) -> Rows:
    """Every node of the lattice, and its optimum, at k = 5 and 2 % suppression."""
    rows: Rows = []
    problem = Problem.of(encoded, 5, suppression=0.02)
    threads = os.cpu_count() or 1
    for name, run in (
        *((name, Run(seed=1)) for name in ALGORITHMS),
        ("exhaustive", Run(seed=1, threads=threads)),
    ):

        def work(name: str = name, run: Run = run) -> object:
            run.control.steps = 0
            return make_algorithm(name).solve(problem, run)

        found = timed(work, repeats=3)
        nodes = run.control.steps
        rows.append(
            {
                "algorithm": name,
                "threads": run.threads,
                "nodes": nodes,
                "cpu_s": found.cpu,
                "wall_s": found.wall,
                "nodes_a_cpu_s": nodes / found.cpu,
                "nodes_a_wall_s": nodes / found.wall,
            }
        )
    _show("adult30k, 9 QIs, 12,960 nodes, k = 5, 2 % suppression; CPU seconds", rows)
    return rows


def _optima(encoded: EncodedTable) -> Rows:
    rows: Rows = []
    for k, suppression in CASES:
        problem = Problem.of(encoded, k, suppression=suppression)
        row: dict[str, Any] = {"k": k, "suppression": suppression}
        for name in ALGORITHMS:
            found = make_algorithm(name).solve(problem, Run(seed=1))
            assert isinstance(found, Levels)
            row[name] = total_gcp(problem, found)
        rows.append(row)
    _show("GCP by leaf counts; a suppressed record loses 1 on every attribute", rows)
    return rows


def total_gcp(problem: Problem, found: Levels) -> float:
    """Return the GCP of a node; a suppressed record loses 1 on every attribute."""
    loss = float(problem.counts[found.suppressed].sum())
    kept = ~found.suppressed
    parts = zip(found.node, found.ladders, problem.codes, problem.weights, strict=True)
    for level, ladder, codes, weight in parts:
        loss += weight * float(ladder.losses[level][codes[kept]] @ problem.counts[kept])
    return loss / problem.n


def _forms(frame: pl.DataFrame, trees: dict[str, str]) -> Rows:
    """One level for all records, against classes that publish nodes of the same hierarchies."""
    rows: Rows = []
    releases: list[tuple[str, str, dict[str, Any]]] = [
        ("full-domain optimum, nothing suppressed", "flash", {}),
        ("full-domain optimum, 2 %", "flash", {"suppression": 0.02}),
        ("kgen, 2 %", "kgen", {"suppression": 0.02, "seed": 1}),
        ("mondrian, hierarchy nodes", "mondrian", {}),
        ("k-member, hierarchy nodes", "k-member", {}),
        (f"refine {REFINE_SECONDS:.0f} s, hierarchy nodes", "refine", {"time": REFINE_SECONDS}),
    ]
    for k in (5, 10):
        for label, name, words in releases:
            start = time.process_time()
            made = shoal.anonymize(
                frame, k=k, quasi=frame.columns, hierarchy=trees, algorithm=name, **words
            )
            told = made.figures.measures
            rows.append(
                {
                    "k": k,
                    "release": label,
                    "gcp": told["gcp"],
                    "classes": made.facts["classes"],
                    "suppressed": told["los"],
                    "cpu_s": time.process_time() - start,
                }
            )
    _show("adult30k: one level for all records, and hierarchy nodes class by class", rows)
    return rows


def _show(title: str, rows: Rows) -> None:
    print(f"\n{title}")
    print_table(list(rows[0]), [tuple(row.values()) for row in rows])
