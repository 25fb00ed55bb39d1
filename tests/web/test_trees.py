"""Trees as pages show and change them."""

from __future__ import annotations

import pytest

from shoal.errors import InputError
from shoal.hierarchies import Hierarchy
from shoal.web.trees import SHOWN, branches_of, with_leaf_moved

TREE = Hierarchy.from_rows(
    [
        ("8001", "80", "*"),
        ("8002", "80", "*"),
        ("9001", "90", "*"),
    ]
)


def test_branches_count_records_and_put_the_fullest_first() -> None:
    (root,) = branches_of(TREE, {"8001": 1, "8002": 2, "9001": 5})

    assert (root.name, root.records) == ("*", 8)
    assert [(child.name, child.records) for child in root.children] == [("90", 5), ("80", 3)]
    assert [leaf.name for leaf in root.children[1].children] == ["8002", "8001"]


def test_many_children_are_counted_not_shown() -> None:
    tree = Hierarchy.from_rows([(str(leaf), "*") for leaf in range(SHOWN + 7)])
    (root,) = branches_of(tree, {})

    assert len(root.children) == SHOWN
    assert root.hidden == 7


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
