"""1M × 10 CSV, read and written: CPU seconds of this checkout and of an older one, in turns.

``SHOAL_BEFORE=FOLDER python -m benchmarks csv_files`` compares with the checkout in a folder, whose
kernels must be built or copied; without it this checkout is measured alone. Polars has one thread,
as the CPU time of several also counts what they wait for each other.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.timing import print_table

N = 1_000_000
REPEATS = 7
HERE = Path(__file__).resolve().parent.parent
_TRIAL = """
import sys, time
sys.path.insert(0, sys.argv[1] + "/src")
import json, shoal
from shoal.io import Staging, read_table
assert shoal.__file__.startswith(sys.argv[1])
start = time.process_time()
frame = read_table(sys.argv[2])
middle = time.process_time()
with Staging() as staging:
    staging.table(frame, sys.argv[3])
    staging.commit()
print(json.dumps([middle - start, time.process_time() - middle]))
"""


def run() -> list[dict[str, object]]:
    """Measure all checkouts in turns, so that a busy machine is busy for all of them."""
    before = os.environ.get("SHOAL_BEFORE")
    checkouts = {"now": HERE} | ({} if before is None else {"before": Path(before).resolve()})
    found: dict[str, list[list[float]]] = {name: [] for name in checkouts}
    environment = os.environ | {"POLARS_MAX_THREADS": "1"}
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "in.csv"
        _table().write_csv(source)
        for _ in range(REPEATS):
            for name, checkout in checkouts.items():
                out = Path(folder) / "out.csv"
                out.unlink(missing_ok=True)
                command = [sys.executable, "-c", _TRIAL, str(checkout), str(source), str(out)]
                told = subprocess.run(
                    command, check=True, capture_output=True, text=True, env=environment
                ).stdout
                found[name].append(json.loads(told))
    figures: list[dict[str, object]] = [
        {
            "checkout": f"{name}, {_commit(checkouts[name])}",
            "read_cpu_s": statistics.median(read for read, _ in each),
            "written_cpu_s": statistics.median(written for _, written in each),
            "both_cpu_s": statistics.median(map(sum, each)),
            "least_both_cpu_s": min(map(sum, each)),
        }
        for name, each in found.items()
    ]
    print_table(("checkout", "read", "written", "both", "least"),
                [tuple(one.values()) for one in figures])  # fmt: skip
    return figures


def _commit(checkout: Path) -> str:
    command = ["git", "-C", str(checkout), "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def _table() -> pl.DataFrame:
    rng = np.random.default_rng(1)
    codes = {f"code_{place}": rng.integers(0, 50, N) for place in range(4)}
    return pl.DataFrame(
        {
            "number": np.arange(N),
            "age": rng.integers(0, 99, N),
            "zip": [f"{value:05d}" for value in rng.integers(0, 99_999, N)],
            "income": rng.normal(3e4, 1e4, N).round(2),
            **codes,
            "sex": rng.choice(["F", "M"], N),
            "note": rng.choice(["plain", "with, comma", 'with "quotes"'], N),
        }
    )
