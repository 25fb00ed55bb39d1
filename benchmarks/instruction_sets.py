"""Instruction sets side by side: the scan and the neighbour search on every path, 8 attributes.

Processor time of one thread, paths in turn, several rounds: ratios hold on a busy machine, too.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.timing import print_table
from shoal._core import kernels

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS = 12_288
CODES = (16, 64, 256)
ROUNDS = 3
SCANS = 300


def run() -> list[dict[str, object]]:
    """Time all paths of both kernels, and compare with plain look-ups."""
    figures: list[dict[str, object]] = []
    for code_count in CODES:
        records = _records(code_count)
        kernels_timed: dict[str, Callable[[str], object]] = {
            "neighbours": lambda path, records=records: kernels.neighbours(  # type: ignore[misc]
                records, 16, ROWS, 1, kernels.Control(), path
            ),
            "scan": lambda path, records=records: kernels.scan_speed(  # type: ignore[misc]
                records, np.array([0, 1], dtype=np.int32), path, SCANS
            ),
        }
        for name, call in kernels_timed.items():
            rounds: dict[str, list[float]] = {path: [] for path in kernels.available_paths()}
            for _ in range(ROUNDS):
                for path, found in rounds.items():
                    start = time.thread_time()
                    call(path)
                    found.append(time.thread_time() - start)
            scalar = float(np.median(rounds["scalar"]))
            for path, found in rounds.items():
                seconds = float(np.median(found))
                figures.append({"kernel": name, "codes": code_count, "path": path,
                                "seconds": seconds, "times_scalar": scalar / seconds})  # fmt: skip
    print_table(
        ("kernel", "codes", "path", "seconds", "× scalar"),
        [tuple(row.values()) for row in figures],
    )
    return figures


def _records(code_count: int) -> kernels.Records:
    draw = np.random.default_rng(code_count)
    records = kernels.Records(np.ones(ROWS, dtype=np.int32))
    for place in range(8):
        codes = draw.integers(0, code_count, ROWS).astype(np.uint16)
        if place % 2:
            records.add_set(codes, code_count, 1 / (code_count - 1), 1 / 8)
        else:
            records.add_interval(codes, np.linspace(0.0, 1.0, code_count), 1 / 8)
    return records
