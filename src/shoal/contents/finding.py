"""What a detector says about a column; it never carries a value."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Content(StrEnum):
    """What values can be that give a person away by themselves."""

    EMAIL = "e-mail addresses"
    PHONE = "telephone numbers"
    BANK_ACCOUNT = "bank account numbers"
    PAYMENT_CARD = "payment card or device numbers"
    NATIONAL_NUMBER = "national or insurance numbers"
    IP_ADDRESS = "network addresses"
    WEB_ADDRESS = "web addresses"
    COORDINATES = "coordinates"
    PLATE = "vehicle registration plates"
    PERSON_NAME = "names of people"
    STREET_ADDRESS = "street addresses"
    FREE_TEXT = "free text"
    KEY = "nearly unique codes"
    BIRTH_DATE = "dates of birth"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that the values of a column are or contain.

    Parameters
    ----------
    content
        What was recognized.
    share
        Share of the examined distinct values in which it was.
    reason
        What speaks for it, in half a sentence without any value: ``"92 % of its values are known
        given or family names"``.
    sure
        Whether it stands even if the column's name says something else.
    """

    content: Content
    share: float
    reason: str
    sure: bool = True


def percent(share: float) -> str:
    """Return a share for a sentence.

    >>> percent(0.923), percent(0.0004), percent(1.0)
    ('92 %', 'fewer than 1 %', 'all')
    """
    if share >= 1:
        return "all"
    return f"{100 * share:.0f} %" if share >= 0.01 else "fewer than 1 %"
