"""Numbers, addresses and birthdays of people within phrases and sentences."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shoal.contents.finding import Content, Finding
from shoal.contents.registered_numbers import is_valid

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shoal.contents.values import Values

_DATE = re.compile(
    r"\b(?:\d{4}[./-]\d{1,2}[./-]\d{1,2}|\d{1,2}[./-]\d{1,2}[./-]\d{2,4})\b"
    r"|\b\d{1,2}:\d{2}(?::\d{2})?\b"
)
_BORN = re.compile(
    r"(?i)\b(?:born|birth|dob|d\.o\.b|geb|geboren|geburtstag|n[ée]e?|naissance|nat[oa]|nascit[ao]"
    r"|nacid[oa]|nacimiento|nascid[oa]|nascimento|ur|urodzon[ya]|narozen[aáý]?|född|født|fodt"
    r"|geboortedatum|doğum|рожд\w*|род)\b\W{0,3}(?:\w{1,5}\W{1,2}){0,2}"
    r"(?:\d{4}[./-]\d{1,2}[./-]\d{1,2}|\d{1,2}[./-]\d{1,2}[./-](?:19|20)?\d{2})\b"
)
_BANK_ACCOUNT = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b")
# Amounts have commas or points between thousands, and numbers are not part of a decimal.
_AMOUNT = re.compile(
    r"\d{1,3}(?:[,.'’]\d{3})+(?![\d])|\d+[.,]\d{1,2}(?!\d)|[$€£]\s?\d+|\d+\s?[€£%]"
)
_RANGE = re.compile(r"\b(\d{4,6}) ?[-–] ?(\d{4,6})\b")
_NUMBER = re.compile(r"\+?\(?\d(?:[ ./()-]{0,2}\d){5,}")
_MIXED = re.compile(r"\b(?=[A-Z0-9]*[A-Z])(?=(?:[A-Z]*\d){5})[A-Z0-9]{9,}\b")
_LEAST_DIGITS = 7
_RUN = re.compile(r"\d{6,}")
_ROUND = re.compile(r"(?:000|999)$")
_HOUSE = r"\d{1,4}\s?[a-zA-Z]?\b"
_STREET = re.compile(
    # "via Roma 12", "ul. Długa 3", "Rua das Flores, 20"
    r"(?:\b(?i:rue|calle|avda|avenida|plaza|paseo|viale|via|piazza|corso|rua|travessa|ulica|ul\.|улица"
    r"|ул\.)\s+(?:[^\W\d_]+[\s.]+){0,3}?[A-ZÀ-ÞА-Я][^\W\d_]+,?\s+(?:n[.°º]?\s*)?" + _HOUSE + r")"
    # "Lindenstraße 5", "Kerklaan 8", "Storgatan 3"
    r"|(?:\b[A-ZÄÖÜ][^\W\d_]*(?:straße|strasse|str\.|gasse|allee|platz|weg|straat|laan|gracht|gatan"
    r"|vägen|vej|gade|veien|katu)\s+" + _HOUSE + r")"
    # "12 Ash Lane", "4 bis rue Thiers"
    r"|(?:\b" + _HOUSE + r",?\s+(?:[A-Z][\w'’]+\s+){1,3}(?:Street|Road|Avenue|Lane|Drive|Close"
    r"|Terrace|Crescent)\b)"
    r"|(?:\b" + _HOUSE + r",?\s+(?:bis\s+|ter\s+)?(?:rue|avenue|boulevard|impasse|chemin|quai)"
    r"\s+\w+)"
)


def numbers_in_texts(values: Values) -> Iterable[Finding]:
    """Find texts with a number, a birthday or an address of a person among their words."""
    texts = [text for text in values.phrases if any(map(str.isdigit, text))]
    for content, found in (
        (Content.BANK_ACCOUNT, sum(map(_has_bank_account, texts))),
        (Content.NATIONAL_NUMBER, sum(map(_has_long_number, texts))),
        (Content.BIRTH_DATE, sum(bool(_BORN.search(text)) for text in texts)),
        (Content.STREET_ADDRESS, sum(bool(_STREET.search(text)) for text in texts)),
    ):
        if found:
            what = _WHAT[content]
            verb = "contains" if found == 1 else "contain"
            reason = f"{found:,} of its texts {verb} {what} among other words"
            yield Finding(content, found / len(texts), reason)


_WHAT = {
    Content.BANK_ACCOUNT: "a valid IBAN",
    Content.NATIONAL_NUMBER: "a long number such as telephone and insurance numbers",
    Content.BIRTH_DATE: "a date of birth",
    Content.STREET_ADDRESS: "a street with a house number",
}


def _has_bank_account(text: str) -> bool:
    found = _BANK_ACCOUNT.findall(text)
    if not found:
        return False
    from stdnum import iban

    return any(is_valid(iban.is_valid, one) for one in found)


def _has_long_number(text: str) -> bool:
    """Return whether a text has a number too long for a quantity, a date or a range.

    >>> _has_long_number("llamar al 612 345 678"), _has_long_number("from 50000 to 100000 a year")
    (True, False)
    """
    bare = _DATE.sub(" | ", text)
    bare = _AMOUNT.sub(lambda found: found[0] if _looks_dialled(found[0]) else " | ", bare)
    bare = _RANGE.sub(lambda found: " | " if int(found[1]) < int(found[2]) else found[0], bare)
    if _MIXED.search(bare):
        return True
    for found in _NUMBER.finditer(bare):
        digits = "".join(filter(str.isdigit, found[0]))
        run = _RUN.search(found[0])
        if _ROUND.search(digits):
            continue
        if len(digits) >= _LEAST_DIGITS or run is not None:
            return True
    return False


def _looks_dialled(amount: str) -> bool:
    """Return whether groups of three digits begin with a zero, as no amount does."""
    return amount.startswith("0") and len(amount) > 6
