"""The verdict on a release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.io import CallerFrame
from shoal.options import make_job
from shoal.pipeline.run import schema_of
from shoal.verifier import Verdict
from shoal.verifier import verify as verify_tables

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from shoal.pipeline.run import Hierarchies

__all__ = ["Verdict", "verify"]


def verify(
    original: Any,
    released: Any,
    *,
    hierarchy: Hierarchies | None = None,
    rows: NDArray[np.int64] | None = None,
    matches: NDArray[np.int64] | None = None,
    **words: Any,
) -> Verdict:
    """Return the verifier's word on a release, from the two tables alone.

    Parameters
    ----------
    original, released
        Frames of any type that :func:`shoal.anonymize` takes.
    rows
        For each released row its row in the original, where the custodian knows it; it turns the
        search for an assignment into a check.
    matches
        For each released row of a freeform release the k rows of the original that it is matched
        with, where the custodian knows them.
    **words
        The words of the job that made the release; those that do not concern it are ignored.
    """
    source = CallerFrame.of(original).polars
    job = make_job(words)
    return verify_tables(
        source,
        CallerFrame.of(released).polars,
        schema_of(source, job, hierarchy),
        job.k,
        models=job.models,
        suppression=job.suppression,
        witness=rows,
        form=job.guarantee,
        matches=matches,
    )
