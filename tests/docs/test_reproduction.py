"""The page of reproductions: a row for every table and figure, with a command and a reason."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from benchmarks import store
from benchmarks.reproduction_rows import ROWS

if TYPE_CHECKING:
    from collections.abc import Iterable

# How many tables and figures each paper numbers.
NUMBERED: dict[str, dict[str, Iterable[int]]] = {
    "milp": {"Table": range(1, 13), "Figure": range(1, 11)},
    "freeform": {"Table": range(1, 3), "Figure": range(1, 11)},
    "sequential": {"Table": range(1, 4), "Figure": range(1, 7)},
    "annealing": {},
    "kgen": {"Table": range(1, 9), "Figure": range(1, 11)},
}


def named(item: str) -> set[tuple[str, int]]:
    """Return the tables and figures that an item names: "Figure 1, Tables 5 and 6" names three."""
    found = set()
    for kind, numbers in re.findall(r"(Table|Figure)s? ((?:\d+[a-f-]*(?:, | and )?)+)", item):
        found |= {(kind, int(number)) for number in re.findall(r"\d+", numbers)}
    return found


def test_items_are_read() -> None:
    assert named("Figure 1, Tables 5 and 6") == {("Figure", 1), ("Table", 5), ("Table", 6)}
    assert named("Figures 1, 2 and 4") == {("Figure", 1), ("Figure", 2), ("Figure", 4)}
    assert named("Figure 6a-c") == named("Figure 6, k = 5") == {("Figure", 6)}
    assert named("Figure 1, k-member") == {("Figure", 1)}


@pytest.mark.parametrize("paper", NUMBERED)
def test_every_table_and_figure_has_a_row(paper: str) -> None:
    found = {one for row in ROWS if row.paper == paper for one in named(row.item)}
    assert found == {(kind, one) for kind, numbers in NUMBERED[paper].items() for one in numbers}


def test_every_row_is_answered_and_says_why_it_does_not_agree() -> None:
    collected = store.figures("reproduction")
    assert len(collected) == len(ROWS)
    for row in collected:
        assert row["agrees"] in {"yes", "partly", "no", "data"}, row["item"]
        assert row["ours"], row["item"]
        assert row["command"].startswith(("python -m benchmarks ", "pytest tests/")), row["item"]
        assert row["agrees"] not in {"partly", "no"} or row["why"], row["item"]
