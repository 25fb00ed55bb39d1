"""HIPAA Safe Harbor: what is found, and what is let be."""

from __future__ import annotations

import polars as pl
import pytest

import shoal

ROWS = 40


def present(column: str, cells: list[object]) -> set[str]:
    table = pl.DataFrame({column: cells, "sex": ["F"] * len(cells)})
    return {one.name for one in shoal.risk(table, quasi="sex").identifiers_present}


def test_there_are_eighteen() -> None:
    found = shoal.risk(pl.DataFrame({"sex": ["F"]}), quasi="sex").safe_harbor
    assert [one.number for one in found] == list(range(1, 19))
    assert not any(one.present for one in found)


@pytest.mark.parametrize(
    ("column", "cells", "expected"),
    [
        ("last_name", ["Archer", "Baker"], "names"),
        ("zip", ["10115", "80331"], "geographic areas smaller than a state"),
        ("zip", ["036", "100"], "geographic areas smaller than a state"),
        ("city", ["Boston", "Salem"], "geographic areas smaller than a state"),
        ("seen", ["2020-01-03", "2020-04-05"], "dates finer than a year, and ages over 89"),
        ("age", [30, 93], "dates finer than a year, and ages over 89"),
        ("age", ["[30..40]", "[85..93]"], "dates finer than a year, and ages over 89"),
        ("age", ["30", "90"], "dates finer than a year, and ages over 89"),
        ("age", ["30", "90+", "95+"], "dates finer than a year, and ages over 89"),
        ("age", ["30", "{89|93}"], "dates finer than a year, and ages over 89"),
        ("admission", ["[2019-03-28..2022-03-26]"], "dates finer than a year, and ages over 89"),
        ("admission", ["2019", "2020", "2021-03"], "dates finer than a year, and ages over 89"),
        ("seen", ["2020-Q1", "2020-Q2"], "dates finer than a year, and ages over 89"),
        ("zip", ["100**", "{10115|10117}"], "geographic areas smaller than a state"),
        ("zip", ["100**", "036**"], "geographic areas smaller than a state"),
        ("phone", ["+1 617 555 0100"], "telephone numbers"),
        ("note", ["ann@example.org", "bob@example.org"], "e-mail addresses"),
        ("number", ["123-45-6789", "987-65-4321"], "social security numbers"),
        ("mrn", ["17", "18"], "medical record numbers"),
        ("link", ["https://example.org/a"], "web addresses"),
        ("source", ["10.0.0.1", "10.0.0.2"], "IP addresses"),
        ("car", ["1HGCM82633A004352"], "vehicle identifiers"),
        ("patient_code", [f"x{i}" for i in range(ROWS)], "any other unique number or code"),
    ],
)
def test_found(column: str, cells: list[object], expected: str) -> None:
    assert expected in present(column, cells)


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ("drug_name", ["aspirin", "codeine"]),
        ("zip", ["100**", "803**"]),
        ("zip", ["100", "803"]),
        ("year_of_birth", ["1950", "1971"]),
        ("age", ["30", "[40..89]"]),
        ("age", ["30", "89", "90+"]),
        ("age", ["[30..40]", "[85..90+]", ">=90", ">89"]),
        ("age", ["[30..40]", "80+"]),
        ("admission", ["[2019-01-01..2019-12-31]"]),
        ("admission", ["[2019-01-01..2022-12-31]", "2023"]),
        ("admission", ["[01.01.2019..31.12.2019]"]),
        ("admission", ["2019-01-01", "2020-01-01"]),
        ("admission_max", ["2019-12-31", "2020-12-31"]),
        ("admission", ["2019", "[2019..2021]"]),
        ("zip", ["10***", "8****", "*****"]),
        ("city", ["*", "*"]),
        ("state", ["Ohio", "Utah"]),
        ("diagnosis_code", ["A1", "B2"] * ROWS),
    ],
)
def test_let_be(column: str, cells: list[object]) -> None:
    assert not present(column, cells)


def test_no_cell_is_told() -> None:
    table = pl.DataFrame({"last_name": ["Zaphod-Sentinel"], "mail": ["sentinel@x.org"], "a": [1]})
    told = str(shoal.risk(table, quasi="a").to_dict())
    assert "entinel" not in told
