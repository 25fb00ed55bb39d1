"""From a release and its original to what analyses can compare."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.analysis import Pair, Shown, require_scikit_learn, study, study_counts
from shoal.analysis.marginals import read_marginals
from shoal.errors import InputError, ParameterError
from shoal.pipeline.figures import common_codes, target_name
from shoal.pipeline.marginals import marginal_distances
from shoal.pipeline.progress import Progress

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from shoal.analysis import Settings
    from shoal.options import Job
    from shoal.pipeline.progress import Stages
    from shoal.table import Schema, Table


NO_TARGET = (
    "No target column given, so only counts are compared; with `target`, classifiers and "
    "association rules are too."
)


def with_target(job: Job) -> Job:
    """Return the job with a role for its target, which is released unchanged."""
    named = (*job.quasi, *job.sensitive, *job.identifier, *job.other)
    if job.target is None or job.target in named or job.rest == "other":
        return job
    return job.model_copy(update={"other": (*job.other, job.target)})


def require_target(schema: Schema, job: Job) -> None:
    """Require a column that can be learned.

    Raises
    ------
    ParameterError
        If there is none, or nothing to learn it with.
    """
    if target_name(schema, job) is None:
        raise ParameterError(
            "No target column given.",
            remedy="Name it with `target`.",
        )
    require_scikit_learn()


def records_of_rows(
    rows: NDArray[np.int64] | None, table: Table, source: int, released: int
) -> NDArray[np.int64] | None:
    """Return for each released row the record of the table that it was made from.

    Raises
    ------
    InputError
        If the row map is not one from this release to this source.
    """
    if rows is None:
        return None
    record_of = np.full(source, -1, dtype=np.int64)
    record_of[table.rows] = np.arange(table.n)
    fits = len(rows) == released and ((rows >= 0) & (rows < source)).all()
    if not fits or (record_of[rows] < 0).any() or len(np.unique(rows)) != len(rows):
        raise InputError(
            "The row map does not belong to these two tables.",
            remedy="Give the custody file of this release, or none.",
        )
    return np.asarray(record_of[rows], np.int64)


def study_release(  # noqa: PLR0917 (a comparison gathers what every stage left behind)
    table: Table,
    codes: tuple[NDArray[np.integer], ...],
    shown: Shown,
    released: pl.DataFrame,
    job: Job,
    settings: Settings,
    stages: Stages,
    *,
    records: NDArray[np.int64] | None,
) -> dict[str, Any]:
    """Return what analysts get out of a release; see :func:`shoal.utility`.

    Parameters
    ----------
    codes
        For each attribute the codes of the table's records, in the domains of ``shown``.
    records
        For each released row the record it was made from, where that is known.
    """
    read_marginals(job.keep_marginals, table.schema)  # a wrong name is refused before the work
    original = Shown.exact(shown.domains, codes)
    name = target_name(table.schema, job)
    found: dict[str, Any]
    if name is None:
        found = {"queries": study_counts(original, shown, settings), "notes": [NO_TARGET]}
    else:
        require_scikit_learn()
        before, after, labels = common_codes(name, table.frame, released)
        pair = Pair(original, shown, (before, after), labels, records, table.persons)
        found = study(pair, settings, lambda share: stages.report(Progress("utility", share)))
    if job.keep_marginals:
        found["marginals"] = marginal_distances(table, codes, shown, released, job)
    return found
