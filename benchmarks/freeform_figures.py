"""Figures 6 to 10 of the freeform paper and 3-4 of the MILP paper, on census-like records.

``SHOAL_FULL=1`` runs the sizes of the papers; without it smaller ones, within minutes. A large
figure is several parts, each of which runs by itself: ``freeform_figures:figure_10_k50_16000``.
"""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks.freeform import MIP_SECONDS, adult_records, solve
from benchmarks.plots import plot_lines
from benchmarks.problems import census, of_frame
from benchmarks.timing import print_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import polars as pl

FULL = os.environ.get("SHOAL_FULL") == "1"
PRINTED = "ff-greedy, originals choose"
FAMILY = ("ring", "k-concealment", "ff-greedy", PRINTED, "ff-sortgreedy", "ff-hungarian")
# Partition sizes at which the paper found about equal time for a segment.
SEGMENTS = {"ff-greedy": 250, PRINTED: 250, "ff-sortgreedy": 150, "ff-hungarian": 100}
SYMMETRIC = ("ff-greedy", "ff-sortgreedy", "ff-hungarian", "ff-mincost", "ff-refine")

Figure = list[dict[str, object]]


def run() -> dict[str, Figure]:
    """Run every figure; each prints a table and draws a plot."""
    return {name: part() for name, part in PARTS.items()}


def measured(
    name: str, frame: pl.DataFrame, k: int, seconds: float | None = None, **parameters: Any
) -> dict[str, object]:
    """Return GCP and CPU seconds of one run."""
    if name == PRINTED:
        parameters["chooser"] = "original"
    gcp, cpu = solve(name.partition(",")[0], of_frame(frame, k), seconds, **parameters)
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
    sizes: Iterable[int] = (10, 12, 14)
    names = (*FAMILY, "ff-mincost", "ff-mip")
    figure = [measured(name, frame.head(n), 6, MIP_SECONDS) for n in sizes for name in names]
    return show("figure_7b", figure, "n")


def effect_of_k(n: int, degrees: tuple[int, ...]) -> Figure:
    """Figure 8: k from 10 to 150."""
    frame = census(n)
    names = (*FAMILY, "ff-mincost") if n == 1_000 else FAMILY
    figure = [measured(name, frame, k) for k in degrees for name in names]
    return show(f"figure_8_{n}_k{degrees[-1]}", figure, "k")


def effect_of_dimension(n: int, k: int, name: str) -> Figure:
    """Figure 9: the first 2 to 8 attributes, and the slope (GCP(d) - GCP(2)) / (d - 2)."""
    frame = census(n)
    figure = []
    base = 0.0
    for d in range(2, 9):
        row = measured(name, frame.select(frame.columns[:d]), k)
        loss = float(str(row["gcp"]))
        base = loss if d == 2 else base
        figure.append({**row, "slope": (loss - base) / (d - 2) if d > 2 else None})
    return show(f"figure_9_k{k}_{name}", figure, "d")


def effect_of_size(k: int, n: int) -> Figure:
    """Figure 10: quadratic algorithms as far as they go."""
    frame = census(n)
    most = dict.fromkeys(("k-concealment", "ff-hungarian", "ff-sortgreedy", PRINTED), 16_000)
    figure = [measured(name, frame, k) for name in FAMILY if n <= most.get(name, n)]
    return show(f"figure_10_k{k}_{n}", figure, "n")


def against_classes(name: str, n: int) -> Figure:
    """Figures 3 and 4 of the MILP paper: freeform against classes, k = 3 to 15."""
    frame = census(n) if name == "census" else adult_records(n)
    if frame is None:
        return []
    names = ("sorted", "mondrian", "greedy", "k-member", PRINTED, "ff-greedy", "ff-sortgreedy",
             "ff-hungarian")  # fmt: skip
    figure = [measured(algorithm, frame, k) for k in (3, 5, 10, 15) for algorithm in names]
    if FULL:
        figure += [
            measured(name, frame, k, 10.0) for k in (3, 15) for name in ("refine", "ff-refine")
        ]
    return show(f"milp_figures_3_4_{name}_{n}", figure, "k")


def who_chooses() -> Figure:
    """Run Algorithm 1 with either side choosing, over tables, sizes and k."""
    figure: Figure = []
    for table in ("census", "adult"):
        for n in (400, 1_000, 2_000):
            frame = census(n) if table == "census" else adult_records(n)
            if frame is None:
                continue
            for k in (5, 10, 25):
                released, original = (measured(name, frame, k) for name in ("ff-greedy", PRINTED))
                figure.append(
                    {
                        "table": table,
                        "n": n,
                        "k": k,
                        "released": released["gcp"],
                        "original": original["gcp"],
                        "original / released": float(str(original["gcp"]))
                        / float(str(released["gcp"])),
                    }
                )
    print_table(tuple(figure[0]), [tuple(row.values()) for row in figure])
    return figure


def symmetric_forms() -> Figure:
    """Compare the loss of both forms of every algorithm."""
    figure: Figure = []
    for table in ("census", "adult"):
        frame = census(500) if table == "census" else adult_records(500)
        if frame is None:
            continue
        for k in (3, 5, 10):
            for name in SYMMETRIC:
                one, both = (
                    solve(name, of_frame(frame, k), symmetric=symmetric)
                    for symmetric in (False, True)
                )
                figure.append(
                    {
                        "table": table,
                        "n": frame.height,
                        "k": k,
                        "algorithm": name,
                        "freeform": one[0],
                        "symmetric": both[0],
                        "symmetric / freeform": both[0] / one[0],
                        "cpu_s": one[1],
                        "symmetric_cpu_s": both[1],
                    }
                )
    print_table(tuple(figure[0]), [tuple(row.values()) for row in figure])
    return figure


def parts() -> dict[str, Callable[[], Figure]]:
    """Name the parts: those of the papers' sizes, or smaller ones."""
    named: dict[str, Callable[[], Figure]] = {
        "who_chooses": who_chooses,
        "symmetric": symmetric_forms,
        "figure_6": partitions,
        "figure_7b": small_times,
        "figure_8_1000": partial(
            effect_of_k, 1_000, (10, 25, 50, 100, 150) if FULL else (10, 50, 150)
        ),
    }
    if FULL:
        for k in (10, 25, 50, 100, 150):
            named[f"figure_8_10000_k{k}"] = partial(effect_of_k, 10_000, (k,))
    for k in (30, 50) if FULL else (30,):
        for name in FAMILY:
            named[f"figure_9_k{k}_{name.replace(', ', '-').replace(' ', '-')}"] = partial(
                effect_of_dimension, 10_000 if FULL else 1_500, k, name
            )
    for k in (15, 50) if FULL else (15,):
        for n in (1_000, 4_000, 16_000, 64_000):
            named[f"figure_10_k{k}_{n}"] = partial(effect_of_size, k, n)
    for name in ("census", "adult"):
        for n in (1_000, 2_000):
            named[f"milp_figures_3_4_{name}_{n}"] = partial(against_classes, name, n)
    return named


PARTS = parts()
