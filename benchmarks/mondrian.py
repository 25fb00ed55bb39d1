"""Mondrian and folding on a large synthetic table: 10 million records, 8 attributes, one core."""

from __future__ import annotations

import numpy as np

from benchmarks.tables import census_like
from benchmarks.timing import print_table, timed
from shoal._core import kernels

RECORDS = 10_000_000


def run() -> list[dict[str, object]]:
    """Time folding, and cutting of the unfolded and of the folded table."""
    table = census_like(RECORDS)
    figures: list[dict[str, object]] = []

    def note(what: str, rows: int, k: int, cpu: float, wall: float) -> None:
        figures.append({"what": what, "rows": rows, "k": k, "cpu_s": cpu, "wall_s": wall,
                        "million_rows_per_cpu_s": rows / cpu / 1e6})  # fmt: skip

    folding = timed(lambda: kernels.fold(table.codes), repeats=3)
    note("fold", RECORDS, 0, folding.cpu, folding.wall)
    every = table.records(np.ones(RECORDS, dtype=np.int32))
    for strict in (True, False):
        for k in (10, 100):
            done = timed(
                lambda strict=strict, k=k: kernels.mondrian(  # type: ignore[misc]
                    every, k, strict, 1, kernels.Control()
                ),
                repeats=3,
            )
            note("strict" if strict else "relaxed", RECORDS, k, done.cpu, done.wall)
    distinct, counts = table.folded()
    records = distinct.records(counts)
    done = timed(lambda: kernels.mondrian(records, 10, True, 1, kernels.Control()), repeats=3)
    note("strict, folded", len(counts), 10, done.cpu, done.wall)
    print_table(
        ("what", "rows", "k", "CPU s", "wall s", "M rows/CPU s"),
        [tuple(row.values()) for row in figures],
    )
    return figures
