"""The exposure check on samples: what unchanged columns of a large release give away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.engines.disk.worker import SOLVED, UNITS, place_of
from shoal.engines.exposed_units import RELEASED, examine_units
from shoal.engines.solving import ROW
from shoal.exposure import Exposure, examine_columns

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.engines.codebook import Codebook
    from shoal.engines.disk.folder import WorkFolder
    from shoal.engines.solving import Plan
    from shoal.options import Job

_SAMPLED = 200_000
_SEED = 1  # the figures tell nothing about the secret seed of a release


def examine_source(source: Path, codebook: Codebook) -> Exposure:
    """Return what unchanged columns hold, by the first records of each file of the copy.

    Raises
    ------
    ExposureError
        If a column that is not accepted gives people away by itself.
    """
    if not codebook.schema.untouched:
        return Exposure(())
    files = sorted(source.glob("*.parquet"))
    each = -(-_SAMPLED // len(files))
    names = codebook.schema.untouched
    sample = pl.concat(pl.scan_parquet(one).select(names).head(each) for one in files).collect()
    found = examine_columns(sample, codebook.schema, codebook.job.accept)
    found.require_none_refused()
    return found


def examine_sample(folder: WorkFolder, plan: Plan, job: Job) -> tuple[Exposure, int]:
    """Return what unchanged columns undo of whole units, and how many records those hold.

    Raises
    ------
    ExposureError
        If a column that is not accepted leaves too few candidates.
    """
    schema = plan.codebook.schema
    if not schema.untouched:
        return Exposure(()), 0
    tree = plan.tree
    sizes = [tree.records_of_unit(unit) for unit in range(len(tree.units))]
    starts = np.cumsum([0, *sizes])
    parts = []
    for unit in np.random.default_rng(_SEED).permutation(len(sizes)).tolist():
        original = pl.scan_parquet(folder.path / UNITS).slice(int(starts[unit]), sizes[unit])
        shown = pl.scan_parquet(place_of(folder.path / SOLVED, unit))
        cells = shown.select(pl.exclude(schema.untouched).name.prefix(RELEASED))
        parts.append(original.join(cells, left_on=ROW, right_on=RELEASED + ROW).collect())
        if sum(part.height for part in parts) >= _SAMPLED:
            break
    sample = pl.concat(parts)
    return examine_units(sample, schema, job), sample.height
