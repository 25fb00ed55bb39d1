"""Hundreds of quasi-identifiers: products overflow unless logarithms are kept."""

from __future__ import annotations

import sys
from fractions import Fraction
from math import log2
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.algorithms import algorithms


def table(records: int, columns: int) -> pl.DataFrame:
    draw = np.random.default_rng(1)
    return pl.DataFrame(
        {
            f"c{place}": draw.integers(0, 50, records)
            if place % 3
            else draw.choice(list("abcdefgh"), records)
            for place in range(columns)
        }
    )


@pytest.mark.parametrize("columns", [150, 300])
def test_a_wide_table_is_released_and_measured(columns: int) -> None:
    # Warnings are errors in these tests: none may escape.
    frame = table(60, columns)
    made = shoal.anonymize(frame, k=5, quasi=frame.columns, algorithm="mondrian", seed=1)
    assert made.verdict.passed
    measured = made.figures.measures
    assert 0 < measured["gcp"] < 1
    assert 1 < measured["am"] <= sys.float_info.max
    assert np.isfinite(measured["kl"])


def test_the_measures_of_a_wide_table_are_exact() -> None:
    """One class of all: AM is the product of all sizes, KL the logarithm of it less that of n."""
    frame = pl.DataFrame({f"c{place}": [0, 1, 2, 3, 4] for place in range(420)})
    made = shoal.anonymize(frame, k=5, quasi=frame.columns, algorithm="mondrian", seed=1)
    combinations = Fraction(5) ** 420
    assert made.figures.measures["am"] == pytest.approx(float(combinations), rel=1e-9)
    assert made.figures.measures["kl"] == pytest.approx(420 * log2(5) - log2(5), rel=1e-12)


def test_what_no_number_holds_is_the_largest_number() -> None:
    frame = pl.DataFrame({f"c{place}": [0, 1, 2, 3, 4] for place in range(500)})
    made = shoal.anonymize(frame, k=5, quasi=frame.columns, algorithm="mondrian", seed=1)
    assert made.figures.measures["am"] == sys.float_info.max
    assert made.figures.measures["kl"] == pytest.approx(499 * log2(5), rel=1e-12)


LATTICE = ["exhaustive", "flash", "incognito", "ola", "samarati"]


@pytest.mark.parametrize("name", LATTICE)
def test_a_lattice_beyond_any_number_is_refused_with_its_size(name: str) -> None:
    frame = pl.DataFrame({f"c{place}": range(20) for place in range(520)})
    with pytest.raises(shoal.ParameterError, match=r"this one has \d\.\d\de\+1\d\d nodes or more"):
        shoal.anonymize(frame, k=5, quasi=frame.columns, algorithm=name)


@pytest.mark.parametrize("name", sorted(set(algorithms()) - set(LATTICE)))
def test_every_other_algorithm_works_on_a_wide_table(name: str) -> None:
    frame = table(24, 70)  # more columns than a word has bits, and too many to multiply
    budget: dict[str, Any] = {"steps": 200} if algorithms()[name].traits.anytime else {}
    if name in {"ff-mip", "milp"}:
        budget = {"time": 0.2}  # the steps of their solver take any time
    made = shoal.anonymize(frame, k=3, quasi=frame.columns, algorithm=name, seed=1, **budget)
    assert made.verdict.passed
