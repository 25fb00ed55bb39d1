"""Models as users write them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.errors import (
    HierarchyError,
    InfeasibleError,
    ParameterError,
    SchemaError,
    ValueReadError,
)
from shoal.models import Closeness, RecursiveDiversity, definitions, parse_models, split_models
from shoal.options import Job

SENSITIVE = ["disease", "income"]


def test_without_a_column_every_sensitive_one_is_meant() -> None:
    found = parse_models(["recursive-l-diversity:3,2", "t-closeness:.2@income"], SENSITIVE)
    assert found == [
        RecursiveDiversity("disease", 3, 2),
        RecursiveDiversity("income", Fraction(3), 2),
        Closeness("income", "0.2"),
    ]


@pytest.mark.parametrize("name", definitions())
def test_examples_can_be_read(name: str) -> None:
    definition = definitions()[name]
    if definition.whole_release:
        (whole,) = split_models([definition.example])[1]
        assert isinstance(whole, definition.model)
        assert str(whole) == definition.example
        return
    (model,) = parse_models([definition.example], ["x"])
    assert isinstance(model, definition.model)
    assert str(model) == f"{definition.example}@x"


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("frequency-diversity:2", "frequency-l-diversity"),
        ("k-anonymity:2", "Choose one of 'average-risk'"),
        ("distinct-l-diversity", "does not specify l"),
        ("distinct-l-diversity:", "does not specify l"),
        ("distinct-l-diversity:2.5", "must be whole"),
        ("distinct-l-diversity:0", "at least 1"),
        ("frequency-l-diversity:0.9", "at least 1"),
        ("frequency-l-diversity:nan", "does not specify l"),
        ("frequency-l-diversity:1e9", "does not specify l"),
        ("recursive-l-diversity:3", "does not specify c and l"),
        ("recursive-l-diversity:3,2,1", "does not specify c and l"),
        ("recursive-l-diversity:0,2", "c must be"),
        ("t-closeness:1.5", "between 0 and 1"),
        ("t-closeness:-0.1", "does not specify t"),
        ("t-closeness:0.1@incom", "Did you mean 'income'"),
        ("t-closeness:0.1@age", "not a sensitive column"),
    ],
)
def test_words_that_cannot_be_taken_say_why(word: str, said: str) -> None:
    with pytest.raises(ParameterError) as caught:
        parse_models([word], SENSITIVE)
    assert said in str(caught.value)


def test_a_model_needs_a_sensitive_column() -> None:
    with pytest.raises(ParameterError, match="`sensitive`"):
        parse_models(["distinct-l-diversity:2"], [])


def test_a_job_reads_several_models_from_one_text() -> None:
    job = Job.from_dict(
        {"k": 2, "quasi": ["b"], "model": "recursive-l-diversity:3,2@a, t-closeness:0.2"}
    )
    assert job.models == ("recursive-l-diversity:3,2@a", "t-closeness:0.2")


PEOPLE = pl.DataFrame({"age": [1, 2, 3, 4, 5, 6], "ill": [*"aaaabc"]})


def test_infeasible_goals_are_refused_at_once_with_the_largest_feasible_value() -> None:
    with pytest.raises(InfeasibleError, match=r"largest feasible l is 1\.5\.") as caught:
        shoal.anonymize(
            PEOPLE, k=2, quasi=["age"], sensitive=["ill"], models="frequency-l-diversity:2"
        )
    assert caught.value.feasible == 1.5


def test_hierarchical_distance_needs_a_tree_that_knows_every_value() -> None:
    words: dict[str, Any] = {"k": 2, "quasi": ["age"], "sensitive": ["ill"]}
    word = "hierarchical-t-closeness:0.5"
    with pytest.raises(SchemaError, match=r"hierarchy=\{'ill': 'FILE'\}"):
        shoal.anonymize(PEOPLE, models=word, **words)
    tree = shoal.Hierarchy.from_rows([["a", "x", "*"], ["b", "x", "*"]])
    with pytest.raises(HierarchyError, match="1 records, the first in data row 6"):
        shoal.anonymize(PEOPLE, models=word, hierarchy={"ill": tree}, **words)


def test_an_order_that_lacks_values_is_refused_without_naming_them() -> None:
    with pytest.raises(ValueReadError, match="data row 6") as caught:
        shoal.anonymize(
            PEOPLE,
            k=2,
            quasi=["age"],
            sensitive=["ill"],
            models="ordered-t-closeness:0.5",
            order={"ill": ["a", "b"]},
        )
    assert "'c'" not in str(caught.value)
