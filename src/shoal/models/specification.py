"""Privacy models as users write them: ``NAME:VALUE[@column]``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.errors import ParameterError, did_you_mean, nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

_DECIMAL = re.compile(r"\d{1,9}(\.\d{1,15})?|\.\d{1,15}")


@dataclass(frozen=True, slots=True)
class Form:
    """What may stand after the name of a model.

    Parameters
    ----------
    example
        How it is written.
    numbers
        The numbers it takes, in order, each with its limits: lowest, highest, whole or not.
    meaning
        What it asks of every class, in one sentence.
    """

    example: str
    numbers: tuple[tuple[str, Fraction, Fraction, bool], ...]
    meaning: str


_MANY = Fraction(10**9)
_DIVERSITY = ("l", Fraction(1), _MANY)
_SHARE = ("t", Fraction(0), Fraction(1), False)
FORMS: dict[str, Form] = {
    "frequency-l-diversity": Form(
        "frequency-l-diversity:1.3",
        ((*_DIVERSITY, False),),
        "No value stands in more than 1/l of the records of a class.",
    ),
    "distinct-l-diversity": Form(
        "distinct-l-diversity:2",
        ((*_DIVERSITY, True),),
        "A class holds at least l different values.",
    ),
    "entropy-l-diversity": Form(
        "entropy-l-diversity:2",
        ((*_DIVERSITY, False),),
        "The values of a class are as mixed as l equally frequent ones.",
    ),
    "recursive-l-diversity": Form(
        "recursive-l-diversity:3,2",
        (("c", Fraction(1, 10**9), _MANY, False), (*_DIVERSITY, True)),
        "The most frequent value of a class counts less than c times all from the l-th on.",
    ),
    "t-closeness": Form(
        "t-closeness:0.2",
        (_SHARE,),
        "A class mixes values as the table does, within t; all values are equally far apart.",
    ),
    "ordered-t-closeness": Form(
        "ordered-t-closeness:0.2",
        (_SHARE,),
        "A class mixes values as the table does, within t; values are apart as in their order.",
    ),
    "hierarchical-t-closeness": Form(
        "hierarchical-t-closeness:0.2",
        (_SHARE,),
        "A class mixes values as the table does, within t; values are apart as in their tree.",
    ),
}


@dataclass(frozen=True, slots=True)
class Specification:
    """One model on one column."""

    name: str
    numbers: tuple[Fraction, ...]
    column: str


def parse_models(specifications: Sequence[str], sensitive: Sequence[str]) -> list[Specification]:
    """Return the models these words describe; one without a column applies to every sensitive one.

    Raises
    ------
    ParameterError
        If a model is unknown, its numbers are missing or out of range, or its column is not
        sensitive.

    Examples
    --------
    >>> parse_models(["distinct-l-diversity:2"], ["disease"])
    [Specification(name='distinct-l-diversity', numbers=(Fraction(2, 1),), column='disease')]
    """
    found: dict[Specification, None] = {}
    for word in specifications:
        name, _, rest = word.strip().partition(":")
        form = _form(name, word)
        values, at, column = rest.partition("@")
        numbers = _numbers(word, values, form)
        for one in [_column(word, column, sensitive)] if at else _every(word, sensitive):
            found[Specification(name, numbers, one)] = None
    return list(found)


def _form(name: str, word: str) -> Form:
    if name in FORMS:
        return FORMS[name]
    raise ParameterError(
        f"There is no privacy model {name!r} (in {word!r}).", remedy=did_you_mean(name, FORMS)
    )


def _numbers(word: str, values: str, form: Form) -> tuple[Fraction, ...]:
    parts = [part.strip() for part in values.split(",")]
    example = f"Write it like {form.example}, or {form.example}@COLUMN."
    if len(parts) != len(form.numbers) or not all(map(_DECIMAL.fullmatch, parts)):
        letters = " and ".join(letter for letter, *_ in form.numbers)
        raise ParameterError(f"Model {word!r} does not say {letters}.", remedy=example)
    numbers = tuple(map(Fraction, parts))
    for number, (letter, low, high, whole) in zip(numbers, form.numbers, strict=True):
        if not low <= number <= high:
            limit = f"between {low} and {high}" if high == 1 else f"at least {float(low):g}"
            raise ParameterError(f"Model {word!r}: {letter} must be {limit}.", remedy=example)
        if whole and number.denominator != 1:
            raise ParameterError(f"Model {word!r}: {letter} must be whole.", remedy=example)
    return numbers


def _column(word: str, column: str, sensitive: Sequence[str]) -> str:
    if column in sensitive:
        return column
    near = nearest(column, sensitive)
    raise ParameterError(
        f"Model {word!r} names {column!r}, which is not a sensitive column.",
        remedy=f"Did you mean {near!r}?" if near else "Name it with `sensitive` too.",
    )


def _every(word: str, sensitive: Sequence[str]) -> Sequence[str]:
    if not sensitive:
        raise ParameterError(
            f"Model {word!r} protects sensitive columns, but there is none.",
            remedy="Name the columns worth protecting with `sensitive`.",
        )
    return sensitive
