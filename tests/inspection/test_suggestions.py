"""Suggestions: kinds by values, roles by names and values, a reason for each."""

from __future__ import annotations

import datetime

import polars as pl
import pytest

from shoal.contents import meanings_of
from shoal.contents.meaning import words_of
from shoal.table import Kind, Reading, Role
from shoal.table.inspection import ColumnSuggestion, inspect


def column(values: list[object] | pl.Series, name: str = "x") -> ColumnSuggestion:
    found = inspect(pl.DataFrame({name: values})).columns[0]
    assert found.name == name
    assert found.reason.endswith(".")
    return found


@pytest.mark.parametrize(
    ("values", "kind", "reading"),
    [
        ([1, 2, 2], Kind.NUMERIC, Reading.NUMBER),
        ([1.5, None], Kind.NUMERIC, Reading.NUMBER),
        (["1", "22", "-3", None], Kind.NUMERIC, Reading.NUMBER),
        (["1.5", "2e3", "+.5", " 7 "], Kind.NUMERIC, Reading.NUMBER),
        (["0", "0.5", "10"], Kind.NUMERIC, Reading.NUMBER),
        (["00123", "12345"], Kind.CATEGORICAL, Reading.TEXT),
        (["1", "2", "x"], Kind.CATEGORICAL, Reading.TEXT),
        (["a", "b"], Kind.CATEGORICAL, Reading.TEXT),
        ([True, False], Kind.CATEGORICAL, Reading.TEXT),
        ([None, None], Kind.CATEGORICAL, Reading.TEXT),
        (["", ""], Kind.CATEGORICAL, Reading.TEXT),
        (["2020-01-31", "1999-12-01"], Kind.NUMERIC, Reading.DATE),
        (["2020-01-31", "2020-02-31"], Kind.CATEGORICAL, Reading.TEXT),
        (["2020-01-31 10:20:30", "2020-01-31T10:20:30"], Kind.NUMERIC, Reading.DATETIME),
        (["2020-01-31T10:20:30Z", "2020-01-31T10:20:30+02:00"], Kind.NUMERIC, Reading.DATETIME),
        (["31.12.2020", "01.01.2021"], Kind.CATEGORICAL, Reading.TEXT),
        ([datetime.date(2020, 1, 1)], Kind.NUMERIC, Reading.DATE),
        ([datetime.datetime(2020, 1, 1)], Kind.NUMERIC, Reading.DATETIME),
        ([[1], [2]], Kind.CATEGORICAL, Reading.TEXT),
        (
            pl.Series(["lo", "hi"], dtype=pl.Enum(["lo", "hi"])),
            Kind.NUMERIC,
            Reading.RANK,
        ),
        (pl.Series(["b", "a"], dtype=pl.Categorical), Kind.CATEGORICAL, Reading.TEXT),
    ],
)
def test_kinds(values: list[object], kind: Kind, reading: Reading) -> None:
    found = column(values)
    assert (found.kind, found.reading) == (kind, reading)


def test_distinct_and_missing_counts() -> None:
    found = column(["a", "b", "a", None, ""])
    assert (found.distinct, found.missing) == (2, 2)


def test_a_mixed_column_is_reported() -> None:
    found = inspect(pl.DataFrame({"age": [str(age) for age in range(20, 60)] + ["unknown", "40"]}))
    assert "40 of its 41 values are numbers, but 1 is not" in found.columns[0].reason
    (told,) = (warning for warning in found.warnings if "'age' is mixed" in warning)
    assert "(data row 41)" in told


def test_codes_that_could_be_ages_are_not_declared_missing_with_texts() -> None:
    ages = [*map(str, range(20, 91)), "77", "77", "88", "88", "NA", "n/a"]
    found = inspect(pl.DataFrame({"age": ages}))
    assert {"77", "88"} <= set(found.columns[0].missing_codes)  # else there is nothing to leave out
    (told,) = (warning for warning in found.warnings if "'age' is mixed" in warning)
    assert "=NA|n/a" in told


def test_dates_in_another_notation_are_reported() -> None:
    found = inspect(pl.DataFrame({"birth": ["31.12.2020", "1.1.2021"]}))
    assert any("%d.%m.%Y" in warning for warning in found.warnings)


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("age", Role.QUASI),
        ("AGE", Role.QUASI),
        ("date_of_birth", Role.QUASI),
        ("birthDate", Role.QUASI),
        ("Sex", Role.QUASI),
        ("zip-code", Role.QUASI),
        ("ZipCode", Role.QUASI),
        ("native-country", Role.QUASI),
        ("marital.status", Role.QUASI),
        ("diagnosis_date", Role.QUASI),
        ("Geburtsdatum", Role.QUASI),
        ("Staatsangehörigkeit", Role.QUASI),
        ("code postal", Role.QUASI),
        ("Fecha de nacimiento", Role.QUASI),
        ("profesión", Role.QUASI),
        ("name", Role.IDENTIFIER),
        ("patient_nbr", Role.IDENTIFIER),
        ("patient_name", Role.IDENTIFIER),
        ("SSN", Role.IDENTIFIER),
        ("e-mail", Role.IDENTIFIER),
        ("phone number", Role.IDENTIFIER),
        ("encounter_id", Role.IDENTIFIER),
        ("Nachname", Role.IDENTIFIER),
        ("prénom", Role.IDENTIFIER),
        ("teléfono", Role.IDENTIFIER),
        ("diagnosis", Role.SENSITIVE),
        ("icd10_code", Role.SENSITIVE),
        ("income", Role.SENSITIVE),
        ("salary-class", Role.SENSITIVE),
        ("total_cost", Role.SENSITIVE),
        ("Einkommen", Role.SENSITIVE),
        ("maladie", Role.SENSITIVE),
        ("enfermedad", Role.SENSITIVE),
    ],
)
def test_roles_by_name(name: str, role: Role) -> None:
    # Different values, so that a name for identifiers counts; too few to decide by themselves.
    assert column(["p", "q", "r"], name).role is role


@pytest.mark.parametrize("name", ["x17", "zz", "pageviews", "essex", "manage"])
def test_names_that_say_nothing(name: str) -> None:
    assert meanings_of(name) == ()
    assert column(["p", "q", "p"], name).role is Role.OTHER


def test_words_of_names() -> None:
    assert words_of("zipCode-2 (Straße, été)") == ("zip", "code", "2", "strasse", "ete")


def test_a_code_list_is_no_identifier() -> None:
    codes = inspect(pl.DataFrame({"admission_type_id": [1, 2, 3, 4] * 50})).columns[0]
    assert codes.role is Role.QUASI


@pytest.mark.parametrize("values", [["yes", "no"], [0, 1]])
def test_few_categories_are_no_coordinates(values: list[object]) -> None:
    assert column(values * 20, "long_stay").role is not Role.IDENTIFIER
    assert column([48.1 + i / 1000 for i in range(40)], "long").role is Role.IDENTIFIER


def test_different_texts_are_identifiers() -> None:
    assert column([f"text {number}" for number in range(50)]).role is Role.IDENTIFIER


def test_categories_that_say_nothing_are_taken_for_quasi_identifiers_and_marked() -> None:
    found = column([f"text {number % 9}" for number in range(50)])
    assert (found.role, found.sure) == (Role.QUASI, False)
    found = column([str(number % 9) for number in range(50)])
    assert (found.role, found.sure) == (Role.QUASI, False)
    assert column([number + 0.5 for number in range(50)]).role is Role.OTHER
    assert column(["a"] * 50).role is Role.OTHER


def test_row_numbers_are_identifiers() -> None:
    assert column(list(range(100, 150))).role is Role.IDENTIFIER
    assert column([str(number) for number in range(50)]).role is Role.IDENTIFIER
    assert column([number * number for number in range(50)]).role is Role.OTHER


def test_dates_are_quasi_identifiers() -> None:
    assert column(["2020-01-01", "2020-01-02"], "thing").role is Role.QUASI


def test_exposure_on_the_suggested_quasi_identifiers() -> None:
    frame = pl.DataFrame(
        {
            "age": ["30", "30", "30", "40", None, None],
            "sex": ["f", "f", "m", "m", "", None],
            "disease": ["a", "b", "c", "d", "e", "f"],
        }
    )
    found = inspect(frame)
    assert found.quasi == ("age", "sex")
    assert found.with_role(Role.SENSITIVE) == ("disease",)
    assert (found.n, found.unique, found.k) == (6, 2, 1)
    assert inspect(frame.filter(pl.col("sex") == "f")).k == 2


def test_no_quasi_identifier_in_sight() -> None:
    found = inspect(pl.DataFrame({"disease": ["a", "b"]}))
    assert (found.quasi, found.unique, found.k) == ((), 0, 2)
    assert any("`quasi`" in warning for warning in found.warnings)


def test_warnings() -> None:
    n = 1500
    frame = pl.DataFrame(
        {
            "patient_id": [number // 2 for number in range(n)],
            "zip": [f"{number:05d}" for number in range(n)],
            "country": ["x"] * n,
            "note": [None] * n,
        },
        schema_overrides={"note": pl.String},
    )
    warnings = " ".join(inspect(frame).warnings)
    assert "'patient_id' repeats: 750 values in 1500 records" in warnings
    assert "`person='patient_id'`" in warnings
    assert "'zip' has 1500 categories" in warnings
    assert "`hierarchy={'zip': 'FILE'}`" in warnings
    assert "'country' is constant" in warnings
    assert "'note' is empty" in warnings


def test_one_record() -> None:
    found = inspect(pl.DataFrame({"age": [3]}))
    assert (found.n, found.unique, found.k) == (1, 1, 1)
    assert found.warnings == ()


def test_reasons_show_no_values() -> None:
    frame = pl.DataFrame({"name": ["Zebulon", "Quincy"], "age": ["Zebulon", "7"]})
    found = inspect(frame)
    told = " ".join([column.reason for column in found.columns] + list(found.warnings))
    assert "Zebulon" not in told
    assert "Quincy" not in told


def test_several_formats_of_dates_are_named_with_their_rows() -> None:
    days = [f"19{year}-03-{day}" for year in (70, 80, 90) for day in range(11, 21)]
    days[3], days[17], days[8], days[5] = "15.04.1970", "16.04.1981", "04/28/1971", "unknown"
    (told,) = (one for one in inspect(pl.DataFrame({"born": days})).warnings if "is mixed" in one)
    assert "31.12.2025 (data rows 4, 18) and as 31/12/2025 or 12/31/2025 (data row 9)" in told
    assert "data row 6 is no date" in told
    assert "`date_format={'born': '%Y-%m-%d|%d.%m.%Y|%m/%d/%Y'}`" in told
    assert "`null_values=['born=unknown']`" in told
