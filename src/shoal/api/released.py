"""A release as functions take it: a table and the options that describe it, or a ``Release``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.io import CallerFrame
from shoal.options.call import read_options
from shoal.pipeline.release import Release

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from shoal.options import Job
    from shoal.options.call import Options


def read_released(
    verb: str,
    released: Any,
    arguments: Mapping[str, Any],
    beneath: Mapping[str, Any] | None = None,
) -> tuple[pl.DataFrame, Options]:
    """Return a released table and the options that describe it.

    Parameters
    ----------
    verb
        The verb whose options its caller takes.
    released
        A frame, or a release that Shoal made: its job holds where no option is set.
    arguments
        The arguments of the function.
    beneath
        Options that hold where nothing else sets them.
    """
    if not isinstance(released, Release):
        return CallerFrame.of(released).polars, read_options(verb, arguments, beneath=beneath)
    options = {**(beneath or {}), **released.job.to_dict()}
    return released.table, read_options(verb, arguments, beneath=options)


def original_of(original: Any, job: Job) -> pl.DataFrame:
    """Return an original in polars, its cells read as a job says."""
    return CallerFrame.of(original).read_as(job).polars


def rows_of(released: Any, rows: NDArray[np.int64] | None) -> NDArray[np.int64] | None:
    """Return for each released row its row in the original, where the caller knows it."""
    return released.custody.rows if rows is None and isinstance(released, Release) else rows
