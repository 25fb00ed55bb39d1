"""Figures 6 to 10 of the freeform paper and 3-4 of the MILP paper, on census-like records.

Sizes are those of the papers. A large figure is several parts, each of which runs by itself:
``freeform_figures:figure_10_k50_4000``. Those that take many minutes run only if they are named, or
with ``SHOAL_FULL=1``.
"""

from __future__ import annotations

import os
import time
from functools import partial
from statistics import mean
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.freeform import (
    MIP_SECONDS,
    PRINTED,
    adult_records,
    share_of_processor,
    solution_of,
    solve,
)
from benchmarks.plots import plot_lines
from benchmarks.problems import census, released_loss, with_sets
from benchmarks.timing import print_table
from shoal.algorithms import Run, make_algorithm
from shoal.example import hospital

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

FULL = os.environ.get("SHOAL_FULL") == "1"
FAMILY = ("ring", "k-concealment", "ff-greedy", PRINTED, "ff-sortgreedy", "ff-hungarian")
# Partition sizes at which the paper found about equal time for a segment.
SEGMENTS = {"ff-greedy": 250, PRINTED: 250, "ff-sortgreedy": 150, "ff-hungarian": 100}
SMALL = (*FAMILY, "ff-mincost", "ff-mip, program=sets")
SMALL_SAMPLES = 20
SMALL_SIZES = (7, 8, 9, 10, 12, 14)
# The paper's program proves next to nothing beyond 8 records at k = 6 within seconds.
PROGRAM_SIZES = (7, 8, 14)
SYMMETRIC = ("ff-greedy", "ff-sortgreedy", "ff-hungarian", "ff-mincost", "ff-refine")

Figure = list[dict[str, object]]


def run() -> dict[str, Figure]:
    """Run every figure; each prints a table and draws a plot."""
    return {name: part() for name, part in PARTS.items()}


def measured(
    name: str, frame: pl.DataFrame, k: int, seconds: float | None = None, **parameters: Any
) -> dict[str, object]:
    """Return GCP and CPU seconds of one run."""
    gcp, cpu = solve(name, with_sets(frame, k), seconds, **parameters)
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
    frame = census(16_000)
    figure = []
    for k in (10, 30, 50):
        for n in (1_000, 4_000, 16_000):
            figure.append(measured("ring", frame.head(n), k))
            figure += [
                measured(name, frame.head(n), k, partition=size) for name, size in SEGMENTS.items()
            ]
    return show("figure_6", figure, "n")


def larger_degrees() -> Figure:
    """Figure 6 beyond its k: where segments of 100 records are too small for Hungarian."""
    frame = census(4_000)
    figure = []
    for k in (60, 75, 90):
        figure.append(measured("ring", frame, k))
        figure += [measured(name, frame, k, partition=size) for name, size in SEGMENTS.items()]
    return show("figure_6_larger_k", figure, "k")


def small_times(names: tuple[str, ...], n: int, seconds: float = MIP_SECONDS) -> Figure:
    """Figure 7b: time on tiny tables at k = 6, mean of samples.

    A name may end with the program of `ff-mip`. Samples that are not proved within the limit, in
    CPU seconds, count with what they took till then.
    """
    frame = census(4_000)
    drawn = (np.random.default_rng(one).choice(frame.height, n, replace=False)
             for one in range(SMALL_SAMPLES))  # fmt: skip
    samples = [with_sets(frame[rows.tolist()], 6) for rows in drawn]
    # The limit is one of the clock, of which a busy machine gives only a part.
    limit = seconds / share_of_processor()
    figure: Figure = []
    for name in names:
        way, _, program = name.partition(", program=")
        parameters: dict[str, Any] = {"program": program} if program else {}
        solution_of(way, samples[0], 0.1, **parameters)  # the first run loads libraries
        losses, spent, proved = [], [], 0
        for problem in samples:
            start = time.process_time()
            found = solution_of(way, problem, limit, **parameters)
            spent.append(time.process_time() - start)
            losses.append(released_loss(problem, found))
            proved += found.optimal
        row = {"algorithm": name, "n": n, "d": frame.width, "k": 6, "gcp": mean(losses),
               "cpu_s": mean(spent), "most_cpu_s": max(spent),
               "samples": SMALL_SAMPLES}  # fmt: skip
        figure.append(row if not program else {**row, "proved": proved, "limit_s": seconds})
    shown = tuple(figure[-1])
    print_table(shown, [tuple(row.get(one, "") for one in shown) for row in figure])
    return figure


def effect_of_k(n: int, degrees: tuple[int, ...]) -> Figure:
    """Figure 8: k from 10 to 150."""
    frame = census(n)
    figure = []
    for k in degrees:
        # The flow takes minutes from k = 100 on, and is far behind by then.
        names = (*FAMILY, "ff-mincost") if n == 1_000 and k <= 50 else FAMILY
        figure += [measured(name, frame, k) for name in names]
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
    return show(f"figure_9_{n}_k{k}_{name}", figure, "d")


def spread_of_losses() -> Figure:
    """Figure 9: what share of the loss falls on the twentieth of the records that lose most."""
    frame = census(4_000)
    figure: Figure = []
    for d in (2, 3, 8):
        problem = with_sets(frame.select(frame.columns[:d]), 30)
        for name in ("ff-sortgreedy", "ff-hungarian"):
            found = make_algorithm(name).solve(problem, Run(seed=1))
            recoding = found.recode(problem, np.random.default_rng(0))
            columns = zip(recoding.columns, problem.domains, problem.weights, strict=True)
            losses = sum(weight * domain.loss(one.closures)[one.index]
                         for one, domain, weight in columns)  # fmt: skip
            each = np.sort(np.repeat(losses, recoding.sizes))[::-1]
            most = each[: problem.n // 20].sum() / each.sum()
            figure.append(
                {
                    "d": d,
                    "algorithm": name,
                    "gcp": float(each.mean()),
                    "without loss": float((each < 1e-9).mean()),
                    "share of the twentieth": float(most),
                }
            )
    print_table(tuple(figure[0]), [tuple(row.values()) for row in figure])
    return figure


def effect_of_size(k: int, n: int, names: tuple[str, ...] = FAMILY) -> Figure:
    """Figure 10: n records; the largest table one algorithm at a time."""
    frame = census(n)
    figure = [measured(name, frame, k) for name in names]
    return show(f"figure_10_k{k}_{n}{_suffix(names[0]) if len(names) == 1 else ''}", figure, "n")


def _suffix(name: str) -> str:
    return "_" + name.replace(", ", "-").replace(" ", "-")


def against_classes(name: str, n: int) -> Figure:
    """Figures 3 and 4 of the MILP paper: freeform against classes, k = 3 to 15."""
    frame = census(n) if name == "census" else adult_records(n)
    if frame is None:
        return []
    names = ("sorted", "mondrian", "greedy", "k-member", PRINTED, "ff-greedy", "ff-sortgreedy",
             "ff-hungarian")  # fmt: skip
    as_printed: dict[str, dict[str, Any]] = {
        "sorted": {"order": "values"},
        "greedy": {"order": "values", "settle": False},
        "k-member": {"settle": False},
    }
    figure = [
        measured(algorithm, frame, k, **as_printed.get(algorithm, {}))
        for k in (3, 5, 7, 9, 11, 13, 15)
        for algorithm in names
    ]
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


def rings_and_ties() -> Figure:
    """Try what the paper leaves open in Figures 8 to 10: the classes of NH, and ties of Greedy.

    An original that weighs nothing in several closures goes to the first of the table: five orders
    of records are five ways to break ties.
    """
    figure: Figure = []
    for table in ("census", "adult"):
        frame = census(1_000) if table == "census" else adult_records(1_000)
        if frame is None:
            continue
        for k in (10, 25, 50):
            problem = with_sets(frame, k)
            row: dict[str, object] = {"table": table, "n": frame.height, "k": k}
            for start in ("mondrian", "hilbert", "sorted"):
                row[f"NH, {start}"] = solve("ring", problem, start=start)[0]
            for name in ("ff-greedy", PRINTED):
                mixed = (frame.sample(fraction=1.0, shuffle=True, seed=seed) for seed in range(5))
                losses = [solve(name, with_sets(one, k))[0] for one in mixed]
                row |= {f"{name}, least of 5": min(losses), f"{name}, most of 5": max(losses)}
            figure.append(row)
    print_table(tuple(figure[0]), [tuple(row.values()) for row in figure])
    return figure


def rings_as_tables_grow() -> Figure:
    """Figure 10, k = 15: Greedy as printed against rings, whichever classes these begin with."""
    figure: Figure = []
    for table in ("census", "adult"):
        for n in (1_000, 4_000, 16_000):
            frame = census(n) if table == "census" else adult_records(n)
            if frame is None:
                continue
            problem = with_sets(frame, 15)
            loss = solve(PRINTED, problem)[0]
            rings = {start: solve("ring", problem, start=start)[0]
                     for start in ("mondrian", "hilbert", "sorted")}  # fmt: skip
            figure.append(
                {
                    "table": table,
                    "n": n,
                    "k": 15,
                    PRINTED: loss,
                    **{f"NH, {start}": one for start, one in rings.items()},
                    **{f"over NH, {start}": loss / one for start, one in rings.items()},
                }
            )
    print_table(tuple(figure[0]), [tuple(row.values()) for row in figure])
    return figure


def rings_as_k_grows() -> Figure:
    """Figure 8 on Adult: what is saved against rings, whichever classes these begin with."""
    frame = adult_records(1_000)
    figure: Figure = []
    for k in (10, 50, 150) if frame is not None else ():
        assert frame is not None
        problem = with_sets(frame, k)
        rings = {start: solve("ring", problem, start=start)[0]
                 for start in ("mondrian", "hilbert", "sorted")}  # fmt: skip
        loss = solve("ff-hungarian", problem)[0]
        figure.append(
            {
                "table": "adult",
                "k": k,
                **{f"NH, {start}": one for start, one in rings.items()},
                "ff-hungarian": loss,
                **{f"saved, {start}": 1 - loss / one for start, one in rings.items()},
            }
        )
    if figure:
        print_table(tuple(figure[0]), [tuple(row.values()) for row in figure])
    return figure


def symmetric_forms() -> Figure:
    """Compare the loss of both forms of every algorithm."""
    figure: Figure = []
    tables = {
        "census": census(500),
        "adult": adult_records(500),
        "hospital": hospital(500).select("birth_date", "sex", "postcode"),
    }
    for table, frame in tables.items():
        if frame is None:
            continue
        for k in (3, 5, 10):
            for name in SYMMETRIC:
                one, both = (
                    solve(name, with_sets(frame, k), symmetric=symmetric)
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
    """Name the parts."""
    named: dict[str, Callable[[], Figure]] = {
        "who_chooses": who_chooses,
        "rings_and_ties": rings_and_ties,
        "rings_as_k_grows": rings_as_k_grows,
        "rings_as_tables_grow": rings_as_tables_grow,
        "symmetric": symmetric_forms,
        "figure_6": partitions,
        "figure_6_larger_k": larger_degrees,
        **{f"figure_7b_{n}": partial(small_times, SMALL, n) for n in SMALL_SIZES},
        **{
            f"figure_7b_paper_{n}": partial(small_times, ("ff-mip, program=paper",), n, 2.0)
            for n in PROGRAM_SIZES
        },
        "spread_of_losses": spread_of_losses,
        "figure_8_1000": partial(effect_of_k, 1_000, (10, 25, 50, 100, 150)),
    }
    for k in (10, 25, 50, 100, 150):
        named[f"figure_8_10000_k{k}"] = partial(effect_of_k, 10_000, (k,))
    for k, n in ((30, 4_000), (30, 10_000), (50, 10_000)):
        for name in FAMILY:
            named[f"figure_9_{n}_k{k}{_suffix(name)}"] = partial(effect_of_dimension, n, k, name)
    for k in (15, 50):
        for n in (1_000, 4_000):
            named[f"figure_10_k{k}_{n}"] = partial(effect_of_size, k, n)
    for k, n in ((15, 16_000), (50, 16_000), (15, 64_000), (50, 64_000)):
        for name in FAMILY:
            part = partial(effect_of_size, k, n, (name,))
            named[f"figure_10_k{k}_{n}{_suffix(name)}"] = part
    for name in ("census", "adult"):
        for n in (1_000, 2_000):
            named[f"milp_figures_3_4_{name}_{n}"] = partial(against_classes, name, n)
    return named


PARTS = parts()
LONG = frozenset(
    part
    for part in PARTS
    if part.startswith(
        (
            "figure_8_10000_k100",
            "figure_8_10000_k150",
            "figure_9_10000",
            "figure_10_k50_16000",
            "figure_10_k15_64000",
            "figure_10_k50_64000",
        )
    )
)
"""Parts that run only if they are named, or with ``SHOAL_FULL=1``."""
