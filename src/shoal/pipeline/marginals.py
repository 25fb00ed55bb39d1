"""Marginal tables of a release beside those of its original, as a job requests them."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from shoal.analysis import Shown
from shoal.analysis.marginals import MarginalTables, read_marginals
from shoal.pipeline.figures import common_codes

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from shoal.options import Job
    from shoal.table import Table


def marginal_distances(
    table: Table,
    codes: Sequence[NDArray[np.integer]],
    shown: Shown,
    released: pl.DataFrame,
    job: Job,
) -> dict[str, dict[str, float]]:
    """Return how far the marginal tables of a release are from those of its original.

    They are figures of the original, for its custodian alone.

    Parameters
    ----------
    codes
        For each attribute the codes of the table's records, in the domains of ``shown``.
    shown, released
        The release: what its records show, and its table, in the same order.
    """
    marginals = read_marginals(job.keep_marginals, table.schema)
    before, after = {}, {}
    for name in columns_beside(marginals, table):
        before[name], after[name], _ = common_codes(name, table.frame, released)
    tables = MarginalTables(Shown.exact(shown.domains, codes), marginals, before)
    return {name: asdict(far) for name, far in tables.distances(shown, after).items()}


def columns_beside(marginals: Sequence[tuple[str, ...]], table: Table) -> list[str]:
    """Return the columns of marginals that are released unchanged."""
    named = {name for columns in marginals for name in columns}
    return [name for name in table.schema.untouched if name in named]
