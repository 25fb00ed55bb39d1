"""Whether cells of hierarchical columns keep to the levels that a release may show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.verifier.cells import Everything, Exact
from shoal.verifier.verdict import Check, name_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.table.schema import Attribute
    from shoal.verifier.cells import Closure
    from shoal.verifier.released import ReleasedColumn


def check_levels(
    attributes: Sequence[Attribute],
    columns: Sequence[ReleasedColumn],
    starred: NDArray[np.bool_],
) -> list[Check]:
    """Check every column whose levels are limited; rows that are ``*`` throughout are exempt.

    A missing cell is at no level.
    """
    return [
        _check(attribute, column, starred)
        for attribute, column in zip(attributes, columns, strict=True)
        if attribute.min_level or attribute.max_level is not None
    ]


def _check(attribute: Attribute, column: ReleasedColumn, starred: NDArray[np.bool_]) -> Check:
    tree = attribute.hierarchy
    assert tree is not None
    lowest = attribute.min_level
    highest = tree.height if attribute.max_level is None else attribute.max_level
    levels_of: dict[str, list[int]] = {}
    for level in range(tree.height + 1):
        for name in set(tree.names(level)):
            levels_of.setdefault(name, []).append(level)
    root = levels_of[tree.names(tree.height)[0]]

    def is_outside(closure: Closure) -> bool:
        if isinstance(closure, Everything):
            levels = root
        elif isinstance(closure, Exact) and closure.value is not None:
            levels = levels_of.get(closure.value, [])
        else:
            return False
        return not any(lowest <= level <= highest for level in levels)

    outside = np.array([is_outside(closure) for closure in column.closures], bool)
    rows = np.flatnonzero(outside[column.codes] & ~starred)
    name = f"levels of {attribute.name!r} from {lowest} to {highest}"
    if len(rows):
        detail = f"cells of other levels: release {name_rows(rows)}"
        return Check(name, passed=False, detail=detail)
    return Check(name, passed=True, detail="every cell is at one of them")
