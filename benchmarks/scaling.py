"""Time and memory against records, attributes and k, with fitted exponents.

Every point is a process of its own, from a frame in memory to the verified release. ``first`` is
`auto` without time to search: the least a user waits. ``SHOAL_SCALING`` picks parts (``n,m,k``),
``SHOAL_SCALING_LARGEST`` the largest n.
"""

from __future__ import annotations

import os
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
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

SHOWN_PARTS = os.environ.get("SHOAL_SCALING", "n,m,k").split(",")
LARGEST = int(os.environ.get("SHOAL_SCALING_LARGEST", "10000000"))
RECORDS = [n for n in (10_000, 100_000, 1_000_000, 10_000_000) if n <= LARGEST]
ATTRIBUTES = (2, 4, 8, 16, 32, 50)
KS = (2, 5, 20, 100, 1000)
SEARCHED = 10.0
"""Seconds that `auto` may search, where it is not asked for its first release."""


@dataclass(frozen=True, slots=True)
class Point:
    """What is run: a table of n records and m attributes, and how it is released."""

    part: str
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


def run() -> list[dict[str, object]]:
    """Run all points, one process each, and fit cost ~ size^exponent."""
    figures: list[dict[str, object]] = []
    shown: dict[tuple[str, str], list[tuple[int, Cost]]] = {}
    for point in _points():
        # A fresh process: peak memory is its own, and no cache is warm.
        with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn")) as one:
            cost = one.submit(_cost, point).result()
        figures.append({**asdict(point), **asdict(cost)})
        size = {"n": point.n, "m": point.m, "k": point.k}[point.part]
        shown.setdefault((point.part, point.way), []).append((size, cost))
    print_table(
        ("part", "way", "n", "m", "k", "CPU s", "wall s", "peak MB", "GCP"),
        [tuple(figure.values()) for figure in figures],
    )
    fits = []
    for (part, way), points in shown.items():
        if len(points) > 1:
            times = [(size, cost.cpu) for size, cost in points]
            peaks = [(size, cost.peak_mb) for size, cost in points]
            fits.append((part, way, exponent(times), exponent(times[-2:]), exponent(peaks)))
    names = ("part", "way", "CPU exponent", "its last step", "memory exponent")
    print_table(names, fits)
    figures += [dict(zip(names, fit, strict=True)) for fit in fits]
    for part in dict.fromkeys(part for part, _ in shown):
        lines = {
            way: [(float(np.log10(size)), cost.cpu) for size, cost in points]
            for (of, way), points in shown.items()
            if of == part
        }
        title = f"CPU seconds against {part}, census-like table"
        plot_lines(
            f"scaling_{part}",
            lines,
            title=title,
            across=f"log10 {part}",
            up="CPU s",
            logarithmic=True,
        )
    return figures


def exponent(points: list[tuple[int, float]]) -> float:
    """Return the slope of the least-squares line through the logarithms."""
    sizes, costs = np.log(np.array(points, dtype=np.float64)).T
    return float(np.polyfit(sizes, costs, 1)[0])


def _points() -> Iterator[Point]:
    ways = ("mondrian", "first", "auto")
    for way in ways:
        if "n" in SHOWN_PARTS:
            yield from (Point("n", way, n, 8, 5) for n in RECORDS)
        if "m" in SHOWN_PARTS:
            yield from (Point("m", way, 30_000, m, 5) for m in ATTRIBUTES)
        if "k" in SHOWN_PARTS:
            yield from (Point("k", way, 30_000, 8, k) for k in KS)


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
        release.facts["measures"]["gcp"],
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
