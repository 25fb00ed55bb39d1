"""What a release would cost, before it is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.errors import SchemaError
from shoal.io import CallerFrame
from shoal.options import Job
from shoal.pipeline.coding import with_codes
from shoal.pipeline.comparison import DEFAULT_SECONDS
from shoal.pipeline.planning import make_plan
from shoal.pipeline.run import schema_of
from shoal.table import Table
from shoal.table.column_roles import suggest_roles

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    import polars as pl

    from shoal.hierarchies import Hierarchy, Recipe
    from shoal.pipeline.planning import Plan

K = (3, 5, 10, 25)
_ROLES = ("quasi", "sensitive", "identifier", "other")


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
        The other options of :func:`shoal.anonymize`. Roles that are not set are suggested, and
        named in ``undecided``; forecasts are also made under ``models``.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> people = pl.DataFrame({"age": [35, 36, 37, 61, 62, 66], "sex": list("FFFMMM")})
    >>> found = shoal.plan(people, k=3, quasi=["age", "sex"])
    >>> found.k_now, found.largest_k
    (1, 6)
    """
    ks = [k] if isinstance(k, int) else list(k)
    source = CallerFrame.of(frame).polars
    roles, undecided = _roles(source, options)
    job = Job.from_dict({**options, **roles, "k": max(ks, default=2), "hierarchy": hierarchy})
    source = with_codes(source, job)
    table = Table.of(source, schema_of(source, job))
    budget = DEFAULT_SECONDS if job.time is None else job.time
    return make_plan(table, ks, budget, job.models, undecided)


def _roles(
    source: pl.DataFrame, options: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return roles for columns that have none, and what is still to be decided."""
    given = {role: _listed(options.get(role)) for role in _ROLES}
    declared = {name for names in given.values() for name in names}
    declared |= {options[name] for name in ("person",) if options.get(name)}
    rest = [name for name in source.columns if name not in declared]
    if not rest or options.get("rest") is not None:
        return {}, {}
    suggested = suggest_roles(source, rest)
    undecided = {name: str(role) for name, role in suggested.items()}
    if given["quasi"]:
        return {"rest": "drop"}, undecided
    for name in rest:
        given[str(suggested[name])].append(name)
    if not given["quasi"]:
        raise SchemaError(
            "No column looks like a quasi-identifier.",
            remedy="Name those by which a person could be recognized with `quasi`.",
        )
    return given, undecided


def _listed(names: Any) -> list[str]:
    return [names] if isinstance(names, str) else list(names or ())
