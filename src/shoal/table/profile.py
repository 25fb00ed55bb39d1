"""What the values of a column look like, for the person who has to decide about it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.contents import Meaning, Values
from shoal.table.cells import texts
from shoal.table.schema import Role

if TYPE_CHECKING:
    from shoal.table.column_roles import RoleSuggestion

_SAMPLES = 4
_LONGEST = 24
_MOST_CODES = 60
_FEW_CODES = 12
_REPEATED = 5
_ISO_DAY = r"^\d{4}-\d{2}-\d{2}$"
_MISSING_ANSWERS = (-1, -2, -8, -9, 77, 88, 97, 98, 99, 777, 888, 997, 998, 999, 9999)
# Codes of these have no arithmetic: 3 is not between 2 and 4.
_NAMED_CODES = frozenset(
    {
        Meaning.SEX,
        Meaning.PLACE,
        Meaning.ORIGIN,
        Meaning.WORK,
        Meaning.FAMILY,
        Meaning.BELIEF,
        Meaning.SERVICE,
        Meaning.HEALTH,
        Meaning.OPINION,
        Meaning.CRIME,
        Meaning.TRAVEL,
    }
)
_QUANTITIES = frozenset(
    {Meaning.AGE, Meaning.MONEY, Meaning.BODY, Meaning.BIRTH, Meaning.EVENT, Meaning.SCORE}
)
_COUNTED = re.compile(
    r"(?i)num|count|size|hours|hrs|minutes|years|days|nb_|anzahl|zahl|groesse|größe|children|nchild|"
    r"time|hijos|kinder|enfants|wkhp|uhrs|jwmn|trantime|los$|bmi|rate|pressure|glu"
)


@dataclass(frozen=True, slots=True)
class Profile:
    """What the values of a column look like.

    Parameters
    ----------
    samples
        The most frequent values; of identifiers and sensitive columns only their shapes, such as
        ``Aaaa 99``.
    value_range
        Lowest and highest value of a column of numbers or dates that is neither.
    coded
        Whether its whole numbers are codes of categories.
    missing_codes
        Codes among them that lie far beyond all others, as those for missing answers do.
    """

    samples: tuple[str, ...] = ()
    value_range: tuple[str, str] | None = None
    coded: bool = False
    missing_codes: tuple[str, ...] = ()


def profile(series: pl.Series, judged: RoleSuggestion) -> Profile:
    """Return what the values of a column look like."""
    values = Values.of(series)
    hidden = judged.role in (Role.IDENTIFIER, Role.SENSITIVE)
    coded = is_coded(values, judged.meaning)
    return Profile(
        samples=_samples(values, hidden=hidden),
        value_range=None if hidden else _value_range(series, values),
        coded=coded,
        missing_codes=_missing_among(values) if coded else (),
    )


def is_coded(values: Values, meaning: Meaning | None) -> bool:
    """Return whether whole numbers are codes of categories, as in most statistical files.

    They are few and repeat. Of a sex, race or state they are codes by their meaning; of a column
    whose name says nothing, if they leave gaps, or are a dozen at most.
    """
    numbers = values.numbers
    if numbers is None or not (numbers == np.round(numbers)).all():
        return False
    few = 2 <= values.number <= _MOST_CODES and values.number * _REPEATED <= values.cells
    if not few or meaning in _QUANTITIES or _COUNTED.search(values.name):
        return False
    if meaning in _NAMED_CODES:
        return True
    span = float(numbers.max() - numbers.min()) + 1
    return span > 1.5 * values.number or values.number <= (3 if meaning else _FEW_CODES)


def _missing_among(values: Values) -> tuple[str, ...]:
    """Return codes such as 97 and 99 that lie far beyond all others of a coded column."""
    numbers = values.numbers
    assert numbers is not None
    suspect = np.isin(numbers, _MISSING_ANSWERS)
    if not suspect.any() or suspect.all():
        return ()
    highest = float(numbers[~suspect].max())
    far = suspect & ((numbers > 3 * max(highest, 1)) | (numbers < 0))
    return tuple(f"{number:g}" for number in np.sort(numbers[far]))


def shape(text: str) -> str:
    """Return the shape of a value: letters as ``A`` and ``a``, digits as ``9``, runs shortened.

    >>> shape("Jonas Lange"), shape("DE89 3704 0044"), shape("a@b.org")
    ('Aaaa Aaaa', 'AA99 9999 9999', 'a@a.aaa')
    """
    drawn = "".join(
        "9" if character.isdigit() else
        ("A" if character.isupper() else "a") if character.isalpha() else character
        for character in text
    )  # fmt: skip
    return _shortened(re.sub(r"a{4,}", "aaa", re.sub(r"A{5,}", "AAAA", drawn)))


def _samples(values: Values, *, hidden: bool) -> tuple[str, ...]:
    if len(values) == 0:
        return ()
    counted = pl.DataFrame({"text": values.distinct, "cells": values.counts})
    if hidden:
        shapes = counted.head(200).with_columns(
            text=pl.Series([shape(text) for text in counted["text"].head(200).to_list()])
        )
        counted = shapes.group_by("text").agg(pl.col("cells").sum())
    top = counted.sort(["cells", "text"], descending=[True, False]).head(2 if hidden else _SAMPLES)
    return tuple(_shortened(text) for text in top["text"].to_list())


def _value_range(series: pl.Series, values: Values) -> tuple[str, str] | None:
    if series.dtype.is_temporal():
        shown = texts(pl.Series([series.min(), series.max()], dtype=series.dtype)).to_list()
        return (shown[0], shown[1]) if None not in shown else None
    if series.dtype == pl.String and values.share(values.matching(_ISO_DAY)) == 1:
        low, high = series.min(), series.max()
        return str(low).strip(), str(high).strip()
    if values.numbers is None or values.number < 3:
        return None
    read = series.cast(pl.Float64, strict=False).drop_nulls()
    low, high = read.min(), read.max()
    if not isinstance(low, float) or not isinstance(high, float):
        return None
    return f"{low:.15g}", f"{high:.15g}"


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
