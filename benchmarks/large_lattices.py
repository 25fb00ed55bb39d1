"""Full-domain search of large lattices: `auto` for some CPU seconds, beside long runs.

Parts are tables, by number: ``python -m benchmarks large_lattices:0,4``. `auto` runs with three
seeds. ``SHOAL_LATTICE_SECONDS`` says how many CPU seconds it has (10,30), ``SHOAL_LATTICE_LONG``
how many a long run has (600), ``SHOAL_LATTICE_LONG_RUNS`` how many of these there are (3), and
``SHOAL_LATTICE_RECORDS`` how many records a table has at most: with fewer, a node takes less time.
"""

from __future__ import annotations

import os
import statistics
import time
from dataclasses import replace
from functools import partial
from typing import Any

from benchmarks.lattice import total_gcp
from benchmarks.lattice_tables import TABLES as LATTICES
from benchmarks.pages import PageTable, number, percent, share
from benchmarks.timing import print_table
from shoal.algorithms import Levels, Problem, Run, make_algorithm
from shoal.algorithms.budget import Budget

SECONDS = tuple(float(part) for part in os.environ.get("SHOAL_LATTICE_SECONDS", "10,30").split(","))
LONG = float(os.environ.get("SHOAL_LATTICE_LONG", "600"))
SEEDS = (1, 2, 3)
LONG_SEEDS = range(101, 101 + int(os.environ.get("SHOAL_LATTICE_LONG_RUNS", "3")))
MOST = int(os.environ.get("SHOAL_LATTICE_RECORDS", "1000000"))
# What searches such a lattice; `kgen` goes on with new populations until its time is up.
SEARCHES: dict[str, tuple[str, dict[str, Any]]] = {
    "auto": ("auto", {"form": "full-domain"}),
    "kgen": ("kgen", {"restarts": 1_000_000}),
}


def run() -> dict[str, Any]:
    """Run every part."""
    return {name: part() for name, part in PARTS.items()}


def _measure(place: int) -> dict[str, Any]:
    table = LATTICES[place]
    table = replace(table, records=min(table.records, MOST))
    problem = table.problem()
    told: dict[str, Any] = {
        "table": table.name,
        "records": table.records,
        "attributes": len(table.attributes),
        "nodes": table.nodes,
        "k": table.k,
        "suppression": table.suppression,
    }
    for seconds in SECONDS:
        losses = [solve("auto", problem, seconds, seed) for seed in SEEDS]
        told[f"auto {seconds:g} s"] = statistics.median(losses)
        told[f"auto {seconds:g} s, worst"] = max(losses)
    for name in SEARCHES:
        losses = [solve(name, problem, LONG, seed) for seed in LONG_SEEDS]
        told[f"{name} {LONG:g} s"] = statistics.median(losses)
    print_table(list(told), [tuple(told.values())])
    return told


def solve(name: str, problem: Problem, seconds: float, seed: int) -> float:
    """Return the loss that a search reaches within so many CPU seconds."""
    clock = time.process_time
    algorithm, parameters = SEARCHES[name]
    run = Run(seed=seed, budget=Budget(seconds=seconds, clock=clock, began=clock()))
    found = make_algorithm(algorithm, parameters).solve(problem, run)
    assert isinstance(found, Levels)
    return total_gcp(problem, found)


PARTS = {str(place): partial(_measure, place) for place in range(len(LATTICES))}


def _losses(parts: dict[str, dict[str, Any]]) -> PageTable:
    """Return the losses of short and long searches, a row per lattice."""
    searches = ("auto 0.5 s", "auto 1.5 s", "auto 1.5 s, worst", "auto 6 s", "kgen 6 s")
    rows = [
        [
            row["table"],
            number(row["attributes"]),
            f"{row['nodes']:.1e}",
            number(row["k"]),
            percent(row["suppression"]),
            *(share(row[name]) for name in searches),
        ]
        for row in parts.values()
    ]
    header = (
        "table", "attributes", "nodes", "k", "suppression", "`auto` .5 s", "`auto` 1.5 s",
        "worst of 3 at 1.5 s", "`auto` 6 s", "`kgen` 6 s",
    )  # fmt: skip
    return PageTable(header, rows, list(parts))


TABLES = {"losses": _losses}
