"""The exposure check of whole units: what unchanged columns of a large release give away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.exposure import Exposure, examine_columns, examine_release

if TYPE_CHECKING:
    from shoal.options import Job
    from shoal.table import Schema

# Put before the names of released columns, which are those of the originals beside them.
RELEASED = "\0"


def examine_units(sample: pl.DataFrame, schema: Schema, job: Job) -> Exposure:
    """Return what unchanged columns undo of whole units.

    Parameters
    ----------
    sample
        Every record of some units: the originals, and beside them the released cells, whose names
        begin with ``RELEASED``.

    Raises
    ------
    ExposureError
        If a column that is not accepted leaves too few candidates.
    """
    released = [n for n in sample.columns if n.startswith(RELEASED) and "__shoal_" not in n]
    classes = sample.select(pl.struct(released).rank("dense")).to_series().to_numpy()
    found = examine_columns(sample, schema, job.accept)
    found.require_none_refused()
    persons = None
    if schema.person is not None:
        persons = sample[schema.person].rank("dense").fill_null(0).to_numpy()
    found = examine_release(
        found,
        sample.select(schema.quasi_names),
        sample.select(schema.untouched),
        job.k,
        classes=classes.astype(np.int64) - 1,
        persons=persons,
    )
    found.require_none_refused()
    return found
