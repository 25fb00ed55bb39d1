"""Notations of a release that is made cell by cell: its columns, and cells that show nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.table.schema import Kind
from shoal.verifier.released import bounds_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.table.schema import Attribute

# Notations whose cells show what they cover; a midpoint does not.
CELLWISE = ("text", "min_max", "label", "json")
_BOUNDS = "min_max"
_SILENT = {"text": "*", "min_max": "*", "label": "any", "json": '"*"'}


def columns_of(quasi: Sequence[Attribute], notation: str) -> dict[str, list[str]]:
    """Return for each quasi-identifier the columns that show it in a release."""
    return {
        one.name: list(bounds_columns(one))
        if notation == _BOUNDS and one.kind is Kind.NUMERIC
        else [one.name]
        for one in quasi
    }


def silent_cell(kind: Kind, notation: str) -> str | None:
    """Return the cell that shows nothing in a column of some kind; ``None`` is a missing cell."""
    if notation == _BOUNDS and kind in (Kind.NUMERIC, Kind.CATEGORICAL):
        return None  # no bounds, or no list
    return _SILENT[notation]
