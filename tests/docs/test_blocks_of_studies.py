"""Studies in blocks: processes store parts at the same time, and the page joins them."""

from __future__ import annotations

from math import inf
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks import generated, store

if TYPE_CHECKING:
    from pathlib import Path


def save_parts(folder: Path, first: int) -> None:
    for part in range(first, first + 10):
        store.save("study", {f"{part}": [part]}, seconds=0.0, folder=folder)


def test_processes_that_store_at_the_same_time_lose_no_part(tmp_path: Path) -> None:
    context = get_context("spawn")
    workers = [context.Process(target=save_parts, args=(tmp_path, first)) for first in (0, 10, 20)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    stored = store.load("study", tmp_path)
    assert {name: entry["figures"] for name, entry in stored.items()} == {
        f"{part}": [part] for part in range(30)
    }


def row(table: str, above: float, budget: float) -> dict[str, Any]:
    return {"table": table, "k": 2, "clock": "cpu", "budget": budget, "above": above}


def test_blocks_are_summed_up_together() -> None:
    parts = {
        "10-19": [row("seed 10", -0.1, 1.0), row("seed 10", 0.03, 3.0)],
        "0-9": [row("seed 0", 0.01, 1.0), row("seed 0", 0.2, 3.0)],
    }
    told = generated.summary(generated.rows_of(parts))
    assert told == {
        "tables": 2,
        "cases": 4,
        "at or below": 1,
        "up to 2 % above": 1,
        "2 to 5 % above": 1,
        "more": 1,
        "median": pytest.approx(0.02),
        "worst": 0.2,
    }
    shown = generated.TABLES["distribution"](parts)
    assert [line[:4] for line in shown.rows] == [
        ["held back", "1 CPU s", "2", "2"],
        ["held back", "3 CPU s", "2", "2"],
    ]


def test_seeds_of_development_are_shown_but_not_judged() -> None:
    parts = {
        "10": [row("seed 1,010", -0.1, 1.0)],
        "11": [row("seed 1,011", 0.2, 1.0)],
        "shared-sets": [row("sets", 0.01, 1.0)],
    }
    told = generated.summary(generated.judged_rows(parts))
    assert (told["cases"], told["worst"]) == (2, 0.01)
    shown = generated.TABLES["distribution"](parts)
    assert [(line[0], line[-1]) for line in shown.rows] == [
        ("held back", "-10.0 %"),
        ("development", "+20.0 %"),
        ("shared", "+1.0 %"),
    ]


def test_losses_compare_by_ratio_where_there_is_one() -> None:
    assert generated.above(0.11, 0.1) == pytest.approx(0.1)
    assert generated.above(0.0, 0.0) == 0.0
    assert generated.above(0.5, inf) == -1.0
