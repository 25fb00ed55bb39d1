"""Time and memory against records, attributes and k, with fitted exponents.

Every point is a process of its own, from a frame in memory to the verified release. ``first`` is
`auto` without time to search: the least a user waits; ``auto`` has ten seconds, ``default`` the
time it takes where none is given. ``SHOAL_LARGEST`` is the largest n. One part at a time:
``python -m benchmarks scaling:n``.
"""

from __future__ import annotations

import os
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from multiprocessing import get_context
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

import shoal
from benchmarks.plots import plot_lines
from benchmarks.tables import CENSUS_CODES
from benchmarks.timing import print_table

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGEST = int(os.environ.get("SHOAL_LARGEST", "10000000"))
RECORDS = [n for n in (10_000, 100_000, 1_000_000, 10_000_000) if n <= LARGEST]
ATTRIBUTES = (2, 4, 8, 16, 32, 50)
KS = (2, 5, 20, 100, 1000)
LARGE = 1_000_000
Figures = list[dict[str, object]]
SEARCHED = 10.0
"""Seconds that `auto` may search, where it is not asked for its first release."""


@dataclass(frozen=True, slots=True)
class Point:
    """What is run: a table of n records and m attributes, and how it is released."""

    way: str
    n: int
    m: int
    k: int


@dataclass(frozen=True, slots=True)
class Cost:
    """What it took."""

    cpu: float
    wall: float
    peak_mb: float
    gcp: float


def run() -> dict[str, Figures]:
    """Run all parts."""
    return {part: measure() for part, measure in PARTS.items()}


def scale(part: str) -> Figures:
    """Run the points of one part, one process each, and fit cost ~ size^exponent."""
    figures: Figures = []
    costs: dict[str, list[tuple[int, Cost]]] = {}
    for point in _points(part):
        # A fresh process: peak memory is its own, and no cache is warm.
        with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn")) as one:
            cost = one.submit(_cost, point).result()
        figures.append({**asdict(point), **asdict(cost)})
        size = {"n": point.n, "m": point.m, "k": point.k}[part]
        costs.setdefault(point.way, []).append((size, cost))
    print_table(
        ("way", "n", "m", "k", "CPU s", "wall s", "peak MB", "GCP"),
        [tuple(figure.values()) for figure in figures],
    )
    fits: Figures = []
    for way, points in costs.items():
        if len(points) < 2:
            continue
        times = [(size, cost.cpu) for size, cost in points]
        peaks = [(size, cost.peak_mb) for size, cost in points]
        fits.append(
            {
                "way": way,
                "cpu_exponent": exponent(times),
                "of_last_step": exponent(times[-2:]),
                "memory_exponent": exponent(peaks),
            }
        )
    print_table(tuple(fits[0]), [tuple(fit.values()) for fit in fits])
    plot_lines(
        f"scaling_{part}",
        {way: [(float(np.log10(s)), c.cpu) for s, c in points] for way, points in costs.items()},
        title=f"CPU seconds against {part}, census-like table",
        across=f"log10 {part}",
        up="CPU s",
        logarithmic=True,
    )
    return figures + fits


def exponent(points: list[tuple[int, float]]) -> float:
    """Return the slope of the least-squares line through the logarithms."""
    sizes, costs = np.log(np.array(points, dtype=np.float64)).T
    return float(np.polyfit(sizes, costs, 1)[0])


def _points(part: str) -> Iterator[Point]:
    if part == "n":
        # As long as `auto` takes of itself, in proportion to n.
        yield from (Point("default", n, 8, 5) for n in RECORDS if n >= LARGE)
    for way in ("mondrian", "first", "auto"):
        if part == "n":
            yield from (Point(way, n, 8, 5) for n in RECORDS)
        elif part == "m":
            yield from (Point(way, 30_000, m, 5) for m in ATTRIBUTES)
        else:
            yield from (Point(way, 30_000, 8, k) for k in KS)


def _cost(point: Point) -> Cost:
    frame = _table(point.n, point.m)
    started, cpu = time.perf_counter(), time.process_time()
    release = shoal.anonymize(
        frame,
        k=point.k,
        quasi=frame.columns,
        algorithm="mondrian" if point.way == "mondrian" else "auto",
        time={"first": 0.0, "auto": SEARCHED}.get(point.way),
        threads=1,
        seed=1,
    )
    assert release.verdict.passed
    return Cost(
        time.process_time() - cpu,
        time.perf_counter() - started,
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        release.figures.measures["gcp"],
    )


def _table(records: int, attributes: int, seed: int = 1) -> pl.DataFrame:
    """Draw skewed attributes that depend on a common group, the second one numeric."""
    draw = np.random.default_rng(seed)
    group = draw.integers(0, 12, records)
    columns: dict[str, pl.Series] = {}
    for place in range(attributes):
        size = CENSUS_CODES[place % len(CENSUS_CODES)]
        spread = np.rint(draw.laplace(0.0, size / 12, records)).astype(np.int64)
        codes = (draw.integers(0, size, 12)[group] + spread) % size
        numeric = place % len(CENSUS_CODES) == 1
        names = pl.Series(range(size) if numeric else [f"v{code:02d}" for code in range(size)])
        columns[f"a{place}"] = names.gather(codes)
    return pl.DataFrame(columns)


PARTS = {part: partial(scale, part) for part in ("n", "m", "k")}
