"""Dates of birth: dates that reach over the lifetimes of a population."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.contents.finding import Content, Finding

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shoal.contents.values import Values

DATE = (
    r"^(?:(?:18|19|20)\d{2}[./-]?\d{2}[./-]?\d{2}|\d{1,2}[./-]\d{1,2}[./-](?:18|19|20)?\d{2}"
    r"|[0-3]?\d[01]\d(?:18|19|20)\d{2})(?:[T ][\d:.Z+-]*)?$"
)
_YEAR_FIRST = r"^((?:18|19|20)\d{2})[./-]?[01]\d[./-]?[0-3]\d(?:$|[T ])"
_YEAR_LAST = r"^(?:\d{1,2}[./-]\d{1,2}[./-]|[0-3]?\d[01]\d)((?:18|19|20)\d{2})(?:$|[T ])"
_SHORT_YEAR = r"^\d{1,2}[./-]\d{1,2}[./-](\d{2})(?:$|[T ])"
_LAST_CENTURY = 1930  # two digits from 30 on are of the last century
_LEAST_VALUES = 10
_LIFETIMES = 30
_LONG_AGO = 1970


def birth_dates(values: Values) -> Iterable[Finding]:
    """Find days that span several decades and begin long ago, as only dates of birth do."""
    if len(values) < _LEAST_VALUES or values.share(values.matching(DATE)) < 0.9:
        return
    texts = values.distinct
    years = (
        texts.str.extract(_YEAR_FIRST)
        .fill_null(texts.str.extract(_YEAR_LAST))
        .cast(pl.Float64, strict=False)
        .drop_nulls()
        .to_numpy()
    )
    if len(years) < _LEAST_VALUES:
        short = texts.str.extract(_SHORT_YEAR).cast(pl.Float64, strict=False).drop_nulls()
        years = short.to_numpy() + 1900
        years[years < _LAST_CENTURY] += 100
    if len(years) < _LEAST_VALUES:
        return
    early, late = np.quantile(years, [0.1, 0.95])
    if early <= _LONG_AGO and late - early >= _LIFETIMES:
        reason = f"its dates span {int(late - early)} years"
        yield Finding(Content.BIRTH_DATE, 1.0, reason)
