"""Numbers that an authority gave to a person: telephone, national and insurance numbers."""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from shoal.contents.finding import Content, Finding, percent
from shoal.contents.word_lists import read_sections

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from shoal.contents.values import Values

_US_SOCIAL_SECURITY = r"^\d{3}-\d{2}-\d{4}$"
_BRITISH_INSURANCE = r"^[A-CEGHJ-PR-TW-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]$"
NUMBER_LIKE = r"^[A-Za-z]{0,6}[\dA-Za-z ./-]{7,22}$"
_ENOUGH_DIGITS = r"(?:\d\D{0,2}){6,}"
PHONE_LIKE = r"^\+?[\d\s()./-]{7,22}(?:\s*(?:x|ext\.?)\s*\d{1,5})?$"
_PHONE_WRITTEN = r"^(?:\+|00|\(?0\d|\(\d{2,4}\)|\d{3}[-. ]\d{3}[-. ]\d{4})"
_FIRST_LOOK = 12
_SECOND_LOOK = 150
_LEAST_VALUES = 5
_VALID = 0.8
# A check that passes the same digits in another order this often proves nothing.
_VALID_BY_CHANCE = 0.4
_SEED = 7


def national_numbers(values: Values) -> Iterable[Finding]:
    """Find numbers of persons by their check digits.

    A column counts if nearly all values pass one country's check, and few of them still do when
    their digits are shuffled: check digits alone pass one number in ten by chance.
    """
    for share, what in zip(
        values.shares((_US_SOCIAL_SECURITY, _BRITISH_INSURANCE)),
        ("US social security numbers", "British insurance numbers"),
        strict=True,
    ):
        if share >= _VALID and len(values) >= 2:
            reason = f"{percent(share)} of its values have the form of {what}"
            yield Finding(Content.NATIONAL_NUMBER, share, reason)
            return
    likely = values.matching(NUMBER_LIKE)
    if len(values) < _LEAST_VALUES or values.share(likely) < _VALID:
        return
    likely &= values.matching(_ENOUGH_DIGITS)
    if values.share(likely) < _VALID:
        return
    texts = values.distinct.filter(likely).to_list()
    rng = np.random.default_rng(_SEED)
    texts = [texts[place] for place in rng.permutation(len(texts))[:_SECOND_LOOK]]
    shuffled = [_shuffled(text, rng) for text in texts]
    for name, valid in _validators().items():
        if not _mostly_passing(valid, texts[:_FIRST_LOOK]):
            continue
        share = _passing(valid, texts)
        if share >= _VALID and _passing(valid, shuffled) <= _VALID_BY_CHANCE:
            country, number = name.strip("_").split(".")
            reason = (
                f"{percent(share)} of its values are valid as {country.strip('_').upper()} "
                f"{number.upper()} numbers"
            )
            yield Finding(Content.NATIONAL_NUMBER, share, reason)
            return


def phones(values: Values) -> Iterable[Finding]:
    """Find telephone numbers in international form, or in the national form of one country."""
    if values.numeric:
        return
    written = values.matching(PHONE_LIKE)
    if len(values) < 3 or values.share(written) < _VALID:
        return
    written &= values.matching(_ENOUGH_DIGITS) & values.matching(_PHONE_WRITTEN)
    if values.share(written) < _VALID:
        return
    import phonenumbers

    def valid(text: str, region: str | None) -> bool:
        try:
            return phonenumbers.is_valid_number(phonenumbers.parse(text, region))
        except phonenumbers.NumberParseException:
            return False

    texts = values.distinct.filter(written).head(_SECOND_LOOK).to_list()
    for region in (None, *read_sections("registers")["regions"]):
        first = texts[:_FIRST_LOOK]
        if sum(valid(text, region) for text in first) < 0.5 * len(first):
            continue
        share = sum(valid(text, region) for text in texts) / len(texts)
        if share >= 0.5:
            reason = f"{percent(share)} of its values are valid telephone numbers"
            yield Finding(Content.PHONE, share, reason)
            return


@cache
def _validators() -> dict[str, Callable[[str], bool]]:
    return {
        name: importlib.import_module(f"stdnum.{name}").is_valid
        for name in read_sections("registers")["personal"]
    }


def _mostly_passing(valid: Callable[[str], bool], texts: Sequence[str]) -> bool:
    """Return whether enough texts pass a check; most checks fail after a few."""
    failed = 0
    for text in texts:
        failed += not is_valid(valid, text)
        if (len(texts) - failed) / len(texts) < _VALID:
            return False
    return True


def _passing(valid: Callable[[str], bool], texts: Sequence[str]) -> float:
    return sum(is_valid(valid, text) for text in texts) / len(texts)


def is_valid(valid: Callable[[str], bool], text: str) -> bool:
    """Return whether a validator accepts a text; some raise where digits are not ASCII."""
    try:
        return bool(valid(text))
    except ValueError:
        return False


def _shuffled(text: str, rng: np.random.Generator) -> str:
    """Return a text with its digits in another order, everything else in place."""
    digits = [character for character in text if character.isdigit()]
    drawn = iter(rng.permutation(digits).tolist())
    return "".join(next(drawn) if character.isdigit() else character for character in text)
