"""Class tables of one job in memory, on disk and on Spark, compared record by record.

Engines are left out that are not installed. Spark takes ``SHOAL_SPARK_MEMORY`` for its virtual
machine, 4 GB unless set.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

import shoal
from benchmarks.census import census
from shoal.engines.local import plan_in_memory, solve_in_memory
from shoal.engines.solving import ROW

if TYPE_CHECKING:
    from collections.abc import Callable

_STEPS_A_RECORD = 20
_SEED = 1
_NUMBER = "record"


def compare_classes(n: int, k: int, other: str) -> list[dict[str, object]]:
    """Return how the class table of another engine differs from the one made in memory.

    A class table holds the number of each record and its released cells.
    """
    figures: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / "people.parquet"
        quasi = _write_source(n, source)
        options: dict[str, Any] = {
            "k": k, "quasi": quasi, "identifier": [_NUMBER], "seed": _SEED,
            "steps": _STEPS_A_RECORD * n,
        }  # fmt: skip
        engines = _engines()
        for engine in ("local", other) if other in engines else ():
            (folder / engine).mkdir()
            began = time.perf_counter()
            cells = engines[engine](source, folder / engine, options)
            figure = {"engine": engine, "n": n, "cells": cells}
            figure["wall_s"] = round(time.perf_counter() - began)
            figures.append({**figure, **_differing(folder, engine, quasi)})
            print(figures[-1], flush=True)
    return figures


def _engines() -> dict[str, Callable[[Path, Path, dict[str, Any]], int]]:
    found: dict[str, Callable[[Path, Path, dict[str, Any]], int]] = {"local": _in_memory}
    if find_spec("duckdb") is not None:
        found["disk"] = _on_disk
    if find_spec("pyspark") is not None and (shutil.which("java") or "JAVA_HOME" in os.environ):
        found["spark"] = _on_spark
    return found


def _write_source(n: int, place: Path) -> list[str]:
    """Write the census-like table with a number for each record; return the quasi-identifiers."""
    frame = pl.concat([pl.read_csv(file) for file in census(n)])
    quasi = frame.columns
    frame.with_row_index(_NUMBER).cast({_NUMBER: pl.Int64}).write_parquet(place)
    return quasi


def _in_memory(source: Path, folder: Path, options: dict[str, Any]) -> int:
    plan, numbered = plan_in_memory(pl.read_parquet(source), shoal.Job(**options), seed=_SEED)
    for place, solved in enumerate(solve_in_memory(plan, numbered)):
        shown = solved.table.select(*options["quasi"], pl.col(ROW).alias("row"))
        shown.write_parquet(folder / f"{place:05}.parquet")
    return len(plan.tree.cells)


def _on_disk(source: Path, folder: Path, options: dict[str, Any]) -> int:
    secret = folder.parent / "secret"
    secret.mkdir()
    release = shoal.anonymize_files(
        source,
        folder / "release",
        shoal.Job(**options, engine="disk", threads=2),
        custody=secret / "custody.json",
    )
    rows = pl.read_parquet(secret / "custody.json.rows.parquet")["row"] - 1
    released = pl.read_parquet(folder / "release" / "*.parquet")
    released.with_columns(rows.cast(pl.Int64).alias("row")).write_parquet(folder / "all.parquet")
    return release.cells


def _on_spark(source: Path, folder: Path, options: dict[str, Any]) -> int:
    from shoal.engines.spark.run import release_on_spark
    from shoal.engines.spark.session import session

    conf = folder.parent / "conf"
    conf.mkdir()
    memory = os.environ.get("SHOAL_SPARK_MEMORY", "4g")
    (conf / "spark-defaults.conf").write_text(f"spark.driver.memory {memory}\n")
    os.environ["SPARK_CONF_DIR"] = str(conf)
    with session("local[2]") as spark:
        job = shoal.Job(**options, engine="spark")
        release = release_on_spark(spark.read.parquet(str(source)), job, row=_NUMBER)
        assert release.verdict.passed
        release.frame.write.parquet(str(folder / "release"))
        release.rows.write.parquet(str(folder / "rows"))
    released = pl.read_parquet(folder / "release" / "*.parquet")
    rows = pl.read_parquet(folder / "rows" / "*.parquet")[ROW].alias("row")
    released.with_columns(rows).write_parquet(folder / "all.parquet")
    return release.cells


def _differing(folder: Path, engine: str, quasi: list[str]) -> dict[str, int]:
    """Return how many records one class table has alone, the other, and the sum of its numbers."""
    import duckdb

    columns = ", ".join(f'"{name}"' for name in (*quasi, "row"))
    local, other = (
        f"(SELECT {columns} FROM '{folder}/{one}/*.parquet')" for one in ("local", engine)
    )
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": "4GB",
        "temp_directory": str(folder),
    }
    with duckdb.connect(config=config) as duck:

        def count(query: str) -> int:
            return int(duck.sql(query).fetchall()[0][0])

        return {
            "records": count(f"SELECT count(*) FROM {other}"),
            "sum_of_numbers": count(f"SELECT sum(row) FROM {other}"),
            "missing": count(f"SELECT count(*) FROM (FROM {local} EXCEPT FROM {other})"),
            "surplus": count(f"SELECT count(*) FROM (FROM {other} EXCEPT FROM {local})"),
        }
