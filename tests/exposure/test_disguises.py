"""Names and addresses that are written so as not to be seen at once, and what only looks so."""

from __future__ import annotations

import base64
import hashlib
from datetime import date
from typing import TYPE_CHECKING

import polars as pl
import pytest

from shoal.contents.finding import Content
from shoal.contents.recognition import recognize
from shoal.contents.values import Values

if TYPE_CHECKING:
    from collections.abc import Callable

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
        ([mail.replace("@", " (at) ").replace(".", " dot ") for mail in MAILS], Content.EMAIL),
        ([f"{mail.split('@')[0]}{len(mail)}" for mail in MAILS], Content.PERSON_NAME),
        ([name.replace(" ", "") for name in NAMES], Content.PERSON_NAME),
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
        ["NewYork", "LosAngeles", "SanDiego", "FortWorth", "ElPaso"],
        ["full-time", "part-time", "self-employed", "marginal-work"],
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


@pytest.mark.parametrize("how", ["%d.%m.%y", "%d%m%Y", "%m/%d/%y"])
def test_birth_dates_of_other_forms_are_found(how: str) -> None:
    days = [date(1930 + number % 71, 1 + number % 12, 1 + number % 28) for number in range(90)]
    texts = [day.strftime(how) for day in days]
    assert Content.BIRTH_DATE in contents_of(texts)
    late = [day.replace(year=day.year % 40 + 1984).strftime(how) for day in days]
    assert Content.BIRTH_DATE not in contents_of(late)


def test_birth_dates_stored_as_numbers_are_found() -> None:
    days = [date(1930 + number % 71, 1 + number % 12, 1 + number % 28) for number in range(90)]
    numbers = [int(day.strftime("%d%m%Y")) for day in days]  # zeros in front are lost
    found = recognize(Values.of(pl.Series("x", numbers * 6)))
    assert Content.BIRTH_DATE in {finding.content for finding in found}


@pytest.mark.parametrize(
    "spot",
    [
        lambda n: f"{40 + n % 9}°{n % 60}'{n % 50}\"N {n % 20}°{n * 7 % 60}'{n % 47}\"E",
        lambda n: f"8FWH4HX8+{'23456789CF'[n % 10]}{'GHJMPQRVWX'[n * 3 % 10]}",
    ],
)
def test_spots_of_other_forms_are_found(spot: Callable[[int], str]) -> None:
    assert Content.COORDINATES in contents_of([spot(number) for number in range(60)])


DIGESTS = [hashlib.sha256(bytes([number])).hexdigest() for number in range(200)]


@pytest.mark.parametrize("records", [1, 6, 20])
@pytest.mark.parametrize("digits", [8, 32])
def test_digests_of_identifiers_are_found_however_often_they_repeat(
    digits: int, records: int
) -> None:
    codes = [digest[:digits] for digest in DIGESTS] * records
    found = recognize(Values.of(pl.Series("x", codes)))
    assert found
    numbers = [10**11 + int(digest[:9], 16) % 10**11 for digest in DIGESTS] * records
    assert recognize(Values.of(pl.Series("x", numbers)))


@pytest.mark.parametrize(
    "code",
    [
        lambda n: f"{n:08d}",
        lambda n: f"A{n % 30:02d}.{n % 10}00000",
        lambda n: f"{n * 37 % 1000}000000",
        lambda n: f"{(n * 7919) % 100_000}",
    ],
)
def test_codes_and_amounts_do_not_look_random(code: Callable[[int], str]) -> None:
    codes = [code(number) for number in range(200)]
    assert recognize(Values.of(pl.Series("x", codes * 20))) == ()


def test_dates_of_employment_are_no_birth_dates() -> None:
    days = [date(1984 + number % 40, 1 + number % 12, 1 + number % 28) for number in range(80)]
    found = recognize(Values.of(pl.Series("x", days)))
    assert Content.BIRTH_DATE not in {finding.content for finding in found}
