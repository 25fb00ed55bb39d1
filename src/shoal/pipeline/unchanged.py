"""The exposure check of a run: findings in unchanged columns stop it, unless accepted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.encoding import SUPPRESSED
from shoal.exposure import examine_columns, examine_release
from shoal.verifier.verdict import Check

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from shoal.encoding import Recoding
    from shoal.exposure import Exposure
    from shoal.options import Job
    from shoal.table import Schema, Table
    from shoal.verifier import Verdict

CHECK = "unchanged columns"


def examine_table(table: Table, job: Job) -> Exposure:
    """Return what unchanged columns hold, before any work is done on the others.

    Raises
    ------
    ExposureError
        If a column that is not accepted gives people away by itself.
    """
    found = examine_columns(table.frame, table.schema, job.accept)
    found.require_none_refused()
    return found


def examine_recoding(
    found: Exposure, table: Table, recoding: Recoding, records: NDArray[np.int64], job: Job
) -> Exposure:
    """Return what unchanged columns undo of a recoding, before it is written.

    Raises
    ------
    ExposureError
        If a column that is not accepted leaves too few candidates.
    """
    units = recoding.unit[records].astype(np.int64)
    # Suppressed records look the same, so they are a class to an attacker.
    classes = np.where(units == SUPPRESSED, len(recoding.sizes), units)
    matches = None
    if recoding.matches is not None:
        place = np.full(table.n + 1, -1, dtype=np.int64)
        place[records] = np.arange(len(records))
        matches = place[recoding.matches[records]]
    found = examine_release(
        found,
        table.frame.select(table.schema.quasi_names),
        table.frame.select(table.schema.untouched),
        job.k,
        classes=classes,
        matches=matches,
        persons=None if table.persons is None else table.persons[records],
        rows=records,
        distinct=table.distinct,
    )
    found.require_none_refused()
    return found


def examine_files(  # noqa: PLR0917 (both tables, and what is known of them)
    original: pl.DataFrame,
    released: pl.DataFrame,
    schema: Schema,
    job: Job,
    rows: NDArray[np.int64] | None,
    matches: NDArray[np.int64] | None = None,
) -> Exposure:
    """Return what unchanged columns of a release give away, from the two tables.

    How many candidates they leave is examined where the row of each record in the original is
    known, or one that the tables allow: it then has the same unchanged values. Of a freeform
    release the matches must be known, too.
    """
    there = [name for name in schema.untouched if name in released.columns]
    held = replace(
        schema,
        sensitive=tuple(name for name in schema.sensitive if name in there),
        other=tuple(name for name in schema.other if name in there),
    )
    accept = [name for name in job.accept if name in there]
    found = examine_columns(released, held, accept)
    if rows is None or len(rows) != released.height:
        return found
    if job.guarantee != "classes" and (matches is None or len(matches) != len(rows)):
        return found
    if len(rows) and not (int(rows.min()) >= 0 and int(rows.max()) < original.height):
        return found
    shown = [name for name in released.columns if name not in there]
    classes = released.select(shown).with_row_index("\0").group_by(shown).agg("\0")
    numbers = np.empty(released.height, dtype=np.int64)
    for number, members in enumerate(classes["\0"].to_list()):
        numbers[members] = number
    persons = None
    if schema.person is not None:
        persons = original[schema.person][rows].rank("dense").fill_null(0).to_numpy()
    candidates = None
    if job.guarantee != "classes" and matches is not None:
        candidates = _places(rows, matches, original.height)
        if candidates is None:
            return found
    return examine_release(
        found,
        original.select(schema.quasi_names)[rows],
        released.select(there),
        job.k,
        classes=numbers,
        matches=candidates,
        persons=persons,
    )


def _places(
    rows: NDArray[np.int64], matches: NDArray[np.int64], n: int
) -> NDArray[np.int64] | None:
    """Return matches by place in the release instead of rows of the original, if they fit."""
    if (matches[:, :1] < 0).any() or (matches >= n).any():
        return None
    # One place more: matches that a record lacks are -1, and stay so.
    place = np.full(n + 1, -1, dtype=np.int64)
    place[rows] = np.arange(len(rows))
    return place[matches]


def with_exposure(verdict: Verdict, found: Exposure) -> Verdict:
    """Return a verdict that also says what was found about unchanged columns."""
    if not found.columns:
        return verdict
    passed, detail = found.verdict()
    checks = (*verdict.checks, Check(CHECK, passed=passed, detail=detail))
    return replace(verdict, passed=verdict.passed and passed, checks=checks)
