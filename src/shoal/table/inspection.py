"""Suggestions for a table nobody has described yet: a role and a kind for each column, and why."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import polars as pl

from shoal.contents import Content, Meaning
from shoal.errors import option
from shoal.table.cells import read_number, texts
from shoal.table.column_roles import suggest_role
from shoal.table.kind_detection import MANY_CATEGORIES, Detected, detect, is_readable
from shoal.table.oddities import (
    about_other_dates,
    column_oddities,
    missing_codes,
    rows_that_are_no,
    total_rows,
)
from shoal.table.profile import Profile, profile
from shoal.table.schema import Attribute, Kind, Reading, Role
from shoal.table.singling_out import RISKY, SinglingOut, group_sizes, singling_out

if TYPE_CHECKING:
    from collections.abc import Mapping

_ONE_PERSON = {
    Meaning.KEY,
    Meaning.NATIONAL_NUMBER,
    Meaning.ACCOUNT,
    Meaning.EMAIL,
    Content.KEY,
    Content.NATIONAL_NUMBER,
    Content.EMAIL,
}
_NAMED = 6


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
    profile
        What its values look like.
    missing_codes
        Values that look like codes for a missing one.
    """

    name: str
    role: Role
    kind: Kind
    reading: Reading
    distinct: int
    missing: int
    reason: str
    sure: bool = True
    profile: Profile = field(default_factory=Profile)
    missing_codes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
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
    at_risk
        For some k the number of records that are equal to fewer than k - 1 others on the suggested
        quasi-identifiers.
    singling_out
        Columns and combinations that single out most records, the worst first.
    """

    columns: tuple[ColumnSuggestion, ...]
    n: int
    unique: int
    k: int
    warnings: tuple[str, ...]
    at_risk: Mapping[int, int] = field(default_factory=dict)
    singling_out: tuple[SinglingOut, ...] = ()

    @property
    def quasi(self) -> tuple[str, ...]:
        """Names of the suggested quasi-identifiers."""
        return self.with_role(Role.QUASI)

    def with_role(self, role: Role) -> tuple[str, ...]:
        """Return the names of the columns that the role is suggested for."""
        return tuple(column.name for column in self.columns if column.role is role)

    @property
    def kinds(self) -> dict[str, str]:
        """Kinds to declare: quasi-identifiers whose numbers are codes of categories."""
        return {
            column.name: str(Kind.CATEGORICAL)
            for column in self.columns
            if column.role is Role.QUASI and column.profile.coded
        }

    @property
    def null_values(self) -> list[str]:
        """Codes to declare as missing, as the option ``null_values`` takes them."""
        return [
            f"{column.name}={'|'.join(column.missing_codes)}"
            for column in self.columns
            if column.role is Role.QUASI and column.missing_codes
        ]

    @property
    def summary(self) -> str:
        """One sentence on how exposed the records are now."""
        records = f"{self.n:,} record{'' if self.n == 1 else 's'}"
        if not self.quasi:
            return f"{records}; no column looks like a quasi-identifier"
        share = f"{100 * self.unique / self.n:.1f} %" if self.n else "0 %"
        return (
            f"{records}; on the suggested quasi-identifiers {self.unique:,} ({share}) are unique, "
            f"and the smallest group has {self.k:,}"
        )

    def __repr__(self) -> str:
        from shoal.table.inspection_view import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        from shoal.table.inspection_view import as_html

        return as_html(self)


def inspect(frame: pl.DataFrame) -> Inspection:
    """Suggest a role and a kind for each column of a table, and say how exposed it is.

    Names and values are both looked at. Everything is a suggestion: only those who know who may
    come to see the release can say by what a person could be recognized.

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
        column, found, stands_for_one = _suggest(series)
        if column.role is not Role.IDENTIFIER and is_readable(series.dtype):
            as_read = Attribute(column.name, found.kind, found.reading, order=found.order)
            if found.mixed:
                as_read = Attribute(column.name, Kind.CATEGORICAL)
            else:
                warnings += column_oddities(series, as_read)
            codes = column.missing_codes or tuple(missing_codes(series, as_read))
            column = replace(column, missing_codes=codes)
        columns.append(column)
        warnings += _warnings(column, found, series, stands_for_one=stands_for_one)
    warnings += total_rows(frame)
    quasi = [column.name for column in columns if column.role is Role.QUASI]
    sizes = group_sizes(frame, quasi)
    unsure = [column.name for column in columns if column.role is Role.QUASI and not column.sure]
    if unsure:
        named = ", ".join(map(repr, unsure[:_NAMED])) + (", …" if len(unsure) > _NAMED else "")
        many = len(unsure) > 1
        warnings.append(
            f"Neither name nor values show what {named} {'are' if many else 'is'}: decide whether "
            f"others could know {'them' if many else 'it'} about a person."
        )
    if not quasi:
        warnings.append("No column looks like a quasi-identifier: name them with `quasi`.")
    return Inspection(
        columns=tuple(columns),
        n=frame.height,
        unique=int((sizes == 1).sum()),
        k=int(sizes.min()) if len(sizes) else 0,
        warnings=tuple(warnings),
        at_risk={k: int(sizes[sizes < k].sum()) for k in RISKY} if quasi else {},
        singling_out=singling_out(frame, quasi) if frame.height > 1 else (),
    )


def _suggest(series: pl.Series) -> tuple[ColumnSuggestion, Detected, bool]:
    """Return a suggestion, how the column is read, and whether a value stands for one person."""
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
    looks = profile(series, judged) if is_readable(series.dtype) else Profile()
    if looks.coded:
        found = replace(found, reason="its whole numbers are codes of categories")
    column = ColumnSuggestion(
        name=series.name,
        role=role,
        kind=Kind.CATEGORICAL if looks.coded else found.kind,
        reading=found.reading,
        distinct=number,
        missing=missing,
        reason=f"{why[0].upper()}{why[1:]}; {found.reason}.",
        sure=judged.sure,
        profile=looks,
        missing_codes=looks.missing_codes,
    )
    one = judged.meaning in _ONE_PERSON or any(f.content in _ONE_PERSON for f in judged.findings)
    return column, found, one


def _warnings(
    column: ColumnSuggestion, found: Detected, series: pl.Series, *, stands_for_one: bool
) -> list[str]:
    name, n = column.name, len(series)
    present = n - column.missing
    notes = []
    if column.role is Role.IDENTIFIER and stands_for_one and column.distinct < present:
        notes.append(
            f"Column {name!r} repeats: {column.distinct} values in {present} records. If a person "
            f"has several records, k counts records, not persons; {option('person', name)} counts "
            f"persons."
        )
    if found.mixed and column.role in (Role.QUASI, Role.OTHER):
        notes.append(_about_mixed(column, found, series))
    if (
        column.role is Role.QUASI
        and column.kind is Kind.CATEGORICAL
        and column.distinct > MANY_CATEGORIES
    ):
        notes.append(
            f"Column {name!r} has {column.distinct} categories: give a hierarchy "
            f"({option('hierarchy', {name: 'FILE'})}), or read it as numbers if they are "
            f"({option('kind', {name: 'numeric'})})."
        )
    if column.distinct == 0:
        notes.append(f"Column {name!r} is empty: all its cells are missing.")
    elif column.distinct == 1 and column.missing == 0 and n > 1:
        notes.append(f"Column {name!r} is constant: it distinguishes nobody.")
    return notes


def _about_mixed(column: ColumnSuggestion, found: Detected, series: pl.Series) -> str:
    """Return which rows do not fit a column of numbers or dates, and what to do about them."""
    name, dated = column.name, found.reading is not Reading.NUMBER
    otherwise = (
        f"declare them missing with {_as_missing(column, dated=dated)}, declare them values of "
        f"their own beside the {'dates' if dated else 'numbers'} with "
        f"{option('special_values', [f'{name}=CODE'])}, or decide with "
        f"{option('kind', {name: 'categorical'})}."
    )
    opening = f"Column {name!r} is mixed: {found.reason}"
    styles = about_other_dates(series) if dated else None
    if styles is not None:
        return f"{opening}: {styles}. If some cells are not dates, {otherwise}"
    rows = f" ({rows_that_are_no(series, found.reading)})" if found.others else ""
    return f"{opening}{rows}. Correct them, {otherwise}"


def _as_missing(column: ColumnSuggestion, *, dated: bool) -> str:
    """Return the option for the codes that do not fit; those that are numbers may be values."""
    codes = pl.Series(column.missing_codes, dtype=pl.String)
    unfit = codes if dated else codes.filter(read_number(codes).is_null())
    if unfit.is_empty():
        return option("null_values")
    return option("null_values", [f"{column.name}={'|'.join(unfit)}"])
