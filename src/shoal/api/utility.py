"""What analysts get out of a release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.analysis import Settings, Shown
from shoal.api.released import original_of, read_released, rows_of
from shoal.encoding import encode
from shoal.encoding.parse import codes_in, parse_release
from shoal.options.call import takes_options
from shoal.options.further import UtilityOptions
from shoal.pipeline.coding import with_codes
from shoal.pipeline.presentation import readable_release
from shoal.pipeline.progress import Stages
from shoal.pipeline.run import schema_of
from shoal.pipeline.utility import records_of_rows, study_release, with_target
from shoal.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike
    from typing import Literal

    from numpy.typing import NDArray

    from shoal.hierarchies import Hierarchy, Recipe
    from shoal.options.values import Limit
    from shoal.pipeline.progress import Watcher
    from shoal.pipeline.release import Release


@takes_options("utility")
def utility(
    original: Any,
    released: Release[Any] | Any,
    *,
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
    set_loss: Literal["share", "paper", "binary"] | None = None,
    hierarchy_loss: Literal["leaves", "levels"] | None = None,
    missing: Literal["value", "drop"] | None = None,
    target: str | None = None,
    keep_marginals: Sequence[str] | None = None,
    threads: int | None = None,
    folds: int | None = None,
    queries: int | None = None,
    support: float | None = None,
    confidence: float | None = None,
    rules: bool | None = None,
    notation: Literal["text", "min_max", "midpoint", "label", "json"] | None = None,
    aggregate: Mapping[str, Literal["mean", "median", "mode", "midpoint"]] | None = None,
    null_values: Sequence[str] | None = None,
    special_values: Sequence[str] | None = None,
    decimal: Literal[".", ","] | None = None,
    thousands: Literal[",", ".", " ", "'", "_"] | None = None,
    rows: NDArray[np.int64] | None = None,
    watch: Watcher | None = None,
) -> dict[str, Any]:
    """Return what analysts get out of a release, compared with the original.

    Classifiers learn the target from the quasi-identifiers of the release and are tested on
    original and on released records, beside classifiers that learn from the original and the
    majority rule; association rules and random counting queries are compared. Classifiers need
    scikit-learn: ``pip install 'shoal[utility]'``.

    Parameters
    ----------
    original
        A frame of any type that :func:`shoal.anonymize` takes.
    released
        Its release: a frame, or a :class:`shoal.Release`. The job of a ``Release`` describes it
        where no option is set; of a frame, at least ``quasi`` must be set.
    quasi
        Quasi-identifiers: columns by which a person could be recognized; generalized.
    sensitive
        Sensitive columns: worth protecting; released unchanged.
    identifier
        Columns that name a person; removed before anything else runs.
    other
        Columns that are released unchanged.
    rest
        What happens to columns that have no role: released unchanged, or dropped; dropped unless
        set.
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
    set_loss
        Loss of a set of c of A categories: (c-1)/(A-1), (c-1)/A, or c/A as A binary columns.
    hierarchy_loss
        Loss of a node over c of A leaves: (c-1)/(A-1); or of level i of h: i/h.
    missing
        Treat a missing cell as a value of its own, or withhold its record.
    target
        The column to predict; the first sensitive one unless set. Without one, only counts are
        compared.
    keep_marginals
        Tables of counts, such as age*sex, whose distance from the original's to report.
    threads
        Number of threads of each classifier; 1 unless set.
    folds
        Folds of the cross-validation.
    queries
        Number of random counting queries.
    support
        Minimum support of an association rule.
    confidence
        Minimum confidence of an association rule.
    rules
        Name the strongest association rules; they show values of the target.
    notation
        How the cells of the release are written; text and min_max are detected.
    aggregate
        Columns that show a statistic of their class in place of an interval or a set: mean, median,
        mode or midpoint.
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
        For each released row its row in the original (``release.custody.rows``). Without it a
        classifier may be tested on people whose released records it learned from.
    watch
        Called with a :class:`shoal.Progress` from time to time.

    Returns
    -------
    dict
        ``learning`` and ``rules`` if there is a target, ``queries``, ``notes`` and, if any are
        requested, ``marginals``, ready for JSON.
    """
    shown, options = read_released("utility", released, locals(), {"k": 2, "rest": "drop"})
    source = original_of(original, options.job)
    job = with_target(options.job)
    assert isinstance(options.own, UtilityOptions)
    own = options.own
    settings = Settings(
        own.folds,
        own.queries,
        own.support,
        own.confidence,
        job.threads or 1,
        own.rules,
    )
    source = with_codes(source, job)
    table = Table.of(source, schema_of(source, job))
    shown = readable_release(shown, table.schema, job, source, rows_of(released, rows))
    encoded = encode(table)
    recoding, domains = parse_release(shown, encoded.domains)
    codes = tuple(map(codes_in, domains, encoded.codes, encoded.domains))
    records = records_of_rows(rows, table, source.height, shown.height)
    if rows is None and job.keep_order and shown.height == table.n:
        records = np.arange(table.n)
    stages = Stages(watch)
    with stages.stage("utility"):
        return study_release(
            table,
            codes,
            Shown.recoded(domains, recoding),
            shown,
            job,
            settings,
            stages,
            records=records,
        )
