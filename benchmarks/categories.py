"""Speed against the number of categories of a set: `k-member` and `refine` on seven numbers and it.

Processor time of one thread, all tables in turn, several rounds, so that ratios hold on a busy
machine, too. `k-member` takes a step for every record; `refine` counts its own, and the lists of
near records belong to its time.
"""

from __future__ import annotations

import time

import numpy as np

from benchmarks.pages import PageTable, number
from benchmarks.timing import print_table
from shoal._core import kernels

ROWS = 20_000
K = 10
NUMBERS = 7
VALUES = 50
"""Of each number."""
CATEGORIES = (10, 100, 500, 1_000, 5_000, 13_000, 20_000)
STEPS = 4_000_000
ROUNDS = 3
NONE = "a number"


def run() -> list[dict[str, object]]:
    """Time both algorithms on every table; speeds as shares of that with the fewest categories."""
    tables = [(NONE, VALUES), *((how, count) for how in ("even", "Zipf") for count in CATEGORIES)]
    speeds: dict[tuple[str, int], list[tuple[float, float]]] = {table: [] for table in tables}
    made = {table: _records(*table) for table in tables}
    for _ in range(ROUNDS):
        for table, found in speeds.items():
            found.append(_speeds(made[table]))
    figures: list[dict[str, object]] = []
    for (how, count), found in speeds.items():
        member, refine = (float(value) for value in np.median(np.array(found), axis=0))
        figures.append({"drawn": how, "categories": count, "k_member": member, "refine": refine})
    for figure in figures:
        alike = [one for one in figures if one["drawn"] == figure["drawn"]]
        for name in ("k_member", "refine"):
            fastest = max(float(str(one[name])) for one in alike)
            figure[f"{name}_slower"] = fastest / float(str(figure[name]))
    print_table(
        ("drawn", "categories", "k-member/s", "refine/s", "slower", "slower"),
        [tuple(row.values()) for row in figures],
    )
    return figures


def _records(how: str, count: int) -> kernels.Records:
    draw = np.random.default_rng(1)
    records = kernels.Records(np.ones(ROWS, dtype=np.int32))
    for _ in range(NUMBERS):
        codes = draw.integers(0, VALUES, ROWS).astype(np.uint16)
        records.add_interval(codes, np.linspace(0.0, 1.0, VALUES), 1 / (NUMBERS + 1))
    if how == NONE:
        codes = draw.integers(0, VALUES, ROWS).astype(np.uint16)
        records.add_interval(codes, np.linspace(0.0, 1.0, VALUES), 1 / (NUMBERS + 1))
        return records
    weights = 1.0 / np.arange(1, count + 1) if how == "Zipf" else np.ones(count)
    # Common categories are not the first of the alphabet.
    named = draw.permutation(count)
    codes = named[draw.choice(count, ROWS, p=weights / weights.sum())].astype(np.uint16)
    records.add_set(codes, count, 1 / (count - 1), 1 / (NUMBERS + 1))
    return records


def _speeds(records: kernels.Records) -> tuple[float, float]:
    """Return steps per second of `k-member`, and of `refine` on its classes."""
    control = kernels.Control()
    begun = time.thread_time()
    rows, classes, counts = kernels.k_member(records, 0, K, True, False, control)
    member = ROWS / (time.thread_time() - begun)
    models = kernels.Models(ROWS)
    objective = kernels.Objective(records)
    begun = time.thread_time()
    kernels.refine(
        objective, models, rows, classes, counts, int(classes.max()) + 1, k=K, seed=1, threads=1,
        steps=STEPS, seconds=-1.0, neighbours=20, region=0, heat=1.0, control=control,
    )  # fmt: skip
    return member, STEPS / (time.thread_time() - begun)


def _curve(parts: dict[str, list[dict[str, object]]]) -> PageTable:
    """Return what pages show: a row per table, and the speeds before buckets beside those now."""
    before = {(row["drawn"], row["categories"]): row for row in parts.get("before", [])}
    rows = []
    for row in parts["all"]:
        old = before.get((row["drawn"], row["categories"]), {})
        rows.append(
            [
                str(row["drawn"]),
                number(row["categories"]),
                *(
                    number(None if value is None else round(float(str(value))))
                    for value in (
                        old.get("k_member"), row["k_member"], old.get("refine"), row["refine"]
                    )
                ),
            ]
        )  # fmt: skip
    header = (
        "drawn", "categories", "k-member before", "k-member", "refine before", "refine"
    )  # fmt: skip
    return PageTable(header, rows, [part for part in ("before", "all") if part in parts])


TABLES = {"curve": _curve}
