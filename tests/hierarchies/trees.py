"""What every tree must be, in the plainest words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shoal.hierarchies import Hierarchy


def groups(tree: Hierarchy, level: int) -> dict[str, set[str]]:
    """Return the leaves of each group of a level."""
    below: dict[str, set[str]] = {}
    for row in tree.rows():
        below.setdefault(row[level], set()).add(row[0])
    return below


def assert_nested(tree: Hierarchy, leaves: Iterable[str]) -> None:
    """Check that levels cover all leaves, nest, end in the root, and name each set once."""
    rows = tree.rows()
    assert sorted(row[0] for row in rows) == sorted(set(leaves))
    assert {len(row) for row in rows} == {tree.height + 1}
    assert {row[-1] for row in rows} == {"*"}
    meaning: dict[str, set[str]] = {}
    for level in range(tree.height + 1):
        fine = groups(tree, level)
        for name, below in fine.items():
            assert meaning.setdefault(name, below) == below
        if level < tree.height:
            coarse = groups(tree, level + 1).values()
            for below in fine.values():
                assert sum(below <= larger for larger in coarse) == 1
    for level in range(tree.height + 1):
        for leaf, node in zip(tree.leaves, tree.ancestors[level].tolist(), strict=True):
            first, last = tree.node_first[node], tree.node_last[node]
            assert set(tree.leaves[first : last + 1]) == groups(tree, level)[tree.node_names[node]]
            assert leaf in tree.leaves[first : last + 1]
