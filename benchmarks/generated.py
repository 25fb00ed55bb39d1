"""The promise of `auto`: within the same time it loses no more than any single algorithm.

Parts are seeds, ``python -m benchmarks generated:1400,1402``, and the shared tables,
``generated:shared-sets``, among them one with 13,294 postcodes that is drawn here; without parts,
all of them. A part that is stored with the same settings is left out unless
``SHOAL_GENERATED_REPEATED`` is 1, and so is one that another process works on: a study that was
stopped goes on where it ended, and several processes can share it. The page shows all stored parts
together.

``SHOAL_GENERATED_CLOCK`` says what budgets are: `wall` seconds (the default, for a quiet machine),
`cpu` seconds of one thread, which other work on the machine changes little, or `steps`; then
algorithms without a budget take as long as they take. ``SHOAL_GENERATED_BUDGETS`` lists them
(1,3,10; steps: 1000000,3000000). ``SHOAL_GENERATED_FIRST`` is the first seed (1736),
``SHOAL_GENERATED_TABLES`` the number of tables (200), ``SHOAL_GENERATED_MOST`` their records at
most (500,000). With ``SHOAL_GENERATED_SEEDS`` set to `development` seeds are odd: those that `auto`
was developed on, which the page shows apart. With ``SHOAL_GENERATED_AGAIN`` set to 1 `refine` also
searches with another seed.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks import store
from benchmarks.auto import table_words
from benchmarks.generated_tables import GeneratedTable, postcode_words, problem_of
from benchmarks.large_k import census_words
from benchmarks.pages import PageTable, number, share
from benchmarks.timing import print_table
from shoal._core import kernels
from shoal.algorithms import Run, make_algorithm
from shoal.algorithms.budget import Budget
from shoal.algorithms.cluster.suppression import loss_of_partition
from shoal.algorithms.partition import Partition
from shoal.algorithms.run import ExpiredError
from shoal.errors import Cancelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from shoal.algorithms import Problem

STUDY = "generated"
CLOCK = os.environ.get("SHOAL_GENERATED_CLOCK", "wall")
IN_STEPS = CLOCK == "steps"
BUDGETS = tuple(
    float(part)
    for part in os.environ.get(
        "SHOAL_GENERATED_BUDGETS", "1000000,3000000" if IN_STEPS else "1,3,10"
    ).split(",")
)
FIRST = int(os.environ.get("SHOAL_GENERATED_FIRST", "1736"))
DRAWN = int(os.environ.get("SHOAL_GENERATED_TABLES", "200"))
MOST = int(os.environ.get("SHOAL_GENERATED_MOST", "500000"))
HELD_BACK = os.environ.get("SHOAL_GENERATED_SEEDS", "held") == "held"
REPEATED = bool(os.environ.get("SHOAL_GENERATED_REPEATED"))
HELD, DEVELOPMENT, SHARED_SET = "held back", "development", "shared"
AGAIN = bool(os.environ.get("SHOAL_GENERATED_AGAIN"))
SHARED = {
    "sets": (5, 10, 50, 500),
    "hierarchies": (5, 10, 50, 500),
    "distinct": (5, 50),
    "suppression": (10, 50),
    "fars": (5, 50),
    "diabetic": (5, 50),
    "c2k": (5, 50),
    "census": (5, 50),
    "census-500k": (10,),
    "postcodes": (5, 10),
}
WITHOUT_BUDGET = ("mondrian", "hilbert", "sorted", "k-member", "agglomerative")
WITH_BUDGET = ("sequential", "refine")
SEED, OTHER_SEED = 1, 2
WORST = 10
# Of its budget, what an algorithm has taken that was not done by itself.
SPENT = 0.9
# Seconds beyond the budget that an algorithm may take to end.
GRACE = 0.05
# The promise: in this share of the cases at most a loss of so much more; in none of even more.
FAR, FURTHEST = 0.02, 0.05

Rows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Attempt:
    """What an algorithm found within a budget: its loss, CPU seconds, time by the clock, steps."""

    loss: float
    cpu: float
    time: float
    steps: int


def run() -> dict[str, Rows]:
    """Run every part that is not stored yet."""
    return {name: part() for name, part in PARTS.items()}


def _part(name: str, work: Callable[[], Rows]) -> Rows:
    """Measure a part unless it is stored, or another process works on it."""
    with store.claim(f"{STUDY}-{name}") as is_mine:
        if is_mine and not _is_stored(name):
            return work()
    print(f"{name} is stored already" if is_mine else f"{name} is under way elsewhere")
    return []


def _generated(seed: int) -> Rows:
    return measure(f"seed {seed:,}", GeneratedTable(seed, MOST).draw().problem())


def _shared(table: str, ks: tuple[int, ...]) -> Rows:
    own = {"census": census_words, "postcodes": postcode_words}
    words = own[table]() if table in own else table_words(table.removesuffix("-500k"))
    if words is None:
        print(f"{table} is not here; left out")
        return []
    frame = words.pop("frame")
    rows: Rows = []
    for k in ks:
        rows += measure(table, problem_of(frame, {**words, "k": k}))
    return rows


def _is_stored(part: str) -> bool:
    stored, now = store.load(STUDY).get(part), store.provenance()
    same = stored is not None and _decisive(stored["settings"]) == _decisive(now["settings"])
    return same and not REPEATED


def _decisive(settings: Mapping[str, str]) -> dict[str, str]:
    """Return the settings that change what a part measures."""
    names = ("FIRST", "TABLES", "SEEDS", "REPEATED")
    chosen = {f"SHOAL_GENERATED_{name}" for name in names}
    return {name: value for name, value in settings.items() if name not in chosen}


_WORK: Mapping[str, Callable[[], Rows]] = {
    f"{seed}": partial(_generated, seed)
    for seed in range(FIRST + (not HELD_BACK), FIRST + 2 * DRAWN, 2)
} | {f"shared-{table}": partial(_shared, table, ks) for table, ks in SHARED.items()}
PARTS = {name: partial(_part, name, work) for name, work in _WORK.items()}


def measure(table: str, problem: Problem) -> Rows:
    """Return a row for each budget: `auto`, and the best single algorithm in the same time."""
    rows: Rows = []
    # Whoever has no budget runs once, with the largest, and counts where it ended in time.
    ended = {name: solve(name, problem, max(BUDGETS)) for name in WITHOUT_BUDGET}
    last = 0.0
    for budget in BUDGETS:
        ours = solve("auto", problem, budget)
        for name in WITH_BUDGET:
            # One that ended by itself would do the same again.
            if name not in ended or IN_STEPS or ended[name].time > SPENT * last:
                ended[name] = solve(name, problem, budget)
        found = {
            name: one.loss if IN_STEPS or one.time <= budget + GRACE else inf
            for name, one in ended.items()
        }
        best = min(found, key=lambda name: found[name])
        row = {
            "table": table,
            "records": problem.n,
            "attributes": len(problem.codes),
            "k": problem.k,
            "models": len(problem.models),
            "suppression": problem.suppression_limit / problem.n,
            "most": MOST,
            "clock": CLOCK,
            "budget": budget,
            "auto": ours.loss,
            "cpu_s": round(ours.cpu, 3),
            "steps_taken": ours.steps,
            "best": best,
            "its": found[best] if found[best] < inf else None,
            "above": above(ours.loss, found[best]),
        }
        if AGAIN:
            again = solve("refine", problem, budget, OTHER_SEED).loss
            row["above_again"] = above(again, found["refine"])
        print_table(list(row), [tuple(row.values())])
        rows.append(row)
        last = budget
    return rows


def above(loss: float, other: float) -> float:
    """Return how far a loss is above another, as a share of that.

    Losses near 0 do not compare by ratio: of ten million cells one may show. Where nothing else
    ended in time, it is below.
    """
    return -1.0 if other == inf else (loss - other) / max(other, 1e-6)


def solve(name: str, problem: Problem, budget: float, seed: int = SEED) -> Attempt:
    """Return what an algorithm reaches within its budget; what is not done in time is nothing."""
    kernels.count_cpu_seconds(CLOCK == "cpu")
    clock = time.process_time if CLOCK == "cpu" else time.monotonic
    now = Budget(clock=clock)
    asked = now.fresh(steps=int(budget)) if IN_STEPS else now.fresh(seconds=budget)
    run = Run(seed=seed, budget=asked)
    unstopped = IN_STEPS or name == "auto"
    began, cpu = clock(), time.process_time()
    try:
        with run.at_most(inf if unstopped else budget + GRACE):
            found = make_algorithm(name).solve(problem, run)
    except (ExpiredError, Cancelled):
        return Attempt(inf, time.process_time() - cpu, inf, 0)
    finally:
        kernels.count_cpu_seconds(False)
    took, cpu = clock() - began, time.process_time() - cpu
    assert isinstance(found, Partition)
    assert found.sizes.min() >= problem.k
    return Attempt(loss_of_partition(problem, found), cpu, took, run.control.steps)


def rows_of(parts: Mapping[str, Any]) -> Rows:
    """Return the rows of all stored parts with the set that each belongs to, in order."""
    rows = [{**row, "set": _set_of(row["table"])} for part in parts.values() for row in part]
    return sorted(rows, key=lambda row: (row["clock"], row["budget"], row["table"]))


def judged_rows(parts: Mapping[str, Any]) -> Rows:
    """Return the rows by which the promise is judged: no table that `auto` was developed on."""
    return [row for row in rows_of(parts) if row["set"] != DEVELOPMENT]


def _set_of(table: str) -> str:
    if not table.startswith("seed "):
        return SHARED_SET
    return DEVELOPMENT if int(table[-1]) % 2 else HELD


def summary(rows: Rows, key: str = "above") -> dict[str, Any]:
    """Return how far above the others something ends, over all rows."""
    above = np.array([row[key] for row in rows])
    return {
        "tables": len({(row["table"], row["k"]) for row in rows}),
        "cases": len(rows),
        "at or below": int((above <= 1e-9).sum()),
        "up to 2 % above": int(((above > 1e-9) & (above <= FAR)).sum()),
        "2 to 5 % above": int(((above > FAR) & (above <= FURTHEST)).sum()),
        "more": int((above > FURTHEST).sum()),
        "median": float(np.median(above)),
        "worst": float(above.max()),
    }


def _distribution(parts: Mapping[str, Any]) -> PageTable:
    """Return how far above the best single algorithm `auto` is, a row for each set and budget."""
    rows = rows_of(parts)
    cells = [
        [which, budget, *_cells(summary(chosen))]
        for which in (HELD, DEVELOPMENT, SHARED_SET)
        for budget, chosen in _by_budget([row for row in rows if row["set"] == which]).items()
    ]
    again = [row for row in rows if "above_again" in row]
    if again:
        cells.append(["`refine`, another seed", "all", *_cells(summary(again, "above_again"))])
    return PageTable(["set", "budget", *summary(rows)], cells, list(parts))


def _cells(told: Mapping[str, Any]) -> Iterable[str]:
    return (_above(told[key]) if key in {"median", "worst"} else number(told[key]) for key in told)


def _by_budget(rows: Rows) -> dict[str, Rows]:
    chosen: dict[str, Rows] = {}
    for row in rows:
        chosen.setdefault(_budget(row), []).append(row)
    return chosen


def _budget(row: Mapping[str, Any]) -> str:
    words = {"steps": "steps", "cpu": "CPU s", "wall": "s"}
    return f"{number(round(row['budget']))} {words[row['clock']]}"


def _worst(parts: Mapping[str, Any]) -> PageTable:
    """Return the cases in which `auto` is furthest above the best single algorithm."""
    header = (
        "table", "records", "attributes", "k", "models", "suppression", "budget", "`auto`",
        "best single", "above",
    )  # fmt: skip
    rows = [
        [
            row["table"],
            *(number(row[key]) for key in ("records", "attributes", "k", "models")),
            f"{row['suppression']:.0%}".replace("%", " %"),
            _budget(row),
            share(row["auto"]),
            f"`{row['best']}`, {share(row['its'])}",
            _above(row["above"]),
        ]
        for row in sorted(judged_rows(parts), key=lambda row: -row["above"])[:WORST]
    ]
    return PageTable(header, rows, list(parts))


def _above(value: float) -> str:
    return f"{value:+.1%}".replace("%", " %")


TABLES = {"distribution": _distribution, "worst_cases": _worst}
