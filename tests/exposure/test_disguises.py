"""Names and addresses that are written so as not to be seen at once, and what only looks so."""

from __future__ import annotations

import base64
import hashlib
from datetime import date

import polars as pl
import pytest

from shoal.contents.finding import Content
from shoal.contents.recognition import recognize
from shoal.contents.values import Values

NAMES = ["Anna Smith", "John Miller", "Maria Garcia", "Peter Novak", "Laura Rossi", "Hans Weber",
         "Olga Ivanova", "Paul Martin", "Emma Jones", "Luca Bianchi"]  # fmt: skip
MAILS = [name.lower().replace(" ", ".") + "@example.org" for name in NAMES]
PHONES = [f"01712345{number:02d}0" for number in range(10)]
CODES = ["K01", "K02", "K03", "K04", "K05", "K06", "K07"]


def contents_of(values: list[str], name: str = "x") -> set[Content]:
    """Return what a column holds in which every value stands six times."""
    return {finding.content for finding in recognize(Values.of(pl.Series(name, values * 6)))}


def in_base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    ("values", "content"),
    [
        ([in_base64(name) for name in NAMES], Content.PERSON_NAME),
        ([name.encode().hex() for name in NAMES], Content.PERSON_NAME),
        ([name[::-1] for name in NAMES], Content.PERSON_NAME),
        ([in_base64(mail).rstrip("=") for mail in MAILS], Content.EMAIL),
        ([mail.encode().hex().upper() for mail in MAILS], Content.EMAIL),
        ([mail.replace("@", " @ ").replace(".org", " . org") for mail in MAILS], Content.EMAIL),
        (["|".join(phone) for phone in PHONES], Content.PHONE),
        ([f"{phone[:4]} = {phone[4:]}" for phone in PHONES], Content.PHONE),
        ([*CODES, "Anna Smith"], Content.PERSON_NAME),
        ([*CODES, "Smith, Anna"], Content.PERSON_NAME),
    ],
)
def test_disguised_people_are_found(values: list[str], content: Content) -> None:
    assert content in contents_of(values)


def test_a_column_called_by_a_name_is_found() -> None:
    assert Content.PERSON_NAME in contents_of(CODES, "Anna Smith")


@pytest.mark.parametrize(
    "values",
    [
        [hashlib.sha256(bytes([number])).hexdigest()[:12] for number in range(6)],
        [in_base64(code) for code in CODES],
        ["divorced", "widowed1", "separate", "nevermet"],
        ["12|07|33", "1|2", "4|5|6|7|8|9", "10|11|12|13"],
        ["10_000", "20_000", "30_000"],
        [*CODES, "Not Applicable"],
        [*CODES, "Santa Monica"],
        [*CODES, "Jackson Heights"],
        ["evah ew", "on eno", "yb dna"],
        ["home . The end", "at work . None"],
    ],
)
def test_what_only_looks_disguised_is_left(values: list[str]) -> None:
    assert not contents_of(values) & {Content.PERSON_NAME, Content.EMAIL, Content.PHONE}


@pytest.mark.parametrize("name", ["Age Group", "Marital Status", "Grand Total", "Santa Fe", "May"])
def test_ordinary_names_of_columns_are_no_people(name: str) -> None:
    assert Content.PERSON_NAME not in contents_of(CODES, name)


def test_birth_dates_of_people_of_working_age_are_found() -> None:
    days = [date(1960 + number % 41, 1 + number % 12, 1 + number % 28) for number in range(80)]
    found = recognize(Values.of(pl.Series("x", days)))
    assert Content.BIRTH_DATE in {finding.content for finding in found}


def test_dates_of_employment_are_no_birth_dates() -> None:
    days = [date(1984 + number % 40, 1 + number % 12, 1 + number % 28) for number in range(80)]
    found = recognize(Values.of(pl.Series("x", days)))
    assert Content.BIRTH_DATE not in {finding.content for finding in found}
