"""Figures 1 to 6 of the sequential paper on Adult, and its open question about PMI norms."""

from __future__ import annotations

import time
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

import shoal
from benchmarks.data import find_data
from benchmarks.plots import plot_lines
from benchmarks.problems import mean_loss
from benchmarks.timing import print_table
from shoal._core import kernels
from shoal.algorithms import Partition, Problem, Run, make_algorithm
from shoal.encoding import encode
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable

# As printed: no passes after uniting, and splits by permutations.
PRINTED = {"polish": False, "split": "permuted"}
ALGORITHMS: dict[str, tuple[str, dict[str, Any]]] = {
    "sequential as printed": ("sequential", PRINTED),
    "sequential": ("sequential", {}),
    "agglomerative": ("agglomerative", {}),
    "k-member": ("k-member", {}),
    "k-member, ties to the rarest": ("k-member", {"ties": "rarest"}),
    "hilbert": ("hilbert", {}),
    "mondrian": ("mondrian", {}),
    "mondrian, relaxed cuts": ("mondrian", {"cuts": "relaxed"}),
}
KS = (10, 20, 30, 40, 50, 75, 100)
SIZES = (5_000, 10_000, 20_000, 30_000, 45_222)
DIMENSIONS = (5, 8, 11, 14)
INCOME_GOALS = (1.0, 1.05, 1.1, 1.15, 1.2, 1.25, 1.3, 1.32)
EDUCATION_GOALS = (1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5, 2.75, 3.0)

Rows = list[dict[str, object]]


def run() -> dict[str, Rows]:
    """Draw every figure and return its points."""
    return {name: part() for name, part in PARTS.items()}


def _of_adult(draw: Callable[[pl.DataFrame], Rows]) -> Rows:
    path = find_data("adult")
    if path is None:
        print("adult is not here; left out")
        return []
    return draw(pl.read_csv(path))


def _public(frame: pl.DataFrame, private: str) -> list[str]:
    return [name for name in frame.columns if name not in {"income", private}]


def _problem(frame: pl.DataFrame, quasi: list[str], k: int) -> Problem:
    job = Job.from_dict({"k": k, "rest": "drop", "quasi": quasi, "suppress_only": quasi})
    return Problem.of(encode(Table.of(frame, schema_of(frame, job))), k)


def _solved(problem: Problem, label: str) -> tuple[Partition, float]:
    name, parameters = ALGORITHMS[label]
    chosen = make_algorithm(name, parameters)
    start = time.process_time()
    found = chosen.solve(problem, Run(seed=1))
    spent = time.process_time() - start
    assert isinstance(found, Partition)
    return found, spent


def _lines(rows: Rows, of: str, across: str, up: str) -> dict[str, list[tuple[float, float]]]:
    lines: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        lines.setdefault(str(row[of]), []).append((float(str(row[across])), float(str(row[up]))))
    return lines


def _show(rows: Rows) -> Rows:
    print_table(tuple(rows[0]), [tuple(row.values()) for row in rows])
    return rows


def _by_k(frame: pl.DataFrame) -> Rows:
    rows: Rows = []
    for algorithm in ALGORITHMS:
        for k in KS:
            problem = _problem(frame, _public(frame, "income"), k)
            found, cpu = _solved(problem, algorithm)
            rows.append(
                {"algorithm": algorithm, "k": k, "LM": mean_loss(problem, found), "CPU s": cpu}
            )
    for name, up, log in (("figure_1", "LM", False), ("figure_2", "CPU s", True)):
        plot_lines(
            name,
            _lines(rows, "algorithm", "k", up),
            title="Adult, 14 attributes, suppression",
            across="k",
            up=up,
            logarithmic=log,
        )
    return _show(rows)


def _by_size(frame: pl.DataFrame) -> Rows:
    rows: Rows = []
    drawn = frame.sample(fraction=1.0, shuffle=True, seed=1)
    for algorithm in ALGORITHMS:
        for size in SIZES:
            problem = _problem(drawn[:size], _public(frame, "income"), 50)
            rows.append(
                {"algorithm": algorithm, "n": size, "CPU s": _solved(problem, algorithm)[1]}
            )
    plot_lines(
        "figure_3",
        _lines(rows, "algorithm", "n", "CPU s"),
        title="Adult, 14 attributes, suppression, k = 50",
        across="records",
        up="CPU s",
        logarithmic=True,
    )
    return _show(rows)


def _by_dimension(frame: pl.DataFrame) -> Rows:
    rows: Rows = []
    for k in (20, 50):
        for dimension in DIMENSIONS:
            problem = _problem(frame, _public(frame, "income")[:dimension], k)
            rows.append(
                {"k": k, "r": dimension, "CPU s": _solved(problem, "sequential as printed")[1]}
            )
    plot_lines(
        "figure_4",
        {f"k = {k}": points for k, points in _lines(rows, "k", "r", "CPU s").items()},
        title="Sequential clustering of Adult, suppression",
        across="attributes",
        up="CPU s",
    )
    return _show(rows)


def _passes_by_dimension(frame: pl.DataFrame) -> Rows:
    """Divide the time of Figure 4 by visits to records, and time a plain scan; least of 5 runs."""
    rows: Rows = []
    members = np.array([0, 1], dtype=np.int32)
    for k in (20, 50):
        for dimension in DIMENSIONS:
            problem = _problem(frame, _public(frame, "income")[:dimension], k)
            spent = []
            for _ in range(5):
                run = Run(seed=1)
                start = time.process_time()
                make_algorithm("sequential", PRINTED).solve(problem, run)
                spent.append(time.process_time() - start)
            scans = {
                path: float(np.median(kernels.scan_speed(problem.records(), members, path, 51)))
                / problem.rows
                * 1e9
                for path in kernels.available_paths()
            }
            rows.append(
                {
                    "k": k,
                    "r": dimension,
                    "CPU s": min(spent),
                    "passes": run.control.steps / problem.n,
                    "CPU µs a visit": 1e6 * min(spent) / run.control.steps,
                    "scan ns": min(scans.values()),
                    "scan ns, scalar": scans["scalar"],
                }
            )
    return _show(rows)


def _released(
    frame: pl.DataFrame, private: str, **words: Any
) -> tuple[shoal.Release[pl.DataFrame], float]:
    quasi = _public(frame, private)
    release = shoal.anonymize(
        frame,
        k=50,
        quasi=quasi,
        suppress_only=quasi,
        sensitive=[private],
        rest="drop",
        algorithm="sequential",
        seed=1,
        **words,
    )
    shares = (
        release.table.group_by([*quasi, private])
        .len()
        .group_by(quasi)
        .agg((pl.col("len").sum() / pl.col("len").max()).alias("diversity"))
    )
    return release, float(np.min(shares["diversity"].to_numpy()))


def _by_diversity(frame: pl.DataFrame, private: str, goals: tuple[float, ...], name: str) -> Rows:
    rows: Rows = []
    for goal in goals:
        model = [f"frequency-l-diversity:{goal}"] if goal > 1 else []
        release, reached = _released(frame, private, model=model, param=PRINTED)
        even, _ = _released(frame, private, model=model, param={**PRINTED, "split": "even"})
        rows.append(
            {
                "l asked": goal,
                "l reached": reached,
                "LM": release.figures.measures["gcp"],
                "LM, split=even": even.figures.measures["gcp"],
                "wall s": release.figures.seconds["solve"],
            }
        )
    points = sorted((float(str(row["l reached"])), float(str(row["LM"]))) for row in rows)
    lines = {"sequential": points}
    problem = _problem(frame, _public(frame, private), 50)
    for algorithm in ("hilbert", "mondrian", "mondrian, relaxed cuts"):
        loss = mean_loss(problem, _solved(problem, algorithm)[0])
        lines[f"{algorithm}, no diversity asked"] = [(points[0][0], loss), (points[-1][0], loss)]
        rows.append(
            {
                "l asked": algorithm,
                "l reached": None,
                "LM": loss,
                "LM, split=even": None,
                "wall s": None,
            }
        )
    plot_lines(
        name,
        lines,
        title=f"Adult, {private} private, k = 50",
        across="diversity of the least diverse class",
        up="LM",
    )
    return _show(rows)


def _pmi_norms(frame: pl.DataFrame) -> Rows:
    """Compare what the three PMI norms say about releases made for different measures."""
    rows: Rows = []
    for private, words in product(("income", "education"), ("gcp", "mi", "wmi:0.5", "pmi")):
        release, _ = _released(frame, private, measure=words)
        figures = release.figures.measures
        rows.append(
            {
                "private": private,
                "minimized": words,
                **{norm: figures[norm] for norm in ("pmi_mean", "pmi_max", "pmi_l2")},
                "entropy_diversity": figures["entropy_diversity"],
                "gcp": figures["gcp"],
            }
        )
    return _show(rows)


FIGURES: dict[str, Callable[[pl.DataFrame], Rows]] = {
    "figures_1_2": _by_k,
    "figure_3": _by_size,
    "figure_4": _by_dimension,
    "figure_4_passes": _passes_by_dimension,
    "figure_5": lambda frame: _by_diversity(frame, "income", INCOME_GOALS, "figure_5"),
    "figure_6": lambda frame: _by_diversity(frame, "education", EDUCATION_GOALS, "figure_6"),
    "pmi_norms": _pmi_norms,
}
PARTS = {name: partial(_of_adult, draw) for name, draw in FIGURES.items()}
