"""The names of kinds of columns, and what they mean for one whose hierarchy is built."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.errors import SchemaError
from shoal.table.kind_detection import numeric_reading
from shoal.table.schema import Kind, Reading
from shoal.table.sensitive_values import distinct_categories

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from shoal.table.hierarchy_building import ColumnHints

KIND_NAMES: dict[str, tuple[Kind, Reading | None]] = {
    "numeric": (Kind.NUMERIC, None),
    "categorical": (Kind.CATEGORICAL, Reading.TEXT),
    "hierarchical": (Kind.HIERARCHICAL, Reading.TEXT),
    "suppress-only": (Kind.SUPPRESS_ONLY, Reading.TEXT),
    "date": (Kind.NUMERIC, Reading.DATE),
    "datetime": (Kind.NUMERIC, Reading.DATETIME),
    "ordered": (Kind.NUMERIC, Reading.RANK),
}


def read_hints(
    series: pl.Series,
    *,
    kind: str | None = None,
    order: Sequence[str] = (),
    date_format: str | None = None,
) -> ColumnHints:
    """Return what the user declared about a column whose hierarchy is built.

    Raises
    ------
    SchemaError
        If the kind is unknown or has no groups, or the order names a category twice.
    """
    # Imported here: many tables have no hierarchy to build.
    from shoal.table.hierarchy_building import ColumnHints

    reading = None
    if kind not in (None, "hierarchical"):
        if kind not in KIND_NAMES or kind == "suppress-only":
            raise SchemaError(
                f"Column {series.name!r}: the kind {kind!r} cannot be combined with a hierarchy.",
                remedy="Leave `kind` out, or choose how its values are read.",
            )
        _, reading = KIND_NAMES[kind]
        if reading is None:
            reading = Reading.DATE if date_format is not None else numeric_reading(series)
    return ColumnHints(
        reading, distinct_categories(series.name, order) if order else (), date_format
    )
