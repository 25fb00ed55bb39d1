"""Two threads beside one, against the clock: loss and steps of `refine`, medians of five seeds.

Needs two cores that nothing else uses: a second thread that gets no core shows nothing. Six
minutes.
"""

from __future__ import annotations

from statistics import median

from benchmarks.auto import table_words
from benchmarks.pages import PageTable, number
from benchmarks.problems import census, mean_loss, of_frame
from benchmarks.timing import print_table
from shoal.algorithms import Problem, Run, make_algorithm
from shoal.algorithms.budget import Budget
from shoal.encoding import encode
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Table

# Table and k.
TASKS = (
    ("sets", 10), ("sets", 50), ("hierarchies", 10), ("fars", 10), ("diabetic", 10), ("census", 10)
)  # fmt: skip
CENSUS = 100_000  # records
SEEDS = (1, 2, 3, 4, 5)
SECONDS = 5.0


def run() -> list[dict[str, object]]:
    """Refine every table for the same time with one thread and with two, in turn."""
    figures: list[dict[str, object]] = []
    for table, k in TASKS:
        problem = _problem(table, k)
        if problem is None:
            continue
        found: dict[int, list[tuple[float, int]]] = {1: [], 2: []}
        for seed in SEEDS:
            for threads, outcomes in found.items():
                outcomes.append(_refine(problem, seed, threads))
        loss, steps = (
            {threads: median(one[place] for one in outcomes) for threads, outcomes in found.items()}
            for place in (0, 1)
        )
        figures.append(
            {
                "table": table,
                "k": k,
                "records": problem.n,
                "gcp_1": loss[1],
                "gcp_2": loss[2],
                "steps_1": steps[1],
                "steps_2": steps[2],
                "times": steps[2] / steps[1],
            }
        )
    print_table(
        ("table", "k", "records", "GCP, 1", "GCP, 2", "steps, 1", "steps, 2", "× steps"),
        [tuple(row.values()) for row in figures],
    )
    return figures


def _problem(table: str, k: int) -> Problem | None:
    """Return a table as a problem, or ``None`` where the data is not at hand."""
    if table == "census":
        return of_frame(census(CENSUS), k)
    words = table_words(table)
    if words is None:
        print(f"{table} is not here; left out")
        return None
    frame = words.pop("frame")
    job = Job.from_dict({"k": k, **words})
    return Problem.of(encode(Table.of(frame, schema_of(frame, job))), k)


def _refine(problem: Problem, seed: int, threads: int) -> tuple[float, int]:
    """Return the loss after the time, and the steps that it took."""
    run = Run(seed=seed, threads=threads, budget=Budget(seconds=SECONDS))
    found = make_algorithm("refine").solve(problem, run)
    return mean_loss(problem, found), run.control.steps


def _against_the_clock(parts: dict[str, list[dict[str, object]]]) -> PageTable:
    header = ("table", "k", "records", "GCP, one thread", "GCP, two", "times the steps")
    keys = ("table", "k", "records", "gcp_1", "gcp_2", "times")
    rows = [[number(row[key]) for key in keys] for row in parts["all"]]
    return PageTable(header, rows, ["all"])


TABLES = {"clock": _against_the_clock}
