"""Words for hierarchies: what they mean, and what is no such word."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.errors import ParameterError
from shoal.hierarchy import Recipe, Way, as_file, is_recipe


@pytest.mark.parametrize(
    ("text", "recipe"),
    [
        ("auto", Recipe(Way.AUTO)),
        ("auto:counts", Recipe(Way.AUTO, ("counts",))),
        ("ranges:5, 10,20", Recipe(Way.RANGES, ("5", "10", "20"))),
        ("quantiles:4", Recipe(Way.QUANTILES, ("4",))),
        ("cuts:18,30,65/30", Recipe(Way.CUTS, ("18", "30", "65/30"))),
        ("stars", Recipe(Way.STARS)),
        ("stars:1,3", Recipe(Way.STARS, ("1", "3"))),
        ("dates:month,year", Recipe(Way.DATES, ("month", "year"))),
    ],
)
def test_recipes_and_back(text: str, recipe: Recipe) -> None:
    assert is_recipe(text)
    assert Recipe.parse(text) == recipe
    assert Recipe.parse(str(recipe)) == recipe


@pytest.mark.parametrize(
    "text", ["ranges", "ranges:", "cuts:1,,2", "quantiles", "auto:magic", "auto:counts,counts"]
)
def test_recipes_that_lack_something(text: str) -> None:
    with pytest.raises(ParameterError) as caught:
        Recipe.parse(text)
    assert caught.value.remedy


def test_files_are_no_recipes() -> None:
    for path in ("zip.csv", "./auto", "C:\\dates", "autos", "/dates", "trees/stars"):
        assert not is_recipe(path)
    with pytest.raises(ParameterError, match="no way"):
        Recipe.parse("zip.csv")
    assert not is_recipe(as_file(Path("dates")))
    assert as_file("trees/zip.csv") == "trees/zip.csv"
