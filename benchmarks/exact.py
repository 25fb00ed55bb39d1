"""Proved optima of Adult samples, all quasi-identifiers numeric: CPU seconds and gaps.

Beside `optimal`, `milp`, the MILP paper's own model, is given ten times as long for the first
samples of each size. ``SHOAL_SAMPLES`` sets how many samples of each size there are (20),
``SHOAL_FIRST`` the seed of the first sample (0), ``SHOAL_MILP`` how many of the samples `milp` gets
(2). One size at a time: ``python -m benchmarks exact:100-k5``. With ``SHOAL_MORE`` a run goes on
where the stored one ended, if that had the same code and the same first sample, and solves so many
samples more.
"""

from __future__ import annotations

import math
import os
import statistics
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from benchmarks import store
from benchmarks.data import find_data
from benchmarks.pages import PageTable, number
from benchmarks.problems import EIGHT, mean_loss
from benchmarks.timing import print_table
from shoal._core import kernels
from shoal.algorithms import Budget, Partition, Problem, Run, make_algorithm
from shoal.encoding import encode
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

# `milp` may take so many times as long as `optimal` did, and this much at least.
MILP_TIMES = 10.0
MILP_LEAST = 2.0


@dataclass(frozen=True, slots=True)
class Size:
    """Samples of one size, the CPU seconds wanted for the median, and the limit.

    Where a gap is wanted and no proof, a search ends when it has that.
    """

    n: int
    k: int
    wanted: float
    seconds: float
    gap: float = 0.0

    @property
    def part(self) -> str:
        """The part of the study."""
        return f"{self.n}-k{self.k}"


SIZES = (
    Size(12, 3, wanted=1.0, seconds=60.0),
    Size(100, 3, wanted=5.0, seconds=60.0),
    Size(100, 5, wanted=40.0, seconds=120.0),
    Size(200, 5, wanted=600.0, seconds=600.0),
    Size(500, 3, wanted=60.0, seconds=120.0),
    Size(500, 5, wanted=300.0, seconds=300.0, gap=0.01),
    Size(1_000, 3, wanted=600.0, seconds=600.0),
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
    job = Job.from_dict({"k": k, "quasi": EIGHT})
    return Problem.of(encode(Table.of(frame, schema_of(frame, job))), k)


def cpu_run(seed: int, seconds: float, enough: float = 0.0) -> Run:
    """Return a run whose seconds are CPU seconds of the process: fair on a busy machine.

    It ends, too, when the gap is below ``enough``.
    """
    control = kernels.Control()

    def clock() -> float:
        closed = control.bound > (1 - enough) * control.loss > 0
        return math.inf if closed else time.process_time()

    budget = Budget(seconds=seconds, began=time.process_time(), clock=clock)
    return Run(seed=seed, budget=budget, control=control)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one solver made of one sample."""

    seconds: float
    proved: bool
    gap: float  # in percent of the loss

    def stored(self) -> dict[str, object]:
        """Return it as it is stored."""
        return {"cpu_s": self.seconds, "proved": self.proved, "gap_percent": self.gap}

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Outcome:
        """Return what was stored."""
        return cls(stored["cpu_s"], stored["proved"], stored["gap_percent"])

    def __str__(self) -> str:
        return f"{self.seconds:.1f} CPU s, {'proved' if self.proved else f'gap {self.gap:.2f} %'}"


def run() -> dict[str, dict[str, object]]:
    """Solve the samples of every size."""
    return {part: measure() for part, measure in PARTS.items()}


def _study(size: Size) -> dict[str, object]:
    """Solve samples; medians of seconds, how many were proved, and the gaps of the others."""
    first = _setting("SHOAL_FIRST", 0)
    last = first + _setting("SHOAL_SAMPLES", 20)
    ours = _earlier(size, first)
    begin = first + len(ours)
    seeds = range(begin, min(last, begin + _setting("SHOAL_MORE", last - begin)))
    theirs: list[Outcome] = []
    ratios: list[float] = []
    for seed in seeds:
        problem = sample(size.n, size.k, seed)
        if problem is None:
            print("adult30k is not here; left out")
            return {}
        name = f"{size.n} x 8, k={size.k}, sample {seed}"
        ours.append(_solve("optimal", problem, seed, size.seconds, size.gap))
        print(f"optimal {name}: {ours[-1]}", flush=True)
        if len(theirs) < _setting("SHOAL_MILP", 2):
            allowed = max(MILP_LEAST, MILP_TIMES * ours[-1].seconds)
            theirs.append(_solve("milp", problem, seed, allowed))
            ratios.append(theirs[-1].seconds / ours[-1].seconds)
            print(f"milp {name}: {theirs[-1]}", flush=True)
    unfinished = ">= " if any(not one.proved for one in theirs) else ""
    figure: dict[str, object] = {
        "n": size.n,
        "k": size.k,
        "samples": len(ours),
        "proved": sum(one.proved for one in ours),
        "median_cpu_s": statistics.median(one.seconds for one in ours),
        "wanted_s": size.wanted,
        "most_cpu_s": max(one.seconds for one in ours),
        "median_gap_percent": statistics.median(one.gap for one in ours),
        "largest_gap_percent": max(one.gap for one in ours),
        "milp_samples": len(theirs),
        "milp_proved": sum(one.proved for one in theirs),
        "milp_gap_percent": statistics.median(one.gap for one in theirs) if theirs else None,
        "milp_ratio": f"{unfinished}{statistics.median(ratios):.0f}" if ratios else None,
    }
    print_table(tuple(figure), [tuple(figure.values())])
    return {**figure, "each": [one.stored() for one in ours]}


def _earlier(size: Size, first: int) -> list[Outcome]:
    """Return the outcomes of a stored run that this one goes on with."""
    stored = store.load("exact").get(size.part)
    if "SHOAL_MORE" not in os.environ or stored is None:
        return []
    commit = store.provenance()["commit"]
    known = "unknown" not in commit and "changes" not in commit
    if (
        not known
        or stored["commit"] != commit
        or stored["settings"].get("SHOAL_FIRST", "0") != str(first)
    ):
        return []
    return [Outcome.of(one) for one in stored["figures"]["each"]]


def _setting(name: str, default: int) -> int:
    return int(os.environ.get(name, default))


def _solve(name: str, problem: Problem, seed: int, seconds: float, enough: float = 0.0) -> Outcome:
    run = cpu_run(seed, seconds, enough)
    before = time.process_time()
    kernels.count_cpu_seconds(True)
    try:
        found = make_algorithm(name).solve(problem, run)
    finally:
        kernels.count_cpu_seconds(False)
    taken = time.process_time() - before
    assert isinstance(found, Partition)
    bound = found.lower_bound or 0.0
    return Outcome(taken, found.optimal, 100 * max(0.0, 1 - bound / mean_loss(problem, found)))


PARTS = {size.part: partial(_study, size) for size in SIZES}


def _proved(stored: Mapping[str, Mapping[str, object]]) -> PageTable:
    shown = {
        "n": "records",
        "k": "k",
        "samples": "samples",
        "proved": "proved",
        "median_cpu_s": "median CPU s",
        "most_cpu_s": "most CPU s",
        "largest_gap_percent": "largest gap, %",
    }
    parts = [part for part in PARTS if part in stored]
    rows = [[number(stored[part][key]) for key in shown] for part in parts]
    return PageTable(list(shown.values()), rows, parts)


TABLES = {"proved": _proved}
