"""The Spark engine on two local cores: equal to the reference in memory, and verified by counts."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import shoal
from shoal.engines.local import plan_in_memory, solve_in_memory
from shoal.engines.solving import ROW
from tests.docs.markdown import ROOT, blocks, run_python
from tests.engines.census import QUASI, people

if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Java is not installed: the Spark engine is left out", allow_module_level=True)
pytest.importorskip("pyspark", reason="pyspark is not installed: the Spark engine is left out")

from pyspark.sql import functions as F  # noqa: N812 (as in every Spark program)

import shoal.spark
from shoal.engines.spark.run import release_on_spark
from shoal.engines.spark.source import number_records, types_of
from shoal.engines.spark.verification import verify_on_spark

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

SEED = 11


def job_of(**options: object) -> shoal.Job:
    given = {"k": 5, "quasi": QUASI, "sensitive": ["ill"], "identifier": ["name"], "seed": SEED,
             "cell_records": 1500, "engine": "spark", "steps": 60_000} | options  # fmt: skip
    return shoal.Job(**given)  # type: ignore[arg-type]


def reference(frame: pl.DataFrame, job: shoal.Job) -> pl.DataFrame:
    """Return what each row of the source becomes when the same cells are solved in memory."""
    plan, numbered = plan_in_memory(frame, job, seed=SEED)
    return pl.concat([one.table for one in solve_in_memory(plan, numbered)]).sort(ROW)


def stored(spark: SparkSession, frame: pl.DataFrame, folder: Path) -> DataFrame:
    frame.write_parquet(folder / "people.parquet")
    return spark.read.parquet(str(folder / "people.parquet"))


def test_classes_equal_those_of_the_reference(spark: SparkSession, tmp_path: Path) -> None:
    frame = people(6_000)
    towns = "".join(f"town {i:02};region {i // 10};*\n" for i in range(60))
    (tmp_path / "towns.csv").write_text(towns)
    job = job_of(
        models=["t-closeness:0.3", "distinct-l-diversity:2"], suppression=0.01, notation="min_max",
        hierarchy={"town": str(tmp_path / "towns.csv")},
    )  # fmt: skip
    release = release_on_spark(stored(spark, frame, tmp_path), job, row="name")
    assert release.verdict.passed
    assert release.cells > 2
    expected = reference(frame, job)
    withheld = release.verdict.withheld
    assert withheld in (0, release.facts.suppressed)
    if withheld:
        expected = expected.filter(pl.col("__shoal_class") >= 0)
    made = pl.from_arrow(release.frame.toArrow())
    rows = pl.from_arrow(release.rows.toArrow())
    assert isinstance(made, pl.DataFrame)
    assert isinstance(rows, pl.DataFrame)
    assert made.columns == ["age_min", "age_max", *QUASI[1:], "ill"]
    assert made["job"].dtype == pl.List(pl.String)
    assert set(made["town"]) & {f"region {i}" for i in range(6)}
    assert_frame_equal(made.with_columns(rows[ROW]).sort(ROW), expected.select(*made.columns, ROW))
    assert not rows[ROW].is_sorted()


def test_a_record_that_is_not_released_does_not_decide_the_type_of_bounds(
    spark: SparkSession, tmp_path: Path
) -> None:
    outlier = pl.col("name") == 7
    frame = people(300).with_columns(
        age=pl.when(outlier).then(33.5).otherwise(pl.col("age").cast(pl.Float64)),
        job=pl.when(outlier).then(None).otherwise("job"),
    )
    job = job_of(missing="drop", notation="min_max")
    release = release_on_spark(stored(spark, frame, tmp_path), job, row="name")
    types = dict(release.frame.dtypes)
    assert types["age_min"] == types["age_max"] == "bigint"


def test_the_code_of_the_page_runs(spark: SparkSession, tmp_path: Path) -> None:
    number = pl.int_range(400, eager=True)
    frame = pl.DataFrame(
        {
            "age": 20 + number % 50,
            "sex": pl.Series(["f", "m"] * 200),
            "postcode": 8000 + number % 7,
            "diagnosis": pl.Series(["flu", "gout", "cold", "burn"] * 100),
            "name": number.cast(pl.String),
        }
    )
    (block,) = (one for one in blocks(ROOT / "docs/spark.md") if one.language == "python")
    # Spark resolves names where it was started.
    there = replace(block, code=block.code.replace('"released"', repr(str(tmp_path / "released"))))
    run_python(there, "docs/spark.md", {"df": stored(spark, frame, tmp_path)})
    released = pl.read_parquet(tmp_path / "released" / "*.parquet")
    assert released.height == 400
    assert "name" not in released.columns


@pytest.mark.slow
@pytest.mark.parametrize("notation", ["label", "json"])
def test_cuts_from_a_sample_and_other_notations_are_verified(
    spark: SparkSession, tmp_path: Path, notation: Literal["label", "json"]
) -> None:
    frame = people(6_000)
    job = job_of(cut_sample=1_500, notation=notation, models=["distinct-l-diversity:2"])
    release = release_on_spark(stored(spark, frame, tmp_path), job, row="name")
    assert release.verdict.passed
    assert release.cells > 2
    made = pl.from_arrow(release.frame.toArrow())
    rows = pl.from_arrow(release.rows.toArrow())
    assert isinstance(made, pl.DataFrame)
    assert isinstance(rows, pl.DataFrame)
    assert rows[ROW].sort().to_list() == list(range(6_000))
    assert made.group_by(QUASI).len()["len"].min() >= 5  # type: ignore[operator]
    # The verifier in memory reads the cells by itself.
    verdict = shoal.verify(
        frame, made, k=5, quasi=QUASI, sensitive=["ill"], identifier=["name"], notation=notation,
        rows=rows[ROW].to_numpy(),
    )  # fmt: skip
    assert verdict.passed


@pytest.mark.slow
def test_the_verdict_sees_what_is_wrong(spark: SparkSession, tmp_path: Path) -> None:
    frame = people(200)
    source = number_records(stored(spark, frame, tmp_path), [*QUASI, "ill"], seed=1, row="name")
    job = job_of(k=2, models=["distinct-l-diversity:2"])
    schema = plan_in_memory(frame, job, seed=1)[0].codebook.schema
    types = types_of(source)
    # One class of everybody, and changes to one of its records.
    whole = source.select(*(F.lit("*").alias(name) for name in QUASI), F.col("ill"), F.col(ROW))
    first = F.col(ROW) == 0

    def failed(release: DataFrame) -> set[str]:
        verdict = verify_on_spark(source, types, release, schema=schema, job=job)
        return {check.name for check in verdict.checks if not check.passed}

    assert failed(whole) == set()
    alone = whole.withColumn("sex", F.when(first, frame["sex"][0]).otherwise("*"))
    assert {"classes of at least 2", "distinct-l-diversity:2@ill"} <= failed(alone)
    wrong = "M" if frame["sex"][0] == "F" else "F"
    other = whole.withColumn("sex", F.when(F.col(ROW) < 50, wrong).otherwise("*"))
    assert "cells cover originals" in failed(other)
    ill = whole.withColumn("ill", F.when(first, "plague").otherwise(F.col("ill")))
    assert "other values unchanged" in failed(ill)
    assert "every record accounted for" in failed(whole.where(~first))
    twice = whole.withColumn(ROW, F.when(first, F.lit(1)).otherwise(F.col(ROW)))
    assert "row map is one-to-one" in failed(twice)
    assert "columns present" in failed(whole.drop("sex"))
    assert "identifiers absent" in failed(whole.withColumn("name", F.lit(1)))


@pytest.mark.slow
def test_numbers_follow_from_the_cells_alone(spark: SparkSession, tmp_path: Path) -> None:
    frame = people(300).drop("name")
    frame = pl.concat([frame, frame[:50]])  # equal records, too
    source = stored(spark, frame, tmp_path)
    first = number_records(source, frame.columns, seed=1, row=None)
    again = number_records(
        source.repartition(7, "town").orderBy(F.desc("age")), frame.columns, seed=1, row=None
    )
    assert first.select(ROW).distinct().count() == 350
    assert first.exceptAll(again).count() == 0
    assert again.exceptAll(first).count() == 0


def test_options_that_do_not_exist_are_refused(spark: SparkSession) -> None:
    ages = spark.range(3).toDF("age")
    with pytest.raises(shoal.ParameterError, match="There is no option 'sensitiv'"):
        shoal.spark.anonymize(ages, k=2, quasi=["age"], sensitiv=["ill"])  # type: ignore[call-arg]
    with pytest.raises(shoal.ParameterError, match="the job has `engine='disk'`"):
        shoal.spark.release(ages, job_of(engine="disk"))
