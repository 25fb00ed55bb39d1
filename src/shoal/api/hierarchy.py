"""Hierarchies built from a column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.hierarchies import Hierarchy, Recipe
from shoal.io import CallerFrame
from shoal.options.call import read_own, takes_options
from shoal.options.further import ColumnOptions
from shoal.options.reading import reading_of
from shoal.table.column_hints import read_hints
from shoal.table.cooccurrence import CooccurrenceContext
from shoal.table.hierarchy_building import make_hierarchy
from shoal.table.leaf_values import require_column

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal


@takes_options("hierarchy")
def build_hierarchy(
    frame: Any,
    column: str,
    recipe: str | Recipe,
    *,
    beside: Sequence[str] = (),
    kind: str | None = None,
    order: Sequence[str] = (),
    date_format: str | None = None,
    null_values: Sequence[str] = (),
    special_values: Sequence[str] = (),
    decimal: Literal[".", ","] = ".",
    thousands: Literal[",", ".", " ", "'", "_"] | None = None,
) -> Hierarchy:
    """Return a hierarchy that is built from a column of a frame.

    Parameters
    ----------
    frame
        A frame of any type that :func:`shoal.anonymize` takes.
    column
        The column.
    recipe
        How to build it: ``auto``, ``ranges:5,10,20``, ``quantiles:4``, ``cuts:18,65``, ``stars`` or
        ``dates``.
    beside
        Quasi-identifiers by which auto finds categories that are alike; never sensitive columns.
    kind
        How the values are read, if they do not show it: numeric, categorical, date, datetime or
        ordered.
    order
        Categories of the column, lowest first, if they are ordered.
    date_format
        How the dates of the column are written, such as %d.%m.%Y.
    null_values
        Texts that stand for a missing cell: ?,NA in all columns, age=97|98 in one.
    special_values
        Codes that stand for the reason why a number is missing: weeks=N|R. They become categories
        in weeks_special, and the column keeps its numbers.
    decimal
        Decimal separator of numbers in a CSV file; with a comma, points separate thousands.
    thousands
        Thousands separator of numbers in a CSV file; it is removed when they are read.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> people = pl.DataFrame({"age": [21, 34, 38]})
    >>> shoal.build_hierarchy(people, "age", "ranges:5,10").rows()[0]
    ('21', '[20..24]', '[20..29]', '*')
    """
    about = read_own(ColumnOptions, locals())
    source = CallerFrame.of(frame).read_as(reading_of(locals())).polars
    columns = [require_column(source, name) for name in (column, *about.beside)]
    parsed = Recipe.parse(recipe) if isinstance(recipe, str) else recipe
    hints = read_hints(
        columns[0], kind=about.kind, order=about.order, date_format=about.date_format
    )
    return make_hierarchy(columns[0], parsed, CooccurrenceContext(tuple(columns[1:])), hints)
