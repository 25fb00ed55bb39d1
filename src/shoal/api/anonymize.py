"""A verified, k-anonymous release of a frame."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from shoal.io import CallerFrame
from shoal.options.call import read_options, takes_options
from shoal.pipeline.compatibility import further_mistakes
from shoal.pipeline.progress import Stages
from shoal.pipeline.run import run_job

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike
    from typing import Literal

    from shoal.algorithms import AlgorithmLike
    from shoal.hierarchies import Hierarchy, Recipe
    from shoal.models import Model
    from shoal.options import Job
    from shoal.options.values import Form, Limit
    from shoal.pipeline.progress import Watcher
    from shoal.pipeline.release import FrameT, Release


@takes_options("anonymize", further_mistakes)
def anonymize(
    frame: FrameT,
    *,
    k: int,
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
    suppression: float = 0.0,
    suppress_for: Literal["total", "released"] = "total",
    suppressed: Literal["star", "withhold"] = "star",
    population: str | None = None,
    sampling_fraction: float | None = None,
    models: Sequence[Model | str] = (),
    measure: str | None = None,
    form: Form | None = None,
    target: str | None = None,
    keep_marginals: Sequence[str] = (),
    marginal_weight: float = 1.0,
    algorithm: AlgorithmLike | str = "auto",
    param: Mapping[str, Any] | None = None,
    time: float | None = None,
    steps: int | None = None,
    engine: Literal["local", "disk", "spark"] = "local",
    cell_records: int = 100000,
    cut_sample: int | None = None,
    memory: float | None = None,
    bound_seconds: float | None = None,
    threads: int | None = None,
    seed: int | None = None,
    utility: bool = False,
    keep_order: bool = False,
    notation: Literal["text", "min_max", "midpoint", "label", "json"] = "text",
    aggregate: Mapping[str, Literal["mean", "median", "mode", "midpoint"]] | None = None,
    escape_formulas: bool = False,
    null_values: Sequence[str] = (),
    special_values: Sequence[str] = (),
    decimal: Literal[".", ","] = ".",
    thousands: Literal[",", ".", " ", "'", "_"] | None = None,
    watch: Watcher | None = None,
) -> Release[FrameT]:
    """Return a k-anonymous, verified release of a frame.

    Parameters
    ----------
    frame
        pandas, polars or pyarrow table, or anything with the Arrow C stream. It is not changed;
        the release has the same type.
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
    suppression
        Largest share of records that may be suppressed; 1 is no limit.
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
    models
        Privacy models beyond k, such as distinct-l-diversity:3 or t-closeness:0.2@diagnosis.
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
    algorithm
        The algorithm that finds the release.
    param
        Parameters of the algorithm.
    time
        Wall seconds for solving. Unless set, auto takes 5 s, more above 500,000 records, and up to
        10,000 records a fixed number of steps.
    steps
        Budget in the algorithm's own steps; unlike `time`, it gives the same bytes for the same
        seed on every machine.
    engine
        Where the work is done: local in memory, disk on one machine beyond its memory, spark on a
        cluster. disk and spark solve the table cell by cell.
    cell_records
        Largest number of records in a cell of the disk and spark engines; larger cells are cut, and
        each cell is solved on its own.
    cut_sample
        Number of records from which the spark engine chooses its cuts; cells are counted exactly.
        Unless set, cuts follow from all records and are those of every engine.
    memory
        Gigabytes of memory that the disk engine may use; unless set, half of the free memory, at
        most 4.
    bound_seconds
        Wall seconds for proving how much any release of this kind must lose.
    threads
        Number of threads; unless set, all cores that the process may use. The result does not
        depend on it unless a time limit, also that of the default, ends a search.
    seed
        Seed of all randomness. Keep it secret: it can undo the shuffling.
    utility
        Report in the facts what classifiers, rules and counts lose; takes a minute for 30,000
        records.
    keep_order
        Keep the order of the rows instead of shuffling them; the order may reveal whose record is
        whose.
    notation
        How generalized cells are written: [35..37] (text), 35 and 37 in age_min and age_max
        (min_max), 36 (midpoint), 35 to 37 (label), or as JSON.
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
    watch
        Called with a :class:`shoal.Progress` from time to time.

    Raises
    ------
    InputError
        If the frame or options cannot be used; all wrong options are named together.
    InfeasibleError
        If no release can meet the goal.
    VerificationError
        If the verifier rejects the release; that is a bug, and no release is returned.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> people = pl.DataFrame({"age": [35, 36, 37, 61, 62, 66], "sex": list("FFFMMM"),
    ...                        "disease": ["flu", "cold", "flu", "gout", "flu", "cold"]})
    >>> release = shoal.anonymize(people, k=3, quasi=["age", "sex"], sensitive=["disease"])
    >>> sorted(release.frame["age"].unique())
    ['[35..37]', '[61..66]']
    >>> release.verdict.passed
    True
    """
    options = read_options("anonymize", locals(), further=further_mistakes)
    return anonymize_by_job(frame, options.job, watch=watch)


def anonymize_by_job(frame: FrameT, job: Job, *, watch: Watcher | None = None) -> Release[FrameT]:
    """Return the release of a frame that a job describes, in the caller's type of frame."""
    caller = CallerFrame.of(frame).read_as(job)
    bar = None
    if watch is None and "IPython" in sys.modules:
        from shoal.rendering.progress_bar import notebook_bar

        bar = notebook_bar()
    stages = Stages(watch or bar)
    try:
        return run_job(caller.polars, job, stages=stages, caller=caller)
    finally:
        if bar is not None:
            bar.close()
