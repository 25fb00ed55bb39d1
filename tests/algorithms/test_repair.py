"""The common repair: which classes are united so that models hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.algorithms import Partition, Problem, Run
from shoal.algorithms.cluster.repair import unite_until_models_hold
from shoal.encoding import encode
from shoal.privacy import parse_models, protect
from shoal.table import Table, declare
from tests.tables import MIXED, mixed_table


def repaired(ages: list[int], ills: str, classes: list[int], word: str) -> list[list[int]]:
    """Return the ages of each class after the repair."""
    frame = pl.DataFrame({"age": ages, "ill": [*ills]})
    table = Table.of(frame, declare(frame, quasi=["age"], sensitive=["ill"]))
    made = protect(parse_models([word], ["ill"])[0], table)
    problem = Problem.of(encode(table), 2, models=(made.model,), protected=(made.codes,))
    rows = np.arange(len(ages))
    partition = Partition.of(
        problem.folded.row_of[rows], np.array(classes), np.ones(len(ages), np.int32)
    )
    run = Run(seed=1)
    after = unite_until_models_hold(problem, partition, run)
    age_of_row = np.array(ages)[problem.folded.first]
    return sorted(
        sorted(age_of_row[after.rows[after.classes == one]].tolist()) for one in range(after.number)
    )


def test_sound_classes_are_left_alone() -> None:
    classes = repaired([1, 2, 8, 9], "abab", [0, 0, 1, 1], "distinct-l-diversity:2")
    assert classes == [[1, 2], [8, 9]]


def test_the_cheapest_class_that_mends_is_preferred_to_a_cheaper_one_that_does_not() -> None:
    # 10 and 11 are nearest to 12 and 13, but all four hold a: each pair turns outwards.
    ages, ills = [10, 11, 12, 13, 6, 7, 16, 17], "aaaaabab"
    classes = repaired(ages, ills, [0, 0, 1, 1, 2, 2, 3, 3], "distinct-l-diversity:2")
    assert classes == [[6, 7, 10, 11], [12, 13, 16, 17]]


def test_a_sound_class_that_takes_in_too_much_goes_on_growing() -> None:
    # Whatever unites first, only the whole table holds as many b as a.
    classes = repaired([1, 2, 3, 4, 5, 6], "aaabbb", [0, 0, 0, 0, 1, 1], "frequency-l-diversity:2")
    assert classes == [[1, 2, 3, 4, 5, 6]]


@pytest.mark.parametrize(
    "word", ["distinct-l-diversity:4", "entropy-l-diversity:4", "t-closeness:0.9"]
)
def test_columns_of_many_values_are_repaired_too(word: str) -> None:
    frame = mixed_table(240, 23).with_columns(
        wage=pl.Series([f"v{max(0, i - 100)}" for i in range(240)])
    )
    words: dict[str, Any] = {**MIXED, "sensitive": ["disease", "wage"], "model": f"{word}@wage"}
    release = shoal.anonymize(frame, k=4, seed=3, **words)
    assert release.verdict.passed
    assert release.facts["classes"] > 1
    assert any("were united" in note for note in release.facts["notes"])
