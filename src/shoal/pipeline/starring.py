"""Whether suppressed records may be shown as ``*``, or must be withheld.

Everybody whom no class covers must be among the starred records. Fewer than k of them, or some who
share a sensitive value, would give those people away, so they are held to what a class is held to.
Withholding them loses no more than starring them: either way nothing is left of their
quasi-identifiers. Suppressing further records to make up the number would lose more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.encoding import SUPPRESSED
from shoal.encoding.closures import Spans
from shoal.encoding.domain import IntervalDomain
from shoal.pipeline.figures import in_classes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.algorithms import Problem
    from shoal.encoding import Domain, Recoding
    from shoal.options import Job


def records_to_release(
    recoding: Recoding, problem: Problem, domains: Sequence[Domain], job: Job
) -> tuple[NDArray[np.int64], list[str]]:
    """Return the records that a release holds, and what the custodian should know about them."""
    suppressed = recoding.unit == SUPPRESSED
    records = np.arange(len(recoding.unit), dtype=np.int64)
    if not suppressed.any():
        return records, []
    if job.suppressed == "withhold":
        return records[~suppressed], []
    starred = suppressed
    if in_classes(job):
        # A class that shows nothing looks like suppressed records.
        starred = np.append(recoding.blank(domains), True)[recoding.unit]
    fault = _fault(starred, problem, job)
    if fault is None:
        return records, []
    count = int(suppressed.sum())
    note = f"{count:,} suppressed record{'s are' if count > 1 else ' is'} withheld, not starred: "
    return records[~suppressed], [note + fault]


def reads_as_starred(recoding: Recoding, domains: Sequence[Domain], job: Job) -> NDArray[np.bool_]:
    """Return which units show nothing where no flags distinguish missing numbers from ``*``."""
    silent = np.ones(len(recoding.sizes), dtype=np.bool_)
    for domain, column in zip(domains, recoding.columns, strict=True):
        star = domain.star(column.closures)
        missing = getattr(domain, "missing", None)
        if job.notation == "min_max" and isinstance(domain, IntervalDomain) and missing is not None:
            assert isinstance(column.closures, Spans)
            star = star | (column.closures.first == missing)
        silent &= star[column.index]
    return silent


def _fault(starred: NDArray[np.bool_], problem: Problem, job: Job) -> str | None:
    """Return why records may not be starred, or nothing if they may."""
    count = int(starred.sum())
    if count < max(job.k, 2):
        return f"fewer than k = {max(job.k, 2)} starred records single people out."
    rows = problem.folded.row_of[starred]
    # Imported here: models are rare, and suppressed records may be.
    from shoal.models import ClassHistograms

    one_class, once = np.zeros(count, dtype=np.int64), np.ones(count, dtype=np.int32)
    for model, values in zip(problem.models, problem.protected, strict=True):
        if not model.holds(ClassHistograms.of(one_class, values[rows], once, 1)).all():
            return f"together they do not meet {model}."
    return None
