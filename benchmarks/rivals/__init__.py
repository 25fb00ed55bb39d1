"""Rivals and `auto` on the same table and machine, all scored by one evaluator: loss against time.

Environments are made under ``build/rivals`` when first used. ARX takes part where Java is present
and ``SHOAL_LIBARX`` names its library. ``SHOAL_RIVAL_SECONDS`` is the longest a rival may take,
``SHOAL_RIVAL_KS`` the values of k (``5,10,50``).
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

import shoal
from benchmarks.data import find_data
from benchmarks.plots import plot_lines
from benchmarks.problems import EIGHT, census
from benchmarks.rivals.environments import (
    ANJANA,
    ANONYPY,
    ANONYPYX,
    ANONYPYX_MDAV,
    ARX,
    RivalError,
)
from benchmarks.timing import print_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

KS = [int(k) for k in os.environ.get("SHOAL_RIVAL_KS", "5,10,50").split(",")]
BUDGETS = (1.0, 3.0, 10.0)
SHOAL = str(Path(sys.executable).with_name("shoal"))


@dataclass(frozen=True, slots=True)
class Contest:
    """One table in one form of publication; losses of different forms do not compare."""

    form: str
    frame: pl.DataFrame
    words: dict[str, Any]
    flags: tuple[str, ...]
    rivals: Sequence[tuple[Any, tuple[str, ...]]]


def run() -> list[dict[str, object]]:
    """Let every rival and `auto` release every table at every k."""
    figures: list[dict[str, object]] = []
    for contest in _contests():
        for k in KS:
            with tempfile.TemporaryDirectory() as folder:
                table = Path(folder) / "table.csv"
                contest.frame.write_csv(table)
                figures += _matches(contest, k, table)
    shown = ("form", "k", "who", "solve s", "CPU s", "whole s", "GCP", "k kept")
    print_table(shown, [tuple(figure.values()) for figure in figures])
    for form in dict.fromkeys(str(figure["form"]) for figure in figures):
        _plot(form, [figure for figure in figures if figure["form"] == form])
    return figures


def _contests() -> Iterator[Contest]:
    path = find_data("adult30k")
    if path is None:
        frame = census(5_000).with_columns(private=pl.lit("x"))
        numeric = [name for name in frame.columns if frame[name].dtype.is_numeric()]
        public = [name for name in frame.columns if name != "private"]
        told = (",".join(numeric), "private")
        rivals = [(rival, told) for rival in (ANONYPY, ANONYPYX, ANONYPYX_MDAV)]
        yield Contest("census-like, sets", frame, *_declared(public, "private"), rivals)
        return
    frame = pl.read_csv(path)
    trees = path.parent / "hierarchies"
    told = ("age", "salary-class")
    sets: list[tuple[Any, tuple[str, ...]]] = [
        (rival, told) for rival in (ANONYPY, ANONYPYX, ANONYPYX_MDAV)
    ]
    sets.append((ARX, (str(trees), *told, "sets")))
    yield Contest("adult30k, sets", frame, *_declared(EIGHT, "salary-class"), sets)
    nine = [*EIGHT, "salary-class"]
    hierarchy = {name: str(trees / f"{name}.csv") for name in nine}
    flags = ["--quasi", ",".join(nine)]
    for name, tree in hierarchy.items():
        flags += ["--hierarchy", f"{name}={tree}"]
    nodes = [(ANJANA, (str(trees),)), (ARX, (str(trees), "", "", "hierarchy"))]
    words = {"quasi": nine, "hierarchy": hierarchy}
    yield Contest("adult30k, hierarchies", frame, words, tuple(flags), nodes)


def _declared(quasi: list[str], private: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    words = {"quasi": quasi, "sensitive": [private]}
    return words, ("--quasi", ",".join(quasi), "--sensitive", private)


def _matches(contest: Contest, k: int, table: Path) -> Iterator[dict[str, object]]:
    release = table.with_name("release.csv")
    for rival, words in contest.rivals:
        rival.prepare()
        started = time.perf_counter()
        try:
            spent = rival.run(table, k, release, *words)
        except RivalError as error:
            print(f"{contest.form}, k={k}, {rival.name}: {error}")
            continue
        whole = time.perf_counter() - started
        released = _readable(pl.read_csv(release, infer_schema=False))
        told: dict[str, Any] = {**contest.words, "k": k, "suppression": 0.99}
        loss = shoal.measure(contest.frame, released, **told)["measures"]["gcp"]
        kept = _smallest(released, contest.words["quasi"], k)
        who = rival.name
        yield _figure(contest, k, who, (spent.wall, spent.cpu, whole), loss, kept=kept)
    for budget in BUDGETS:
        facts = table.with_name("facts.json")
        output = ["-o", str(release), "--facts", str(facts), "--force"]
        task = [str(table), "-k", str(k), *contest.flags, "--time", str(budget), "--threads", "1"]
        started = time.perf_counter()
        command = [SHOAL, "anonymize", *task, *output, "--algorithm", "auto"]
        subprocess.run(command, check=True, capture_output=True)
        whole = time.perf_counter() - started
        facts_of = json.loads(facts.read_text())
        kept = _smallest(pl.read_csv(release, infer_schema=False), contest.words["quasi"], k)
        solve = facts_of["seconds"]["solve"]
        loss = facts_of["measures"]["gcp"]
        who = f"auto, {budget:g} s"
        yield _figure(contest, k, who, (solve, solve, whole), loss, kept=kept)


def _figure(
    contest: Contest,
    k: int,
    who: str,
    seconds: tuple[float, float, float],
    loss: float,
    *,
    kept: bool,
) -> dict[str, object]:
    solve, cpu, whole = seconds
    return {
        "form": contest.form,
        "k": k,
        "who": who,
        "solve_s": solve,
        "cpu_s": cpu,
        "whole_s": whole,
        "gcp": loss,
        "k_kept": kept,
    }


def _readable(released: pl.DataFrame) -> pl.DataFrame:
    """Return a release with ARX's intervals and sets in our notation; others have them already."""
    return released.with_columns(
        pl.col(name).map_elements(_cell, return_dtype=pl.String) for name in released.columns
    )


def _cell(cell: str) -> str:
    interval = re.fullmatch(r"\[(-?[0-9.]+), (-?[0-9.]+)\]", cell)
    if interval:
        low, high = interval.groups()
        return low if low == high else f"[{low}..{high}]"
    if cell.startswith("{") and cell.endswith("}") and "|" not in cell:
        members = sorted(cell[1:-1].split(", "))
        return members[0] if len(members) == 1 else "{" + "|".join(members) + "}"
    return cell


def _smallest(released: pl.DataFrame, quasi: list[str], k: int) -> bool:
    """Whether every class has k records; suppressed ones are no class."""
    classes = released.group_by(quasi).len().filter(pl.any_horizontal(pl.col(quasi) != "*"))
    return not classes.height or int(classes["len"].min()) >= k  # type: ignore[arg-type]


def _plot(form: str, figures: list[dict[str, Any]]) -> None:
    lines: dict[str, list[tuple[float, float]]] = {}
    for figure in figures:
        ours = str(figure["who"]).startswith("auto")
        name = f"{'auto' if ours else figure['who']}, k={figure['k']}"
        lines.setdefault(name, []).append((figure["solve_s"], figure["gcp"]))
    name = "rivals_" + re.sub(r"\W+", "_", form)
    plot_lines(name, lines, title=form, across="seconds", up="GCP", logarithmic=True)
