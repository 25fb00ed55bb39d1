"""Figures 6 to 10 of the freeform paper and 3-4 of the MILP paper, on census-like records.

``SHOAL_FULL=1`` runs the sizes of the papers; without it smaller ones, within minutes.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from benchmarks.freeform import solve
from benchmarks.plots import plot_lines
from benchmarks.problems import census, of_frame
from benchmarks.timing import print_table

if TYPE_CHECKING:
    from collections.abc import Iterable

    import polars as pl

FULL = os.environ.get("SHOAL_FULL") == "1"
FAMILY = ("ring", "k-concealment", "ff-greedy", "ff-sortgreedy", "ff-hungarian")
# Partition sizes at which the paper found about equal time for a segment.
SEGMENTS = {"ff-greedy": 250, "ff-sortgreedy": 150, "ff-hungarian": 100}

Figure = list[dict[str, object]]


def run() -> dict[str, Figure]:
    """Run every figure; each prints a table and draws a plot."""
    return {
        "figure_6": partitions(),
        "figure_7b": small_times(),
        "figure_8": effect_of_k(),
        "figure_9": effect_of_dimension(),
        "figure_10": effect_of_size(),
        "milp_figures_3_4": against_classes(),
    }


def measured(
    name: str, frame: pl.DataFrame, k: int, seconds: float | None = None, **parameters: int
) -> dict[str, object]:
    """Return GCP and CPU seconds of one run."""
    gcp, cpu = solve(name, of_frame(frame, k), seconds, **parameters)
    return {"algorithm": name, "n": frame.height, "d": frame.width, "k": k, "gcp": gcp,
            "cpu_s": cpu}  # fmt: skip


def show(name: str, figure: Figure, across: str) -> Figure:
    """Print a figure and plot its losses, a line for each algorithm and k where k varies not."""
    print_table(tuple(figure[0]), [tuple(row.values()) for row in figure])
    lines: dict[str, list[tuple[float, float]]] = {}
    for row in figure:
        label = str(row["algorithm"]) if across == "k" else f"{row['algorithm']}, k = {row['k']}"
        lines.setdefault(label, []).append((float(str(row[across])), float(str(row["gcp"]))))
    plot_lines(f"freeform_{name}", lines, title=name, across=across, up="GCP")
    return figure


def partitions() -> Figure:
    """Figure 6: segments of the lexicographic order, against rings."""
    frame = census(16_000 if FULL else 4_000)
    figure = []
    for k in (10, 30, 50) if FULL else (10, 30):
        for n in (frame.height // 4, frame.height):
            figure.append(measured("ring", frame.head(n), k))
            figure += [
                measured(name, frame.head(n), k, partition=size) for name, size in SEGMENTS.items()
            ]
    return show("figure_6", figure, "n")


def small_times() -> Figure:
    """Figure 7b: time on tiny tables at k = 6."""
    frame = census(1_000)
    sizes: Iterable[int] = (10, 12, 14) if FULL else (10, 12)
    names = (*FAMILY, "ff-mincost", "ff-mip")
    figure = [measured(name, frame.head(n), 6, 120.0) for n in sizes for name in names]
    return show("figure_7b", figure, "n")


def effect_of_k() -> Figure:
    """Figure 8: k from 10 to 150."""
    frame = census(10_000 if FULL else 1_000)
    figure = []
    for n in (1_000, 10_000) if FULL else (1_000,):
        for k in (10, 25, 50, 100, 150) if FULL else (10, 50, 150):
            names = (*FAMILY, "ff-mincost") if n == 1_000 else FAMILY
            figure += [measured(name, frame.head(n), k) for name in names]
    return show("figure_8", figure, "k")


def effect_of_dimension() -> Figure:
    """Figure 9: the first 2 to 8 attributes, and the slope (GCP(d) - GCP(2)) / (d - 2)."""
    frame = census(10_000 if FULL else 1_500)
    figure = []
    for k in (30, 50) if FULL else (30,):
        for name in FAMILY:
            base = 0.0
            for d in range(2, 9) if FULL else (2, 4, 6, 8):
                row = measured(name, frame.select(frame.columns[:d]), k)
                loss = float(str(row["gcp"]))
                base = loss if d == 2 else base
                figure.append({**row, "slope": (loss - base) / (d - 2) if d > 2 else None})
    return show("figure_9", figure, "d")


def effect_of_size() -> Figure:
    """Figure 10: 1,000 to 64,000 records; quadratic algorithms as far as they go."""
    largest = 64_000 if FULL else 4_000
    frame = census(largest)
    most = {"k-concealment": 16_000, "ff-hungarian": 16_000, "ff-sortgreedy": 32_000}
    figure = []
    for k in (15, 50) if FULL else (15,):
        n = 1_000
        while n <= largest:
            figure += [
                measured(name, frame.head(n), k) for name in FAMILY if n <= most.get(name, largest)
            ]
            n *= 4
    return show("figure_10", figure, "n")


def against_classes() -> Figure:
    """Figures 3 and 4 of the MILP paper: freeform against classes, k = 3 to 15."""
    frame = census(2_000)
    figure = []
    seconds = 10.0 if FULL else 2.0
    for n in (1_000, 2_000):
        for k in (3, 5, 10, 15) if FULL else (3, 10):
            figure += [
                measured(name, frame.head(n), k, seconds)
                for name in ("refine", "ff-hungarian", "ff-refine")
            ]
    return show("milp_figures_3_4", figure, "n")
