"""The common repair: how classes change so that models hold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.algorithms import Partition, Problem, Run, solve_partition
from shoal.algorithms.cluster.repair import merge_until_models_hold, repair
from shoal.encoding import encode, encode_values
from shoal.models import ClassHistograms, parse_models, protect
from shoal.models.distinct import DistinctDiversity
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Table, declare
from tests.tables import MIXED, mixed_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORDS = {key: value for key, value in MIXED.items() if key != "hierarchy"}


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
    after = repair(problem, partition, run)
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


def test_classes_unite_where_no_exchange_helps() -> None:
    # Three records never hold as many b as a.
    classes = repaired([1, 2, 3, 4, 5, 6], "aabbab", [0, 0, 0, 1, 1, 1], "frequency-l-diversity:2")
    assert classes == [[1, 2, 3, 4, 5, 6]]


@pytest.mark.parametrize(
    "word", ["distinct-l-diversity:4", "entropy-l-diversity:4", "t-closeness:0.9"]
)
def test_columns_of_many_values_are_repaired_too(word: str) -> None:
    frame = mixed_table(240, 23).with_columns(
        wage=pl.Series([f"v{max(0, i - 100)}" for i in range(240)])
    )
    words: dict[str, Any] = {**MIXED, "sensitive": ["disease", "wage"], "model": f"{word}@wage"}
    release = shoal.anonymize(frame, k=4, seed=3, algorithm="k-member", **words)
    assert release.verdict.passed
    assert release.facts["classes"] > 1
    assert any("so that every class meets" in note for note in release.custody.notes)


def test_records_change_places_where_that_costs_less_than_uniting() -> None:
    # 3 and 4 lie next to each other: an exchange widens both classes by a year.
    ages, ills = [1, 2, 3, 4, 5, 6], "aaabbb"
    classes = repaired(ages, ills, [0, 0, 0, 1, 1, 1], "distinct-l-diversity:2")
    assert classes == [[1, 2, 4], [3, 5, 6]]


def test_records_go_to_several_classes_where_that_costs_least() -> None:
    # 10 belongs to the left, 90 to the right; neither neighbour can give a b away.
    ages, ills = [10, 90, 9, 11, 89, 91], "aaabab"
    classes = repaired(ages, ills, [0, 0, 1, 1, 2, 2], "distinct-l-diversity:2")
    assert classes == [[9, 10, 11], [89, 90, 91]]


@dataclass(frozen=True, slots=True)
class AtLeastTwo:
    """A model that kernels do not know."""

    column: str

    def holds(self, classes: ClassHistograms) -> NDArray[np.bool_]:
        return DistinctDiversity(self.column, 2).holds(classes)

    def shortfalls(self, classes: ClassHistograms) -> NDArray[np.float64]:
        return DistinctDiversity(self.column, 2).shortfalls(classes)


def test_models_that_kernels_do_not_know_are_repaired_by_merging() -> None:
    frame = pl.DataFrame({"age": [1, 2, 3, 4, 5, 6, 7, 8], "ill": [*"aaabbbab"]})
    table = Table.of(frame, declare(frame, quasi=["age"], sensitive=["ill"]))
    codes = np.array([0, 0, 0, 1, 1, 1, 0, 1], dtype=np.uint8)
    asked = Problem.of(encode(table), 2)
    problem = replace(
        asked, models=cast("Any", (AtLeastTwo("ill"),)), protected=(codes[asked.folded.first],)
    )
    partition = Partition.of(
        problem.folded.row_of, np.array([0, 0, 0, 1, 1, 1, 2, 2]), np.ones(8, np.int32)
    )
    run = Run(seed=1)
    after = repair(problem, partition, run)
    assert sorted(after.sizes.tolist()) == [2, 6]
    assert any("1 of 3 classes were merged" in note for note in run.notes)


@pytest.mark.parametrize("measure", ["gcp", "mi", "pmi"])
@pytest.mark.parametrize("word", ["distinct-l-diversity:2", "frequency-l-diversity:1.7"])
def test_repair_loses_no_more_than_uniting_alone(measure: str, word: str) -> None:
    gains = []
    for seed in range(4):
        frame = mixed_table(300, seed)
        table = Table.of(
            frame, schema_of(frame, Job.from_dict({**WORDS, "k": 4}), MIXED["hierarchy"])
        )
        made = protect(parse_models([word], ["disease"])[0], table)
        target, _ = encode_values(table.frame["disease"])
        problem = Problem.of(encode(table), 4, models=(made.model,), protected=(made.codes,),
                             measure=measure, target=target)  # fmt: skip
        runs = solve_partition("sorted", replace(problem, models=(), protected=()), Run(seed=1))
        after = repair(problem, runs, Run(seed=1))
        plain = merge_until_models_hold(problem, runs, Run(seed=1))
        assert made.model.holds(after.histograms(problem.protected[0])).all()
        assert after.sizes.min() >= 4
        gains.append(total(problem, plain) - total(problem, after))
    assert sum(gains) > 0


def total(problem: Problem, partition: Partition) -> float:
    entries = (partition.rows, partition.classes, partition.counts, partition.number)
    return float(problem.objective().totals(*entries).sum())
