"""Full-domain search of large lattices: `auto` for 10 and 30 CPU seconds, beside ten minutes.

A part per table, by number (``python -m benchmarks large_lattices:0,4``), runs `auto` with three
seeds. ``SHOAL_FULL=1`` adds the runs of ten minutes, a part each: ``0-auto-101``, ``0-kgen-101``.
"""

from __future__ import annotations

import os
import statistics
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks.lattice import total_gcp
from benchmarks.lattice_tables import TABLES as LATTICES
from benchmarks.pages import PageTable, number, percent, share
from benchmarks.timing import print_table
from shoal.algorithms import Levels, Problem, Run, make_algorithm
from shoal.algorithms.budget import Budget

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SECONDS = (10, 30)
SEEDS = (1, 2, 3)
LONG = 600
LONG_SEEDS = (101, 102, 103)
FULL = os.environ.get("SHOAL_FULL") == "1"
# What searches such a lattice; `kgen` goes on with new populations until its time is up.
SEARCHES: dict[str, tuple[str, dict[str, Any]]] = {
    "auto": ("auto", {"form": "full-domain"}),
    "kgen": ("kgen", {"restarts": 1_000_000}),
}


def run() -> dict[str, Any]:
    """Run every part."""
    return {name: part() for name, part in PARTS.items()}


def _short_runs(place: int) -> dict[str, Any]:
    table = LATTICES[place]
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
        told[f"auto {seconds} s"] = statistics.median(losses)
        told[f"auto {seconds} s, worst"] = max(losses)
    print_table(list(told), [tuple(told.values())])
    return told


def _long_run(place: int, name: str, seed: int) -> dict[str, Any]:
    table = LATTICES[place]
    told = {"table": table.name, "search": name, "seed": seed, "seconds": LONG,
            "loss": solve(name, table.problem(), LONG, seed)}  # fmt: skip
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


def _parts() -> dict[str, Callable[[], dict[str, Any]]]:
    parts: dict[str, Callable[[], dict[str, Any]]] = {
        str(place): partial(_short_runs, place) for place in range(len(LATTICES))
    }
    if FULL:
        for seed in LONG_SEEDS:
            for name in SEARCHES:
                for place in range(len(LATTICES)):
                    parts[f"{place}-{name}-{seed}"] = partial(_long_run, place, name, seed)
    return parts


PARTS = _parts()


def long_losses(parts: Mapping[str, Mapping[str, Any]], table: str, search: str) -> list[float]:
    """Return what the long runs of a search reached on a table, as far as they are stored."""
    return [
        row["loss"]
        for row in parts.values()
        if row["table"] == table and row.get("search") == search
    ]


def _losses(parts: dict[str, dict[str, Any]]) -> PageTable:
    """Return the losses of short and long searches, a row per lattice."""
    rows = []
    is_long = any("search" in row for row in parts.values())
    for row in parts.values():
        if "search" in row:
            continue
        long = [long_losses(parts, row["table"], search) for search in SEARCHES if is_long]
        rows.append(
            [
                row["table"],
                number(row["records"]),
                number(row["attributes"]),
                f"{row['nodes']:.1e}",
                number(row["k"]),
                percent(row["suppression"]),
                *(share(row[f"auto {seconds} s"]) for seconds in SECONDS),
                share(row[f"auto {SECONDS[-1]} s, worst"]),
                *(share(statistics.median(losses)) if losses else "" for losses in long),
                *([" and ".join(str(len(losses)) for losses in long)] if is_long else []),
            ]
        )
    header: tuple[str, ...] = (
        "table", "records", "attributes", "nodes", "k", "suppression", "`auto` 10 s", "`auto` 30 s",
        "worst of 3 at 30 s",
    )  # fmt: skip
    if is_long:
        header += ("`auto` 10 min", "`kgen` 10 min", "long runs")
    return PageTable(header, rows, list(parts))


TABLES = {"losses": _losses}
