"""``--engine spark`` from files to files: a verified folder of files and nothing beside it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import polars as pl
import pytest

import shoal
from tests.engines.census import QUASI, people

if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Java is not installed: the Spark engine is left out", allow_module_level=True)
pytest.importorskip("pyspark", reason="pyspark is not installed: the Spark engine is left out")

from tests.engines.spark_cluster import environment

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow
WORDS = ["-k", "5", "--quasi", ",".join(QUASI), "--sensitive", "ill", "--identifier", "name",
         "--engine", "spark", "--master", "local[2]", "--cell-records", "2000", "--steps",
         "60000"]  # fmt: skip


def _run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "shoal", "anonymize", *words, *WORDS],
        env=environment(), text=True, capture_output=True, check=False,
    )  # fmt: skip


def test_csv_files_become_a_folder_of_csv_files(tmp_path: Path) -> None:
    frame = people(6_000)
    frame[:2_500].write_csv(tmp_path / "a-1.csv")
    frame[2_500:].write_csv(tmp_path / "a-2.csv")
    out = tmp_path / "out"
    out.mkdir()
    done = _run(
        str(tmp_path / "a-*.csv"), "--kind", "age=numeric", "-o", str(out / "released.csv"),
        "--facts", str(out / "facts.json"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert {one.name for one in out.iterdir()} == {"released.csv", "facts.json"}
    read = pl.read_csv(out / "released.csv" / "part-*.csv", infer_schema=False)
    assert read.height == 6_000
    verdict = shoal.verify(
        frame.cast(pl.String), read, k=5, quasi=QUASI, sensitive=["ill"], identifier=["name"],
        kind={"age": "numeric"},
    )  # fmt: skip
    assert verdict.passed
