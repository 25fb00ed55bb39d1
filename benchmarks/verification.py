"""Verification from files alone: CPU time and memory against records, and where classes overlap.

A census-like table of 8 numeric quasi-identifiers, k = 10. ``auto`` and ``mondrian``: their
releases, those of `auto` after a number of steps. ``sorted``: classes of records next to each other
in two columns, which overlap in the other six. ``random``: classes of 10 records drawn at random,
so that every class covers a large part of the table. ``sets``: as ``sorted``, with a ninth column
of 13,000 categories. ``freeform``: records with a closure of their own each. ``refused``: the
release of ``sorted`` against a table in which one record was moved. One part at a time:
``python -m benchmarks verification:auto``. ``SHOAL_LARGEST`` limits n.
"""

from __future__ import annotations

import os
import re
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

import shoal
from benchmarks.pages import PageTable
from benchmarks.problems import census
from benchmarks.scaling import exponent
from benchmarks.timing import print_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from benchmarks.pages import Parts

LARGEST = int(os.environ.get("SHOAL_LARGEST", "1000000"))
K = 10
CODES = {
    "sex": 2,
    "age": 75,
    "status": 6,
    "race": 7,
    "birth": 83,
    "grade": 17,
    "work": 7,
    "job": 47,
}
SIZES = {
    "auto": (100_000, 300_000, 1_000_000),
    "mondrian": (100_000, 300_000, 1_000_000),
    "sorted": (100_000, 300_000, 1_000_000),
    "random": (100_000, 300_000, 1_000_000),
    "sets": (100_000, 300_000, 1_000_000),
    "freeform": (20_000,),
    "refused": (100_000, 300_000, 1_000_000),
}
STEPS = 20_000
Figures = list[dict[str, object]]


def census_like(n: int) -> pl.DataFrame:
    """Return skewed codes with the cardinalities of the census benchmark, dependent on age."""
    rng = np.random.default_rng(1)
    age = np.minimum(rng.gamma(3.0, 10.0, n), 74).astype(np.int64)
    columns = {"age": age + 16}
    for name, size in CODES.items():
        if name != "age":
            drawn = (rng.beta(1.2, 2.5, n) * size + age * size / 300).astype(np.int64)
            columns[name] = np.minimum(drawn, size - 1) + 1
    return pl.DataFrame(columns).select(list(CODES))


def released(frame: pl.DataFrame, order: NDArray[np.int64], sets: tuple[str, ...]) -> pl.DataFrame:
    """Return the release in which runs of k records of an order are classes, rows shuffled."""
    owner = np.empty(frame.height, np.int64)
    owner[order] = np.minimum(np.arange(frame.height) // K, frame.height // K - 1)
    cells = []
    for name in frame.columns:
        column = pl.col(name)
        if name in sets:
            joined = column.unique().sort().cast(pl.String).str.join("|")
            one = column.n_unique() == 1
            cells.append(
                pl.when(one)
                .then(joined)
                .otherwise(pl.format("{}{}{}", pl.lit("{"), joined, pl.lit("}")))
                .alias(name)
            )
        else:
            interval = pl.format("[{}..{}]", column.min(), column.max())
            one = column.min() == column.max()
            cells.append(
                pl.when(one).then(column.min().cast(pl.String)).otherwise(interval).alias(name)
            )
    classes = frame.with_columns(owner=pl.Series(owner)).group_by("owner").agg(cells)
    rows = pl.DataFrame({"owner": owner}).join(
        classes, on="owner", how="left", maintain_order="left"
    )
    return rows.select(frame.columns).sample(fraction=1, shuffle=True, seed=1)


def tables(part: str, n: int) -> tuple[pl.DataFrame, pl.DataFrame, dict[str, Any]]:
    """Return original, release and options of one point."""
    frame = census(n).cast(pl.Int64)
    rng = np.random.default_rng(2)
    options: dict[str, Any] = {"k": K, "quasi": frame.columns}
    options["kind"] = dict.fromkeys(frame.columns, "numeric")
    if part in ("auto", "mondrian", "freeform"):
        algorithm = "ff-sortgreedy" if part == "freeform" else part
        steps: dict[str, Any] = {"steps": STEPS} if part == "auto" else {}
        release = shoal.anonymize(frame, seed=1, algorithm=algorithm, **steps, **options)
        form = {"form": "freeform"} if part == "freeform" else {}
        return frame, release.frame, {**options, **form}
    if part == "sets":
        codes = rng.integers(0, 13_000, n)
        frame = frame.with_columns(
            post=pl.Series(codes // 10 * 10 + frame.to_series(1).to_numpy() % 10)
        )
        options = {**options, "quasi": frame.columns}
        options["kind"] = {**options["kind"], "post": "categorical"}
    order = np.lexsort([frame.to_series(place).to_numpy() for place in (7, 1)])
    if part == "random":
        order = rng.permutation(n)
    shown = released(frame, order, ("post",) if part == "sets" else ())
    if part == "refused":
        changed = frame.to_series(1).to_numpy().copy()
        changed[n // 2] = 99
        frame = frame.with_columns(pl.Series(frame.columns[1], changed))
    return frame, shown, options


def _cost(part: str, n: int) -> dict[str, object]:
    frame, shown, options = tables(part, n)
    cpu, wall = time.process_time(), time.perf_counter()
    verdict = shoal.verify(frame, shown, **options)
    spent = time.process_time() - cpu
    assert verdict.passed == (part != "refused"), str(verdict)
    return {
        "part": part,
        "n": n,
        "classes": verdict.classes,
        "pairs": _pairs_offered(verdict.proof),
        "cpu": spent,
        "wall": time.perf_counter() - wall,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def _pairs_offered(proof: str) -> int:
    """Return how many pairs the last flow of a verdict was offered, from its proof."""
    return int(re.findall(r"over ([\d,]+) pairs", proof)[-1].replace(",", ""))


def measure(part: str) -> Figures:
    """Verify releases of growing size, one process each, and fit cost ~ size^exponent."""
    figures: Figures = []
    for n in (size for size in SIZES[part] if size <= LARGEST):
        with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn")) as one:
            figures.append(one.submit(_cost, part, n).result())
    print_table(tuple(figures[0]), [tuple(figure.values()) for figure in figures])
    if len(figures) > 1:
        points = [(int(str(one["n"])), float(str(one["cpu"]))) for one in figures]
        figures.append({"part": part, "cpu_exponent": exponent(points)})
    return figures


PARTS = {part: partial(measure, part) for part in SIZES}


def run() -> dict[str, Figures]:
    """Run all parts."""
    return {part: found() for part, found in PARTS.items()}


def points(parts: Parts) -> PageTable:
    """Return CPU time, memory and growth of each part."""
    rows = []
    for part in SIZES:
        if part not in parts:
            continue
        measured = [row for row in parts[part] if "n" in row]
        growth = [row["cpu_exponent"] for row in parts[part] if "cpu_exponent" in row]
        for place, row in enumerate(measured):
            last = place == len(measured) - 1
            rows.append(
                [part, f"{row['n']:,}", f"{row['classes']:,}",
                 f"{row['pairs'] / row['n']:.1f}" if "pairs" in row else "", f"{row['cpu']:.1f}",
                 f"{row['peak_mb'] / 1024:.1f}",
                 f"{growth[0]:.2f}" if last and growth else ""]
            )  # fmt: skip
    header = (
        "release",
        "records",
        "classes",
        "pairs per record",
        "CPU s",
        "memory, GiB",
        "exponent",
    )
    return PageTable(header, rows, [part for part in SIZES if part in parts])


TABLES = {"points": points}
