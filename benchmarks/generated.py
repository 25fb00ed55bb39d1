"""The promise of `auto`: on generated tables it loses no more than any single algorithm.

``SHOAL_GENERATED_TABLES`` says how many tables (200), ``SHOAL_GENERATED_MOST`` how many records
they have at most (500,000), ``SHOAL_GENERATED_SECONDS`` the budgets (1,3,10), and
``SHOAL_GENERATED_SEEDS`` which seeds: `held` (the default) or `development`, from
``SHOAL_GENERATED_FIRST`` (0) on. With ``SHOAL_GENERATED_STEPS`` (1000000,3000000) budgets are
steps, so that other work on the machine changes nothing; algorithms without a budget then take as
long as they take.
"""

from __future__ import annotations

import os
import time
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.generated_tables import GeneratedTable
from benchmarks.pages import PageTable, number, share
from benchmarks.timing import print_table
from shoal.algorithms import Run, make_algorithm
from shoal.algorithms.budget import Budget
from shoal.algorithms.cluster.suppression import loss_of_partition
from shoal.algorithms.partition import Partition
from shoal.algorithms.run import ExpiredError
from shoal.errors import Cancelled

if TYPE_CHECKING:
    from shoal.algorithms import Problem

DRAWN = int(os.environ.get("SHOAL_GENERATED_TABLES", "200"))
MOST = int(os.environ.get("SHOAL_GENERATED_MOST", "500000"))
STEPS = os.environ.get("SHOAL_GENERATED_STEPS", "")
SECONDS = os.environ.get("SHOAL_GENERATED_SECONDS", "1,3,10")
BUDGETS = tuple(float(part) for part in (STEPS or SECONDS).split(","))
UNIT = "steps" if STEPS else "seconds"
FIRST = int(os.environ.get("SHOAL_GENERATED_FIRST", "0"))
HELD_BACK = os.environ.get("SHOAL_GENERATED_SEEDS", "held") == "held"
WITHOUT_BUDGET = ("mondrian", "hilbert", "sorted", "k-member", "agglomerative")
SINGLES = (*WITHOUT_BUDGET, "sequential", "refine")
SEED, OTHER_SEED = 1, 2
WORST = 10

Rows = list[dict[str, Any]]


def run() -> dict[str, Any]:
    """Print and return the distribution, and the worst cases."""
    rows: Rows = []
    for place in range(DRAWN):
        rows += measure(FIRST + 2 * place + (0 if HELD_BACK else 1))
    told = [
        summary("`auto`", rows, "above"),
        summary("`refine`, another seed", rows, "above_again"),
    ]
    print_table(list(told[0]), [tuple(one.values()) for one in told])
    rows.sort(key=lambda row: -row["above"])
    _show(rows[:WORST])
    return {"summary": told, "worst": rows[:WORST], "all": rows}


def measure(seed: int) -> Rows:
    """Return a row for each budget: `auto`, and the best single algorithm in the same time.

    `refine` with another seed tells how far equal searches end apart.
    """
    drawn = GeneratedTable(seed, MOST).draw()
    problem = drawn.problem()
    rows: Rows = []
    found: dict[str, float] = {}
    for budget in BUDGETS:
        ours, cpu, steps = solve("auto", problem, budget)
        for name in SINGLES:
            if not (STEPS and name in found and name in WITHOUT_BUDGET):  # the same with any steps
                found[name] = solve(name, problem, budget)[0]
        again = solve("refine", problem, budget, OTHER_SEED)[0]
        best = min(found, key=lambda name: found[name])
        rows.append(
            {
                "seed": seed,
                "records": problem.n,
                "attributes": len(problem.codes),
                "k": problem.k,
                "models": len(problem.models),
                "suppression": drawn.suppression,
                UNIT: budget,
                "auto": ours,
                "cpu_s": cpu,
                "steps_taken": steps,
                "best": best,
                "its": found[best],
                "above": above(ours, found[best]),
                "above_again": above(again, found["refine"]),
            }
        )
        _show(rows[-1:])
    return rows


def above(loss: float, other: float) -> float:
    """Return how far a loss is above another, as a share of that.

    Losses near 0 do not compare by ratio: of ten million cells one may show.
    """
    return (loss - other) / max(other, 1e-6)


def solve(name: str, problem: Problem, budget: float, seed: int = SEED) -> tuple[float, float, int]:
    """Return the loss that an algorithm reaches within its budget, its CPU seconds and steps.

    What is not done in time counts as nothing.
    """
    chosen = make_algorithm(name)
    asked = Budget(steps=int(budget)) if STEPS else Budget(seconds=budget)
    run = Run(seed=seed, budget=asked)
    unstopped = bool(STEPS) or name == "auto"
    began = time.process_time()
    try:
        with run.at_most(inf if unstopped else budget + 0.05):
            found = chosen.solve(problem, run)
    except (ExpiredError, Cancelled):
        return inf, time.process_time() - began, 0
    assert isinstance(found, Partition)
    assert found.sizes.min() >= problem.k
    cpu = time.process_time() - began
    return loss_of_partition(problem, found), cpu, run.control.steps


def summary(what: str, rows: Rows, key: str) -> dict[str, Any]:
    """Return how far above the others something ends, over all rows."""
    above = np.array([row[key] for row in rows])
    return {
        "": what,
        "cases": len(rows),
        "at or below": int((above <= 1e-9).sum()),
        "up to 2 % above": int(((above > 1e-9) & (above <= 0.02)).sum()),
        "2 to 5 % above": int(((above > 0.02) & (above <= 0.05)).sum()),
        "more": int((above > 0.05).sum()),
        "median": float(np.median(above)),
        "worst": float(above.max()),
    }


def _show(rows: Rows) -> None:
    print_table(list(rows[0]), [tuple(row.values()) for row in rows])


def _distribution(parts: dict[str, Any]) -> PageTable:
    """Return how far above the best single algorithm `auto` is, over all cases."""
    told = parts["summary"]
    cells = [
        [
            _above(value) if key in {"median", "worst"} else number(value) if key else value
            for key, value in one.items()
        ]
        for one in told
    ]
    return PageTable(list(told[0]), cells, ["summary"])


def _worst(parts: dict[str, Any]) -> PageTable:
    """Return the cases in which `auto` is furthest above the best single algorithm."""
    header = (
        "seed", "records", "attributes", "k", "models", "suppression", "steps", "`auto`",
        "best single", "above",
    )  # fmt: skip
    rows = [
        [
            *(number(row[key]) for key in ("seed", "records", "attributes", "k", "models")),
            f"{row['suppression']:.0%}".replace("%", " %"),
            number(round(row["steps"])),
            share(row["auto"]),
            f"`{row['best']}`, {share(row['its'])}",
            _above(row["above"]),
        ]
        for row in parts["worst"]
    ]
    return PageTable(header, rows, ["worst"])


def _above(value: float) -> str:
    return f"{value:+.1%}".replace("%", " %")


TABLES = {"distribution": _distribution, "worst_cases": _worst}
