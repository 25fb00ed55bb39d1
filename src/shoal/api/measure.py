"""What a release cost, by every measure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.api.released import original_of, read_released, rows_of
from shoal.encoding import encode
from shoal.encoding.parse import codes_in, parse_release
from shoal.measures import Released, find_measure
from shoal.options.call import takes_options
from shoal.pipeline.coding import with_codes
from shoal.pipeline.figures import in_classes, measured, target_name, target_of_release
from shoal.pipeline.presentation import readable_release
from shoal.pipeline.run import schema_of
from shoal.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike
    from typing import Literal

    import numpy as np
    from numpy.typing import NDArray

    from shoal.hierarchies import Hierarchy, Recipe
    from shoal.options.values import Form, Limit
    from shoal.pipeline.release import Release


@takes_options("measure")
def measure(
    original: Any,
    released: Release[Any] | Any,
    *,
    k: int | None = None,
    quasi: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    identifier: Sequence[str] | None = None,
    other: Sequence[str] | None = None,
    rest: Literal["other", "drop"] | None = None,
    person: str | None = None,
    personal_k: Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
    kind: Mapping[str, str] | None = None,
    hierarchy: Mapping[str, Hierarchy | Recipe | str | PathLike[str]] | None = None,
    suppress_only: Sequence[str] | None = None,
    order: Mapping[str, Sequence[str]] | None = None,
    date_format: Mapping[str, str] | None = None,
    value_range: Mapping[str, tuple[Limit, Limit] | str] | None = None,
    top: Mapping[str, float] | None = None,
    bottom: Mapping[str, float] | None = None,
    weight: Mapping[str, float] | None = None,
    set_loss: Literal["share", "paper", "binary"] | None = None,
    hierarchy_loss: Literal["leaves", "levels"] | None = None,
    missing: Literal["value", "drop"] | None = None,
    suppression: float | None = None,
    measure: str | None = None,
    form: Form | None = None,
    target: str | None = None,
    keep_marginals: Sequence[str] | None = None,
    notation: Literal["text", "min_max", "midpoint", "label", "json"] | None = None,
    aggregate: Mapping[str, Literal["mean", "median", "mode", "midpoint"]] | None = None,
    escape_formulas: bool | None = None,
    null_values: Sequence[str] | None = None,
    special_values: Sequence[str] | None = None,
    decimal: Literal[".", ","] | None = None,
    thousands: Literal[",", ".", " ", "'", "_"] | None = None,
    rows: NDArray[np.int64] | None = None,
) -> dict[str, Any]:
    """Return every measure of a release, and the loss of each attribute.

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
    measure
        A measure with a weight of its own to report too, such as wmi:0.25.
    form
        The form of the release: without classes, measures that are sums over classes are left out.
    target
        The target column of cm, pmi, wmi and entropy_diversity; the first sensitive one unless set.
    keep_marginals
        Tables of counts, such as age*sex, whose distance from the original's to report.
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
        For each released row its row in the original (``release.custody.rows``); needed where
        columns show statistics of classes.

    Returns
    -------
    dict
        ``measures`` and ``per_attribute``, and ``marginals`` if any are requested.
    """
    shown, options = read_released("measure", released, locals())
    source = original_of(original, options.job)
    job = options.job
    find_measure(job.measure)
    source = with_codes(source, job)
    table = Table.of(source, schema_of(source, job))
    shown = readable_release(shown, table.schema, job, source, rows_of(released, rows))
    encoded = encode(table)
    recoding, domains = parse_release(shown, encoded.domains)
    codes = tuple(map(codes_in, domains, encoded.codes, encoded.domains))
    column = None
    name = target_name(table.schema, job)
    if name is not None and (name in shown.columns or job.target is not None):
        column = target_of_release(name, table.frame, shown)
    beside = Released(
        domains, encoded.weights, codes, recoding, encoded.n, job.k, column, in_classes(job)
    )
    found: dict[str, Any] = {name: dict(values) for name, values in measured(beside, job).items()}
    if job.keep_marginals:
        # Imported here: marginal tables are rarely requested.
        from shoal.analysis import Shown
        from shoal.pipeline.marginals import marginal_distances

        of_release = Shown.recoded(domains, recoding)
        found["marginals"] = marginal_distances(table, codes, of_release, shown, job)
    return found
