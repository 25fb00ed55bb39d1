"""`auto` with a short wall budget on a busy machine, beside what the same CPU seconds buy at best.

A busy machine is imitated: the process that searches is stopped and continued many times a second,
so that it runs for a share of each second, as beside seven others on two cores. That disturbs
nobody, and repeats better than busy loops. ``SHOAL_BUSY_SECONDS`` says how many wall seconds a run
has (1), ``SHOAL_BUSY_SEEDS`` the seeds (3). Parts are tables, k and the percent of the processor:
``busy:hierarchies-50-25``.
"""

from __future__ import annotations

import os
import signal
import statistics
import time
from functools import partial
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

from benchmarks.auto import table_words
from benchmarks.generated_tables import problem_of
from benchmarks.pages import PageTable, number, share
from benchmarks.timing import print_table
from shoal._core import kernels
from shoal.algorithms import Run, make_algorithm
from shoal.algorithms.budget import Budget
from shoal.algorithms.cluster.suppression import loss_of_partition
from shoal.algorithms.partition import Partition

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

SECONDS = float(os.environ.get("SHOAL_BUSY_SECONDS", "1"))
SHARES = (0.25, 0.15)
SEEDS = range(1, 1 + int(os.environ.get("SHOAL_BUSY_SEEDS", "3")))
PERIOD = 0.024  # seconds; the share of it is a usual turn of a process on a busy machine
CASES = {
    "hierarchies-50": ("hierarchies", 50),
    "hierarchies-5": ("hierarchies", 5),
    "distinct-5": ("distinct", 5),
    "sets-10": ("sets", 10),
    "diabetic-10": ("diabetic", 10),
}

Figure = dict[str, Any]


def run() -> dict[str, Figure]:
    """Run every part whose table is at hand."""
    return {name: part() for name, part in PARTS.items()}


def _measure(table: str, k: int, part: float) -> Figure:
    if table_words(table) is None:
        print(f"{table} is not here; left out")
        return {}
    whole = [_in_turns(table, k, seed, "cpu", SECONDS, 1.0) for seed in SEEDS]
    busy = [_in_turns(table, k, seed, "wall", SECONDS, part) for seed in SEEDS]
    # What it had of the processor, all of it known beforehand.
    had = statistics.median(cpu for _, cpu, _ in busy)
    known = [_in_turns(table, k, seed, "cpu", had, 1.0) for seed in SEEDS]
    figure = {
        "table": table,
        "k": k,
        "share": part,
        "seconds": SECONDS,
        "alone": statistics.median(loss for loss, _, _ in whole),
        "busy": statistics.median(loss for loss, _, _ in busy),
        "busy_worst": max(loss for loss, _, _ in busy),
        "cpu_s": had,
        "wall_s": max(wall for _, _, wall in busy),
        "known": statistics.median(loss for loss, _, _ in known),
        "seeds": len(SEEDS),
    }
    print_table(list(figure), [tuple(figure.values())])
    return figure


def _in_turns(
    table: str, k: int, seed: int, clock: str, seconds: float, part: float
) -> tuple[float, float, float]:
    """Return loss, CPU and wall seconds of a run in a process that has a part of the processor."""
    context = get_context("spawn")
    here, there = context.Pipe()
    worker = context.Process(target=_search, args=(there, table, k, seed, clock, seconds))
    worker.start()
    assert worker.pid is not None
    assert here.recv() == "ready"
    try:
        while part < 1.0 and not here.poll(part * PERIOD):
            os.kill(worker.pid, signal.SIGSTOP)
            time.sleep((1 - part) * PERIOD)
            os.kill(worker.pid, signal.SIGCONT)
        found: tuple[float, float, float] = here.recv()
    finally:
        os.kill(worker.pid, signal.SIGCONT)
        worker.join()
    return found


def _search(answer: Connection, table: str, k: int, seed: int, clock: str, seconds: float) -> None:
    words = table_words(table)
    assert words is not None
    problem = problem_of(words.pop("frame"), {**words, "k": k})
    auto = make_algorithm("auto")  # loaded before the time counts, as for a release
    by_cpu = clock == "cpu"
    kernels.count_cpu_seconds(by_cpu)
    answer.send("ready")
    now = Budget(clock=time.process_time if by_cpu else time.monotonic)
    cpu, wall = time.process_time(), time.monotonic()
    asked = Run(seed=seed, budget=now.fresh(seconds=seconds))
    found = auto.solve(problem, asked)
    cpu, wall = time.process_time() - cpu, time.monotonic() - wall
    assert isinstance(found, Partition)
    if os.environ.get("SHOAL_BUSY_TRACE"):
        print(table, k, clock, round(cpu, 3), round(wall, 3))
        for step in asked.trace:
            print("  ", step.step, round(step.seconds, 3), step.loss)
    answer.send((loss_of_partition(problem, found), cpu, wall))


PARTS = {
    f"{name}-{round(100 * part)}": partial(_measure, table, k, part)
    for name, (table, k) in CASES.items()
    for part in SHARES
}


def _losses(parts: dict[str, Figure]) -> PageTable:
    """Return what `auto` loses on a busy machine, a row per table."""
    shown = [part for part in PARTS if part in parts]
    rows = [
        [
            row["table"],
            number(row["k"]),
            f"{100 * row['share']:.0f} %",
            share(row["alone"]),
            share(row["busy"]),
            share(row["busy_worst"]),
            f"{row['cpu_s']:.2f}",
            f"{row['wall_s']:.2f}",
            share(row["known"]),
            str(row["seeds"]),
        ]
        for row in (parts[part] for part in shown)
    ]
    header = (
        "table", "k", "share", "alone", "busy", "worst", "CPU s", "wall s", "these CPU s alone",
        "seeds",
    )  # fmt: skip
    return PageTable(header, rows, shown)


TABLES = {"losses": _losses}
