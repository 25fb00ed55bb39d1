"""`auto` against the clock: loss at a budget of seconds, its gap to a proved bound, and singles.

Everything from a frame in memory to a verified release. Parts are tables with their seconds and k:
``python -m benchmarks auto:sets-10-5,fars-60-10``; those of the page are
listed in ``MAIN`` and take half an hour. ``SHOAL_AUTO_SEEDS`` says how many seeds (5),
``SHOAL_AUTO_BOUND`` the seconds for a bound of each part, once (20; 0: none). With
``SHOAL_AUTO_CLOCK=cpu`` a search ends after as many CPU seconds as its threads would take in the
time if each had a core for itself: for a machine that does other work, too.
"""

from __future__ import annotations

import os
import statistics
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import polars as pl

import shoal
from benchmarks import store
from benchmarks.data import find_data
from benchmarks.pages import PageTable, number, percent, share
from benchmarks.problems import EIGHT, census
from benchmarks.timing import print_table
from shoal._core import kernels
from shoal.algorithms.budget import Budget
from shoal.limits.cores import usable_cores
from shoal.pipeline import run as pipeline

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shoal.pipeline.release import Release

SEEDS = range(9001, 9001 + int(os.environ.get("SHOAL_AUTO_SEEDS", "5")))
BOUND = float(os.environ.get("SHOAL_AUTO_BOUND", "20"))
COUNTS_CPU = os.environ.get("SHOAL_AUTO_CLOCK") == "cpu"
THREADS = usable_cores()
SINGLES = ("mondrian", "hilbert", "k-member", "sequential", "agglomerative")
"""What a user could run instead, beside `refine`, which `auto` is built on."""
UNKNOWN: dict[int, float | None] = {10: None}
# table, seconds, and for each k the loss to stay below, where one is asked for
TASKS: tuple[tuple[str, float, dict[int, float | None]], ...] = (
    ("sets", 1.0, {2: 0.0044, 5: 0.0166, 10: 0.033, 50: 0.108}),
    ("sets", 10.0, {2: 0.0043, 5: 0.0160, 10: 0.0316, 50: 0.100}),
    ("sets", 60.0, {2: 0.0042, 5: 0.0156, 10: 0.0304, 50: 0.095}),
    ("hierarchies", 1.0, {5: None, 10: None, 50: None}),
    ("hierarchies", 10.0, {2: 0.0151, 5: 0.0423, 10: 0.068, 50: 0.150}),
    ("distinct", 1.0, {5: None}),
    ("distinct", 10.0, {5: 0.030}),
    ("frequency", 10.0, {5: 0.092}),
    ("suppression", 15.0, {10: 0.265, 50: 0.352}),
    *((table, seconds, UNKNOWN)
      for table in ("fars", "diabetic", "c2k", "census") for seconds in (10.0, 60.0)),
)  # fmt: skip
COMPARED = {"fars", "diabetic", "c2k", "census"}


@dataclass(frozen=True, slots=True)
class Figure:
    """What `auto` reached on one table with one k in so many seconds; medians over seeds."""

    table: str
    k: int
    seconds: float
    loss: float
    at_most: float | None
    bound: float | None
    gap: float | None
    best_other: str
    its_loss: float | None
    refine_loss: float | None
    solve_s: float
    cpu_s: float
    seeds: int
    least: float
    greatest: float
    threads: int
    clock: str


def run() -> dict[str, dict[str, object]]:
    """Run every part whose table is at hand."""
    return {name: part() for name, part in PARTS.items()}


def _measure(table: str, seconds: float, k: int, at_most: float | None) -> dict[str, object]:
    words = table_words(table)
    if words is None:
        print(f"{table} is not here; left out")
        return {}
    frame = words.pop("frame")
    losses, walls, cpus, bound = [], [], [], None
    for seed in SEEDS:
        first = seed == SEEDS[0] and BOUND > 0
        extra = {"bound_seconds": BOUND} if first else {}
        made, cpu = _release(frame, k=k, seed=seed, time=seconds, **words, **extra)
        cpus.append(cpu)
        assert made.verdict.passed
        assert made.facts["suppressed"] == 0
        losses.append(made.figures.measures["gcp"])
        walls.append(made.figures.seconds["solve"])
        bound = made.figures.lower_bound if first else bound
    loss = statistics.median(losses)
    single: tuple[str, float | None, float | None] = ("", None, None)
    if table in COMPARED:
        single = (*_best_single(frame, k, words), _by_refine(frame, k, seconds, words))
    figure = Figure(
        table,
        k,
        seconds,
        loss,
        at_most,
        bound,
        None if bound is None else (loss - bound) / loss,
        *single,
        max(walls),
        max(cpus),
        len(losses),
        min(losses),
        max(losses),
        THREADS,
        "cpu" if COUNTS_CPU else "wall",
    )
    figures = asdict(figure)
    print_table(tuple(figures), [tuple(figures.values())])
    return figures


def _release(frame: pl.DataFrame, **words: Any) -> tuple[Release[pl.DataFrame], float]:
    """Return a release, and the CPU seconds of solving."""
    marks: list[float] = []

    def watch(progress: shoal.Progress) -> None:
        if progress.stage == "solve" and progress.fraction in {0.0, 1.0}:
            marks.append(time.process_time())

    with _clock(words):
        made = shoal.anonymize(frame, watch=watch, **words)
    return made, marks[-1] - marks[0]


@contextmanager
def _clock(words: dict[str, Any]) -> Iterator[None]:
    """Let the time of a release be CPU seconds of all threads together, if the study counts them.

    Only budgets count so: what comes before and after the search takes as long as it does.
    """
    if not COUNTS_CPU:
        yield
        return

    def budget(**limits: Any) -> Budget:
        return Budget(**limits, clock=time.process_time, began=time.process_time())

    words["time"] *= THREADS
    kernels.count_cpu_seconds(True)
    try:
        with patch.object(pipeline, "Budget", budget):
            yield
    finally:
        kernels.count_cpu_seconds(False)


def _best_single(frame: pl.DataFrame, k: int, words: dict[str, Any]) -> tuple[str, float]:
    """Return the best of what could have run instead."""
    found = {}
    for name in SINGLES:
        if name in {"agglomerative", "k-member", "sequential"} and frame.height > 200_000:
            continue  # minutes
        made = shoal.anonymize(frame, k=k, seed=SEEDS[0], algorithm=name, **words)
        found[name] = made.figures.measures["gcp"]
    best = min(found, key=lambda name: found[name])
    return best, found[best]


def _by_refine(frame: pl.DataFrame, k: int, seconds: float, words: dict[str, Any]) -> float:
    """Return what `refine` alone makes of the same seconds, the median over seeds."""
    losses: list[float] = []
    for seed in SEEDS:
        made, _ = _release(frame, k=k, seed=seed, algorithm="refine", time=seconds, **words)
        losses.append(made.figures.measures["gcp"])
    return statistics.median(losses)


def table_words(table: str) -> dict[str, Any] | None:
    """Return the frame and the words that declare a table, or ``None`` where it is absent."""
    if table == "census":
        frame = census(500_000)
        return {"frame": frame, "quasi": frame.columns}
    name = {"suppression": "adult"}.get(table, table if table in COMPARED else "adult30k")
    path = find_data(name)
    if path is None:
        return None
    frame = pl.read_csv(path)
    words: dict[str, Any] = {"frame": frame, "rest": "drop", "quasi": EIGHT}
    if table == "hierarchies":
        folder = path.parent / "hierarchies"
        words["quasi"] = [*EIGHT, "salary-class"]
        trees = {name: folder / f"{name}.csv" for name in words["quasi"] if name != "age"}
        return {**words, "hierarchy": trees, "form": "hierarchy"}
    if table in {"distinct", "frequency"}:
        model = {"distinct": "distinct-l-diversity:2", "frequency": "frequency-l-diversity:1.3"}
        return {**words, "sensitive": ["salary-class"], "model": [model[table]]}
    if table == "suppression":
        public = [name for name in frame.columns if name != "income"]
        return {**words, "quasi": public, "suppress_only": public}
    if table == "fars":
        nominal = ["CASE_STATE", "SEX", "RACE", "HISPANIC_ORIGIN"]
        return {**words, "quasi": ["AGE", *nominal], "kind": dict.fromkeys(nominal, "categorical")}
    if table == "diabetic":
        ids = ["admission_type_id", "discharge_disposition_id", "admission_source_id"]
        return {
            **words,
            "quasi": ["race", "gender", "age", "time_in_hospital", *ids],
            "kind": dict.fromkeys(ids, "categorical"),
        }
    if table == "c2k":
        public = [name for name in frame.columns if not name.endswith("_legid")][:30]
        places = [name for name in public if name.endswith("_place")]
        return {**words, "quasi": public, "kind": dict.fromkeys(places, "categorical")}
    return words


PARTS = {
    f"{table}-{seconds:g}-{k}": partial(_measure, table, seconds, k, at_most)
    for table, seconds, goals in TASKS
    for k, at_most in goals.items()
}

# What the page calls the tables, and whose bounds of `bound_gaps` hold for them, at the same k or a
# smaller one; bounds without models hold with them.
NAMES = {
    "sets": "Adult, sets",
    "hierarchies": "Adult, hierarchies",
    "distinct": "Adult, sets, distinct l = 2",
    "frequency": "Adult, sets, frequency l = 1.3",
    "suppression": "Adult, 14 attributes, suppress-only",
    "fars": "FARS, 100,968 × 5",
    "diabetic": "diabetic, 101,766 × 7",
    "c2k": "c2k, 3,942 × 30",
    "census": "census-like, 500,000 × 8",
}
BOUNDS = {
    "sets": ("sets-k{k}",),
    "hierarchies": ("hierarchies-k{k}",),
    "distinct": ("sets-k{k}", "sets-k{k}-distinct"),
    "frequency": ("sets-k{k}",),
    "suppression": ("suppress-only-k{k}",),
    "census": ("census-500000-k{k}",),
}
LONGEST_OF_PAGE = 15
MAIN = [
    f"{table}-{seconds:g}-{k}"
    for table, seconds, goals in TASKS
    for k in goals
    if seconds <= LONGEST_OF_PAGE
]


def _bound(row: dict[str, Any], proved: Mapping[str, Any]) -> float:
    """Return the highest bound that holds for a table and k; 0 if there is none."""
    held = [
        proved[name]["figures"]
        for pattern in BOUNDS.get(row["table"], ())
        for k in range(1, row["k"] + 1)
        if (name := pattern.format(k=k)) in proved
    ]
    return max(row["bound"] or 0.0, *(float(one["bound"]) for one in held), 0.0)


def _bound_and_gap(row: dict[str, Any], proved: Mapping[str, Any]) -> list[str]:
    bound = _bound(row, proved)
    gap = (row["loss"] - bound) / row["loss"]
    return [share(bound), percent(gap)] if bound else ["", ""]


def _chosen(parts: dict[str, dict[str, Any]], *, is_compared: bool) -> list[str]:
    """Return the stored parts of one of the two tables, by table, k and seconds."""
    order = list(NAMES)
    chosen = [name for name, row in parts.items() if (row["table"] in COMPARED) is is_compared]

    def place(name: str) -> tuple[int, int, float]:
        row = parts[name]
        return order.index(row["table"]), row["k"], row["seconds"]

    return sorted(chosen, key=place)


def _losses(parts: dict[str, dict[str, Any]]) -> PageTable:
    """Return what `auto` loses against the clock, a row per table, k and time."""
    shown = _chosen(parts, is_compared=False)
    bounds = store.load("bound_gaps")
    rows = [
        [
            NAMES[row["table"]],
            number(row["k"]),
            f"{row['seconds']:g}",
            share(row["loss"]),
            "" if row["at_most"] is None else share(row["at_most"]),
            *_bound_and_gap(row, bounds),
            f"{row['cpu_s']:.1f}",
            str(row["seeds"]),
        ]
        for row in (parts[name] for name in shown)
    ]
    header = (
        "table", "k", "seconds", "loss", "at most", "bound", "gap",
        "CPU s", "seeds",
    )  # fmt: skip
    return PageTable(header, rows, shown)


def _others(parts: dict[str, dict[str, Any]]) -> PageTable:
    """Return `auto` beside single algorithms, a row per table and time."""
    shown = _chosen(parts, is_compared=True)
    bounds = store.load("bound_gaps")
    rows = [
        [
            NAMES[row["table"]],
            f"{row['seconds']:g}",
            share(row["loss"]),
            f"`{row['best_other']}`, {share(row['its_loss'])}",
            share(row["refine_loss"]),
            *_bound_and_gap(row, bounds),
            f"{row['cpu_s']:.1f}",
            str(row["seeds"]),
        ]
        for row in (parts[name] for name in shown)
    ]
    header = (
        "table", "seconds", "`auto`", "best that ends by itself", "`refine`", "bound", "gap",
        "CPU s", "seeds",
    )  # fmt: skip
    return PageTable(header, rows, shown)


TABLES = {"losses": _losses, "others": _others}
