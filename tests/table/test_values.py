"""Reading of cells: texts, distinct cells, and the numbers they stand for."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import ValueReadError
from shoal.table import Attribute, Kind, Reading
from shoal.table.cells import distinct_cells, numbers, reads_as, texts

if TYPE_CHECKING:
    from random import Random


def read(values: list[object], reading: Reading, **options: object) -> list[float]:
    series = pl.Series("x", values)
    attribute = Attribute("x", Kind.NUMERIC, reading, **options)  # type: ignore[arg-type]
    return list(numbers(distinct_cells(series), attribute))


def test_an_empty_text_is_missing() -> None:
    assert texts(pl.Series(["a", "", None])).to_list() == ["a", None, None]
    assert texts(pl.Series([1, None])).to_list() == ["1", None]


@given(st.lists(st.none() | st.text(max_size=2), max_size=20))
def test_codes_lead_back_to_cells(values: list[str | None]) -> None:
    distinct = distinct_cells(pl.Series("x", values, dtype=pl.String))
    cells = [*distinct.cells.to_list(), None]
    assert [cells[code] for code in distinct.codes] == [value or None for value in values]
    assert len(set(cells)) == len(cells)
    assert distinct.has_missing == any(not value for value in values)


@given(st.lists(st.none() | st.sampled_from(["", "a", "b", "c"]), min_size=1), st.randoms())
def test_distinct_cells_of_some_rows_are_those_of_the_gathered_column(
    values: list[str | None], random: Random
) -> None:
    series = pl.Series("x", values, dtype=pl.String)
    rows = np.array(random.choices(range(len(values)), k=random.randint(0, 9)), dtype=np.int64)
    found, expected = distinct_cells(series).of_rows(rows), distinct_cells(series.gather(rows))
    assert found.cells.to_list() == expected.cells.to_list()
    assert found.codes.tolist() == expected.codes.tolist()
    assert found.has_missing == expected.has_missing


def test_numbers() -> None:
    assert read(["1", " 2.5 ", "-3e2"], Reading.NUMBER) == [1.0, 2.5, -300.0]
    assert read([True, False], Reading.NUMBER) == [1.0, 0.0]


def test_dates_are_days() -> None:
    expected = [0.0, 18_262.0]
    assert read(["1970-01-01", "2020-01-01"], Reading.DATE) == expected
    assert read(["1.1.1970", "01.01.2020"], Reading.DATE, date_format="%d.%m.%Y") == expected
    assert read([datetime.date(1970, 1, 1), datetime.date(2020, 1, 1)], Reading.DATE) == expected


def test_times_are_seconds() -> None:
    cells: list[object] = ["1970-01-01", "1970-01-01 00:01", "1970-01-01T00:00:30.5"]
    assert read(cells, Reading.DATETIME) == [0.0, 60.0, 30.5]


def test_times_with_a_zone_are_moments() -> None:
    cells: list[object] = [
        "1970-01-01T00:00:07Z",
        "1970-01-01T01:00:08+01:00",
        "1969-12-31T23:30:09.25-00:30",
    ]
    assert read(cells, Reading.DATETIME) == [7.0, 8.0, 9.25]


def test_ranks() -> None:
    assert read(["mid", "low"], Reading.RANK, order=("low", "mid", "top")) == [1.0, 0.0]


@pytest.mark.parametrize(
    ("reading", "fits"),
    [
        (Reading.NUMBER, [True, False, False, False, True, False]),
        (Reading.DATE, [False, True, False, False, False, False]),
        (Reading.DATETIME, [False, True, True, False, False, False]),
    ],
)
def test_what_can_be_read_how(reading: Reading, fits: list[bool]) -> None:
    cells = pl.Series(["1.5", "2020-02-29", "2020-02-29T10:00:00Z", "2021-02-29", "nan", None])
    assert reads_as(cells, reading).to_list() == fits


@pytest.mark.parametrize("reading", [Reading.NUMBER, Reading.DATE, Reading.DATETIME])
def test_rows_are_named_never_values(reading: Reading) -> None:
    with pytest.raises(ValueReadError) as caught:
        read(["Zebulon", None, "Zebulon"], reading)
    assert "data rows 1, 3." in caught.value.what
    assert "Zebulon" not in str(caught.value)
