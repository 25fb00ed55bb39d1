"""Large k: `auto` beside `mondrian`, in classes of hundreds.

Budgets are steps, so that other work on the machine changes nothing; the CPU seconds they took are
told. ``SHOAL_LARGE_K_STEPS`` says how many (30,000,000). Parts are tables.
"""

from __future__ import annotations

import os
import time
from functools import partial
from typing import Any

from benchmarks.auto import table_words
from benchmarks.pages import PageTable, number, percent, share
from benchmarks.problems import census, mean_loss
from benchmarks.timing import print_table
from shoal.algorithms import Problem, Run, make_algorithm, solve_partition
from shoal.algorithms.budget import Budget
from shoal.encoding import encode
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Table

STEPS = int(os.environ.get("SHOAL_LARGE_K_STEPS", "30000000"))
KS = (50, 100, 250, 1_000)
SEED = 9_001

Rows = list[dict[str, Any]]


def run() -> dict[str, Rows]:
    """Run every part whose table is at hand."""
    return {name: part() for name, part in PARTS.items()}


def _measure(table: str) -> Rows:
    words = census_words() if table == "census" else table_words(table)
    if words is None:
        print(f"{table} is not here; left out")
        return []
    frame = words.pop("frame")
    encoded = encode(Table.of(frame, schema_of(frame, Job.from_dict({"k": KS[0], **words}))))
    rows: Rows = []
    for k in KS:
        problem = Problem.of(encoded, k)
        cut = mean_loss(problem, solve_partition("mondrian", problem, Run(seed=SEED)))
        began = time.process_time()
        run = Run(seed=SEED, budget=Budget(steps=STEPS))
        found = make_algorithm("auto").solve(problem, run)
        cpu = time.process_time() - began
        loss = mean_loss(problem, found)
        rows.append(
            {
                "table": table,
                "records": problem.n,
                "k": k,
                "mondrian": cut,
                "auto": loss,
                "less": 1 - loss / cut,
                "steps": STEPS,
                "cpu_s": cpu,
            }
        )
        print_table(list(rows[-1]), [tuple(rows[-1].values())])
    return rows


def census_words() -> dict[str, Any]:
    """Return 30,000 census-like records, all columns quasi-identifiers."""
    frame = census(30_000)
    return {"frame": frame, "quasi": frame.columns}


PARTS = {name: partial(_measure, name) for name in ("sets", "census", "diabetic")}


def _gains(parts: dict[str, list[dict[str, Any]]]) -> PageTable:
    """Return how far `auto` is below `mondrian`, a row per table and k."""
    names = {"sets": "adult30k", "census": "census-like", "diabetic": "diabetic"}
    rows = [
        [
            f"{name}, {number(row['records'])}",
            number(row["k"]),
            share(row["mondrian"]),
            share(row["auto"]),
            percent(row["less"]),
            number(row["steps"]),
            f"{row['cpu_s']:.1f}",
        ]
        for part, name in names.items()
        for row in parts[part]
    ]
    header = ("table", "k", "`mondrian`", "`auto`", "less by", "steps", "CPU s")
    return PageTable(header, rows, list(names))


TABLES = {"gains": _gains}
