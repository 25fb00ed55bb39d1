"""The verdict on a release in two tables: who is in a group, and what its values are."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.errors import InputError
from shoal.verifier.group_membership import Answer, Sums, find_membership
from shoal.verifier.grouping import group_rows
from shoal.verifier.unchanged import common_codes
from shoal.verifier.verdict import Check, Question, Verdict, name_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.table.schema import Schema

GROUP, COUNT = "group", "count"
_NO_GROUPS = np.empty(0, np.int64)
_HOLD_ORIGINALS = {
    Answer.FOUND: Check(
        "groups hold their originals",
        passed=True,
        detail="every original has a place in a group that holds its sensitive value",
    ),
    Answer.IMPOSSIBLE: Check(
        "groups hold their originals",
        passed=False,
        detail="the originals cannot be placed so that every group holds exactly the sensitive "
        "values that are listed for it",
    ),
    Answer.UNKNOWN: Check(
        "groups hold their originals",
        passed=False,
        detail="that every group holds the sensitive values of its originals could not be shown "
        "from the tables alone, since too many people look alike; give the custody file",
    ),
}


def verify_anatomy(
    original: pl.DataFrame,
    people: pl.DataFrame,
    values: pl.DataFrame,
    schema: Schema,
    least: int,
    *,
    witness: NDArray[np.int64] | None = None,
) -> Verdict:
    """Decide whether a release in two tables is l-diverse and true to its original.

    The diversity of every group is counted, both tables must name the same groups, and together
    they must hold exactly what the original holds. With a row map the place of every record is
    checked; without one, places are searched that make every group hold the values listed for it.

    Parameters
    ----------
    original
        The source table.
    people
        Quasi-identifiers and other columns as they are, and the group of each record.
    values
        Group, sensitive value, and how many records of the group have it.
    schema
        Roles of the columns; one of them is sensitive.
    least
        The l of l-diversity: no value is more than one in l of a group.
    witness
        For each row of ``people`` the position of its original.

    Raises
    ------
    InputError
        If l is below 2, or the schema has not exactly one sensitive column.
    """
    if least < 2 or len(schema.sensitive) != 1:
        raise InputError("Anatomy needs one sensitive column and l ≥ 2.")
    (sensitive,) = schema.sensitive
    shown = [*schema.quasi_names, *schema.other]
    question = Question(
        least,
        schema.quasi_names,
        schema.sensitive,
        (f"frequency-l-diversity:{least}@{sensitive}",),
        form="anatomy",
    )
    columns = _check_columns(people, values, shown, sensitive)
    if not columns.passed or not len(people) or not len(values):
        return _verdict([columns], original, people, question, "none: the tables cannot be read")
    names = sorted(set(people[GROUP].to_list()) | set(values[GROUP].to_list()), key=str)
    number = {name: place for place, name in enumerate(names)}
    group = np.array([number[name] for name in people[GROUP].to_list()])
    owner = np.array([number[name] for name in values[GROUP].to_list()])
    counts = _whole_numbers(values[COUNT])
    sizes = np.bincount(group, minlength=len(names))
    codes = common_codes(original[sensitive], values[sensitive])
    before, after = codes[: len(original)], codes[len(original) :].astype(np.int64)
    checks = [
        columns,
        _check_counts(owner, after, counts, sizes),
        _check_diversity(owner, after, counts, sizes, least),
        _check_people(original, people, shown),
        _check_values(before, after, counts),
    ]
    if witness is not None:
        checks += _check_row_map(original, people, shown, witness)
        if checks[-1].passed:
            checks.append(_check_groups(group, owner, before[witness], after, counts))
        proof = "each released row was checked against the original that the row map gives it"
    elif all(check.passed for check in checks):
        looks = group_rows([common_codes(original[name], people[name]) for name in shown]).of_row()
        found = find_membership(
            Sums.of(looks[: len(original)], before),
            Sums.of(looks[len(original) :], group),
            Sums.of(owner, after, counts),
        )
        checks.append(_HOLD_ORIGINALS[found])
        proof = (
            "a place was searched for every original in a group that shows its values and holds "
            "its sensitive value; the tables do not show which record came from which"
        )
    else:
        proof = "none: the tables do not agree"
    return _verdict(checks, original, people, question, proof, sizes)


def _verdict(  # noqa: PLR0917 (a verdict gathers what all checks found)
    checks: list[Check],
    original: pl.DataFrame,
    people: pl.DataFrame,
    question: Question,
    proof: str,
    sizes: NDArray[np.int64] = _NO_GROUPS,
) -> Verdict:
    return Verdict(
        passed=all(check.passed for check in checks),
        checks=tuple(checks),
        n=len(original),
        released=len(people),
        classes=len(sizes),
        smallest_class=int(sizes.min()) if len(sizes) else 0,
        starred=0,
        withheld=max(0, len(original) - len(people)),
        proof=proof,
        question=question,
    )


def _check_columns(
    people: pl.DataFrame, values: pl.DataFrame, shown: list[str], sensitive: str
) -> Check:
    faults = []
    for table, frame, wanted in (
        ("first", people, {*shown, GROUP}),
        ("second", values, {GROUP, sensitive, COUNT}),
    ):
        held = set(frame.columns)
        absent, beyond = sorted(wanted - held), sorted(held - wanted)
        faults += [f"the {table} table lacks {name!r}" for name in absent]
        faults += [f"the {table} table must not hold {name!r}" for name in beyond]
        if GROUP in held and frame[GROUP].null_count():
            faults.append(f"the {table} table has rows without a group")
    detail = "; ".join(faults) or "both tables hold what they must, and nothing else"
    return Check("columns present", passed=not faults, detail=detail)


def _whole_numbers(series: pl.Series) -> NDArray[np.int64]:
    """Return counts, 0 where a cell is not a whole number."""
    read = series.cast(pl.Int64, strict=False)
    if series.dtype.is_float():
        read = read.set(read.cast(pl.Float64) != series, None)
    return read.fill_null(0).to_numpy()


def _check_counts(
    owner: NDArray[np.int64],
    value: NDArray[np.int64],
    counts: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> Check:
    name = "both tables have the same groups"
    low = np.flatnonzero(counts < 1)
    if len(low):
        detail = f"second table {name_rows(low)}: the count is not a positive whole number"
        return Check(name, passed=False, detail=detail)
    twice = group_rows([owner, value])
    if (twice.sizes > 1).any():
        detail = f"{np.count_nonzero(twice.sizes > 1):,} values are listed twice in a group"
        return Check(name, passed=False, detail=detail)
    stated = np.bincount(owner, counts, minlength=len(sizes)).astype(np.int64)
    wrong = np.count_nonzero(stated != sizes)
    detail = (
        f"{wrong:,} groups have another number of records in one table than in the other"
        if wrong
        else f"{len(sizes):,} groups, the smallest of {int(sizes.min()):,} records"
    )
    return Check(name, passed=not wrong, detail=detail)


def _check_diversity(
    owner: NDArray[np.int64],
    value: NDArray[np.int64],
    counts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    least: int,
) -> Check:
    """Ask every group for its most frequent value; values listed twice are added up."""
    pairs = group_rows([owner, value])
    summed = np.add.reduceat(counts[pairs.rows], pairs.starts[:-1])
    most = np.zeros(len(sizes), dtype=np.int64)
    np.maximum.at(most, owner[pairs.first], summed)
    bad = int(np.count_nonzero(most * least > sizes))
    worst = max(Fraction(int(a), max(int(b), 1)) for a, b in zip(most, sizes, strict=True))
    detail = (
        f"{bad:,} groups hold a value more often than one in {least}"
        if bad
        else f"no value is more than {float(worst):.3g} of its group"
    )
    return Check(f"groups of at least {least} values", passed=not bad, detail=detail)


def _check_people(original: pl.DataFrame, people: pl.DataFrame, shown: list[str]) -> Check:
    """Compare the rows of both tables as multisets."""
    name = "every record accounted for"
    if len(original) != len(people):
        detail = f"{len(people):,} records released, but there are {len(original):,} originals"
        return Check(name, passed=False, detail=detail)
    n = len(original)
    every = [common_codes(original[column], people[column]) for column in shown]
    rows = group_rows(every)
    sides = np.add.reduceat((rows.rows < n).astype(np.int64), rows.starts[:-1])
    wrong = int(np.count_nonzero(2 * sides != rows.sizes))
    detail = (
        f"{wrong:,} combinations of values occur in one table more often than in the other"
        if wrong
        else f"the {n:,} records show exactly the values of the {n:,} originals"
    )
    return Check(name, passed=not wrong, detail=detail)


def _check_values(
    before: NDArray[np.integer], after: NDArray[np.int64], counts: NDArray[np.int64]
) -> Check:
    width = int(max(before.max(initial=0), after.max(initial=0))) + 1
    held = np.bincount(before, minlength=width)
    stated = np.bincount(after, counts, minlength=width).astype(np.int64)
    wrong = int(np.count_nonzero(held != stated))
    detail = (
        f"{wrong:,} sensitive values are listed more or less often than the original holds them"
        if wrong
        else "every sensitive value is listed as often as the original holds it"
    )
    return Check("sensitive values unchanged", passed=not wrong, detail=detail)


def _check_row_map(
    original: pl.DataFrame, people: pl.DataFrame, shown: list[str], witness: NDArray[np.int64]
) -> list[Check]:
    name = "row map is one-to-one"
    valid = (
        witness.ndim == 1
        and len(witness) == len(people)
        and np.issubdtype(witness.dtype, np.integer)
        and bool(((witness >= 0) & (witness < len(original))).all())
        and len(np.unique(witness)) == len(witness)
    )
    if not valid:
        detail = "it does not name a different original for each record"
        return [Check(name, passed=False, detail=detail)]
    faults = []
    for column in shown:
        codes = common_codes(original[column], people[column])
        before, after = codes[: len(original)], codes[len(original) :]
        rows = np.flatnonzero(before[witness] != after)
        if len(rows):
            faults.append(f"column {column!r}: release {name_rows(rows)}")
    detail = "; ".join(faults) or f"{len(shown)} columns are unchanged"
    return [
        Check(name, passed=True, detail=f"{len(people):,} records have originals of their own"),
        Check("values unchanged", passed=not faults, detail=detail),
    ]


def _check_groups(
    group: NDArray[np.int64],
    owner: NDArray[np.int64],
    true: NDArray[np.integer],
    value: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> Check:
    """Compare what each group claims to hold with what its originals hold."""
    both = group_rows([np.concatenate((group, owner)), np.concatenate((true, value))])
    sign = np.concatenate((np.ones(len(group), dtype=np.int64), -counts))
    wrong = int(np.count_nonzero(np.add.reduceat(sign[both.rows], both.starts[:-1])))
    detail = (
        f"{wrong:,} values of groups are listed more or less often than their originals hold them"
        if wrong
        else "every group is listed with exactly the sensitive values of its originals"
    )
    return Check("groups hold their originals", passed=not wrong, detail=detail)
