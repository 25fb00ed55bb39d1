"""The page of reproductions: a row for every table and figure, with a command and a reason."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from benchmarks import reproduction, store
from benchmarks.__main__ import parts_of, parts_to_run
from benchmarks.freeform_figures import FAMILY
from benchmarks.reproduction_freeform import OURS, PROGRAM, ff_7b, ff_9
from benchmarks.reproduction_reading import GREEDY, MEMBER, annealing, milp_8
from benchmarks.reproduction_rows import ROWS
from benchmarks.reproduction_sequential import seq_ties

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


def test_rows_are_those_of_the_stored_results() -> None:
    """Else run: python -m benchmarks reproduction, and python -m docs.generate."""
    assert store.figures("reproduction") == [reproduction.collected(row) for row in ROWS]


def test_commands_name_parts_that_can_be_run() -> None:
    for row in store.figures("reproduction"):
        if not row["command"].startswith("python -m benchmarks "):
            continue
        for name in row["command"].split()[3:]:
            study, _, parts = name.partition(":")
            assert set(filter(None, parts.split(","))) <= set(parts_of(study)), row["item"]


def test_long_parts_run_only_if_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SHOAL_FULL", raising=False)
    part = "figure_10_k50_64000_ff-hungarian"
    assert part in parts_of("freeform_figures")
    assert part not in parts_to_run("freeform_figures")
    assert "figure_6" in parts_to_run("freeform_figures")
    monkeypatch.setenv("SHOAL_FULL", "1")
    assert parts_to_run("freeform_figures") == list(parts_of("freeform_figures"))


def test_only_rows_of_experiments_have_a_commit() -> None:
    for row, shown in zip(ROWS, store.figures("reproduction"), strict=True):
        assert bool(shown["commit"]) == bool(row.read), row.item


def timed(algorithm: str, *seconds: float, **more: int) -> list[dict[str, object]]:
    """Return rows of Figure 7b: tables of 7 records, and twice as many in each step."""
    return [
        {"algorithm": algorithm, "n": 7 * 2**place, "cpu_s": one, "samples": 20, **more}
        for place, one in enumerate(seconds)
    ]


@pytest.mark.parametrize(
    ("program", "greedy", "agrees"),
    [
        ((0.1, 9.0), (2e-3, 2e-3), "yes"),
        ((0.1, 9.0), (9e-3, 9e-3), "partly"),  # Greedy is not between NH and k-c
        ((0.1, 0.1), (2e-3, 2e-3), "no"),  # no growth
        ((1e-4, 1e-2), (2e-3, 2e-3), "no"),  # growth, but not the slowest
    ],
)
def test_the_program_of_figure_7b_must_grow(
    program: tuple[float, ...], greedy: tuple[float, ...], agrees: str
) -> None:
    figures = timed("ring", 1e-3, 1e-3) + timed("k-concealment", 3e-3, 3e-3)
    for name in OURS:
        figures += timed(name, *greedy)
    figures += timed(PROGRAM, *program, proved=3)
    told, found = ff_7b(figures)
    assert found == agrees
    assert "(3 of 20 proved)" in told


@pytest.mark.parametrize(
    ("first", "rarest", "agrees"),
    [(1.05, 1.03, "yes"), (1.2, 1.05, "partly"), (1.2, 1.15, "no")],
)
def test_ties_that_the_paper_does_not_name_agree_in_part(
    first: float, rarest: float, agrees: str
) -> None:
    ways = {
        "k-member, ties to the first in sorted order": first,
        "k-member, ties to the rarest": rarest,
    }
    figures = [{"k": 10, "way": way, "over sequential": one} for way, one in ways.items()]
    assert seq_ties(figures)[1] == agrees


@pytest.mark.parametrize(
    ("error", "original", "agrees"),
    [(0.181, 0.173, "yes"), (0.181, 0.12, "partly"), (0.25, 0.24, "partly"), (0.25, 0.12, "no")],
)
def test_errors_of_the_printed_grouping_decide(error: float, original: float, agrees: str) -> None:
    row = {
        "grouping": "the paper's",
        "classifier": "naive Bayes",
        "cells": 18,
        "least": 284,
        "cm": 0.18,
        "error": error,
        "error on the original": original,
        "majority": 0.25,
    }
    assert annealing([row])[1] == agrees


@pytest.mark.parametrize(("greedy", "agrees"), [(0.29, "yes"), (0.31, "partly"), (0.6, "no")])
def test_greedy_must_be_ahead_at_k_100(greedy: float, agrees: str) -> None:
    figures = []
    for k, ours, theirs in ((10, 0.2, 0.2), (100, greedy, 0.3)):
        for m in (15, 25, 35):
            for name, loss, seconds in (
                (GREEDY, ours, 1.0),
                (MEMBER, theirs, 1.0),
                ("mondrian", 0.4 + m / 1_000, 0.1),
            ):
                row = {"algorithm": f"{name}, k={k}", "m": m, "loss": loss, "CPU s": seconds}
                figures.append(row)
    assert milp_8(figures)[1] == agrees


@pytest.mark.parametrize(
    ("sort_greedy", "hungarian", "seconds", "agrees"),
    [
        (0.01, 0.01, 2.0, "yes"),
        (0.01, 0.01, 9.0, "partly"),  # slower than k-c
        (0.05, 0.01, 2.0, "partly"),  # SortGreedy grows more than NH
        (0.01, 0.05, 2.0, "no"),
    ],
)
def test_growth_with_the_dimension_is_compared_with_both_rivals(
    sort_greedy: float, hungarian: float, seconds: float, agrees: str
) -> None:
    slopes = dict.fromkeys(FAMILY, 0.01) | {"ring": 0.03, "k-concealment": 0.04}
    slopes |= {"ff-sortgreedy": sort_greedy, "ff-hungarian": hungarian}
    times = dict.fromkeys(FAMILY, 2.0) | {"ring": 1.0, "k-concealment": 3.0}
    times["ff-sortgreedy"] = seconds
    figures = [
        {
            "algorithm": name,
            "n": 10_000,
            "d": d,
            "k": 30,
            "gcp": slopes[name] * (d - 2),
            "slope": slopes[name] if d > 2 else None,
            "cpu_s": times[name],
        }
        for name in FAMILY
        for d in range(2, 9)
    ]
    assert ff_9(figures)[1] == agrees
