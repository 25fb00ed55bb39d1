"""Trees: what they tell, and which rows are refused with the values named."""

from __future__ import annotations

import pytest

from shoal.errors import HierarchyError
from shoal.hierarchies import ROOT, Hierarchy

ROWS = [
    ["Divorced", "alone", "*"],
    ["Married-civ", "together", "*"],
    ["Widowed", "alone", "*"],
    ["Married-AF", "together", "*"],
]


def refusal(rows: list[list[str]]) -> HierarchyError:
    with pytest.raises(HierarchyError) as caught:
        Hierarchy.from_rows(rows)
    return caught.value


def test_every_node_is_an_interval_of_leaves() -> None:
    tree = Hierarchy.from_rows(ROWS)
    assert set(tree.leaves) == {row[0] for row in ROWS}
    assert tree.height == 2
    below = {
        name: set(tree.leaves[tree.node_first[node] : tree.node_last[node] + 1])
        for name, node in tree.node_of_name.items()
    }
    assert below == {
        "Divorced": {"Divorced"},
        "Widowed": {"Widowed"},
        "Married-civ": {"Married-civ"},
        "Married-AF": {"Married-AF"},
        "alone": {"Divorced", "Widowed"},
        "together": {"Married-civ", "Married-AF"},
        ROOT: {row[0] for row in ROWS},
    }


def test_ancestors_are_the_names_of_the_rows() -> None:
    tree = Hierarchy.from_rows(ROWS)
    for row in ROWS:
        leaf = tree.position[row[0]]
        assert [tree.node_names[node] for node in tree.ancestors[:, leaf]] == row


def test_a_name_repeated_on_a_branch_is_one_node() -> None:
    tree = Hierarchy.from_rows([["a", "a", "*"], ["b", "g", "*"], ["c", "g", "*"]])
    leaf = tree.position["a"]
    assert tree.ancestors[0, leaf] == tree.ancestors[1, leaf]


def test_a_single_leaf_under_the_root() -> None:
    tree = Hierarchy.from_rows([["only", "*"]])
    assert tree.leaves == ("only",)
    assert tree.height == 1


def test_no_rows() -> None:
    assert "empty" in refusal([]).what


def test_duplicate_leaves_are_named() -> None:
    error = refusal([["a", "g", "*"], ["b", "g", "*"], ["a", "h", "*"]])
    assert "'a'" in error.what
    assert "'b'" not in error.what


def test_uneven_rows_are_named() -> None:
    error = refusal([["a", "g", "*"], ["b", "*"], ["c", "g", "h", "*"]])
    assert "row 1 has 3 levels" in error.what
    assert "2 rows" in error.what
    assert "row 2" in error.what


def test_groups_that_do_not_nest_are_named() -> None:
    error = refusal([["a", "g", "x", "*"], ["b", "g", "y", "*"], ["c", "h", "y", "*"]])
    assert "'g'" in error.what
    assert "'h'" not in error.what
    assert "level 1" in error.what


def test_a_name_with_two_meanings_is_named() -> None:
    error = refusal([["a", "b", "*"], ["b", "g", "*"], ["c", "g", "*"]])
    assert "'b'" in error.what
    assert "Rename" in error.remedy


@pytest.mark.parametrize("rows", [[["a"]], [["a", "g"]], [["a", "*"], ["b", "Any"]]])
def test_the_root_must_be_a_star(rows: list[list[str]]) -> None:
    assert "last level must be *" in refusal(rows).what


def test_missing_values_are_named() -> None:
    tree = Hierarchy.from_rows(ROWS)
    tree.require(["Divorced", "Widowed"], "marital")
    with pytest.raises(HierarchyError) as caught:
        tree.require(["Divorced", "Single", "Engaged"], "marital")
    assert "'marital' lacks 2 of its values: 'Engaged', 'Single'" in caught.value.what


def test_many_missing_values_are_counted() -> None:
    tree = Hierarchy.from_rows(ROWS)
    with pytest.raises(HierarchyError, match=r"lacks 19 .* and 9 more"):
        tree.require([str(number) for number in range(19)], "marital")
