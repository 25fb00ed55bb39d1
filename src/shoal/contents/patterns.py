"""Contents with a fixed form: e-mail, web and network addresses, bank accounts, plates, places."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING

import polars as pl

from shoal.contents.finding import Content, Finding, percent
from shoal.contents.registered_numbers import is_valid
from shoal.contents.values import DIGIT, LETTER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from shoal.contents.values import Values

# Also as people write them to hide them from programs: ``anna (at) example . org``.
_AT = r"(?:\s?[@＠]\s?|\s?[(\[](?i:at)[)\]]\s?)"
_MARKS = ("@", "＠", "(at", "[at")
_DOT = r"(?:[.．]|\s[.．]\s|\s(?i:dot)\s|\s?[(\[](?i:dot)[)\]]\s?)"
_EMAIL = rf"[\w.%+'-]+{_AT}[\w-]+(?:{_DOT}[\w-]+)*{_DOT}\p{{L}}{{2,}}"
_WEB = r"(?i)\b(?:https?|ftp)://\S|\bwww\.[\w-]+\.\w"
_BETWEEN_PARTS = "[.:-]"
NETWORK_CHARACTERS = r"^[\dA-Fa-f.:-]+$"
_IPV4 = r"^\d{1,3}(?:\.\d{1,3}){3}$"
_IPV6 = r"^[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}$"
_MAC = r"^[0-9A-Fa-f]{2}(?:[:-][0-9A-Fa-f]{2}){5}$"
IBAN = r"^[A-Za-z]{2}\d{2}[ -]?(?:[A-Za-z0-9]{1,4}[ -]?){2,8}$"
LONG_NUMBER = r"^\d[\d -]{11,21}\d$"
_PAIR = r"^[(\[]?\s*-?\d{1,2}\.\d{3,}\s*[,; ]\s*-?\d{1,3}\.\d{3,}\s*[)\]]?$"
# Degrees and minutes, and a plus code: two ways to write down a spot of some metres.
_DEGREES = r"^\d{1,2} ?° ?\d[\d.,'′’ \"″”]*[NSns][ ,;/]*\d{1,3} ?° ?\d[\d.,'′’ \"″”]*[EWOewo]$"
_PLUS_CODE = r"^[2-9CFGHJMPQRVWX]{4,8}\+[2-9CFGHJMPQRVWX]{2,3}$"
COORDINATES = f"{_PAIR}|{_DEGREES}|{_PLUS_CODE}"
_PLATES = {
    "German": r"^[A-ZÄÖÜ]{1,3}[- ][A-Z]{1,2}[- ]?\d{1,4}[EH]?$",
    "French": r"^[A-Z]{2}-\d{3}-[A-Z]{2}$",
    "British": r"^[A-Z]{2}\d{2} ?[A-Z]{3}$",
    "Spanish": r"^\d{4}[ -]?[BCDFGHJKLMNPRSTVWXYZ]{3}$",
    "Italian": r"^[A-Z]{2} ?\d{3} ?[A-Z]{2}$",
    "Dutch": r"^(?:[A-Z]{1,3}-\d{2,3}-[A-Z]{1,2}|\d{1,2}-[A-Z]{2,3}-\d{1,2})$",
    "Swedish": r"^[A-Z]{3} ?\d{2}[A-Z0-9]$",
}
_MOST = 0.8
_PLATES_SHARE = 0.9
_LEAST_VALUES = 8
_CHECKED = 300


def addresses(values: Values) -> Iterable[Finding]:
    """Find e-mail and web addresses, in any cell; one is enough, since it names one person."""
    for content, pattern in ((Content.EMAIL, _EMAIL), (Content.WEB_ADDRESS, _WEB)):
        cells = values.cells_containing(pattern)
        if cells == 0 or (content is Content.WEB_ADDRESS and values.number < _LEAST_VALUES):
            continue
        yield Finding(
            content,
            cells / values.cells,
            f"{cells:,} of its {values.cells:,} cells contain {content}",
        )


def address_in_name(values: Values) -> Iterable[Finding]:
    """Find a column that is called by somebody's e-mail address."""
    if (
        any(mark in values.name.lower() for mark in _MARKS)
        and pl.Series([values.name]).str.contains(_EMAIL).item()
    ):
        yield Finding(Content.EMAIL, 1.0, "the column's own name is an e-mail address")


def network_addresses(values: Values) -> Iterable[Finding]:
    """Find columns of IP or hardware addresses."""
    if values.share(values.matching(NETWORK_CHARACTERS)) < _MOST:
        return
    if not values.matching(_BETWEEN_PARTS).any():
        return
    for pattern, valid in ((_IPV4, _is_ip), (_IPV6, _is_ip), (_MAC, lambda _: True)):
        found = _share_of_valid(values, pattern, valid)
        if found >= _MOST and len(values) > 1:
            yield Finding(
                Content.IP_ADDRESS, found, f"{percent(found)} of its values are network addresses"
            )
            return


def accounts(values: Values) -> Iterable[Finding]:
    """Find IBANs, and payment card or device numbers, all with valid check digits."""
    share = _share_of_valid(values, IBAN, _is_iban)
    # One in ninety-seven texts of this form is valid by chance.
    if share >= 0.1 or (share > 0 and len(values) < _LEAST_VALUES):
        yield Finding(
            Content.BANK_ACCOUNT, share, f"{percent(share)} of its values are valid IBANs"
        )
        return
    share = _share_of_valid(values, LONG_NUMBER, _has_check_digit)
    # One in ten numbers is valid by chance.
    if share >= _MOST and len(values) >= _LEAST_VALUES:
        yield Finding(
            Content.PAYMENT_CARD,
            share,
            f"{percent(share)} of its values are long numbers with a valid check digit",
        )


def plates(values: Values) -> Iterable[Finding]:
    """Find vehicle registration plates of several countries."""
    # All have letters and digits; patterns that cannot fit need not be compiled.
    marked = min(values.share(values.matching(one)) for one in (DIGIT, LETTER))
    if len(values) < _LEAST_VALUES or marked < _PLATES_SHARE:
        return
    shares = values.shares(_PLATES.values())
    for country, share in zip(_PLATES, shares, strict=True):
        if share >= _PLATES_SHARE:
            reason = f"{percent(share)} of its values have the form of {country} plates"
            yield Finding(Content.PLATE, share, reason)
            return


def coordinate_pairs(values: Values) -> Iterable[Finding]:
    """Find pairs of latitude and longitude in one cell."""
    share = values.share(values.matching(COORDINATES))
    if share >= _MOST and len(values) >= 3:
        reason = f"{percent(share)} of its values are pairs of a latitude and a longitude"
        yield Finding(Content.COORDINATES, share, reason)


def _share_of_valid(values: Values, pattern: str, valid: Callable[[str], bool]) -> float:
    """Return the share of distinct values that match a pattern and pass a check."""
    matching = values.distinct.filter(values.matching(pattern))
    if len(matching) == 0:
        return 0.0
    checked = matching.head(_CHECKED).to_list()
    passed = sum(map(valid, checked)) / len(checked)
    return passed * len(matching) / len(values)


def _is_iban(text: str) -> bool:
    # Imported when a value looks like one: the library loads a good deal that few tables need.
    from stdnum import iban

    return is_valid(iban.is_valid, text)


def _has_check_digit(text: str) -> bool:
    from stdnum import luhn

    return is_valid(luhn.is_valid, text.replace(" ", "").replace("-", ""))


def _is_ip(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
