"""Mondrian under privacy models and information measures against the slow oracle."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest

from shoal._core import kernels
from shoal.algorithms.kernel_model_kinds import add_to_kernel
from shoal.models import ClassHistograms, Model
from shoal.models.closeness import Closeness
from shoal.models.distinct import DistinctDiversity
from shoal.models.entropy import EntropyDiversity
from shoal.models.frequency import FrequencyDiversity
from shoal.models.ordered_closeness import OrderedCloseness
from shoal.models.recursive import RecursiveDiversity
from tests.core.tables import random_table
from tests.reference import clustering
from tests.reference.information import class_information

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from tests.core.tables import TestTable

VALUES = 4


def models_of(secret: NDArray[np.uint32]) -> dict[str, list[Model]]:
    whole = np.bincount(secret, minlength=VALUES) / len(secret)
    return {
        "distinct": [DistinctDiversity("d", 2)],
        "frequency": [FrequencyDiversity("d", Fraction("1.6"))],
        "entropy": [EntropyDiversity("d", Fraction("1.7"))],
        "recursive": [RecursiveDiversity("d", Fraction(2), 2)],
        "close": [Closeness("d", Fraction("0.3"), whole)],
        "ordered": [OrderedCloseness("d", Fraction("0.2"), whole)],
        "two": [DistinctDiversity("d", 2), Closeness("d", Fraction("0.4"), whole)],
    }


def kernel_form(models: list[Model], secret: NDArray[np.uint32]) -> kernels.Models:
    made = kernels.Models(len(secret))
    for model in models:
        add_to_kernel(model, made, secret)
    return made


def meets(models: list[Model], of_record: NDArray[np.uint32]) -> Callable[[list[int]], bool]:
    def allowed(members: list[int]) -> bool:
        histogram = ClassHistograms.of(
            np.zeros(len(members), dtype=np.int32),
            of_record[members].astype(np.int64),
            np.ones(len(members), dtype=np.int32),
            1,
        )
        return all(bool(model.holds(histogram)[0]) for model in models)

    return allowed


@pytest.mark.parametrize("which", list(models_of(np.zeros(1, dtype=np.uint32))))
@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("keep", [True, False])
def test_cuts_keep_models_as_the_oracle_does(which: str, strict: bool, keep: bool) -> None:
    changed = 0
    for seed in range(60):
        table = random_table(seed, size=30, most_codes=60 if seed % 5 == 0 else 7)
        draw = np.random.default_rng(seed)
        secret = draw.choice(VALUES, table.rows, p=[0.4, 0.3, 0.2, 0.1]).astype(np.uint32)
        of_record = secret[table.row_of]
        models = models_of(of_record)[which]
        k = 1 + seed % 4
        order = table.expand(range(table.rows))
        expected = clustering.mondrian(
            table.attributes,
            order,
            k,
            strict=strict,
            allowed=meets(models, of_record),
            keep=keep,
        )
        placed = kernels.mondrian_with_models(
            kernels.Objective(table.records),
            kernel_form(models, secret),
            k,
            strict,
            keep,
            1,
            kernels.Control(),
        )
        assert table.classes_of(placed) == table.fold_classes(expected)
        free = kernels.mondrian(table.records, k, strict, 1, kernels.Control())
        changed += table.classes_of(free) != table.classes_of(placed)
    assert changed > 10


def information(table: TestTable, secret: list[int], w: float, members: list[int]) -> float:
    return class_information(table.attributes, members, secret, w)


@pytest.mark.parametrize("w", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("strict", [True, False])
def test_attributes_are_ordered_by_what_their_cut_saves(w: float, strict: bool) -> None:
    different = 0
    for seed in range(80):
        table = random_table(seed, size=30)
        secret = np.random.default_rng(seed).integers(0, 3, table.rows).astype(np.uint32)
        of_record = secret[table.row_of].tolist()
        k = 1 + seed % 4

        cost = partial(information, table, of_record, w)
        order = table.expand(range(table.rows))
        expected = clustering.mondrian(table.attributes, order, k, strict=strict, cost=cost)
        placed = kernels.mondrian_with_models(
            kernels.Objective.information(table.records, w, secret, 3),
            kernels.Models(table.rows),
            k,
            strict,
            True,
            1,
            kernels.Control(),
        )
        assert table.classes_of(placed) == table.fold_classes(expected)
        plain = kernels.mondrian(table.records, k, strict, 1, kernels.Control())
        different += table.classes_of(plain) != table.classes_of(placed)
    assert different > 5


@pytest.mark.parametrize("strict", [True, False])
def test_the_result_does_not_depend_on_the_number_of_threads(strict: bool) -> None:
    draw = np.random.default_rng(5)
    rows = 200_000
    records = kernels.Records(draw.integers(1, 3, rows).astype(np.int32))
    for code_count in (2, 72, 41, 7):
        codes = draw.integers(0, code_count, rows).astype(np.uint8)
        records.add_set(codes, code_count, 1 / (code_count - 1), 0.25)
    secret = draw.choice(VALUES, rows, p=[0.7, 0.2, 0.05, 0.05]).astype(np.uint32)
    models = kernel_form(models_of(secret)["two"], secret)
    objective = kernels.Objective.information(records, 0.5, secret, VALUES)
    one, two, seven = (
        kernels.mondrian_with_models(objective, models, 5, strict, True, threads, kernels.Control())
        for threads in (1, 2, 7)
    )
    for other in (two, seven):
        for mine, theirs in zip(one, other, strict=True):
            assert np.array_equal(mine, theirs)
    assert models.holds(*one, int(one[1].max()) + 1).all()


def test_models_of_other_rows_are_refused() -> None:
    records = kernels.Records(np.array([1, 2], dtype=np.int32))
    records.add_set(np.array([0, 1], dtype=np.uint8), 2, 1.0, 1.0)
    with pytest.raises(ValueError, match="rows of the records"):
        kernels.mondrian_with_models(
            kernels.Objective(records), kernels.Models(3), 1, True, True, 1, kernels.Control()
        )
