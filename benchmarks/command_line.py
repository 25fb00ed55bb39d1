"""The whole command: help, 30,000 × 9 CSV with k-member, 10M × 8 Parquet with mondrian."""

from __future__ import annotations

import gzip
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.data import find_data
from benchmarks.timing import print_table

SHOAL = str(Path(sys.executable).with_name("shoal"))
QUASI = "sex,age,race,marital-status,education,native-country,workclass,occupation"
REPEATS = 5


def run() -> list[dict[str, object]]:
    """Time real processes: CPU of the child, wall, and its peak memory."""
    figures: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        figures.append(_measured("shoal --help", ["--help"], REPEATS))
        table = people(folder)
        to_csv = ["--algorithm", "k-member", "--force", "-o", str(folder / "release.csv")]
        common = ["--quasi", QUASI, "--sensitive", "salary-class"]
        figures.append(
            _measured(
                "30,000 × 9 CSV, k-member, verified",
                ["anonymize", str(table), "-k", "5", *common, *to_csv],
                REPEATS,
            )
        )
        figures.append(
            _measured(
                "shoal verify of it, from the files",
                ["verify", str(table), str(folder / "release.csv"), "-k", "5", *common],
                REPEATS,
            )
        )
        large = folder / "large.parquet"
        _large(10_000_000).write_parquet(large)
        mondrian = ["anonymize", str(large), "-k", "5", "--algorithm", "mondrian"]
        mondrian += ["--quasi", ",".join(LARGE)]
        figures.append(
            _measured(
                "10M × 8 Parquet, mondrian, verified",
                [*mondrian, "-o", str(folder / "out.parquet")],
                1,
            )
        )
    print_table(("command", "CPU s", "wall s", "peak MB"), [tuple(f.values()) for f in figures])
    return figures


def _measured(label: str, command: list[str], repeats: int) -> dict[str, object]:
    cpu: list[float] = []
    wall: list[float] = []
    for _ in range(repeats):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.perf_counter()
        subprocess.run([SHOAL, *command], check=True, capture_output=True)
        wall.append(time.perf_counter() - start)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    # The largest child so far: commands run in ascending order of memory.
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return {
        "command": label,
        "cpu_s": statistics.median(cpu),
        "wall_s": statistics.median(wall),
        "peak_mb": peak,
    }


def people(folder: Path) -> Path:
    """Write the table of 30,000 people, or one like it, and return its file."""
    target = folder / "people.csv"
    real = find_data("adult30k")
    if real is not None:
        with gzip.open(real, "rb") as packed, target.open("wb") as plain:
            shutil.copyfileobj(packed, plain)
        return target
    rng = np.random.default_rng(1)
    sizes = {"sex": 2, "race": 5, "marital-status": 7, "education": 16, "native-country": 41}
    sizes |= {"workclass": 7, "occupation": 14, "salary-class": 2}
    columns: dict[str, object] = {"age": np.clip(rng.normal(38, 13, 30_000), 17, 90).astype(int)}
    for column, size in sizes.items():
        columns[column] = [f"{column}-{code}" for code in rng.zipf(1.6, 30_000) % size]
    pl.DataFrame(columns).write_csv(target)
    return target


LARGE = ("age", "sex", "race", "marital", "education", "birthplace", "work", "income")


def _large(n: int) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    return pl.DataFrame(
        {
            "age": np.clip(rng.normal(42, 18, n), 0, 95).astype(np.int32),
            "sex": _drawn(rng, n, 2, 1.0),
            "race": _drawn(rng, n, 5, 0.3),
            "marital": _drawn(rng, n, 6, 0.6),
            "education": np.minimum(16, rng.poisson(9, n)).astype(np.int32),
            "birthplace": _drawn(rng, n, 40, 0.7),
            "work": _drawn(rng, n, 9, 1.0),
            "income": rng.gamma(2, 20, n).astype(np.int32),
        }
    )


def _drawn(rng: np.random.Generator, n: int, size: int, decay: float) -> pl.Series:
    shares = decay ** np.arange(size)
    codes = rng.choice(size, n, p=shares / shares.sum())
    return pl.Series([f"v{code:02d}" for code in range(size)]).gather(codes)
