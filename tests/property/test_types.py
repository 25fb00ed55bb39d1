"""Columns of every type: released, written, read again and accepted by both doors."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import shoal
from shoal.errors import HierarchyError
from shoal.hierarchies import Hierarchy
from shoal.io import Staging, read_release

if TYPE_CHECKING:
    from pathlib import Path

BERLIN = (
    pl.Series([datetime(2020, 10, 25, hour, 30) for hour in (0, 0, 1, 1)])
    .dt.replace_time_zone("UTC")
    .dt.convert_time_zone("Europe/Berlin")
)
MORNINGS = [datetime(2020, 1, day, hour) for day, hour in ((1, 8), (1, 9), (2, 9), (2, 10))]
ROMAN = Hierarchy.from_rows(
    [["a", r"\*", "*"], ["b", r"\*", "*"], ["c", "[1..2]", "*"], ["d", "[1..2]", "*"]]
)
# A column that is read by its kind, and what else the job says about it.
QUASI: dict[str, tuple[pl.Series, dict[str, Any]]] = {
    "categories with an empty one": (pl.Series(["a", "", "b", ""], dtype=pl.Categorical), {}),
    "ordered with an empty one": (
        pl.Series(["a", "", "b", ""], dtype=pl.Enum(["", "a", "b"])),
        {},
    ),
    "ordered with spaces": (
        pl.Series([" a", " a", "b", "a"], dtype=pl.Enum([" a", "a", "b"])),
        {},
    ),
    "order with spaces": (pl.Series([" a", " a", "b", "b"]), {"order": {"q": [" a", "b"]}}),
    "numbers as categories": (pl.Series(["10", "9", "30", "5"], dtype=pl.Categorical), {}),
    "short floats": (pl.Series([0.1, 0.1, 0.3, -0.0], dtype=pl.Float32), {}),
    "negative zero": (pl.Series([-0.0, 0.0, 5e-324, -5e-324]), {}),
    "large numbers": (pl.Series([2**53 - 1, 2**53 - 2, 1 - 2**53, 0]), {}),
    "decimals": (pl.Series([Decimal(text) for text in ("0.10", "0.1", "3.333", "7")]), {}),
    "times of day in a date": (pl.Series(MORNINGS), {"kind": {"q": "date"}}),
    "nanoseconds before 1970": (pl.Series([-1, -2, -1001, -1002]).cast(pl.Datetime("ns")), {}),
    "far dates": (pl.Series([date(9999, 12, 31), date(9999, 1, 1), date(1, 1, 1), None]), {}),
    "time zones": (BERLIN, {}),
    "truth values": (pl.Series([True, True, False, None]), {}),
    "times": (pl.Series([time(1), time(1), time(2, 0, 0, 5), time(3)]), {}),
    "nothing": (pl.Series([None] * 4), {}),
    "no numbers": (pl.Series([None] * 4), {"kind": {"q": "numeric"}}),
    "texts like lists": (pl.Series(['["x"]', '["x"]', '["y"]', '["y"]']), {}),
    "byte order marks": (pl.Series(["\ufeffa", "\ufeffa", "b", "b"]), {}),
    "names like notation": (pl.Series(list("abcd")), {"hierarchy": {"q": ROMAN}}),
}
if hasattr(pl, "Float16"):
    QUASI["shorter floats"] = (pl.Series([0.1, 0.1, 0.3, 0.7], dtype=pl.Float16), {})

UNTOUCHED: dict[str, Any] = {
    "lists": [[1], [1], [2], None],
    "structs": [{"a": 1}, {"a": 1}, {"a": 2}, None],
    "bytes": [b"a", b"\xff", b"c", b"c"],
    "durations": [timedelta(1), timedelta(2), None, timedelta(1)],
    "datetimes": [datetime(2020, 1, 1, 1, 2, 3, 4), None, *MORNINGS[:2]],
    "time zones": BERLIN,
    "times": [time(1, 2, 3), time(1, 2, 3, 4), None, time(1)],
    "decimals": [Decimal("1.50"), Decimal("1.5"), None, Decimal(2)],
    "floats": [0.1, 1e300, float("nan"), -0.0],
    "spaces": ["a", "a ", "", " "],
    "line ends": ["a\r", "\rb", "c\r\nd", "\n"],
}
ONLY_BINARY = {"structs", "bytes", "durations"}


def agree(frame: pl.DataFrame, place: Path, words: dict[str, Any]) -> None:
    release = shoal.anonymize(frame, k=2, **words)
    with Staging() as staging:
        staging.table(release.table, place)
        staging.commit()
    written = read_release(place)
    for rows in (None, release.custody.rows):
        verdict = shoal.verify(frame, written, k=2, rows=rows, **words)
        assert verdict.passed, verdict
    told = shoal.measure(frame, written, k=2, **words)
    assert told["measures"]["gcp"] == pytest.approx(release.figures.measures["gcp"])


@pytest.mark.parametrize("suffix", ["csv", "parquet", "arrow"])
@pytest.mark.parametrize("name", QUASI)
def test_a_quasi_identifier_of_any_type(name: str, suffix: str, tmp_path: Path) -> None:
    series, words = QUASI[name]
    frame = pl.DataFrame([series.alias("q")])
    agree(frame, tmp_path / f"release.{suffix}", {"quasi": ["q"], **words})


@pytest.mark.parametrize("suffix", ["csv", "parquet", "arrow"])
@pytest.mark.parametrize("role", ["sensitive", "other"])
@pytest.mark.parametrize("name", UNTOUCHED)
def test_an_untouched_column_of_any_type(name: str, role: str, suffix: str, tmp_path: Path) -> None:
    if name in ONLY_BINARY and suffix == "csv":
        pytest.skip("CSV cannot hold it, and says so")
    frame = pl.DataFrame({"q": [1, 1, 2, 2], "s": UNTOUCHED[name]}, strict=False)
    agree(frame, tmp_path / f"release.{suffix}", {"quasi": ["q"], role: ["s"]})


def test_a_date_shows_no_time_of_day() -> None:
    words: dict[str, Any] = {"k": 2, "quasi": ["q"], "kind": {"q": "date"}}
    release = shoal.anonymize(pl.DataFrame({"q": MORNINGS}), **words)
    assert set(release.frame["q"]) == {"2020-01-01", "2020-01-02"}


def test_a_group_without_a_name_is_refused() -> None:
    with pytest.raises(HierarchyError, match="row 1"):
        Hierarchy.from_rows([["a", "", "*"], ["b", "", "*"], ["c", "x", "*"]])
    # A leaf without a name is the missing value.
    assert Hierarchy.from_rows([["a", "x", "*"], ["", "", "*"]]).position[""] >= 0
