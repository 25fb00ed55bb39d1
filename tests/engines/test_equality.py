"""Memory, disk and Spark release the same: class tables of two million records."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import polars as pl
import pytest

import shoal
from shoal.engines.local import plan_in_memory, solve_in_memory
from shoal.engines.solving import ROW
from tests.engines.census import QUASI, people

if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Java is not installed: the Spark engine is left out", allow_module_level=True)
pytest.importorskip("pyspark", reason="pyspark is not installed: the Spark engine is left out")
pytest.importorskip("duckdb", reason="duckdb is not installed: the disk engine is left out")

from shoal.engines.spark.run import release_on_spark

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow
RECORDS = 2_000_000


def _job(engine: str) -> shoal.Job:
    return shoal.Job(
        k=5, quasi=QUASI, sensitive=["ill"], identifier=["name"], seed=11, cell_records=50_000,
        steps=20_000_000, threads=2, memory=1.0, models=["distinct-l-diversity:2"],
        engine=engine,  # type: ignore[arg-type]
    )  # fmt: skip


def _in_memory(frame: pl.DataFrame, folder: Path) -> None:
    plan, numbered = plan_in_memory(frame, _job("disk"), seed=11)
    for unit, solved in enumerate(solve_in_memory(plan, numbered)):
        solved.table.select(*QUASI, "ill", ROW).write_parquet(folder / f"{unit:05}.parquet")


def _on_disk(source: Path, folder: Path) -> None:
    (folder / "out").mkdir()
    (folder / "secret").mkdir()
    custody = folder / "secret" / "custody.json"
    shoal.anonymize_files(source, folder / "out" / "release", _job("disk"), custody=custody)
    released = pl.read_parquet(folder / "out" / "release" / "*.parquet")
    rows = pl.read_parquet(folder / "secret" / "custody.json.rows.parquet")["row"] - 1
    table = released.with_columns(rows.cast(pl.Int64).alias(ROW))
    table.write_parquet(folder / "table.parquet")


def _on_spark(spark: SparkSession, source: Path, folder: Path) -> None:
    release = release_on_spark(spark.read.parquet(str(source)), _job("spark"), row="name")
    assert release.verdict.passed
    release.frame.write.parquet(str(folder / "release"))
    release.rows.write.parquet(str(folder / "rows"))
    released = pl.read_parquet(folder / "release" / "*.parquet")
    rows = pl.read_parquet(folder / "rows" / "*.parquet")
    released.with_columns(rows[ROW]).write_parquet(folder / "table.parquet")


def test_three_engines_make_the_same_classes(spark: SparkSession, tmp_path: Path) -> None:
    frame = people(RECORDS)
    source = tmp_path / "people.parquet"
    frame.write_parquet(source)
    for engine in ("local", "disk", "spark"):
        (tmp_path / engine).mkdir()
    _in_memory(frame, tmp_path / "local")
    _on_disk(source, tmp_path / "disk")
    _on_spark(spark, source, tmp_path / "spark")
    columns = ", ".join([*QUASI, "ill", ROW])
    tables = {
        "local": f"(SELECT {columns} FROM '{tmp_path}/local/*.parquet')",
        "disk": f"(SELECT {columns} FROM '{tmp_path}/disk/table.parquet')",
        "spark": f"(SELECT {columns} FROM '{tmp_path}/spark/table.parquet')",
    }
    for engine in ("disk", "spark"):
        assert _count(f"FROM {tables[engine]}") == RECORDS
        assert _count(f"FROM {tables['local']} EXCEPT FROM {tables[engine]}") == 0
        assert _count(f"FROM {tables[engine]} EXCEPT FROM {tables['local']}") == 0


def _count(query: str) -> int:
    import duckdb

    with duckdb.connect(config={"memory_limit": "2GB"}) as duck:
        return int(duck.sql(f"SELECT count(*) FROM ({query})").fetchall()[0][0])
