"""Which of the 18 identifiers of HIPAA's Safe Harbor method a table seems to hold.

45 CFR 164.514(b)(2) lists what must be removed. Columns are found by their English names and by
what their cells look like; finding nothing does not prove that nothing is there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from shoal.contents.meaning import words_of
from shoal.risks.classes import STAR
from shoal.table.cells import texts

if TYPE_CHECKING:
    from collections.abc import Callable

_LOOKED_AT = 100_000  # distinct cells of a column
_SHARE = 0.5
_OLDEST = 89
# Three-digit ZIP areas with 20,000 people or fewer, by the census of 2000.
_SMALL_AREAS = frozenset(
    "036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893".split()  # noqa: SIM905
)
_DATE = r"\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}"
# Days, months, quarters and weeks.
_FINE_DATE = rf"{_DATE}|\b(?:19|20)\d{{2}}-(?:0[1-9]|1[0-2]|Q[1-4]|W[0-5]\d)\b"
_FIRST = r"\d{4}-01-01|\b0?1[./]0?1[./]\d{2,4}"
_LAST = r"\d{4}-12-31|\b31[./]12[./]\d{2,4}|\b12/31/\d{2,4}"
_WHOLE_YEARS = rf"^\[?(?:{_FIRST})(?:\.\.| to )(?:{_LAST})\]?$"
_UP_TO_90 = r"\b(?:90|[1-8]?\d)"
_OPEN_AGE = rf"{_UP_TO_90}\s*\+|(?:>=|≥)\s*{_UP_TO_90}\b|>\s*\b[1-8]?\d\b"
_AGE = r"^[\[{]?(?:>=?|≥|<=?|≤)?\s*\d{1,3}\+?((?:\.\.|\|| to )\d{1,3}\+?)*[\]}]?$"
_PATTERNS = {
    "telephone numbers": r"^\+?[\d\s().\-/]{7,20}$",
    "e-mail addresses": r"[\w.+-]+@[\w-]+\.[\w.]+",
    "social security numbers": r"^\d{3}-\d{2}-\d{4}$",
    "web addresses": r"(?i)\b(https?://|www\.)\S+",
    "IP addresses": r"^(\d{1,3}\.){3}\d{1,3}$|^([0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}$",
    "vehicle identifiers": r"^[A-HJ-NPR-Z0-9]{17}$",
}
_NAMES = {
    "names": (
        r"names?|(first|last|middle|full|family|given|sur|fore|nick|maiden|user|person"
        r"|patient|customer|client|member)names?"
    ),
    "geographic areas smaller than a state": (
        r"zip|zipcode|postcode|postal|address|street|city|town|county|precinct|parish"
        r"|district|municipality|latitude|longitude|geocode"
    ),
    "dates finer than a year, and ages over 89": (
        r"date|dob|birthdate|birthday|admission|admitted|discharge|discharged|death|age"
    ),
    "telephone numbers": r"phone|telephone|tel|mobile|cell",
    "fax numbers": r"fax|telefax",
    "e-mail addresses": r"email|mail",
    "social security numbers": r"ssn|socialsecurity",
    "medical record numbers": r"mrn|medicalrecord|chart|patientid|patientno|patientnumber",
    "health plan beneficiary numbers": (
        r"beneficiary|healthplan|insuranceid|insurancenumber|memberid|policy|policyno"
        r"|policynumber"
    ),
    "account numbers": r"account|iban|accountno|accountnumber",
    "certificate and license numbers": r"license|licence|certificate",
    "vehicle identifiers": r"vin|plate|vehicle|licenseplate",
    "device identifiers": r"device|deviceid|serial|serialno|imei|udi",
    "web addresses": r"url|website|homepage|web",
    "IP addresses": r"ip|ipaddress",
    "biometric identifiers": r"fingerprint|voiceprint|retina|iris|biometric|genome|dna",
    "full-face photographs": r"photo|photograph|picture|image|portrait",
    "any other unique number or code": r"id|uid|uuid|guid|identifier|code|key|number",
}


@dataclass(frozen=True, slots=True)
class Identifier:
    """One of the 18 identifiers.

    Parameters
    ----------
    number, name
        Its place in the list (A to R in the rule), and what it is.
    columns
        The columns that seem to hold it, each with the reason.
    """

    number: int
    name: str
    columns: tuple[tuple[str, str], ...]

    @property
    def present(self) -> bool:
        """Whether any column seems to hold it."""
        return bool(self.columns)


def check_safe_harbor(frame: pl.DataFrame) -> tuple[Identifier, ...]:
    """Return the 18 identifiers, each with the columns that seem to hold it.

    Parameters
    ----------
    frame
        A table, or a release as it would be handed out.
    """
    reasons: dict[str, list[tuple[str, str]]] = {name: [] for name in _NAMES}
    for series in frame:
        for name, reason in _looks_like(series, frame.height):
            reasons[name].append((series.name, reason))
    return tuple(
        Identifier(place, name, tuple(reasons[name])) for place, name in enumerate(_NAMES, start=1)
    )


def _looks_like(series: pl.Series, rows: int) -> list[tuple[str, str]]:
    cells = _distinct(series)
    if cells is None or len(cells) == 0:
        return []
    words = words_of(series.name)
    whole = "".join(words)
    found: dict[str, str] = {}
    for name, pattern in _NAMES.items():
        checked = _CHECKED.get(name)
        # A drug has a name, too: for names the whole column name counts.
        named = {whole} if name == "names" else {*words, whole}
        if not any(re.fullmatch(pattern, word) for word in named):
            continue
        reason = "its name says so" if checked is None else checked(cells, rows)
        if reason is not None:
            found[name] = reason
    for name, pattern in _PATTERNS.items():
        share = _share(cells, pattern)
        if share > _SHARE and (name != "telephone numbers" or name in found):
            found.setdefault(name, f"{100 * share:.0f} % of its values look like it")
    dates = _fine_dates(cells)
    if dates is not None:
        found.setdefault("dates finer than a year, and ages over 89", dates)
    return list(found.items())


def _distinct(series: pl.Series) -> pl.Series | None:
    if series.dtype.is_nested() or series.dtype in (pl.Binary, pl.Object):
        return None
    cells = texts(series).drop_nulls()
    return cells.filter(cells != STAR).unique().head(_LOOKED_AT)


def _share(cells: pl.Series, pattern: str) -> float:
    return int(cells.str.contains(pattern).sum()) / len(cells)


def _fine_dates(cells: pl.Series, least: float = _SHARE) -> str | None:
    """Return why cells are dates finer than a year, if more than a share of them are dates.

    Years may be shown, and nothing else of a date. An interval from 1 January to 31 December shows
    years; any other reveals days, for its ends are dates of somebody.
    """
    dated = cells.filter(cells.str.contains(_FINE_DATE))
    if len(dated) <= least * len(cells):
        return None
    singles = dated.filter(dated.str.contains(rf"^({_DATE})$"))
    # A column of years may be stored as dates: all of them the first, or the last, of a year.
    if len(singles) and any(bool(singles.str.contains(day).all()) for day in (_FIRST, _LAST)):
        dated = dated.filter(~dated.is_in(singles.to_list()))
    fine = int((~dated.str.contains(_WHOLE_YEARS)).sum())
    return f"more than the year shows in {fine:,} of its {len(cells):,} values" if fine else None


def _ages_and_dates(cells: pl.Series, rows: int) -> str | None:
    """Return why a column named after an age or a date is finer than allowed.

    Ages over 89 may be shown as one category, "90 or older": an interval that is open upward from
    90 or less distinguishes none of them.
    """
    del rows
    exact = cells.str.replace_all(_OPEN_AGE, "")
    numbers = exact.str.extract_all(r"\d+").list.eval(pl.element().cast(pl.Int64, strict=False))
    highest = numbers.list.max()
    old = int(((highest > _OLDEST) & (highest < 130)).fill_null(value=False).sum())
    ages = cells.str.contains(_AGE)
    if old and int(ages.sum()) > _SHARE * len(cells):
        return "it distinguishes ages over 89"
    return _fine_dates(cells, least=0.0)


def _areas(cells: pl.Series, rows: int) -> str | None:
    """Return why a geographic column is too fine: more than three digits, or a small area."""
    del rows
    if not bool(cells.str.contains(r"\d").any()):
        return "its name says so"
    if bool(cells.str.contains(r"\d{4,}").any()):
        return "it shows more than the first three digits"
    codes = cells.str.contains(r"^\d{1,3}\**$|^\*+$")
    if not bool(codes.all()):
        return "its name says so"
    small = int(cells.str.extract(r"^(\d{3})\**$").is_in(list(_SMALL_AREAS)).sum())
    if not small:
        return None
    shown = "one of its areas has" if small == 1 else f"{small:,} of its areas have"
    return f"{shown} 20,000 people or fewer"


def _identifies_people(cells: pl.Series, rows: int) -> str | None:
    """Return why a column of numbers or codes may stand for single people."""
    if rows >= 20 and len(cells) >= 0.25 * min(rows, _LOOKED_AT):
        return "its values distinguish people"
    return None


_CHECKED: dict[str, Callable[[pl.Series, int], str | None]] = {
    "geographic areas smaller than a state": _areas,
    "dates finer than a year, and ages over 89": _ages_and_dates,
    "any other unique number or code": _identifies_people,
}
