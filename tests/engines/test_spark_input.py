"""What Spark is given: special values, and bad input that is refused and leaves nothing."""

from __future__ import annotations

import datetime
import os
import shutil
from typing import TYPE_CHECKING

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import shoal
from shoal.engines.local import plan_in_memory, solve_in_memory
from shoal.engines.solving import ROW
from tests.engines.census import QUASI, people

if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Java is not installed: the Spark engine is left out", allow_module_level=True)
pytest.importorskip("pyspark", reason="pyspark is not installed: the Spark engine is left out")

from shoal.engines.disk.run import LargeOutputs
from shoal.engines.spark.files import release_stored, write_csv
from shoal.engines.spark.run import release_on_spark
from shoal.pipeline.progress import Stages

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow


def _job(**options: object) -> shoal.Job:
    given = {"k": 2, "quasi": QUASI, "sensitive": ["ill"], "identifier": ["name"], "seed": 11,
             "cell_records": 1000, "engine": "spark", "steps": 2_000} | options  # fmt: skip
    return shoal.Job(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
@pytest.mark.parametrize(
    ("make", "error", "reason"),
    [
        ("other type", shoal.InputError, "differs? .*'age'"),
        ("column missing", shoal.InputError, "differs? .*'town'"),
        ("equal records", shoal.InfeasibleError, "8,000 records cannot be cut"),
    ],
)
def test_bad_input_is_a_clear_error_and_leaves_nothing(
    spark: SparkSession,
    tmp_path: Path,
    suffix: str,
    make: str,
    error: type[shoal.ShoalError],
    reason: str,
) -> None:
    frame = people(300)
    second = frame
    if make == "other type":
        if suffix == "csv":
            pytest.skip("CSV has no types")
        second = frame.with_columns(pl.col("age").cast(pl.String))
    elif make == "column missing":
        second = frame.drop("town")
    else:
        frame = second = pl.concat([frame[:1]] * 4_000)
    for number, part in enumerate((frame, second)):
        place = tmp_path / f"{number}.{suffix}"
        part.write_csv(place) if suffix == "csv" else part.write_parquet(place)
    (tmp_path / "out").mkdir()
    outputs = LargeOutputs(release=str(tmp_path / "out" / "release"))
    with pytest.raises(error, match=reason):
        release_stored(spark, f"{tmp_path}/*.{suffix}", outputs, _job(), stages=Stages())
    assert list((tmp_path / "out").iterdir()) == []


def test_ragged_csv_files_are_refused_without_their_cells(
    spark: SparkSession, tmp_path: Path
) -> None:
    people(100).write_csv(tmp_path / "p.csv")
    with (tmp_path / "p.csv").open("a") as file:
        file.write("7,33,F,secret word\n")
    (tmp_path / "out").mkdir()
    outputs = LargeOutputs(release=str(tmp_path / "out" / "release"))
    with pytest.raises(shoal.FileError, match="fields") as raised:
        release_stored(spark, str(tmp_path / "p.csv"), outputs, _job(), stages=Stages())
    assert "secret word" not in str(raised.value)
    assert list((tmp_path / "out").iterdir()) == []


def test_special_values_become_what_they_become_in_memory(
    spark: SparkSession, tmp_path: Path
) -> None:
    day = datetime.date
    frame = pl.DataFrame(
        {
            "name": range(240),
            "size": [1.5, -0.0, 0.0, 1e15, -1e15, 1e-9, None, 7.0] * 30,
            "born": [day(1900, 1, 1), day(9999, 12, 31), day(1600, 2, 29), None] * 60,
            "town": ["", None, "a\0b", "a b ", " a b", 'q"uo,te\nd'] * 40,
            "ill": ["flu", "", None, "a\0b"] * 60,
        }
    )
    job = _job(quasi=["size", "born", "town"], k=4)
    plan, numbered = plan_in_memory(frame, job, seed=11)
    expected = pl.concat([one.table for one in solve_in_memory(plan, numbered)]).sort(ROW)
    frame.write_parquet(tmp_path / "q.parquet")
    release = release_on_spark(spark.read.parquet(str(tmp_path / "q.parquet")), job, row="name")
    made = pl.from_arrow(release.frame.toArrow())
    rows = pl.from_arrow(release.rows.toArrow())
    assert isinstance(made, pl.DataFrame)
    assert isinstance(rows, pl.DataFrame)
    assert_frame_equal(made.with_columns(rows[ROW]).sort(ROW), expected.select(*made.columns, ROW))


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_numbers_without_a_place_are_refused_as_in_memory(
    spark: SparkSession, tmp_path: Path, value: float
) -> None:
    frame = pl.DataFrame({"size": [1.5, value] * 20})
    frame.write_parquet(tmp_path / "p.parquet")
    job = shoal.Job(k=2, quasi=["size"], engine="spark")
    told = []
    for release in (
        lambda: plan_in_memory(frame, job, seed=1),
        lambda: release_on_spark(spark.read.parquet(str(tmp_path / "p.parquet")), job),
    ):
        with pytest.raises(shoal.ValueReadError, match="NaN or infinite") as raised:
            release()
        told.append(raised.value.what)
    assert told[0] == told[1]
    assert "row" not in told[0]


def test_csv_files_hold_every_cell_as_it_is(spark: SparkSession, tmp_path: Path) -> None:
    cells = [
        "",
        None,
        " a",
        "a ",
        'q"uo,te',
        "line\nbreak",
        "\\",
        "back\\slash",
        '"',
        "ü",
        "#",
        "x",
    ]
    frame = spark.createDataFrame(
        [(cell, number) for number, cell in enumerate(cells)], "cell string, number long"
    )
    write_csv(frame, tmp_path / "out", ",")
    read = pl.read_csv(tmp_path / "out" / "part-*.csv", infer_schema=False)
    read = read.sort(pl.col("number").cast(pl.Int64))
    assert [cell or None for cell in read["cell"]] == [cell or None for cell in cells]
    held = spark.createDataFrame([("a\0b",)], "cell string")
    with pytest.raises(shoal.FileError, match="NUL"):
        write_csv(held, tmp_path / "nul", ",")
    assert not (tmp_path / "nul").exists()
