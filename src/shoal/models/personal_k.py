"""Personal k: records that hide among more than k, by a column or by rules per group."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import (
    InfeasibleError,
    ParameterError,
    SchemaError,
    ValueReadError,
    counted,
    did_you_mean,
)
from shoal.models.protection import Protection
from shoal.table.cells import read_number, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    from numpy.typing import NDArray

    from shoal.models.model import ClassHistograms

_RULE = re.compile(r"(?P<column>[^=]+)=(?P<value>.+):(?P<k>[0-9]{1,9})", re.DOTALL)


@dataclass(frozen=True, slots=True, eq=False)
class PersonalK:
    """Every class is at least as large as the largest k of its records; monotone.

    Parameters
    ----------
    ks
        The k that each code stands for, ascending.
    """

    ks: NDArray[np.int64]

    def __str__(self) -> str:
        return f"a personal k of up to {self.ks[-1]}"

    @property
    def column(self) -> str | None:
        """No column of the release: what it reads is not published."""
        return None

    @property
    def monotone(self) -> bool:
        """A union is larger than either part, and requires no more than one of them."""
        return True

    def holds(self, histograms: ClassHistograms) -> NDArray[np.bool_]:
        """Return which classes are large enough for all their records."""
        return histograms.sizes >= self._required(histograms)

    def shortfalls(self, histograms: ClassHistograms) -> NDArray[np.float64]:
        """Return how many records are lacking."""
        lacking = (self._required(histograms) - histograms.sizes).astype(np.float64)
        return np.clip(lacking, 0.0, None)

    def require_feasible(self, histogram: NDArray[np.int64]) -> None:
        """Raise ``InfeasibleError`` if a record requires more records than there are."""
        records = int(histogram.sum())
        if self.ks[-1] > records:
            raise InfeasibleError(
                f"The largest personal k is {self.ks[-1]}, but the table has only "
                f"{counted(records, 'record')}.",
                remedy="Lower it in `personal_k`.",
            )

    def _required(self, histograms: ClassHistograms) -> NDArray[np.int64]:
        required = np.zeros(histograms.classes, dtype=np.int64)
        np.maximum.at(required, histograms.owner, self.ks[histograms.value])
        return required


def protect_personal_k(
    frame: pl.DataFrame, rows: NDArray[np.int64], rules: Sequence[str], k: int
) -> Protection:
    """Return the model of the rules on some rows of a table, and what to know about it.

    A rule is the name of a column that holds the k of each record, or ``COLUMN=VALUE:K`` for all
    records that show exactly this value. Of several that apply to a record, and of the common k,
    the largest counts; a missing cell requires nothing beyond it.

    Raises
    ------
    ParameterError
        If a rule cannot be read, or cells differ from its value in spaces or case alone.
    SchemaError
        If a rule names a column that the table lacks.
    ValueReadError
        If a cell of a column of ks is not a whole number; rows are named by number.
    """
    wanted = np.full(frame.height, k, dtype=np.int64)
    notes = []
    named: dict[str, set[str]] = {}
    for rule in rules:
        if rule not in frame.columns:
            column, value, _ = _read_rule(rule, frame.columns)
            named.setdefault(column, set()).add(value)
    for rule in rules:
        if rule in frame.columns:
            required = _column_of_ks(frame[rule])
            below = int(np.count_nonzero((required > 0) & (required < k)))
            if below:
                notes.append(
                    f"{counted(below, 'record', 'has/have')} a personal k below k = {k} in "
                    f"{rule!r}: they hide among {k} like all others."
                )
        else:
            column, value, least = _read_rule(rule, frame.columns)
            shown = texts(frame[column])
            _require_one_spelling(shown, value, rule, named[column])
            chosen = (shown == value).fill_null(value=False).to_numpy()
            required = np.where(chosen, least, 0)
            if least < k:
                notes.append(
                    f"The rule {rule!r} of `personal_k` requires less than k = {k}: it changes "
                    "nothing."
                )
            if not chosen.any():
                notes.append(f"No record shows the value of the rule {rule!r} of `personal_k`.")
        wanted = np.maximum(wanted, required)
    ks, codes = np.unique(wanted[rows], return_inverse=True)
    return Protection(PersonalK(ks), codes.astype(np.uint32), tuple(notes))


def _require_one_spelling(shown: pl.Series, value: str, rule: str, named: set[str]) -> None:
    """Raise ``ParameterError`` if cells are this value up to spaces and case, but in no rule."""
    plain = shown.str.replace_all(r"\s+", " ").str.strip_chars().str.to_lowercase()
    alike = (plain == " ".join(value.split()).lower()) & ~shown.is_in(named)
    if alike.any():
        raise ParameterError(
            f"{counted(int(alike.sum()), 'record', 'shows/show')} the value of the rule {rule!r} "
            "of `personal_k` with other spaces or in another case, so that it would not apply to "
            "them.",
            remedy="Use one spelling, or give each spelling a rule of its own.",
        )


def _column_of_ks(series: pl.Series) -> NDArray[np.int64]:
    """Return the k of each record, 0 where the cell is missing."""
    present = texts(series).is_not_null()
    numbers = read_number(series)
    whole = (numbers == numbers.round()) & numbers.is_between(1, 2**31)
    bad = (present & ~whole.fill_null(value=False)).arg_true()
    if len(bad):
        named = ", ".join(str(row + 1) for row in bad.head(5).to_list())
        raise ValueReadError(
            f"Column {series.name!r} holds cells that are not a whole number of at least 1, and "
            f"so no k: row {named}{' and more' if len(bad) > 5 else ''}.",
            remedy="Leave a cell empty where the common k is enough.",
        )
    return numbers.fill_null(0).cast(int).to_numpy()


def _read_rule(rule: str, columns: Sequence[str]) -> tuple[str, str, int]:
    found = _RULE.fullmatch(rule)
    if found is None:
        raise ParameterError(
            f"The rule {rule!r} of `personal_k` is neither a column nor COLUMN=VALUE:K.",
            remedy="Name the column that holds each record's k, or write a rule like ward=ICU:20.",
        )
    column = found["column"].strip()
    if column not in columns:
        raise SchemaError(
            f"`personal_k` names {column!r}, but there is no such column.",
            remedy=did_you_mean(column, columns),
        )
    least = int(found["k"])
    if least < 2:
        raise ParameterError(
            f"The rule {rule!r} of `personal_k` requires {least}, but a record can only hide "
            "among at least 2.",
            remedy="Choose K ≥ 2.",
        )
    return column, found["value"], least
