"""The table of the population that a release is a sample of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.io import read_table

if TYPE_CHECKING:
    import polars as pl

    from shoal.options import Job


def read_population(job: Job) -> pl.DataFrame | None:
    """Return the table of the population that a job names, if it names one."""
    if job.population is None:
        return None
    # Codes mean in the population what they mean in the table.
    return read_table(
        job.population, null_values=job.null_values, special_values=job.special_values
    )
