"""The scan kernel: nanoseconds per record and path, 8 attributes, codes in the L2 cache."""

from __future__ import annotations

import numpy as np

from benchmarks.timing import print_table
from shoal._core import kernels

RECORDS = 32_768
REPEATS = 301
ROUNDS = 5


def run() -> list[dict[str, object]]:
    """Time all paths in turn, several rounds, and compare with the scalar look-up path."""
    figures: list[dict[str, object]] = []
    for code_count in (64, 128, 256, 1_000):
        records = _records(code_count)
        members = np.array([0, 1], dtype=np.int32)
        rounds: dict[str, list[float]] = {path: [] for path in kernels.available_paths()}
        for _ in range(ROUNDS):
            for path, found in rounds.items():
                seconds = kernels.scan_speed(records, members, path, REPEATS)
                found.append(float(np.median(seconds)) / RECORDS * 1e9)
        scalar = float(np.median(rounds["scalar"]))
        for path, found in rounds.items():
            nanoseconds = float(np.median(found))
            figures.append({"codes": code_count, "path": path, "ns_per_record": nanoseconds,
                            "times_scalar": scalar / nanoseconds})  # fmt: skip
    print_table(
        ("codes", "path", "ns/record", "× scalar"), [tuple(row.values()) for row in figures]
    )
    return figures


def _records(code_count: int) -> kernels.Records:
    draw = np.random.default_rng(code_count)
    records = kernels.Records(np.ones(RECORDS, dtype=np.int32))
    for place in range(8):
        codes = draw.integers(0, code_count, RECORDS).astype(np.uint16)
        if place % 2:
            records.add_set(codes, code_count, 1 / (code_count - 1), 1 / 8)
        else:
            records.add_interval(codes, np.linspace(0.0, 1.0, code_count), 1 / 8)
    return records
