"""Proved optima of Adult samples, all quasi-identifiers numeric: CPU seconds and gaps.

``SHOAL_SAMPLES`` sets how many samples of each size there are (20), ``SHOAL_SIZES`` which of the
sizes are run, as numbers of their lines from 0 (all).
"""

from __future__ import annotations

import os
import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from benchmarks.problems import EIGHT, mean_loss
from benchmarks.timing import print_table
from shoal.algorithms import Partition, Problem, Run, make_algorithm
from shoal.config import make_job
from shoal.encoding import encode
from shoal.pipeline import schema_of
from shoal.table import Table
from tests.shared_data import find_data

if TYPE_CHECKING:
    from collections.abc import Callable

# The solvers to compare, each with what it can take at most: `milp` gets its place here.
SOLVERS = ("optimal",)


@dataclass(frozen=True, slots=True)
class Size:
    """Samples of one size, the CPU seconds wanted for the median, and the limit."""

    n: int
    k: int
    wanted: float
    seconds: float


SIZES = (
    Size(100, 3, wanted=5.0, seconds=60.0),
    Size(100, 5, wanted=40.0, seconds=120.0),
    Size(500, 3, wanted=60.0, seconds=120.0),
    Size(500, 5, wanted=300.0, seconds=300.0),
)


def sample(n: int, k: int, seed: int) -> Problem | None:
    """Return some records of Adult with categories as numbers, as the MILP paper has them."""
    path = find_data("adult30k")
    if path is None:
        return None
    frame = pl.read_csv(path).select(EIGHT)
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    frame = frame.with_columns(pl.col(texts).rank("dense").cast(pl.Int64))
    frame = frame[np.random.default_rng(seed).choice(frame.height, n, replace=False)]
    job = make_job({"k": k, "quasi": EIGHT})
    return Problem.of(encode(Table.of(frame, schema_of(frame, job))), k)


class CpuRun(Run):
    """A run whose seconds are CPU seconds of the process: fair on a busy machine."""

    __slots__ = ("_cpu",)

    def remaining(self) -> float:
        """Return how many CPU seconds are left."""
        if not hasattr(self, "_cpu"):
            self._cpu = time.process_time()
        assert self.seconds is not None
        return max(0.0, self._cpu + self.seconds - time.process_time())


def run() -> list[dict[str, object]]:
    """Solve every sample; medians of seconds, how many were proved, and the gaps of the others."""
    samples = int(os.environ.get("SHOAL_SAMPLES", "20"))
    chosen = [int(place) for place in os.environ.get("SHOAL_SIZES", "").split(",") if place]
    figures = [
        _study(name, SIZES[place], samples, make_algorithm(name).solve)
        for place in chosen or range(len(SIZES))
        for name in SOLVERS
    ]
    found = [figure for figure in figures if figure]
    print_table(
        ("solver", "n", "k", "samples", "proved", "median CPU s", "wanted", "most CPU s",
         "median gap %", "largest gap %"),
        [tuple(figure.values()) for figure in found],
    )  # fmt: skip
    return found


def _study(
    name: str, size: Size, samples: int, solve: Callable[[Problem, Run], object]
) -> dict[str, object]:
    seconds, gaps, proved = [], [], 0
    for seed in range(samples):
        problem = sample(size.n, size.k, seed)
        if problem is None:
            print("adult30k is not here; left out")
            return {}
        before = time.process_time()
        found = solve(problem, CpuRun(seed=seed, seconds=size.seconds))
        seconds.append(time.process_time() - before)
        assert isinstance(found, Partition)
        assert found.lower_bound is not None
        proved += found.optimal
        gaps.append(100 * max(0.0, 1 - found.lower_bound / mean_loss(problem, found)))
        print(f"{name} {size.n} x 8, k={size.k}, sample {seed}: {seconds[-1]:.1f} CPU s, "
              f"{'proved' if found.optimal else f'gap {gaps[-1]:.2f} %'}", flush=True)  # fmt: skip
    return {
        "solver": name,
        "n": size.n,
        "k": size.k,
        "samples": samples,
        "proved": proved,
        "median_cpu_s": statistics.median(seconds),
        "wanted_s": size.wanted,
        "most_cpu_s": max(seconds),
        "median_gap_percent": statistics.median(gaps),
        "largest_gap_percent": max(gaps),
    }
