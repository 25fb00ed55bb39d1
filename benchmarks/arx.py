"""Beside ARX 3.9.2: the loss of whole commands on Adult, at budgets of 1, 3 and 10 seconds.

Shoal's side is measured by this study: one thread, CPU seconds of the whole process with reading,
verifying and writing, medians over seeds. ARX is in no package registry. Its figures, and those of
two tables that are not at hand, were measured once and stay as they were (parts ``arx`` and
``larger``); ``SHOAL_LIBARX=libarx.jar python -m benchmarks rivals`` runs it beside other tools.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from benchmarks.data import find_data
from benchmarks.pages import PageTable, share
from benchmarks.problems import EIGHT

if TYPE_CHECKING:
    from collections.abc import Mapping

BUDGETS = (1, 3, 10)
"""Seconds of search; reading, verifying and writing come on top."""
SEEDS = range(1, 1 + int(os.environ.get("SHOAL_ARX_SEEDS", "3")))
TASKS = {
    "sets": ("sets", (5, 10, 50)),
    "hierarchies": ("hierarchies", (2, 5, 10)),
    "distinct": ("sets, distinct 2-diversity", (5,)),
    "closeness": ("sets, t-closeness .2", (5,)),
}
"""Form of release as pages call it, and the values of k that ARX was measured at."""
_MODELS = {"distinct": "distinct-l-diversity:2", "closeness": "t-closeness:0.2"}


def measure(task: str, k: int) -> list[dict[str, object]]:
    """Run the command at every budget; nothing where Adult is absent."""
    path = find_data("adult30k")
    if path is None:
        print("adult30k is not here; left out")
        return []
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "adult.csv"
        pl.read_csv(path).write_csv(table)
        options = [*_options(task, path.parent / "hierarchies"), "-k", str(k)]
        for budget in BUDGETS:
            runs = [_run(table, [*options, "--time", str(budget)], seed) for seed in SEEDS]
            losses, spent = zip(*runs, strict=True)
            figures.append(
                {
                    "budget_s": budget,
                    "loss": round(statistics.median(losses), 5),
                    "least_loss": round(min(losses), 5),
                    "greatest_loss": round(max(losses), 5),
                    "cpu_s": round(statistics.median(spent), 2),
                    "seeds": len(losses),
                }
            )
            print(f"{task}, k = {k}: {figures[-1]}", flush=True)
    return figures


def _options(task: str, hierarchies: Path) -> list[str]:
    """Return the task as ARX had it: age as an interval, the others as sets or lowest nodes."""
    if task != "hierarchies":
        model = ["--model", _MODELS[task]] if task in _MODELS else []
        return ["--quasi", ",".join(EIGHT), "--sensitive", "salary-class", *model]
    nine = [*EIGHT, "salary-class"]
    trees = [f"{name}={hierarchies / name}.csv" for name in nine if name != "age"]
    flags = [word for tree in trees for word in ("--hierarchy", tree)]
    return ["--quasi", ",".join(nine), "--form", "hierarchy", *flags]


def _run(table: Path, options: list[str], seed: int) -> tuple[float, float]:
    """Return the loss of a release, and the CPU seconds of the command that wrote it."""
    facts = table.with_name("facts.json")
    output = ["-o", str(table.with_name("release.csv")), "--facts", str(facts), "--force"]
    common = ["--threads", "1", "--seed", str(seed)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "shoal", "anonymize", str(table), *options, *common, *output],
        check=True,
        capture_output=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = json.loads(facts.read_text(encoding="utf-8"))
    assert found["verdict"]["passed"]
    assert found["suppressed"] == 0
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return found["measures"]["gcp"], cpu


def side_by_side(parts: Mapping[str, Any]) -> PageTable:
    """Return one row per task: ARX, Shoal in no more CPU seconds, and Shoal in about ten."""
    rows = []
    for one in parts["arx"]:
        figures = parts[_part(one["task"], one["k"])]
        quick = [figure for figure in figures if figure["cpu_s"] <= one["cpu_s"]] or figures[:1]
        cells = (one, quick[-1], figures[-1])
        form = TASKS[one["task"]][0]
        rows.append([f"{form}, k = {one['k']}", *map(_cell, cells)])
    header = ("task", "ARX 3.9.2", "Shoal, as fast", "Shoal, 10 s of search")
    return PageTable(header, rows, [part for part in parts if part in PARTS])


def _cell(figure: Mapping[str, Any]) -> str:
    return f"{share(figure['loss'])} ({figure['cpu_s']:.1f} s)"


def every_budget(parts: Mapping[str, Any]) -> PageTable:
    """Return Shoal's figures with their spread over seeds."""
    rows = [
        [
            f"{form}, k = {k}",
            str(figure["budget_s"]),
            f"{figure['cpu_s']:.1f}",
            *(share(figure[key]) for key in ("loss", "least_loss", "greatest_loss")),
        ]
        for task, (form, sizes) in TASKS.items()
        for k in sizes
        for figure in parts[_part(task, k)]
    ]
    header = ("task", "budget s", "CPU s", "loss, median", "least", "greatest")
    return PageTable(header, rows, [part for part in parts if part in PARTS])


def rival(parts: Mapping[str, Any]) -> PageTable:
    """Return ARX's figures, as they were measured."""
    rows = [
        [f"{TASKS[one['task']][0]}, k = {one['k']}", f"{one['cpu_s']:.1f}", share(one["loss"])]
        for one in parts["arx"]
    ]
    return PageTable(("task", "CPU s", "loss"), rows, ["arx"])


def larger(parts: Mapping[str, Any]) -> PageTable:
    """Return what was measured once on the two tables that are not at hand."""
    rows = []
    for one in parts["larger"]:
        worst = one["loss_at_worst"]
        loss = share(one["loss"]) + (f" to {share(worst)}" if worst != one["loss"] else "")
        rows.append([one["work"], str(one["k"]), one["tool"], loss, one["spent"]])
    return PageTable(("table", "k", "tool", "loss", "spent"), rows, ["larger"])


def _part(task: str, k: int) -> str:
    return f"{task}-{k}"


def run() -> None:
    """Run every part."""
    for part in PARTS.values():
        part()


PARTS = {
    _part(task, k): partial(measure, task, k) for task, (_, sizes) in TASKS.items() for k in sizes
}
TABLES = {
    "side_by_side": side_by_side,
    "every_budget": every_budget,
    "rival": rival,
    "larger": larger,
}
