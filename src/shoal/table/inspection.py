"""Suggestions for a table nobody has described yet: a role and a kind for each column, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from shoal.errors import option
from shoal.table.cells import texts
from shoal.table.column_roles import suggest_role
from shoal.table.kind_detection import Detected, detect, is_readable
from shoal.table.oddities import column_oddities, total_rows
from shoal.table.schema import Attribute, Kind, Reading, Role

if TYPE_CHECKING:
    from collections.abc import Sequence

MANY_CATEGORIES = 1_000


@dataclass(frozen=True, slots=True)
class ColumnSuggestion:
    """What a column seems to be; a suggestion to check, not a finding.

    Parameters
    ----------
    name
        The column.
    role, kind, reading
        What it seems to be.
    distinct
        Number of distinct present values.
    missing
        Number of missing cells.
    reason
        Why, in one sentence, without any of its values.
    sure
        Whether its name or values speak for the role; if not, it is a guess on the safe side.
    """

    name: str
    role: Role
    kind: Kind
    reading: Reading
    distinct: int
    missing: int
    reason: str
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a table seems to be, column by column, and how exposed its records are now.

    Parameters
    ----------
    columns
        A suggestion for each column, in the order of the table.
    n
        Number of records.
    unique
        Records that no other record equals on the suggested quasi-identifiers.
    k
        Size of the smallest group of records equal on them: the k the table has now. ``n`` when
        no quasi-identifier is suggested.
    warnings
        Sentences about what needs a decision.
    """

    columns: tuple[ColumnSuggestion, ...]
    n: int
    unique: int
    k: int
    warnings: tuple[str, ...]

    @property
    def quasi(self) -> tuple[str, ...]:
        """Names of the suggested quasi-identifiers."""
        return self.with_role(Role.QUASI)

    def with_role(self, role: Role) -> tuple[str, ...]:
        """Return the names of the columns that the role is suggested for."""
        return tuple(column.name for column in self.columns if column.role is role)


def inspect(frame: pl.DataFrame) -> Inspection:
    """Suggest a role and a kind for each column of a table, and say how exposed it is.

    Names and values are both looked at. Everything is a suggestion: only those who know who may
    come to see the release can say by what a person could be recognised.

    Examples
    --------
    >>> import polars
    >>> found = inspect(polars.DataFrame({"age": ["39", "39", "50"], "disease": ["a", "b", "a"]}))
    >>> [(column.name, str(column.role), str(column.kind)) for column in found.columns]
    [('age', 'quasi', 'numeric'), ('disease', 'sensitive', 'categorical')]
    >>> found.unique, found.k
    (1, 1)
    """
    warnings: list[str] = []
    columns = []
    for series in frame:
        column, found = _suggest(series)
        columns.append(column)
        warnings += _warnings(column, found, frame.height)
        if column.role is not Role.IDENTIFIER and is_readable(series.dtype) and not found.mixed:
            as_read = Attribute(column.name, found.kind, found.reading, order=found.order)
            warnings += column_oddities(series, as_read)
    warnings += total_rows(frame)
    quasi = [column.name for column in columns if column.role is Role.QUASI]
    sizes = _group_sizes(frame, quasi)
    if not quasi:
        warnings.append("No column looks like a quasi-identifier: name them with `quasi`.")
    return Inspection(
        columns=tuple(columns),
        n=frame.height,
        unique=int((sizes == 1).sum()),
        k=int(sizes.min()) if len(sizes) else 0,  # type: ignore[arg-type]
        warnings=tuple(warnings),
    )


def _suggest(series: pl.Series) -> tuple[ColumnSuggestion, Detected]:
    if is_readable(series.dtype):
        shown = texts(series) if series.dtype == pl.String else series
        cells = shown.drop_nulls()
        distinct = cells.unique()
        missing, number = len(series) - len(cells), len(distinct)
    else:
        distinct, missing, number = None, series.null_count(), len(series) - series.null_count()
    found = detect(series, distinct)
    judged = suggest_role(series)
    role, why = judged.role, judged.reason
    column = ColumnSuggestion(
        name=series.name,
        role=role,
        kind=found.kind,
        reading=found.reading,
        distinct=number,
        missing=missing,
        reason=f"{why[0].upper()}{why[1:]}; {found.reason}.",
        sure=judged.sure,
    )
    return column, found


def _warnings(column: ColumnSuggestion, found: Detected, n: int) -> list[str]:
    name, present = column.name, n - column.missing
    said = []
    if column.role is Role.IDENTIFIER and column.distinct < present:
        said.append(
            f"Column {name!r} repeats: {column.distinct} values in {present} records. If a person "
            f"has several records, k counts records, not persons; {option('person', name)} counts "
            f"persons."
        )
    if found.mixed and column.role in (Role.QUASI, Role.OTHER):
        said.append(
            f"Column {name!r} is mixed: {found.reason}. Correct them, name them with "
            f"`null_values`, or decide with {option('kind', {name: 'categorical'})}."
        )
    if (
        column.role is Role.QUASI
        and column.kind is Kind.CATEGORICAL
        and column.distinct > MANY_CATEGORIES
    ):
        said.append(
            f"Column {name!r} has {column.distinct} categories: give a hierarchy "
            f"({option('hierarchy', {name: 'FILE'})}), or read it as numbers if they are "
            f"({option('kind', {name: 'numeric'})})."
        )
    if column.distinct == 0:
        said.append(f"Column {name!r} is empty: all its cells are missing.")
    elif column.distinct == 1 and column.missing == 0 and n > 1:
        said.append(f"Column {name!r} is constant: it tells nobody apart.")
    return said


def _group_sizes(frame: pl.DataFrame, quasi: Sequence[str]) -> pl.Series:
    if not quasi:
        return pl.Series([frame.height], dtype=pl.UInt32)
    shown = pl.DataFrame([texts(frame[name]) for name in quasi])
    return shown.group_by(list(quasi)).len()["len"]
