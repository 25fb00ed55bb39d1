"""Several releases of one table side by side."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.io import CallerFrame
from shoal.options.call import read_options, takes_options
from shoal.options.reading import reading_of
from shoal.options.verbs import describe_options
from shoal.pipeline.comparison import Comparison, frame_of, settings_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from os import PathLike
    from typing import Literal

    import polars as pl

    from shoal.hierarchies import Hierarchy, Recipe
    from shoal.models import Model
    from shoal.options.values import Form
    from shoal.pipeline.comparison import Setting
    from shoal.table.value_range import Limit

K = (3, 5, 10)
ALGORITHMS = ("auto", "mondrian")
SUPPRESSION = (0.0, 0.02)


@takes_options("compare")
def compare(
    frame: Any,
    *,
    quasi: Sequence[str],
    sensitive: Sequence[str] = (),
    identifier: Sequence[str] = (),
    other: Sequence[str] = (),
    rest: Literal["other", "drop"] | None = None,
    accept: Sequence[str] = (),
    person: str | None = None,
    personal_k: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    kind: Mapping[str, str] | None = None,
    hierarchy: Mapping[str, Hierarchy | Recipe | str | PathLike[str]] | None = None,
    suppress_only: Sequence[str] = (),
    order: Mapping[str, Sequence[str]] | None = None,
    date_format: Mapping[str, str] | None = None,
    value_range: Mapping[str, tuple[Limit, Limit] | str] | None = None,
    round_to: Mapping[str, float] | None = None,
    min_level: Mapping[str, int] | None = None,
    max_level: Mapping[str, int] | None = None,
    top: Mapping[str, float] | None = None,
    bottom: Mapping[str, float] | None = None,
    weight: Mapping[str, float] | None = None,
    set_loss: Literal["share", "paper", "binary"] = "share",
    hierarchy_loss: Literal["leaves", "levels"] = "leaves",
    missing: Literal["value", "drop"] = "value",
    suppress_for: Literal["total", "released"] = "total",
    suppressed: Literal["star", "withhold"] = "star",
    population: str | None = None,
    sampling_fraction: float | None = None,
    measure: str | None = None,
    form: Form | None = None,
    target: str | None = None,
    keep_marginals: Sequence[str] = (),
    marginal_weight: float = 1.0,
    param: Mapping[str, Any] | None = None,
    time: float | None = None,
    steps: int | None = None,
    threads: int | None = None,
    seed: int | None = None,
    null_values: Sequence[str] = (),
    special_values: Sequence[str] = (),
    decimal: Literal[".", ","] = ".",
    thousands: Literal[",", ".", " ", "'", "_"] | None = None,
    k: Sequence[int] | int = K,
    algorithm: Sequence[str] | str = ALGORITHMS,
    suppression: Sequence[float] | float = SUPPRESSION,
    models: Sequence[Sequence[Model | str]] = ((),),
    store: str | PathLike[str] | None = None,
    watch: Callable[[Setting], None] | None = None,
) -> pl.DataFrame:
    """Release a table with every combination of some options, and return the figures of each.

    Every release is verified; none is kept. A combination that cannot be met has its reason in
    the column ``problem``.

    Parameters
    ----------
    frame
        As for :func:`shoal.anonymize`.
    quasi
        Quasi-identifiers: columns by which a person could be recognized; generalized.
    sensitive
        Sensitive columns: worth protecting; released unchanged.
    identifier
        Columns that name a person; removed before anything else runs.
    other
        Columns that are released unchanged.
    rest
        What happens to columns that have no role: released unchanged, or dropped.
    accept
        Columns to release unchanged although the exposure check finds something in them; the facts
        record it.
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
    round_to
        Round the ends of a numeric column's intervals outward to multiples of a number.
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
    suppress_for
        What suppression must lower: the total loss, in which suppressed records count as lost, or
        the loss of the released records alone.
    suppressed
        Suppressed records show * everywhere, or are withheld; fewer than k are withheld.
    population
        Table of the whole population that the records were drawn from, for the models k-map and
        delta-presence.
    sampling_fraction
        Share of the population that the table is a sample of, for the model population-uniqueness.
    measure
        The loss measure to minimize; gcp unless set, or what suits `target`.
    form
        What the release looks like: classes, hierarchy, full-domain or freeform; or what it
        guarantees: concealment, (k,k), (k,1) or (1,k). An algorithm other than auto decides it.
    target
        The column that analysts will predict; auto then tries several measures, and global
        recoding, and keeps the release that predicts it best.
    keep_marginals
        Tables of counts to keep, such as age*sex: the sum of loss and mean distance of these tables
        from the original's is minimized.
    marginal_weight
        How much the mean distance of the tables of `keep_marginals` counts beside the loss.
    param
        Parameters of the algorithm.
    time
        Wall seconds for solving. Unless set, auto takes 5 s, more above 500,000 records, and up to
        10,000 records a fixed number of steps.
    steps
        Budget in the algorithm's own steps; unlike `time`, it gives the same bytes for the same
        seed on every machine.
    threads
        Number of threads; unless set, all cores that the process may use. The result does not
        depend on it unless a time limit, also that of the default, ends a search.
    seed
        Seed of all randomness. Keep it secret: it can undo the shuffling.
    null_values
        Texts that stand for a missing cell: ?,NA in all columns, age=97|98 in one.
    special_values
        Codes that stand for the reason why a number is missing: weeks=N|R. They become categories
        in weeks_special, and the column keeps its numbers.
    decimal
        Decimal separator of numbers in a CSV file; with a comma, points separate thousands.
    thousands
        Thousands separator of numbers in a CSV file; it is removed when they are read.
    k, algorithm, suppression
        The values to combine.
    models
        The lists of privacy models to combine; an empty list is none.
    store
        A folder in which results are kept, so that an interrupted comparison can continue.
    watch
        Called with each combination before it runs.

    Returns
    -------
    polars.DataFrame
        One row per combination: loss, classes, risk, seconds, and with ``target`` the error of
        classifiers.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> people = pl.DataFrame({"age": [35, 36, 37, 61, 62, 66], "sex": list("FFFMMM")})
    >>> found = shoal.compare(people, k=[2, 3], algorithm="mondrian", suppression=0,
    ...                       quasi=["age", "sex"])
    >>> found.select("k", "risk_highest").rows()
    [(2, 0.3333333333333333), (3, 0.3333333333333333)]
    """
    given = {name: value for name, value in locals().items() if value is not None}
    shared = {name: given[name] for name in _names() if name in given}
    read_options("compare", shared, beneath={"k": 2})  # reports what is wrong for all of them
    comparison = comparison_of(frame, store, shared)
    combined = [list(map(str, listed)) for listed in models]
    chosen = settings_of(_many(k), _many(algorithm), _many(suppression), combined)
    return frame_of(list(comparison.rows(chosen, watch)))


def _names() -> list[str]:
    """Return the options that all runs share."""
    return [one.name for one in describe_options("compare") if one.in_python]


def comparison_of(
    frame: Any, store: str | PathLike[str] | None, options: Mapping[str, Any]
) -> Comparison:
    """Return what all runs of a comparison share; a store is made where there is none."""
    shared = dict(options)
    if shared.get("target"):
        shared.setdefault("utility", True)
    place = None if store is None else Path(store)
    if place is not None:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
    return Comparison(CallerFrame.of(frame).read_as(reading_of(shared)).polars, shared, place)


def _many(values: Any) -> list[Any]:
    several = isinstance(values, Iterable) and not isinstance(values, str)
    return list(values) if several else [values]
