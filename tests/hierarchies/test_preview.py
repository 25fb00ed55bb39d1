"""What levels make of a column, counted by hand."""

from __future__ import annotations

from shoal.hierarchies import Hierarchy, Level, preview

TREE = Hierarchy.from_rows(
    [
        ["a", "vowel", "*"],
        ["b", "other", "*"],
        ["c", "other", "*"],
        ["d", "other", "*"],
        ["", "unknown", "*"],
    ]
)


def test_levels_are_counted() -> None:
    levels = preview(TREE, {"a": 5, "b": 2, "c": 1, "": 4}, examples=2)
    assert levels == [
        Level(0, 4, 1, 1, 5, (("a", 5), ("c", 1))),
        Level(1, 3, 0, 3, 5, (("vowel", 5), ("other", 3))),
        Level(2, 1, 0, 12, 12, (("*", 12),)),
    ]


def test_examples_go_from_the_largest_to_the_smallest() -> None:
    (leaves, *_) = preview(TREE, {"a": 9, "b": 7, "c": 5, "d": 3, "": 1}, examples=3)
    assert leaves.examples == (("a", 9), ("c", 5), ("", 1))
    (leaves, *_) = preview(TREE, {"a": 9, "b": 7}, examples=1)
    assert leaves.examples == (("a", 9),)


def test_a_column_without_values() -> None:
    assert preview(TREE, {})[0] == Level(0, 0, 5, 0, 0, ())
