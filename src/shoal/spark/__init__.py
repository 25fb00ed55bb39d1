"""Releases of frames on Spark: a verified frame from a frame, wherever its cluster is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.engines.spark.run import SparkRelease, release_on_spark
from shoal.errors import raise_together
from shoal.options import Job
from shoal.options.call import read_options
from shoal.options.checked import unknown, with_first_names
from shoal.options.option import help_of
from shoal.pipeline.progress import Stages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame

    from shoal.pipeline.progress import Watcher

__all__ = ["SparkRelease", "anonymize", "release"]


def anonymize(
    df: DataFrame, *, k: int, quasi: Sequence[str], row: str | None = None, **options: Any
) -> DataFrame:
    """Return a k-anonymous, verified release of a frame on Spark.

    The work is done by the cluster, classic or behind Spark Connect; the driver sees counts. The
    frame is computed more than once, so it must give the same records each time: store what comes
    from a random or changing source first.

    Parameters
    ----------
    df
        The table.
    k
        Every record looks like at least k - 1 others.
    quasi
        Quasi-identifiers: columns by which a person could be recognized; generalized.
    row
        A column of different whole numbers that numbers the records. Without it, numbers are made
        from the cells, which takes a shuffle.
    **options
        All other options of :func:`shoal.anonymize` that can be kept cell by cell.

    Returns
    -------
    DataFrame
        The released records, in random order. They are kept (persisted) on the cluster.

    Raises
    ------
    InputError
        If the frame, the options or the cluster cannot be used.
    InfeasibleError
        If no release can meet the goal, or a cell cannot be cut.
    VerificationError
        If the verifier refuses the release; that is a bug, and no frame comes back.
    """
    return release(df, k=k, quasi=quasi, row=row, **options).frame


def release(
    df: DataFrame,
    *,
    k: int,
    quasi: Sequence[str],
    row: str | None = None,
    watch: Watcher | None = None,
    **options: Any,
) -> SparkRelease:
    """Return what :func:`anonymize` returns, with the facts, the verdict and exact figures.

    Parameters
    ----------
    df, k, quasi, row, **options
        As for :func:`anonymize`.
    watch
        Called with a :class:`shoal.Progress` from time to time.
    """
    given = with_first_names({**options, "k": k, "quasi": quasi, "engine": "spark"})
    known = help_of(Job)
    raise_together([unknown(name, known) for name in given if name not in known])
    read = read_options("anonymize", given)
    return release_on_spark(df, read.job, stages=Stages(watch), row=row)
