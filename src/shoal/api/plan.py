"""What a release would cost, before it is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.errors import SchemaError
from shoal.io import CallerFrame
from shoal.options.call import read_options, takes_options
from shoal.options.reading import reading_of
from shoal.options.verbs import describe_options
from shoal.pipeline.coding import with_codes
from shoal.pipeline.comparison import search_seconds
from shoal.pipeline.compatibility import AUTO
from shoal.pipeline.planning import make_plan
from shoal.pipeline.population import read_population
from shoal.pipeline.run import schema_of
from shoal.table import Table
from shoal.table.column_roles import suggest_roles
from shoal.table.oddities import all_oddities

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike
    from typing import Literal

    import polars as pl

    from shoal.hierarchies import Hierarchy, Recipe
    from shoal.models import Model
    from shoal.pipeline.planning import Plan
    from shoal.table.value_range import Limit

K = (3, 5, 10, 25)
_ROLES = ("quasi", "sensitive", "identifier", "other")


@takes_options("plan")
def plan(
    frame: Any,
    *,
    quasi: Sequence[str] | None = None,
    sensitive: Sequence[str] = (),
    identifier: Sequence[str] = (),
    other: Sequence[str] = (),
    rest: Literal["other", "drop"] | None = None,
    person: str | None = None,
    personal_k: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    kind: Mapping[str, str] | None = None,
    hierarchy: Mapping[str, Hierarchy | Recipe | str | PathLike[str]] | None = None,
    suppress_only: Sequence[str] = (),
    order: Mapping[str, Sequence[str]] | None = None,
    date_format: Mapping[str, str] | None = None,
    value_range: Mapping[str, tuple[Limit, Limit] | str] | None = None,
    min_level: Mapping[str, int] | None = None,
    max_level: Mapping[str, int] | None = None,
    top: Mapping[str, float] | None = None,
    bottom: Mapping[str, float] | None = None,
    weight: Mapping[str, float] | None = None,
    set_loss: Literal["share", "paper", "binary"] = "share",
    hierarchy_loss: Literal["leaves", "levels"] = "leaves",
    missing: Literal["value", "drop"] = "value",
    population: str | None = None,
    sampling_fraction: float | None = None,
    models: Sequence[Model | str] = (),
    time: float | None = None,
    null_values: Sequence[str] = (),
    special_values: Sequence[str] = (),
    decimal: Literal[".", ","] = ".",
    thousands: Literal[",", ".", " ", "'", "_"] | None = None,
    k: Sequence[int] | int = K,
) -> Plan:
    """Return what a release of a table would cost: feasible k and l, loss, time, and advice.

    Roles that are not set are suggested, and named in ``undecided``.

    Parameters
    ----------
    frame
        As for :func:`shoal.anonymize`.
    quasi
        Quasi-identifiers: columns by which a person could be recognized; suggested ones unless set.
    sensitive
        Sensitive columns: worth protecting; released unchanged.
    identifier
        Columns that name a person; removed before anything else runs.
    other
        Columns that are released unchanged.
    rest
        What happens to columns that have no role: released unchanged, or dropped.
    person
        An identifier that repeats: k then counts persons, not records.
    personal_k
        Records that need more than k: a column that holds the k of each record, dropped unless it
        has a role, or a rule such as ward=ICU:20.
    columns
        Columns of the table and their types, as a saved job holds them; a table with other columns
        is refused.
    kind
        Kind of a column, if its values do not show it: numeric, categorical, hierarchical,
        suppress-only, date, datetime or ordered.
    hierarchy
        Hierarchy of a column: a file with lines leaf,level1,…,*, or a recipe: auto, ranges:5,10,20,
        quantiles:4, cuts:18,65, stars, dates or groups:FILE.
    suppress_only
        Columns whose values are kept or replaced by *, never merged.
    order
        Categories of an ordered column, lowest first.
    date_format
        How the dates of a column are written, such as %d.%m.%Y.
    value_range
        Lowest and highest permissible value of a column; its loss is measured against them.
    min_level
        Lowest level of a column's hierarchy that the release may show; 0 is the leaves.
    max_level
        Highest level of a column's hierarchy that the release may show; suppressed records show *
        nonetheless.
    top
        Top coding: numbers at or above a limit are one value, such as 90+, before anything is
        generalized.
    bottom
        Bottom coding: numbers at or below a limit are one value, such as <=18.
    weight
        How much the loss of a column counts; 1 unless set.
    set_loss
        Loss of a set of c of A categories: (c-1)/(A-1), (c-1)/A, or c/A as A binary columns.
    hierarchy_loss
        Loss of a node over c of A leaves: (c-1)/(A-1); or of level i of h: i/h.
    missing
        Treat a missing cell as a value of its own, or withhold its record.
    population
        Table of the whole population that the records were drawn from, for the models k-map and
        delta-presence.
    sampling_fraction
        Share of the population that the table is a sample of, for the model population-uniqueness.
    models
        Privacy models beyond k, such as distinct-l-diversity:3 or t-closeness:0.2@diagnosis.
    time
        Wall seconds for solving. Unless set, auto takes 5 s, more above 500,000 records, and up to
        10,000 records a fixed number of steps.
    null_values
        Texts that stand for a missing cell: ?,NA in all columns, age=97|98 in one.
    special_values
        Codes that stand for the reason why a number is missing: weeks=N|R. They become categories
        in weeks_special, and the column keeps its numbers.
    decimal
        Decimal separator of numbers in a CSV file; with a comma, points separate thousands.
    thousands
        Thousands separator of numbers in a CSV file; it is removed when they are read.
    k
        Values of k to forecast.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> people = pl.DataFrame({"age": [35, 36, 37, 61, 62, 66], "sex": list("FFFMMM")})
    >>> found = shoal.plan(people, k=3, quasi=["age", "sex"])
    >>> found.k_now, found.largest_k
    (1, 6)
    """
    given = {name: value for name, value in locals().items() if value is not None}
    options = {one.name: given[one.name] for one in describe_options("plan") if one.name in given}
    ks = [k] if isinstance(k, int) else list(k)
    source = CallerFrame.of(frame).read_as(reading_of(locals())).polars
    roles, undecided = _roles(source, options)
    described = {**options, **roles}
    job = read_options("plan", described, beneath={"k": max(ks, default=2), "quasi": ()}).job
    source = with_codes(source, job)
    table = Table.of(source, schema_of(source, job))
    return make_plan(
        table,
        ks,
        budget=search_seconds(AUTO, table.n, job.time),
        models=job.models,
        undecided=undecided,
        population=read_population(job),
        fraction=job.sampling_fraction,
        notes=all_oddities(source, table.schema.quasi, table.schema.untouched),
    )


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
