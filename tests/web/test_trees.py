"""Trees as pages show and change them."""

from __future__ import annotations

import pytest

from shoal.errors import InputError
from shoal.hierarchies import Hierarchy
from shoal.web.trees import SHOWN, CountedTree, with_leaf_moved

TREE = Hierarchy.from_rows(
    [
        ("8001", "80", "*"),
        ("8002", "80", "*"),
        ("9001", "90", "*"),
    ]
)


def test_branches_count_records_and_put_the_fullest_first() -> None:
    counted = CountedTree(TREE, {"8001": 1, "8002": 2, "9001": 5})
    root = counted.root
    children = counted.children(root.level, root.first, root.last).shown

    assert (root.name, root.records) == ("*", 8)
    assert [(child.name, child.records) for child in children] == [("90", 5), ("80", 3)]
    last = children[1]
    leaves = counted.children(last.level, last.first, last.last).shown
    assert [(leaf.name, leaf.records) for leaf in leaves] == [("8002", 2), ("8001", 1)]
    assert all(leaf.is_leaf for leaf in leaves)


def test_many_children_come_in_parts() -> None:
    tree = Hierarchy.from_rows([(f"{leaf:03}", "*") for leaf in range(SHOWN + 7)])
    counted = CountedTree(tree, {})

    first = counted.children(1, 0, SHOWN + 7)
    rest = counted.children(1, 0, SHOWN + 7, first.following)

    assert (len(first.shown), first.hidden) == (SHOWN, 7)
    assert (len(rest.shown), rest.hidden) == (7, 0)
    names = [one.name for one in (*first.shown, *rest.shown)]
    assert names == sorted(tree.leaves)


def test_a_level_that_repeats_its_only_group_is_skipped() -> None:
    tree = Hierarchy.from_rows([("a", "x", "*"), ("b", "x", "*")])
    counted = CountedTree(tree, {"a": 1})

    assert [one.name for one in counted.children(2, 0, 2).shown] == ["a", "b"]


@pytest.mark.parametrize("node", [(0, 0, 1), (9, 0, 1), (1, 0, 99), (1, 2, 1), (1, -1, 2)])
def test_only_known_nodes_have_children(node: tuple[int, int, int]) -> None:
    with pytest.raises(InputError, match="no such branch"):
        CountedTree(TREE, {}).children(*node)


def test_a_value_moves_to_another_group() -> None:
    moved = with_leaf_moved(TREE, "8002", "90")

    assert sorted(moved.rows()) == [
        ("8001", "80", "*"),
        ("8002", "90", "*"),
        ("9001", "90", "*"),
    ]


@pytest.mark.parametrize(("value", "group"), [("7000", "80"), ("8001", "70"), ("8001", "*")])
def test_only_known_values_and_groups_move(value: str, group: str) -> None:
    with pytest.raises(InputError, match="no such value or group"):
        with_leaf_moved(TREE, value, group)
