"""What a job leaves to the table, written down: the next table is read as this one was."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from shoal.errors import SchemaError
from shoal.hierarchies import Recipe, is_recipe
from shoal.hierarchies.recipe import Way
from shoal.table import Kind, Reading
from shoal.table.kind_detection import detect

if TYPE_CHECKING:
    from shoal.options import Job
    from shoal.table import Attribute, Schema

_KIND_NAMES = {
    Reading.NUMBER: "numeric",
    Reading.DATE: "date",
    Reading.DATETIME: "datetime",
    Reading.RANK: "ordered",
    Reading.TEXT: "categorical",
}
# Cells of these kinds are read one by one, whatever type the column has.
_READ = ("numeric", "date", "datetime", "ordered")


def pinned(job: Job, source: pl.DataFrame, schema: Schema) -> Job:
    """Return the job with the kinds that were inferred, and the columns of the table."""
    kinds, orders = dict(job.kind), dict(job.order)
    for attribute in schema.quasi:
        name = attribute.name
        kind_name = _kind_name(attribute, source[name], job)
        if kind_name is not None:
            kinds.setdefault(name, kind_name)
            if kind_name == "ordered":
                orders.setdefault(name, attribute.order)
    columns = {series.name: type_name(series.dtype) for series in source}
    return job.model_copy(update={"kind": kinds, "order": orders, "columns": columns})


def _kind_name(attribute: Attribute, series: pl.Series, job: Job) -> str | None:
    """Return the kind that was inferred for a column; nothing where the job itself decides it."""
    name = attribute.name
    if name in job.suppress_only or name in job.order:
        return None
    if attribute.kind is not Kind.HIERARCHICAL:
        return _KIND_NAMES[attribute.reading]
    recipe = job.hierarchy.get(name)
    if recipe is None or not is_recipe(recipe) or Recipe.parse(recipe).way is not Way.AUTO:
        return None
    kind_name = _KIND_NAMES[detect(series).reading]
    return None if kind_name == "ordered" or name in job.date_format else kind_name


def type_name(dtype: pl.DataType) -> str:
    """Return the type of a column as jobs name it; a column of a CSV file is text.

    >>> type_name(pl.Int64()), type_name(pl.Categorical()), type_name(pl.Enum(["low", "high"]))
    ('number', 'text', 'ordered')
    """
    if dtype.is_numeric():
        return "number"
    if isinstance(dtype, pl.Enum):
        return "ordered"
    if dtype in (pl.String, pl.Categorical):
        return "text"
    names = {pl.Date: "date", pl.Boolean: "boolean", pl.Time: "time"}
    base = dtype.base_type()
    return "datetime" if base is pl.Datetime else names.get(base, str(dtype).lower())


def require_same_columns(source: pl.DataFrame, job: Job) -> None:
    """Raise if a table differs from the one that a job was saved for.

    Raises
    ------
    SchemaError
        The columns that differ are named: those that are new or gone, and quasi-identifiers of
        another type whose values would be spelled otherwise.
    """
    if not job.columns:
        return
    found = {series.name: type_name(series.dtype) for series in source}
    gone = [repr(name) for name in job.columns if name not in found]
    new = [repr(name) for name in found if name not in job.columns]
    changed = [
        f"{name!r} was {before}, is {found[name]}"
        for name, before in job.columns.items()
        if name in job.quasi
        and job.kind.get(name) not in _READ
        and found.get(name, before) != before
    ]
    faults = [f"{noun} {', '.join(names)}" for noun, names in (("without", gone), ("new:", new))
              if names]  # fmt: skip
    if faults or changed:
        raise SchemaError(
            f"The table differs from the one that the job was saved for: "
            f"{'; '.join([*faults, *changed])}.",
            remedy="Check the roles of these columns, and save the job again; `columns` of the job "
            "lists what it expects.",
        )
