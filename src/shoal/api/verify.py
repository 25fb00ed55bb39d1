"""The verdict on a release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.api.released import original_of, read_released
from shoal.options.call import takes_options
from shoal.pipeline.coding import with_codes
from shoal.pipeline.population import read_population
from shoal.pipeline.presentation import aggregates_of
from shoal.pipeline.progress import Progress
from shoal.pipeline.run import schema_of
from shoal.pipeline.unchanged import examine_files, with_exposure
from shoal.verifier import Verdict, verify_and_match

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from os import PathLike
    from typing import Literal

    import numpy as np
    from numpy.typing import NDArray

    from shoal.hierarchies import Hierarchy, Recipe
    from shoal.models import Model
    from shoal.options.values import Form, Limit
    from shoal.pipeline.release import Release
    from shoal.verifier.transport import Watch

__all__ = ["Verdict", "verify"]


@takes_options("verify")
def verify(
    original: Any,
    released: Release[Any] | Any,
    *,
    k: int | None = None,
    quasi: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    identifier: Sequence[str] | None = None,
    other: Sequence[str] | None = None,
    rest: Literal["other", "drop"] | None = None,
    accept: Sequence[str] | None = None,
    person: str | None = None,
    personal_k: Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
    kind: Mapping[str, str] | None = None,
    hierarchy: Mapping[str, Hierarchy | Recipe | str | PathLike[str]] | None = None,
    suppress_only: Sequence[str] | None = None,
    order: Mapping[str, Sequence[str]] | None = None,
    date_format: Mapping[str, str] | None = None,
    value_range: Mapping[str, tuple[Limit, Limit] | str] | None = None,
    min_level: Mapping[str, int] | None = None,
    max_level: Mapping[str, int] | None = None,
    top: Mapping[str, float] | None = None,
    bottom: Mapping[str, float] | None = None,
    weight: Mapping[str, float] | None = None,
    set_loss: Literal["share", "paper", "binary"] | None = None,
    hierarchy_loss: Literal["leaves", "levels"] | None = None,
    missing: Literal["value", "drop"] | None = None,
    suppression: float | None = None,
    population: str | None = None,
    sampling_fraction: float | None = None,
    models: Sequence[Model | str] | None = None,
    form: Form | None = None,
    notation: Literal["text", "min_max", "midpoint", "label", "json"] | None = None,
    aggregate: Mapping[str, Literal["mean", "median", "mode", "midpoint"]] | None = None,
    escape_formulas: bool | None = None,
    null_values: Sequence[str] | None = None,
    special_values: Sequence[str] | None = None,
    decimal: Literal[".", ","] | None = None,
    thousands: Literal[",", ".", " ", "'", "_"] | None = None,
    rows: NDArray[np.int64] | None = None,
    matches: NDArray[np.int64] | None = None,
    watch: Callable[[Progress], None] | None = None,
) -> Verdict:
    """Return the verifier's verdict on a release, from the two tables alone.

    Parameters
    ----------
    original
        A frame of any type that :func:`shoal.anonymize` takes.
    released
        Its release: a frame, or a :class:`shoal.Release`. The job of a ``Release`` describes it
        where no option is set; of a frame, at least ``k`` and ``quasi`` must be set.
    k
        Every record looks like at least k - 1 others.
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
    suppression
        Largest share of records that may be suppressed; 1 is no limit.
    population
        Table of the whole population that the records were drawn from, for the models k-map and
        delta-presence.
    sampling_fraction
        Share of the population that the table is a sample of, for the model population-uniqueness.
    models
        Privacy models beyond k, such as distinct-l-diversity:3 or t-closeness:0.2@diagnosis.
    form
        What the release guarantees: classes, freeform, concealment, (k,k), (k,1) or (1,k); classes
        unless set.
    notation
        How the cells of the release are written; text and min_max are detected.
    aggregate
        Columns that show a statistic of their class in place of an interval or a set: mean, median,
        mode or midpoint.
    escape_formulas
        In a CSV file meant for a spreadsheet, put an apostrophe before cells that it would run as
        formulas.
    null_values
        Texts that stand for a missing cell: ?,NA in all columns, age=97|98 in one.
    special_values
        Codes that stand for the reason why a number is missing: weeks=N|R. They become categories
        in weeks_special, and the column keeps its numbers.
    decimal
        Decimal separator of numbers in a CSV file; with a comma, points separate thousands.
    thousands
        Thousands separator of numbers in a CSV file; it is removed when they are read.
    rows
        For each released row its row in the original, where the custodian knows it; it turns the
        search for an assignment into a check.
    matches
        For each released row of a freeform release the k rows of the original that it is matched
        with, where the custodian knows them.
    watch
        Called with a :class:`shoal.Progress` during the search for a match.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> people = pl.DataFrame({"age": [35, 36, 37, 61, 62, 66], "sex": list("FFFMMM")})
    >>> release = shoal.anonymize(people, k=3, quasi=["age", "sex"])
    >>> shoal.verify(people, release).passed
    True
    >>> shoal.verify(people, release.frame, k=4, quasi=["age", "sex"]).passed
    False
    """
    shown, options = read_released("verify", released, locals())
    source = original_of(original, options.job)
    job = options.job
    schema = schema_of(with_codes(source, job), job)
    verdict, found = verify_and_match(
        source,
        shown,
        schema,
        job.k,
        models=job.models,
        suppression=job.suppression,
        witness=rows,
        form=job.guarantee,
        matches=matches,
        notation=job.notation,
        aggregates=aggregates_of(schema, job),
        population=read_population(job),
        sampling_fraction=job.sampling_fraction,
        watch=None if watch is None else _watching(watch),
    )
    known = found if rows is None else rows
    return with_exposure(verdict, examine_files(source, shown, schema, job, known, matches))


def _watching(watch: Callable[[Progress], None]) -> Watch:
    def report(stage: str, share: float, expected: float | None = None, /) -> None:
        watch(Progress(stage, share, expected=expected))

    return report
