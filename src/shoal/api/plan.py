"""What a release would cost, before it is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.io import CallerFrame
from shoal.options import Job
from shoal.pipeline.coding import with_codes
from shoal.pipeline.comparison import DEFAULT_SECONDS
from shoal.pipeline.planning import make_plan
from shoal.pipeline.run import schema_of
from shoal.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from shoal.hierarchies import Hierarchy, Recipe
    from shoal.pipeline.planning import Plan

K = (3, 5, 10, 25)


def plan(
    frame: Any,
    *,
    k: Sequence[int] | int = K,
    hierarchy: Mapping[str, Hierarchy | Recipe | str | PathLike[str]] | None = None,
    **options: Any,
) -> Plan:
    """Return what a release of a table would cost: feasible k and l, loss, time, and advice.

    Parameters
    ----------
    frame
        As for :func:`shoal.anonymize`.
    k
        Values of k to forecast.
    hierarchy
        As for :func:`shoal.anonymize`.
    **options
        The other options of :func:`shoal.anonymize`.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> people = pl.DataFrame({"age": [35, 36, 37, 61, 62, 66], "sex": list("FFFMMM")})
    >>> found = shoal.plan(people, k=3, quasi=["age", "sex"])
    >>> found.k_now, found.largest_k
    (1, 6)
    """
    ks = [k] if isinstance(k, int) else list(k)
    job = Job.from_dict({**options, "k": max(ks, default=2), "hierarchy": hierarchy})
    source = with_codes(CallerFrame.of(frame).polars, job)
    table = Table.of(source, schema_of(source, job))
    return make_plan(table, ks, DEFAULT_SECONDS if job.time is None else job.time)
