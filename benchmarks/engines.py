"""Engines: what cells on disk and on Spark cost, take and lose against one search in memory.

Census-like table, 8 numeric quasi-identifiers, k = 5. ``ways``: a million records in memory,
divided by the cut rule, at random, or by the quantiles of one column, and each part solved with the
same steps; beside them one search of the whole table, which ends by the clock. ``local``, ``disk``
and ``spark``: whole commands, from CSV files to a verified release, with two threads. Memory is the
largest sum of what its processes hold, and is stored as a curve, too. ``equality_disk``,
``equality_spark``: their class tables compared with those in memory row by row. ``memory``: peaks
in memory against the prediction that refuses tables that do not fit. ``SHOAL_LARGEST`` is the
largest n. One part at a time: ``python -m benchmarks engines:disk``; ``disk_largest`` needs
``SHOAL_LARGEST=100000000``, 24 minutes and 20 GB of disk.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

import shoal
from benchmarks.census import census
from benchmarks.equal_classes import compare_classes
from benchmarks.memory_prediction import predictions
from benchmarks.pages import PageTable, number
from benchmarks.spark_costs import SETTINGS, cost_tables, read_events
from benchmarks.timing import print_table
from benchmarks.watching import watch
from shoal.engines.cut_tree import CutTree
from shoal.engines.local import plan_in_memory, solve_in_memory
from shoal.engines.solving import Plan, solve_cell

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

LARGEST = int(os.environ.get("SHOAL_LARGEST", "1000000"))
SIZES = [n for n in (1_000_000, 10_000_000) if n <= LARGEST]
DISK_SIZES = [n for n in (100_000_000,) if n <= LARGEST]
SPARK_SIZES = [n for n in (100_000, 400_000, 10_000_000) if n <= LARGEST]
MEMORY_SIZES = [100_000, 500_000, 2_000_000]
K = 5
WAYS_RECORDS = min(1_000_000, LARGEST)
Figures = list[dict[str, object]]


def run() -> dict[str, Figures]:
    """Run all parts."""
    return {part: measure() for part, measure in PARTS.items()}


def ways() -> Figures:
    """Compare ways to divide a table; what a part is solved by is the same."""
    (file,) = census(WAYS_RECORDS)
    frame = pl.read_csv(file, infer_schema=False)
    quasi = frame.columns
    job = shoal.Job(k=K, quasi=quasi)
    figures: Figures = []
    began = time.process_time()
    whole = shoal.anonymize(frame, k=K, quasi=quasi, seed=1)
    figures.append(_way("one search, 10 s", 1, whole.figures.loss, time.process_time() - began))
    plan, numbered = plan_in_memory(frame, job, seed=1)
    began = time.process_time()
    lost = np.sum([one.lost for one in solve_in_memory(plan, numbered)], axis=0)
    weights = np.array(plan.codebook.weights)
    spent = time.process_time() - began
    cells = len(plan.tree.cells)
    loss = float(lost @ weights) / frame.height
    figures.append(_way("cut rule, borders searched again", cells, loss, spent))
    codes = plan.codebook.encode(numbered)
    age = codes[quasi.index("AGE")]
    rng = np.random.default_rng(1)
    for name, order in (
        ("cut rule, borders left", np.argsort(plan.tree.assign(codes), kind="stable")),
        ("quantiles of age", np.lexsort((rng.random(len(age)), age))),
        ("at random", rng.permutation(len(age))),
    ):
        bounds = np.linspace(0, len(age), cells + 1).astype(int)
        if name.startswith("cut rule"):
            bounds = np.cumsum([0, *(plan.tree.records[path] for path in plan.tree.cells)])
        began = time.process_time()
        loss = _loss_of_parts(plan, codes, order, bounds)
        figures.append(_way(name, cells, loss, time.process_time() - began))
    print_table(tuple(figures[0]), [tuple(figure.values()) for figure in figures])
    return figures


def _way(way: str, parts: int, loss: float, cpu: float) -> dict[str, object]:
    return {"way": way, "parts": parts, "GCP": round(loss, 6), "CPU_s": round(cpu, 1)}


def _loss_of_parts(
    plan: Plan,
    codes: list[NDArray[np.uint32]],
    order: NDArray[np.int64],
    bounds: NDArray[np.int64],
) -> float:
    """Return the loss of parts that are solved one by one."""
    names = [f"{number:b}" for number in range(len(bounds) - 1)]
    sizes = np.diff(bounds).tolist()
    parts = Plan(plan.codebook, CutTree({}, dict(zip(names, sizes, strict=True))), plan.seed)
    lost = 0.0
    for low, high, name in zip(bounds[:-1], bounds[1:], names, strict=True):
        members = [c[order[low:high]] for c in codes]
        problem, found, _ = solve_cell(members, [], parts, parts.tree.cells.index(name))
        losses = problem.losses(found.rows, found.starts)
        lost += float(losses @ found.sizes)
    return lost / len(order)


def commands(engine: str, sizes: Sequence[int] | None = None) -> Figures:
    """Run the whole command at each size."""
    if sizes is None:
        sizes = SPARK_SIZES if engine == "spark" else SIZES
    figures = [_command(engine, n) for n in sizes]
    if not figures:
        return []
    shown = [key for key in figures[0] if key not in _HIDDEN]
    print_table(tuple(shown), [tuple(figure[key] for key in shown) for figure in figures])
    return figures


def _command(engine: str, n: int) -> dict[str, object]:
    files = census(n)
    with files[0].open() as file:
        quasi = file.readline().strip()
    with tempfile.TemporaryDirectory() as folder:
        for name in ("in", "secret", "out", "events", "conf"):
            Path(folder, name).mkdir()
        for place, file_ in enumerate(files):
            Path(folder, "in", f"{place:03}.csv").symlink_to(file_.resolve())
        source = f"{folder}/in/*.csv" if len(files) > 1 else f"{folder}/in/000.csv"
        line = [
            sys.executable, "-m", "shoal", "anonymize", source, "-k", str(K), "--quasi", quasi,
            "--threads", "2", "--json", "--seed", "1", "--engine", engine, "--custody",
            f"{folder}/secret/custody.json", "-o", f"{folder}/out/release.parquet",
        ]  # fmt: skip
        if engine == "spark":
            # CSV has no types: what the other engines detect in a sample is said here.
            kinds = ",".join(f"{name}=numeric" for name in quasi.split(","))
            line += ["--master", "local[2]", "--kind", kinds]
        settings = {**SETTINGS, "spark.eventLog.dir": f"file:{folder}/events"}
        told = "".join(f"{name} {value}\n" for name, value in settings.items())
        Path(folder, "conf", "spark-defaults.conf").write_text(told)
        environment = {**os.environ, "SPARK_CONF_DIR": f"{folder}/conf"}
        seen = watch(line, Path(folder, "out"), Path(folder, "facts.json"), environment)
        custody = json.loads(Path(folder, "secret", "custody.json").read_text())
        events = read_events(Path(folder, "events")) if engine == "spark" else {}
    return {
        "engine": engine,
        "n": n,
        "GCP": round(custody["figures"]["measures"]["gcp"], 6),
        "CPU_s": round(seen.cpu_seconds, 1),
        "CPU_s_per_million": round(seen.cpu_seconds / n * 1e6, 1),
        "wall_s": round(seen.seconds, 1),
        "peak_MB": round(seen.peak / 2**20),
        "disk_MB": round(seen.disk / 2**20),
        "solve_s": round(custody["figures"]["seconds"]["solve"], 1),
        "memory_MB_over_time": seen.curve,
        "largest_process_MB": {name: held >> 20 for name, held in sorted(seen.largest.items())},
        **events,
    }


def equality(engine: str) -> Figures:
    """Compare class tables in memory and of another engine at the largest size, both ways."""
    figures = compare_classes(SIZES[-1], K, engine)
    if not figures:
        return []
    print_table(tuple(figures[0]), [tuple(figure.values()) for figure in figures])
    return figures


def memory() -> Figures:
    """Compare the peaks of commands in memory with what is predicted before they begin."""
    figures = predictions(MEMORY_SIZES)
    print_table(tuple(figures[0]), [tuple(figure.values()) for figure in figures])
    return figures


# Stored beside what tables show.
_HIDDEN = ("memory_MB_over_time", "largest_process_MB")


def commands_table(parts: Mapping[str, Any]) -> PageTable:
    """Return what the commands cost, all engines in one table."""
    shown = [part for part in ("local", "disk", "disk_largest", "spark") if part in parts]
    rows = [row for part in shown for row in parts[part]]
    header = [key for key in rows[0] if key not in _HIDDEN]
    cells = [[number(row[key]) for key in header] for row in rows]
    return PageTable([key.replace("_", " ") for key in header], cells, shown)


def equality_table(parts: Mapping[str, Any]) -> PageTable:
    """Return how the class tables of the engines differ from those made in memory beside them."""
    shown = [part for part in ("equality_disk", "equality_spark") if part in parts]
    rows = [row for part in shown for row in parts[part]]
    cells = [[number(cell) for cell in row.values()] for row in rows]
    return PageTable([key.replace("_", " ") for key in rows[0]], cells, shown)


TABLES = {"commands": commands_table, "equality": equality_table, **cost_tables()}
PARTS: dict[str, Callable[[], Figures]] = {
    "ways": ways,
    "local": partial(commands, "local"),
    "disk": partial(commands, "disk"),
    "disk_largest": partial(commands, "disk", DISK_SIZES),
    "spark": partial(commands, "spark"),
    "equality_disk": partial(equality, "disk"),
    "equality_spark": partial(equality, "spark"),
    "memory": memory,
}
