"""What sets of categories lose, in the three ways there are, for measures and kernels alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.algorithms import Form, Problem, algorithms
from shoal.encoding import encode
from shoal.errors import ParameterError, SchemaError
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Table
from tests.reference.loss import release_loss
from tests.tables import MIXED, mixed_table

LOSSES = ["share", "paper", "binary"]
IN_CLASSES = [name for name, one in algorithms().items() if one.traits.form is Form.CLASSES]
LETTERS = pl.DataFrame({"job": list("abcdefghij")})


def problem(frame: pl.DataFrame, k: int, **words: Any) -> Problem:
    job = Job.from_dict({"k": k, **words})
    return Problem.of(encode(Table.of(frame, schema_of(frame, job))), k)


@pytest.mark.parametrize(
    ("set_loss", "expected"),
    [
        ("share", [0, 1 / 9, 2 / 9, 1.0]),
        ("paper", [0, 0.1, 0.2, 0.9]),
        # As ten binary attributes of weight 1/10: those of the values that show are mixed.
        ("binary", [0, 0.2, 0.3, 1.0]),
    ],
)
def test_loss_by_the_number_of_values(set_loss: str, expected: list[float]) -> None:
    asked = problem(LETTERS, 2, quasi=["job"], set_loss=set_loss)
    (domain,) = asked.domains
    rows = np.array([0, 0, 1, 0, 1, 2, *range(10)], dtype=np.int32)
    classes = np.repeat(np.arange(4, dtype=np.int32), [1, 2, 3, 10])
    closures, index = domain.close(asked.codes[0][rows], np.array([0, 1, 3, 6]))
    np.testing.assert_allclose(domain.loss(closures)[index], expected)
    totals = asked.objective().totals(rows, classes, np.ones_like(rows), 4)
    np.testing.assert_allclose(totals, np.array(expected) * [1, 2, 3, 10])


@pytest.mark.parametrize("name", ["annealing", "ff-greedy", "flash"])
def test_binary_columns_are_for_classes(name: str) -> None:
    with pytest.raises(ParameterError, match="binary"):
        shoal.anonymize(mixed_table(60, 3), k=3, algorithm=name, set_loss="binary", **MIXED)


@pytest.mark.parametrize("set_loss", LOSSES)
@pytest.mark.parametrize("name", IN_CLASSES)
def test_algorithms_and_measures_agree(name: str, set_loss: str) -> None:
    frame = mixed_table(60, 3, missing=0.1, spread=5)
    words: dict[str, Any] = {**MIXED, "set_loss": set_loss}
    made = shoal.anonymize(frame, k=3, algorithm=name, seed=1, **words)
    rows = made.custody.rows.tolist()
    classes: dict[tuple[str, ...], list[int]] = {}
    for row, cells in zip(rows, made.frame.select(MIXED["quasi"]).rows(), strict=True):
        classes.setdefault(cells, []).append(row)
    job = Job.from_dict({"k": 3, **{word: words[word] for word in words if word != "hierarchy"}})
    schema = schema_of(frame, job, MIXED["hierarchy"])
    expected = release_loss(frame, schema, list(classes.values()))
    assert made.figures.measures["gcp"] == pytest.approx(expected)
    again = shoal.measure(frame, made.frame, k=3, **words)
    assert again["measures"]["gcp"] == pytest.approx(expected)


@pytest.mark.parametrize("set_loss", LOSSES)
def test_suppression_knows_what_sets_lose(set_loss: str) -> None:
    frame = mixed_table(120, 4)
    words: dict[str, Any] = {**MIXED, "k": 4, "seed": 1, "set_loss": set_loss}
    everyone = shoal.anonymize(frame, **words).figures.measures["gcp_released"]
    fewer = shoal.anonymize(frame, suppression=0.1, suppress_for="released", **words)
    assert fewer.figures.measures["gcp_released"] < everyone


def test_binary_columns_are_refused_where_they_make_no_sense() -> None:
    with pytest.raises(ParameterError, match="binary columns"):
        shoal.anonymize(LETTERS, k=2, quasi=["job"], set_loss="binary", measure="mi")
    many = pl.DataFrame({"job": [f"j{i}" for i in range(300)]})
    with pytest.raises(SchemaError, match="300 categories"):
        shoal.anonymize(many, k=2, quasi=["job"], set_loss="binary")
