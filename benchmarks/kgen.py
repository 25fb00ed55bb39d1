"""KGen beside exact and random search: Figures 7 to 10 of its paper, on c2k and a table like F2."""

from __future__ import annotations

import statistics
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from benchmarks.data import find_data
from benchmarks.f2_like import f2_like
from benchmarks.plots import plot_lines
from benchmarks.timing import print_table
from shoal.algorithms import Levels, Problem, Run, make_algorithm
from shoal.algorithms.budget import Budget
from shoal.encoding import EncodedTable, encode
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from shoal.hierarchies import Hierarchy

SUPPRESSION = 0.005
KS = (2, 5, 10)
EXACT = range(2, 8)
BEYOND = (10, 15, 20, 25, 40, 60, 93)
SEEDS = (101, 102, 103)
# What the paper tells: two hours at 15 quasi-identifiers of F2, up to five at 25 of c2k.
PAPER_SECONDS = {"c2k": {25: 18_000.0}, "f2-like": {15: 7_200.0}}
WAYS: dict[str, tuple[str, dict[str, Any], int]] = {
    "kgen": ("kgen", {}, 5_000),
    "kgen as printed": (
        "kgen",
        {"selection": "paper", "descend": False, "patience": 0},
        5_000,
    ),
    "random": ("random", {}, 5_000),
}

Rows = list[dict[str, Any]]


def run() -> dict[str, Rows]:
    """Print, plot and return the figures of both tables."""
    return {name: part() for name, part in PARTS.items()}


def _part(table: str, k: int) -> Rows:
    """Return the figures of one table and one k; those of the middle k are plotted."""
    found = [(frame, trees) for name, frame, trees in _tables() if name == table]
    if not found:
        return []
    frame, trees = found[0]
    rows: Rows = []
    for quasi in (*EXACT, *(number for number in BEYOND if number <= len(trees))):
        names = list(trees)[:quasi]
        problem = _problem(frame, {name: trees[name] for name in names}, k)
        rows += _row(table, k, quasi, problem)
        print(f"{table}, k = {k}, {quasi} QIs done", flush=True)
    _show(table, rows)
    _show_accuracy(table, rows)
    if k == KS[1]:
        _plot(table, rows)
    return rows


def _tables() -> list[tuple[str, pl.DataFrame, dict[str, str | Hierarchy]]]:
    frame, trees = f2_like()
    tables = [("f2-like", frame, trees)]
    path = find_data("c2k")
    if path is None:
        print("c2k is not here; left out")
        return tables
    frame = pl.read_csv(path)
    nominal = ("place", "hops", "legs")
    ranges: dict[str, str | Hierarchy] = {
        name: "auto" if name.endswith(nominal) else "ranges:5,20,80,320,1280"
        for name in frame.columns
        if not name.endswith("legid")
    }
    return [("c2k", frame, ranges), *tables]


_encoded: dict[tuple[str, ...], EncodedTable] = {}


def _problem(frame: pl.DataFrame, trees: dict[str, str | Hierarchy], k: int) -> Problem:
    key = tuple(trees)
    if key not in _encoded:
        job = Job.from_dict({"k": k, "quasi": list(trees), "rest": "drop"})
        _encoded[key] = encode(Table.of(frame, schema_of(frame, job, trees)))
    return Problem.of(_encoded[key], k, suppression=SUPPRESSION, measure="precision")


def _row(table: str, k: int, quasi: int, problem: Problem) -> Rows:
    rows: Rows = []
    best = None
    if quasi in EXACT:
        best, seconds, nodes = _solve("ola", {}, None, problem, 1)
        rows.append(_told(table, k, quasi, "ola", problem, [(best, seconds, nodes)], best))
    for label, (name, parameters, steps) in WAYS.items():
        found = [_solve(name, parameters, steps, problem, seed) for seed in SEEDS]
        rows.append(_told(table, k, quasi, label, problem, found, best))
    return rows


def _solve(
    name: str, parameters: dict[str, Any], steps: int | None, problem: Problem, seed: int
) -> tuple[Levels, float, int]:
    run = Run(seed=seed, budget=Budget(steps=steps))
    start = time.process_time()
    found = make_algorithm(name, parameters).solve(problem, run)
    assert isinstance(found, Levels)
    return found, time.process_time() - start, run.control.steps


def _told(
    table: str,
    k: int,
    quasi: int,
    label: str,
    problem: Problem,
    found: list[tuple[Levels, float, int]],
    best: Levels | None,
) -> dict[str, Any]:
    return {
        "table": table,
        "k": k,
        "quasi": quasi,
        "algorithm": label,
        "cpu_s": statistics.median(seconds for _, seconds, _ in found),
        "nodes": statistics.median(nodes for _, _, nodes in found),
        "log": statistics.mean(_log(one) for one, _, _ in found),
        "los": statistics.mean(
            float(problem.counts[one.suppressed].sum()) / problem.n for one, _, _ in found
        ),
        "accuracy": None
        if best is None
        else statistics.mean(accuracy(one, best) for one, _, _ in found),
    }


def _log(found: Levels) -> float:
    levels = zip(found.node, found.heights, strict=True)
    return float(np.mean([level / max(height, 1) for level, height in levels]))


def accuracy(found: Levels, best: Levels) -> float:
    """Return the paper's equation 4; 1 where the optimum is the top node itself."""
    top = sum(best.heights)
    if top == sum(best.node):
        return 1.0
    return 1 - abs(sum(found.node) - sum(best.node)) / (top - sum(best.node))


def _show_accuracy(table: str, rows: Rows) -> None:
    """Print the paper's equation 5: the mean accuracy, every case with the same weight."""
    cells = []
    for label in WAYS:
        found = [
            row["accuracy"]
            for row in rows
            if row["algorithm"] == label and row["accuracy"] is not None
        ]
        cells.append((label, rows[0]["k"], statistics.mean(found), min(found)))
    print(f"\n{table}: accuracy over {EXACT.start} to {EXACT.stop - 1} QIs (equation 5)")
    print_table(("algorithm", "k", "mean", "least"), cells)


def _show(table: str, rows: Rows) -> None:
    print(f"\n{table}, {SUPPRESSION:.1%} suppression; seeds: {len(SEEDS)}")
    header = ("k", "QIs", "algorithm", "CPU s", "nodes", "LOG", "LOS", "accuracy", "paper s")
    cells = []
    for row in rows:
        paper = PAPER_SECONDS[table].get(row["quasi"], "") if row["algorithm"] == "kgen" else ""
        shown = ["" if value is None else value for value in list(row.values())[1:]]
        cells.append((*shown, paper))
    print_table(header, cells)


def _plot(table: str, rows: Rows) -> None:
    figures = (
        ("cpu_s", "7", "CPU seconds", True),
        ("accuracy", "8", "accuracy (equation 4)", False),
        ("log", "9", "LOG, level of generalization", False),
        ("los", "10", "LOS, share suppressed", False),
    )
    for key, number, up, logarithmic in figures:
        lines: dict[str, list[tuple[float, float]]] = {}
        for row in rows:
            if row[key] is not None:
                lines.setdefault(row["algorithm"], []).append((row["quasi"], row[key]))
        if key == "cpu_s":
            lines["kgen, the paper's"] = sorted(PAPER_SECONDS[table].items())
        plot_lines(
            f"kgen_{table}_figure_{number}",
            lines,
            title=f"{table}, k = {KS[1]}: as Figure {number} of the paper",
            across="quasi-identifiers",
            up=up,
            logarithmic=logarithmic,
        )


PARTS: dict[str, Callable[[], Rows]] = {
    f"{table}_k{k}": partial(_part, table, k) for table in PAPER_SECONDS for k in KS
}
