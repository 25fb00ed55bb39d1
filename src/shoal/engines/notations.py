"""Notations of a release that is made cell by cell: its columns, and cells that show nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.table.schema import Kind
from shoal.verifier.released import bounds_columns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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


def fractional_bounds(
    quasi: Sequence[Attribute], notation: str, types: Mapping[str, object], fractional: object
) -> list[list[str]]:
    """Return the bounds of each quasi-identifier whose type has fractions.

    The whole table has such a number, but perhaps only in a record that is withheld: then the type
    would tell about it, and the bounds are released as whole numbers.

    Parameters
    ----------
    types
        The types of the released columns, as the whole table needs them.
    fractional
        The type that has fractions.
    """
    return [
        names
        for names in columns_of(quasi, notation).values()
        if any(types.get(name) == fractional for name in names)
    ]


def silent_cell(kind: Kind, notation: str) -> str | None:
    """Return the cell that shows nothing in a column of some kind; ``None`` is a missing cell."""
    if notation == _BOUNDS and kind in (Kind.NUMERIC, Kind.CATEGORICAL):
        return None  # no bounds, or no list
    return _SILENT[notation]
