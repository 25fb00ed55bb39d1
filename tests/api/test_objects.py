"""Objects beside texts: algorithms, privacy models, recipes and ranges mean what their texts do."""

from __future__ import annotations

import datetime
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.algorithms import algorithms
from shoal.algorithms.index import places
from shoal.errors import ParameterError
from shoal.hierarchies import Auto, Cuts, Dates, Groups, Quantiles, Ranges, Recipe, Stars, Way

PEOPLE = pl.DataFrame(
    {
        "age": [35, 36, 37, 61, 62, 66],
        "sex": list("FFFMMM"),
        "ill": ["flu", "cold", "flu", "gout", "flu", "cold"],
    }
)
ROLES: dict[str, Any] = {"k": 3, "quasi": ["age", "sex"], "sensitive": ["ill"], "seed": 7}


@pytest.mark.parametrize(
    ("objects", "texts"),
    [
        (
            {"algorithm": shoal.algorithms.Mondrian(cuts="relaxed")},
            {"algorithm": "mondrian", "param": {"cuts": "relaxed"}},
        ),
        ({"algorithm": shoal.algorithms.Greedy()}, {"algorithm": "greedy"}),
        (
            {"models": [shoal.models.DistinctDiversity("ill", 2)]},
            {"models": "distinct-l-diversity:2@ill"},
        ),
        ({"hierarchy": {"age": Ranges(5, 10, 20)}}, {"hierarchy": {"age": "ranges:5,10,20"}}),
        ({"value_range": {"age": (0, 100)}}, {"value_range": {"age": "0:100"}}),
    ],
)
def test_objects_give_the_release_that_texts_give(
    objects: dict[str, Any], texts: dict[str, Any]
) -> None:
    by_objects = shoal.anonymize(PEOPLE, **ROLES, **objects)
    by_texts = shoal.anonymize(PEOPLE, **ROLES, **texts)
    assert by_objects.frame.equals(by_texts.frame)
    assert by_objects.job == by_texts.job
    assert shoal.Job(**ROLES, **objects) == shoal.Job(**ROLES, **texts)


def test_a_range_of_dates() -> None:
    limits = (datetime.date(1900, 1, 1), datetime.date(2025, 12, 31))
    job = shoal.Job(k=2, quasi=["born"], value_range={"born": limits})
    assert job.value_range == {"born": "1900-01-01:2025-12-31"}


@pytest.mark.parametrize(
    ("recipe", "text"),
    [
        (Auto(), "auto"),
        (Auto(by="cooccurrence"), "auto:cooccurrence"),
        (Ranges(5, 10, 20), "ranges:5,10,20"),
        (Ranges(0.5, 1), "ranges:0.5,1"),
        (Quantiles(8, 4, 2), "quantiles:8,4,2"),
        (Cuts(18, 65), "cuts:18,65"),
        (Cuts([18, 30, 65], [18, 65]), "cuts:18,30,65/18,65"),
        (Cuts(datetime.date(1990, 1, 1)), "cuts:1990-01-01"),
        (Stars(), "stars"),
        (Stars(2, 3), "stars:2,3"),
        (Dates(), "dates"),
        (Dates("month", "year"), "dates:month,year"),
    ],
)
def test_recipes_are_their_texts(recipe: Recipe, text: str) -> None:
    assert str(recipe) == text
    assert recipe == Recipe.parse(text)
    assert hash(recipe) == hash(Recipe.parse(text))
    assert repr(recipe) == f"{type(recipe).__name__}({text!r})"


def test_every_way_to_make_a_hierarchy_has_a_class() -> None:
    classes = (Auto(), Ranges(1), Quantiles(2), Cuts(1), Stars(), Dates())
    # Facts alone list groups one by one.
    assert {recipe.way for recipe in classes} == set(Way) - {Way.SETS, Way.TEXTS}


def test_a_grouping_table_is_its_text() -> None:
    assert Groups("regions.csv") == "groups:regions.csv"
    assert shoal.Job(k=2, quasi=["a"], hierarchy={"a": Groups("x.csv")}).hierarchy == {
        "a": "groups:x.csv"
    }


def test_a_recipe_builds_the_hierarchy_of_its_text() -> None:
    by_object = shoal.build_hierarchy(PEOPLE, "age", Ranges(5, 10))
    assert by_object.rows() == shoal.build_hierarchy(PEOPLE, "age", "ranges:5,10").rows()


@pytest.mark.parametrize("make", [Ranges, Quantiles, Cuts])
def test_recipes_need_their_numbers(make: type[Recipe]) -> None:
    with pytest.raises(ParameterError, match="lacks its numbers"):
        make()  # type: ignore[call-arg]


def test_parameters_of_an_algorithm_are_given_once() -> None:
    with pytest.raises(ParameterError, match="given twice"):
        shoal.anonymize(
            PEOPLE, algorithm=shoal.algorithms.Mondrian(), param={"cuts": "strict"}, **ROLES
        )


def test_wrong_parameters_are_all_named() -> None:
    with pytest.raises(ParameterError) as caught:
        shoal.algorithms.Mondrian(cuts="loose", cutz=1)  # type: ignore[arg-type, call-arg]
    assert len(caught.value.mistakes) == 2
    assert "It takes one of strict, relaxed." in str(caught.value)
    assert "has no parameter 'cutz'. Did you mean 'cuts'?" in str(caught.value)


def test_parameters_that_exclude_each_other_are_refused_in_plain_words() -> None:
    with pytest.raises(ParameterError, match="'symmetric' of 'ff-greedy': leave chooser out"):
        shoal.algorithms.FreeformGreedy(chooser="original", symmetric=True)


def test_every_algorithm_is_an_attribute() -> None:
    ours = {name: one for name, one in algorithms().items() if one.__module__.startswith("shoal.")}
    assert list(places()) == list(ours)
    for name, one in ours.items():
        assert getattr(shoal.algorithms, one.__name__) is one
        assert one.__name__ in dir(shoal.algorithms)
        assert places()[name].module == one.__module__


def test_a_job_takes_hierarchy_objects_as_the_function_does() -> None:
    tree = shoal.build_hierarchy(PEOPLE, "age", "ranges:5")
    job = shoal.Job(hierarchy={"age": tree}, **ROLES)
    assert job.run(PEOPLE).frame.equals(
        shoal.anonymize(PEOPLE, hierarchy={"age": tree}, **ROLES).frame
    )
