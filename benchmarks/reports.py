"""What a report takes beyond its release: seconds, and the size of the file.

Both forms are made and written as HTML. CPU seconds are those of the whole process; on a busy
machine they tell more than seconds on the clock.
"""

from __future__ import annotations

import time

import numpy as np
import polars as pl

import shoal
from benchmarks.timing import print_table

SIZES = (30_000, 300_000, 1_000_000)
QUASI = ("age", "sex", "zip", "job")
K = 10


def run() -> list[dict[str, object]]:
    """Make releases of made-up people, and reports about them."""
    figures: list[dict[str, object]] = []
    for records in SIZES:
        table = people(records)
        start = time.perf_counter()
        release = shoal.anonymize(
            table, k=K, quasi=QUASI, sensitive=["ill"], algorithm="mondrian", seed=1
        )
        released = time.perf_counter() - start
        for form in ("internal", "public"):
            start, worked = time.perf_counter(), time.process_time()
            text = release.report(public=form == "public").to_html()
            figures.append(
                {
                    "records": records,
                    "form": form,
                    "release_s": round(released, 2),
                    "report_s": round(time.perf_counter() - start, 2),
                    "report_cpu_s": round(time.process_time() - worked, 2),
                    "kilobytes": round(len(text.encode()) / 1000),
                }
            )
    print_table(
        ("records", "form", "release s", "report s", "report CPU s", "kB"),
        [tuple(one.values()) for one in figures],
    )
    return figures


def people(records: int) -> pl.DataFrame:
    """Return a table of made-up people."""
    rng = np.random.default_rng(1)
    return pl.DataFrame(
        {
            "age": rng.integers(18, 95, records),
            "sex": rng.choice(["f", "m"], records),
            "zip": rng.integers(10_000, 10_600, records),
            "job": rng.choice([f"job{i}" for i in range(14)], records),
            "ill": rng.choice([f"ill{i}" for i in range(30)], records),
        }
    )
