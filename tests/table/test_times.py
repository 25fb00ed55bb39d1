"""Columns of times show no finer detail than they have."""

from __future__ import annotations

import datetime as dt

import pandas as pd
import polars as pl
import pytest

import shoal
from shoal.table.cells import texts


@pytest.mark.parametrize(
    ("times", "shown"),
    [
        ([dt.datetime(2020, 1, 2), None], ["2020-01-02", None]),
        (
            [dt.datetime(2020, 1, 2, 3, 4), dt.datetime(2020, 1, 2)],
            ["2020-01-02 03:04:00", "2020-01-02 00:00:00"],
        ),
        ([dt.datetime(2020, 1, 2, 3, 4, 5, 250_000)], ["2020-01-02 03:04:05.250"]),
    ],
)
def test_texts_of_times(times: list[dt.datetime | None], shown: list[str | None]) -> None:
    for unit in ("ms", "us", "ns"):
        series = pl.Series(times, dtype=pl.Datetime(unit))
        assert texts(series).to_list() == shown


def test_pandas_dates_are_released_as_dates() -> None:
    born = pd.to_datetime(["1990-01-01", "1990-01-03", "1991-05-05", "1991-05-09"])
    frame = pd.DataFrame({"born": born, "ill": list("abcd")})
    release = shoal.anonymize(frame, k=2, quasi=["born"], sensitive=["ill"])
    assert sorted(set(release.frame["born"])) == [
        "[1990-01-01..1990-01-03]",
        "[1991-05-05..1991-05-09]",
    ]
    assert shoal.verify(frame, release.frame, k=2, quasi=["born"], sensitive=["ill"]).passed
