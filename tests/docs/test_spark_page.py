"""The code on the page about Spark runs; its cluster is replaced by two cores of this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import polars as pl
import pytest

from shoal.example import hospital
from tests.docs.markdown import ROOT, blocks

if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Java is not installed: the Spark engine is left out", allow_module_level=True)
pytest.importorskip("pyspark", reason="pyspark is not installed: the Spark engine is left out")

from tests.engines.spark_cluster import environment

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow
RECORDS = 600
CODE = {block.language: block.code for block in blocks(ROOT / "docs/spark.md")}


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Return a folder with the columns that the page names."""
    table = hospital(rows=RECORDS).select(
        "name",
        "sex",
        "diagnosis",
        postcode=pl.col("postcode").fill_null("00000"),
        age=pl.col("birth_date").dt.year().cast(pl.Int64),
    )
    (tmp_path / "people").mkdir()
    table.write_parquet(tmp_path / "people" / "part.parquet")
    return tmp_path


def run(command: list[str], folder: Path) -> None:
    paths = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])  # noqa: PTH120
    done = subprocess.run(
        command,
        cwd=folder,
        env={**environment(), "PATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]


def released(folder: Path) -> pl.DataFrame:
    return pl.read_parquet(folder / "released" / "*.parquet")


def test_the_command_runs(people: Path) -> None:
    written = CODE["sh"]
    assert "spark://10.0.0.1:7077" in written
    run(["sh", "-e", "-c", written.replace("spark://10.0.0.1:7077", "'local[2]'")], people)
    made = released(people)
    assert made.height == RECORDS
    assert made.group_by("age", "sex", "postcode").len()["len"].min() >= 10  # type: ignore[operator]


def test_the_script_runs(people: Path) -> None:
    start = (
        "from shoal.engines.spark.session import session\n"
        "with session('local[2]') as spark:\n"
        "    df = spark.read.parquet('people')\n"
    )
    body = "".join(f"    {line}\n" if line else "\n" for line in CODE["python"].splitlines())
    run([sys.executable, "-c", start + body], people)
    made = released(people)
    assert made.height == RECORDS
    assert "name" not in made.columns
