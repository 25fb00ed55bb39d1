"""Engines: what cells on disk cost, take and lose against one search in memory.

Census-like table, 8 numeric quasi-identifiers, k = 5. ``ways``: a million records in memory,
divided by the cut rule, at random, or by the quantiles of one column, and each part solved with the
same steps; beside them one search of the whole table, which ends by the clock. ``local`` and
``disk``: whole commands, from a CSV file to a verified release, with two threads. Memory is the
largest sum of what its processes hold. ``SHOAL_LARGEST`` is the largest n. One part at a time:
``python -m benchmarks engines:disk``.
"""

from __future__ import annotations

import csv
import json
import os
import runpy
import subprocess
import sys
import tempfile
import time
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

import shoal
from benchmarks.data import find_data
from benchmarks.pages import PageTable, number
from benchmarks.timing import print_table
from shoal.engines.cut_tree import CutTree
from shoal.engines.local import plan_in_memory, solve_in_memory
from shoal.engines.solving import Plan, solve_cell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

LARGEST = int(os.environ.get("SHOAL_LARGEST", "1000000"))
SIZES = [n for n in (1_000_000, 10_000_000, 100_000_000) if n <= LARGEST]
K = 5
WAYS_RECORDS = min(1_000_000, LARGEST)
_GLANCE = 0.1
Figures = list[dict[str, object]]


def run() -> dict[str, Figures]:
    """Run all parts."""
    return {part: measure() for part, measure in PARTS.items()}


def census(n: int) -> Path:
    """Return a CSV file of n records, made once; the records come from the shared generator."""
    place = Path(tempfile.gettempdir()) / f"shoal-census-{n}.csv"
    if place.is_file():
        return place
    adult = find_data("adult30k")
    if adult is None:
        raise SystemExit("the generator of the census-like table is not there")
    made: dict[str, Any] = runpy.run_path(str(adult.parent.parent / "make_census_like.py"))
    partial = place.with_suffix(".partial")
    with partial.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(made["COLUMNS"])
        writer.writerows(islice(made["records"](n), n))
    partial.rename(place)
    return place


def ways() -> Figures:
    """Compare ways to divide a table; what a part is solved by is the same."""
    frame = pl.read_csv(census(WAYS_RECORDS), infer_schema=False)
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


def commands(engine: str) -> Figures:
    """Run the whole command at each size."""
    figures = [_command(engine, n) for n in SIZES]
    print_table(tuple(figures[0]), [tuple(figure.values()) for figure in figures])
    return figures


def _command(engine: str, n: int) -> dict[str, object]:
    source = census(n)
    with source.open() as file:
        quasi = file.readline().strip()
    with tempfile.TemporaryDirectory() as folder:
        line = [
            sys.executable, "-m", "shoal", "anonymize", str(source), "-k", str(K), "--quasi", quasi,
            "--threads", "2", "--json", "--seed", "1", "--engine", engine, "--custody",
            f"{folder}/secret/custody.json", "-o", f"{folder}/out/release.parquet",
        ]  # fmt: skip
        for name in ("secret", "out"):
            Path(folder, name).mkdir()
        began = time.perf_counter()
        with Path(folder, "facts.json").open("w") as told:
            process = subprocess.Popen(line, stdout=told)
            peak, disk = _watch(process, Path(folder, "out"))
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"the command failed with {process.returncode}")
        facts: dict[str, Any] = json.loads(Path(folder, "facts.json").read_text())
        custody = json.loads(Path(folder, "secret", "custody.json").read_text())
    wall = time.perf_counter() - began
    cpu = used.ru_utime + used.ru_stime
    return {
        "engine": engine,
        "n": n,
        "GCP": round(custody["figures"]["measures"]["gcp"], 6),
        "CPU_s": round(cpu, 1),
        "CPU_s_per_million": round(cpu / n * 1e6, 1),
        "wall_s": round(wall, 1),
        "peak_MB": round(peak / 2**20),
        "disk_MB": round(disk / 2**20),
        "solve_s": round(facts["seconds"]["solve"], 1),
    }


def _watch(process: subprocess.Popen[bytes], folder: Path) -> tuple[int, int]:
    """Return the most memory that a process and those it started held, and the most disk."""
    peak = disk = 0
    looks = 0
    while _is_running(process.pid):
        peak = max(peak, sum(_resident(pid) for pid in _family(process.pid)))
        if looks % 20 == 0:
            disk = max(disk, _size(folder))
        looks += 1
        time.sleep(_GLANCE)
    return peak, disk


def _is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _family(pid: int) -> Iterator[int]:
    yield pid
    try:
        children = [
            int(child)
            for task in Path(f"/proc/{pid}/task").iterdir()
            for child in (task / "children").read_text().split()
        ]
    except OSError:
        return
    for child in children:
        yield from _family(child)


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _size(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except OSError:
            continue
    return total


def commands_table(parts: Mapping[str, Any]) -> PageTable:
    """Return what the commands cost, both engines in one table."""
    shown = [part for part in ("local", "disk") if part in parts]
    rows = [row for part in shown for row in parts[part]]
    header = list(rows[0])
    cells = [[number(row[key]) for key in header] for row in rows]
    return PageTable([key.replace("_", " ") for key in header], cells, shown)


TABLES = {"commands": commands_table}
PARTS: dict[str, Callable[[], Figures]] = {
    "ways": ways,
    "local": partial(commands, "local"),
    "disk": partial(commands, "disk"),
}
