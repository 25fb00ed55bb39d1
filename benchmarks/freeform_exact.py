"""Proved optima of covers by `ff-optimal`: CPU seconds and gaps.

Every part draws samples of one kind and size: Adult with categories as numbers (``ranks``), Adult
with age as an interval and seven sets (``sets``), or census-like records (``census``).
``SHOAL_SAMPLES`` sets how many samples there are (20). One part at a time:
``python -m benchmarks freeform_exact:sets-100-k3``.
"""

from __future__ import annotations

import os
import statistics
import time
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from benchmarks.data import find_data
from benchmarks.exact import sample
from benchmarks.pages import PageTable, number
from benchmarks.problems import EIGHT, census, released_loss, with_sets
from benchmarks.timing import print_table
from shoal.algorithms import Budget, Run, make_algorithm

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.algorithms import Problem, Solution

COMMAND = "python -m benchmarks freeform_exact"
CENSUS_RECORDS = 20_000
# kind, records, k, CPU seconds that a sample has.
TASKS = {
    f"{kind}-{records}-k{k}": (kind, records, k, seconds)
    for kind, records, k, seconds in (
        ("ranks", 100, 3, 60.0),
        ("sets", 100, 3, 60.0),
        ("census", 100, 3, 60.0),
        ("ranks", 300, 3, 60.0),
        ("sets", 300, 3, 60.0),
    )
}


def run() -> dict[str, object]:
    """Run every part."""
    return {part: measure() for part, measure in PARTS.items()}


def drawn(kind: str, records: int, k: int, seed: int) -> Problem | None:
    """Return a sample."""
    if kind == "ranks":
        return sample(records, k, seed)
    if kind == "census":
        frame = census(CENSUS_RECORDS)
    else:
        path = find_data("adult30k")
        if path is None:
            return None
        frame = pl.read_csv(path).select(EIGHT)
    chosen = np.random.default_rng(seed).choice(frame.height, records, replace=False)
    return with_sets(frame[chosen], k)


def _solved(name: str, problem: Problem, seed: int, seconds: float) -> tuple[Solution, float]:
    """Return what an algorithm finds within CPU seconds of one thread, and what it took."""
    before = time.process_time()
    budget = Budget(seconds=seconds, began=before, clock=time.process_time)
    found = make_algorithm(name).solve(problem, Run(seed=seed, budget=budget))
    return found, time.process_time() - before


def _measured(part: str) -> list[dict[str, object]]:
    """Return a line for each sample."""
    kind, records, k, seconds = TASKS[part]
    lines: list[dict[str, object]] = []
    for seed in range(int(os.environ.get("SHOAL_SAMPLES", "20"))):
        problem = drawn(kind, records, k, seed)
        if problem is None:
            print("adult30k is not here; left out")
            return []
        cover, taken = _solved("ff-optimal", problem, seed, seconds)
        loss = released_loss(problem, cover)
        bound = cover.lower_bound or 0.0
        line: dict[str, object] = {
            "sample": seed,
            "loss": loss,
            "lower_bound": bound,
            "gap": max(0.0, 1 - bound / loss),
            "proved": cover.optimal,
            "cpu_s": round(taken, 2),
        }
        lines.append(line)
        print(part, line, flush=True)
    print_table(tuple(lines[0]), [tuple(line.values()) for line in lines])
    return lines


PARTS = {part: partial(_measured, part) for part in TASKS}


def _proofs(parts: Mapping[str, list[dict[str, float]]]) -> PageTable:
    """Return one row for each part: proofs, seconds and gaps."""
    rows = []
    for part in (part for part in TASKS if part in parts):
        lines, (kind, records, k, _) = parts[part], TASKS[part]
        seconds = [line["cpu_s"] for line in lines]
        open_gaps = [100 * line["gap"] for line in lines if not line["proved"]]
        rows.append([
            f"{kind}, {records} x 8", str(k),
            f"{sum(bool(line['proved']) for line in lines)} of {len(lines)}",
            number(statistics.median(seconds)), number(max(seconds)),
            f"{max(open_gaps):.2f} %" if open_gaps else "none",
        ])  # fmt: skip
    header = ("samples", "k", "proved", "median CPU s", "most CPU s", "largest gap left")
    return PageTable(header, rows, [part for part in TASKS if part in parts])


TABLES = {"proofs": _proofs}
