"""A verified release in two tables, linked only by groups of records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.errors import ParameterError
from shoal.io import CallerFrame
from shoal.options.call import read_options, takes_options
from shoal.pipeline.anatomy import make_anatomy
from shoal.pipeline.run import schema_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from shoal.pipeline.anatomy import Anatomy


@takes_options("anatomize")
def anatomize(
    frame: Any,
    *,
    l: int,  # noqa: E741
    quasi: Sequence[str],
    sensitive: Sequence[str],
    identifier: Sequence[str] = (),
    other: Sequence[str] = (),
    rest: Literal["other", "drop"] | None = None,
    accept: Sequence[str] = (),
    seed: int | None = None,
    null_values: Sequence[str] = (),
    special_values: Sequence[str] = (),
    decimal: Literal[".", ","] = ".",
    thousands: Literal[",", ".", " ", "'", "_"] | None = None,
) -> Anatomy:
    """Return a release in two tables: who is in which group, and which values a group holds.

    No value is more than one in l of its group, so whoever finds a person in the first table learns
    no more than that about the sensitive value. Nothing is generalized. Both tables are shuffled,
    and are checked by the independent verifier before they are returned.

    Parameters
    ----------
    frame
        pandas, polars or pyarrow table, or anything with the Arrow C stream. It is not changed.
    l
        Smallest number of different sensitive values in every group.
    quasi
        Quasi-identifiers: columns by which a person could be recognized; released unchanged.
    sensitive
        The one sensitive column.
    identifier
        Columns that name a person; removed before anything else runs.
    other
        Columns that are released unchanged.
    rest
        What happens to columns that have no role: released unchanged, or dropped.
    accept
        Columns to release unchanged although the exposure check finds something in them; the facts
        record it.
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

    Raises
    ------
    InputError
        If the frame or options cannot be used; all wrong options are named together.
    ExposureError
        If a column that is not accepted gives people away, or reveals whose sensitive value is
        whose.
    InfeasibleError
        If a value is more frequent than one in l.
    VerificationError
        If the verifier rejects the release; that is a bug, and no release is returned.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> people = pl.DataFrame({"age": [35, 36, 61, 62], "disease": ["flu", "cold", "flu", "gout"]})
    >>> release = shoal.anatomize(people, l=2, quasi=["age"], sensitive="disease")
    >>> release.people.columns, release.values.columns
    (['age', 'group'], ['group', 'disease', 'count'])
    >>> release.people["group"].n_unique()
    2
    """
    # There is no k; any will do where a job must have one.
    job = read_options("anatomize", locals(), beneath={"k": 2}).job
    if len(job.sensitive) != 1:
        raise ParameterError(
            f"Anatomy takes one sensitive column, not {len(job.sensitive)}.",
            remedy="Name it with `sensitive`; others may be `other`, or dropped with `rest`.",
        )
    source = CallerFrame.of(frame).read_as(job).polars
    return make_anatomy(source, schema_of(source, job), l, job.seed, job.accept)
