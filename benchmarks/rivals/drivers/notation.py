"""Cells of rivals in the notation that Shoal reads, so that one evaluator scores all releases.

Runs in the environments of the rivals, which have no Shoal.
"""

from __future__ import annotations

import re

RANGE = re.compile(r"(-?[0-9.]+)-(-?[0-9.]+)")


def interval(cell: str) -> str:
    """``17-21`` as ``[17..21]``; a number alone stays as it is."""
    found = RANGE.fullmatch(cell)
    return f"[{found[1]}..{found[2]}]" if found else cell


def members(cell: str) -> str:
    """``a,b`` as ``{a|b}``; a value alone stays as it is."""
    values = sorted(cell.split(","))
    return values[0] if len(values) == 1 else "{" + "|".join(values) + "}"
