"""How the quasi-identifiers of a release are shown: notation, and aggregates of classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.encoding import in_text_notation
from shoal.errors import ParameterError, did_you_mean, option
from shoal.pipeline.figures import in_classes
from shoal.table import Kind, Reading

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from shoal.encoding import Aggregate
    from shoal.options import Job
    from shoal.table import Attribute, Schema

_MEASURED = (Reading.NUMBER, Reading.DATE, Reading.DATETIME)


def aggregates_of(schema: Schema, job: Job) -> dict[str, Aggregate]:
    """Return the columns that show a statistic of their class, and which one.

    Raises
    ------
    ParameterError
        If a column has no such statistic, or the release has no classes.
    """
    statistics: dict[str, Aggregate] = {}
    if job.notation == "midpoint":
        statistics = {one.name: "midpoint" for one in schema.quasi if one.reading in _MEASURED}
    statistics |= job.aggregate
    unknown = [name for name in job.aggregate if name not in schema.quasi_names]
    if unknown:
        raise ParameterError(
            f"`aggregate` names {unknown[0]!r}, which is not a quasi-identifier.",
            remedy=did_you_mean(unknown[0], schema.quasi_names),
        )
    if statistics and not in_classes(job):
        raise ParameterError(
            "Midpoint, mean, median and mode summarize a class, but this release has no classes.",
            remedy="Choose another notation, or an algorithm that forms classes.",
        )
    for attribute in schema.quasi:
        if attribute.name in statistics:
            _require_defined(attribute, statistics[attribute.name])
    return statistics


def _require_defined(attribute: Attribute, how: Aggregate) -> None:
    name = attribute.name
    able = (
        ["mean", "median", "mode", "midpoint"]
        if attribute.reading in _MEASURED
        else ["median", "mode"]
        if attribute.kind is Kind.NUMERIC
        else ["mode"]
    )
    if how not in able:
        raise ParameterError(
            f"Column {name!r} is {attribute.kind}, read as {attribute.reading}: it has no {how}.",
            remedy=f"It has: {', '.join(able)}.",
        )
    if attribute.round_to is not None:
        raise ParameterError(
            f"Column {name!r} shows no intervals, so their ends cannot be rounded.",
            remedy=f"Leave {option('round_to', {name: 5})} or its aggregate out.",
        )


def readable_release(
    released: pl.DataFrame,
    schema: Schema,
    job: Job,
    source: pl.DataFrame | None = None,
    rows: NDArray[np.int64] | None = None,
) -> pl.DataFrame:
    """Return a release in a notation from which closures can be read.

    Parameters
    ----------
    source, rows
        The original and for each released row its row in it; needed where columns show statistics
        of classes.

    Raises
    ------
    ParameterError
        If it shows statistics, and the rows are not known.
    """
    statistics = aggregates_of(schema, job)
    if not statistics:
        return in_text_notation(released, schema.quasi, job.notation)
    if source is None or rows is None:
        name = min(statistics)
        raise ParameterError(
            f"Column {name!r} shows a {statistics[name]} of its class, from which the interval or "
            "set behind it cannot be recovered.",
            remedy="Give the row map of its custody file (`rows`). Without it, see the facts: the "
            "loss was measured when the release was made.",
        )
    from shoal.pipeline.closed_release import with_closures

    plain = [one for one in schema.quasi if one.name not in statistics]
    return in_text_notation(
        with_closures(released, schema, statistics, source, rows), plain, job.notation
    )


def require_readable_alone(job: Job) -> None:
    """Refuse a report from the release alone where cells do not show what they cover."""
    if job.aggregate or job.notation == "midpoint":
        raise ParameterError(
            "A public report is made from the release alone, and this release shows statistics of "
            "classes, from which the intervals behind them cannot be recovered.",
            remedy="Make the internal report, or a release without `aggregate` and "
            "`notation='midpoint'`.",
        )


def notes_on_aggregates(schema: Schema, job: Job) -> list[str]:
    """Return what a reader of figures should know about columns of statistics."""
    statistics = aggregates_of(schema, job)
    if not statistics:
        return []
    listed = ", ".join(f"{name!r} ({how})" for name, how in statistics.items())
    note = (
        f"The release shows statistics of classes in {listed}; figures and rows here are those of "
        "the intervals and sets behind them."
    )
    return [note]
