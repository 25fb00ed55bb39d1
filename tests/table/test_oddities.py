"""What looks like a slip of data entry is told, and nothing else is."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import shoal
from shoal.errors import SchemaError, ValueReadError
from shoal.table.kind_detection import detect
from shoal.table.oddities import column_oddities, total_rows
from shoal.table.schema import Attribute, Kind, Reading


def odd(cells: list[str | None], kind: Kind | None = None) -> list[str]:
    series = pl.Series("x", cells, dtype=pl.String)
    found = detect(series)
    as_read = Attribute("x", found.kind, found.reading)
    if kind is not None:
        as_read = Attribute("x", kind)
    return column_oddities(series, as_read)


AGES = [str(age) for age in range(20, 70)]


@pytest.mark.parametrize(
    ("cells", "codes"),
    [
        ([*AGES, "-1", "-1", "999"], "x=-1|999"),
        ([*AGES, "99"], "x=99"),
        (["2001-02-03", "2004-05-06", "2007-01-02", "9999-12-31"], "x=9999-12-31"),
        (["1950-02-03", "1964-05-06", "1977-01-02", "1900-01-01"], "x=1900-01-01"),
        (["red", "blue", "?", "n/a", "green"], "x=?|n/a"),
        (["rot", "blau", "keine Angabe"], "x=keine Angabe"),
    ],
)
def test_codes_for_missing_values_are_suspected(cells: list[str | None], codes: str) -> None:
    (told,) = odd(cells)
    assert f"null_values=['{codes}']" in told


@pytest.mark.parametrize(
    "cells",
    [
        AGES,
        [str(age) for age in range(18, 100)],  # 97, 98 and 99 are ages here
        ["-1", "0", "1", "2", "-5"],
        ["red", "blue", "green", "none of these"],
        ["1899-02-03", "1900-01-01", "1900-05-06", "1901-01-02"],
        ["a", "b", None],
        [None, None],
    ],
)
def test_ordinary_columns_are_not(cells: list[str | None]) -> None:
    assert odd(cells) == []


def test_spellings_that_differ_in_blanks_or_capitals() -> None:
    (told,) = odd(["m", "m ", "M", "f", "f", "m", "x"])
    assert "3 of its 5 categories" in told
    assert "2 cells hold the rarer spellings" in told
    (told,) = odd(["m", "m ", "f", "f", "m"])
    assert "1 cell holds the rarer spelling" in told


def test_dates_of_another_style_are_told_with_the_format() -> None:
    (told,) = odd(["31.12.2024", "01.02.2023", "5.6.2022"])
    assert "`date_format={'x': '%d.%m.%Y'}`" in told
    (told,) = odd(["12/31/2024", "01/02/2023", "5/6/2022"])
    assert "`date_format={'x': '%m/%d/%Y'}`." in told
    (told,) = odd(["12/11/2024", "01/02/2023", "5/6/2022"])
    assert "or %m/%d/%Y" in told


def test_mixed_styles_of_dates_name_the_rows() -> None:
    (told,) = odd(
        ["31.12.2024", "01.02.2023", "05.06.2022", "2024-01-05", "7/8/2021", "08.09.2020"]
    )
    assert "most are written as 31.12.2025" in told
    assert "2025-12-31 (data row 4)" in told
    assert "12/31/2025 (data row 5)" in told


def test_numbers_with_a_decimal_comma_and_amounts() -> None:
    assert "`decimal=','`" in odd(["1,5", "2,25", "1.000,5", "7"])[0]
    assert "currency" in odd(["€ 1.200", "€ 30", "€ 7"])[0]


def test_a_total_is_not_a_person() -> None:
    frame = pl.DataFrame({"name": ["Ann", "Ben", None, "Total:"], "age": ["3", "4", None, "7"]})
    assert "row 4 looks like a total" in total_rows(frame)[0]
    assert total_rows(frame.head(2)) == []


def test_anonymize_keeps_them_for_the_custodian() -> None:
    frame = pl.DataFrame({"age": [20, 21, 22, 23, 24, 999], "sex": ["m", "m ", "f", "f", "f", "m"]})
    release = shoal.anonymize(frame, k=2, quasi=["age", "sex"])
    assert len(release.custody.notes) == 2
    assert "999" in release.custody.notes[0]
    assert not any("999" in note for note in release.facts["notes"])


def test_several_formats_of_dates_in_one_column() -> None:
    frame = pl.DataFrame({"born": ["2000-01-05", "06.01.2000", "2000-01-07", "08.01.2000"]})
    release = shoal.anonymize(frame, k=4, quasi=["born"], date_format={"born": "%Y-%m-%d|%d.%m.%Y"})
    assert set(release.frame["born"]) == {"[2000-01-05..08.01.2000]"}


@pytest.mark.parametrize(
    ("written", "meant"),
    [("dd.mm.yyyy", "%d.%m.%Y"), ("MM/DD/YY", "%m/%d/%y"), ("TT.MM.JJJJ", "%d.%m.%Y")],
)
def test_formats_without_directives_are_translated(written: str, meant: str) -> None:
    frame = pl.DataFrame({"born": ["31.12.2000", "30.12.2000"]})
    with pytest.raises(SchemaError, match="names no part of a date") as caught:
        shoal.anonymize(frame, k=2, quasi=["born"], date_format={"born": written})
    assert meant in caught.value.remedy


def test_all_unreadable_columns_and_all_unknown_ones_are_told_at_once() -> None:
    frame = pl.DataFrame({"age": ["1", "2", "3", "4", "x"], "size": ["1", "y", "3", "4", "5"]})
    with pytest.raises(ValueReadError, match=r"'age'.*row 5.*\n.*'size'.*row 2"):
        shoal.anonymize(frame, k=2, quasi=["age", "size"])
    with pytest.raises(SchemaError, match=r"'agee'.*quasi.*\n.*'weight'.*sensitive"):
        shoal.anonymize(frame, k=2, quasi=["agee"], sensitive=["weight"], rest="drop")


def test_readings_of_texts_are_numbers_first() -> None:
    assert detect(pl.Series("x", AGES)).reading is Reading.NUMBER


@pytest.mark.parametrize("role", ["sensitive", "other"])
def test_codes_in_unchanged_columns_are_told_by_a_run_as_well(role: str) -> None:
    frame = pl.DataFrame(
        {
            "age": list(range(20, 60)),
            "diag": ["flu", "cold", "?", "gout"] * 10,
            "s": [1, 2, 3, 97] * 10,
            "t": ["1", "2", "3", "999.0"] * 10,
            "u": [1.5, 2.5, 3.0, -9.0] * 10,
            "v": ["2020-01-01", "2021-02-02", "9999-12-31", "2020-01-02"] * 10,
            "w": ["a", "b", "c", "d"] * 10,
        }
    )
    columns = frame.columns[1:]
    roles: dict[str, Any] = {role: columns, "accept": columns}
    release = shoal.anonymize(frame, k=2, quasi=["age"], **roles)
    told = " ".join(release.custody.notes)
    for name, code in {"diag": "?", "s": "97", "t": "999.0", "u": "-9.0"}.items():
        assert f"Column {name!r}: 10 cells hold {code}" in told
    assert "Column 'v': 10 cells hold 9999-12-31" in told
    assert "Column 'w'" not in told


def test_numbers_among_words_are_suspected_and_among_codes_are_not() -> None:
    (told,) = odd(["flu", "cold", "-9", "gout", "99", "99"] * 3)
    assert "9 cells hold -9 and 99" in told
    assert not odd(["A1", "B2", "99", "C3"] * 3)
    assert not odd(["flu", "cold", "5", "gout"] * 3)


def test_the_note_on_spellings_shows_no_cell() -> None:
    (told,) = odd(["m", "f", "m ", "F", "f"])
    assert "4 of its 4 categories" in told
    assert not any(cell in told for cell in ("(m", "M", "'m '"))
