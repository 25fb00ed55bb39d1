"""Words for hierarchies: what they mean, and what is no such word."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.errors import HierarchyError, ParameterError
from shoal.hierarchies import Recipe, Way, as_file, file_of, is_recipe, read_hierarchy, with_file


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
    with pytest.raises(ParameterError, match="Unknown hierarchy recipe"):
        Recipe.parse("zip.csv")
    assert not is_recipe(as_file(Path("dates")))
    assert as_file("trees/zip.csv") == "trees/zip.csv"


def test_a_grouping_table_is_a_file_of_another_kind(tmp_path: Path) -> None:
    table = tmp_path / "regions.csv"
    table.write_text("town,region\nUlm,south\nBonn,west\nUlm,south\n")
    word = f"groups:{table}"
    assert not is_recipe(word)
    assert file_of(word) == str(table)
    assert with_file(word, "x.csv") == "groups:x.csv"
    assert with_file("trees/zip.csv", "x.csv") == "x.csv"
    assert as_file("groups:x.csv") != "groups:x.csv"
    assert set(read_hierarchy(word).rows()) == {("Ulm", "south", "*"), ("Bonn", "west", "*")}
    table.write_text("town,region\nUlm,south\nUlm,west\n")
    with pytest.raises(HierarchyError, match="Ulm"):
        read_hierarchy(word)
