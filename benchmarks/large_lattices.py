"""Full-domain search of large lattices: `auto` at 10 and 30 CPU seconds, beside long runs.

Parts are tables, by number: ``python -m benchmarks large_lattices:0,4``. ``SHOAL_LATTICE_LONG``
says how many CPU seconds a long run has (600), ``SHOAL_LATTICE_RUNS`` how many seeds (3),
``SHOAL_LATTICE_RECORDS`` how many records each table has at most.
"""

from __future__ import annotations

import os
import statistics
import time
from dataclasses import replace
from functools import partial
from typing import Any

from benchmarks.lattice_tables import TABLES
from benchmarks.problems import released_loss
from benchmarks.timing import print_table
from shoal.algorithms import Problem, Run, make_algorithm
from shoal.algorithms.budget import Budget

SECONDS = (10.0, 30.0)
LONG = float(os.environ.get("SHOAL_LATTICE_LONG", "600"))
RUNS = range(1, 1 + int(os.environ.get("SHOAL_LATTICE_RUNS", "3")))
MOST = int(os.environ.get("SHOAL_LATTICE_RECORDS", "1000000"))
# Everything that searches such a lattice; `kgen` goes on with new populations until its time is up.
SEARCHES: dict[str, tuple[str, dict[str, Any]]] = {
    "auto": ("auto", {"form": "full-domain"}),
    "kgen": ("kgen", {"restarts": 1_000_000}),
    "random": ("random", {}),
}


def run() -> dict[str, Any]:
    """Run every part."""
    return {name: part() for name, part in PARTS.items()}


def _measure(number: int) -> dict[str, Any]:
    table = TABLES[number]
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
        losses = [solve("auto", problem, seconds, seed) for seed in RUNS]
        told[f"auto {seconds:g} s"] = statistics.median(losses)
        told[f"auto {seconds:g} s, worst"] = max(losses)
    for name in SEARCHES:
        losses = [solve(name, problem, LONG, 100 + seed) for seed in RUNS]
        told[f"{name} {LONG:g} s"] = statistics.median(losses)
    print_table(list(told), [tuple(told.values())])
    return told


def solve(name: str, problem: Problem, seconds: float, seed: int) -> float:
    """Return the loss that a search reaches within so many CPU seconds."""
    clock = time.process_time
    algorithm, parameters = SEARCHES[name]
    run = Run(seed=seed, budget=Budget(seconds=seconds, clock=clock, began=clock()))
    return released_loss(problem, make_algorithm(algorithm, parameters).solve(problem, run))


PARTS = {str(number): partial(_measure, number) for number in range(len(TABLES))}
