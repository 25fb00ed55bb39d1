"""The Spark engine on a real cluster, behind Spark Connect, and when machines die."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from shoal.engines.local import plan_in_memory, solve_in_memory
from shoal.engines.solving import ROW
from tests.engines.census import people

if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Java is not installed: the Spark engine is left out", allow_module_level=True)
pytest.importorskip("pyspark", reason="pyspark is not installed: the Spark engine is left out")

from tests.engines.spark_cluster import (
    Cluster,
    cluster,
    connect_server,
    descendants,
    environment,
)
from tests.engines.spark_driver import job

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow
CELL, STEPS = 4000, 200_000
# A Python with every package but Shoal.
_WITHOUT = """
import sys
class Lacking:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "shoal":
            raise ModuleNotFoundError(f"No module named {name!r}")
sys.meta_path.insert(0, Lacking())
"""


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Cluster]:
    with cluster(tmp_path) as started:
        yield started


def _driver(
    master: str, folder: Path, frame: pl.DataFrame, *sizes: int, python: str = sys.executable
) -> subprocess.Popen[str]:
    frame.write_parquet(folder / "people.parquet")
    words = [master, str(folder / "people.parquet"), str(folder), *map(str, sizes or (CELL, STEPS))]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.engines.spark_driver", *words],
        env=environment(python), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def _require_equal(
    folder: Path, frame: pl.DataFrame, cell_records: int = CELL, steps: int = STEPS
) -> None:
    made = pl.read_parquet(folder / "release" / "*.parquet")
    rows = pl.read_parquet(folder / "rows" / "*.parquet")
    plan, numbered = plan_in_memory(frame, job(cell_records, steps), seed=11)
    expected = pl.concat([one.table for one in solve_in_memory(plan, numbered)]).sort(ROW)
    assert made.height == frame.height
    assert rows[ROW].sum() == sum(range(frame.height))
    assert_frame_equal(made.with_columns(rows[ROW]).sort(ROW), expected.select(*made.columns, ROW))


def test_a_cluster_of_two_workers_gives_the_same_classes(machines: Cluster, tmp_path: Path) -> None:
    frame = people(20_000)
    run = _driver(machines.url, tmp_path, frame)
    said, _ = run.communicate()
    assert run.returncode == 0, said[-3000:]
    _require_equal(tmp_path, frame)


def test_spark_connect_gives_the_same_classes(tmp_path: Path) -> None:
    frame = people(20_000)
    with connect_server(tmp_path) as address:
        run = _driver(address, tmp_path, frame)
        said, _ = run.communicate()
    assert run.returncode == 0, said[-3000:]
    _require_equal(tmp_path, frame)


@pytest.mark.parametrize("killed", ["machine", "executor", "Python workers"])
def test_what_is_killed_in_mid_run_changes_nothing(
    machines: Cluster, tmp_path: Path, killed: str
) -> None:
    frame = people(40_000)
    run = _driver(machines.url, tmp_path, frame, 2000, 2_000_000)
    while not (tmp_path / "solving").exists():
        assert run.poll() is None, run.communicate()[0][-3000:]
        time.sleep(0.05)
    assert not (tmp_path / "release").exists()
    first = machines.workers[0]
    if killed == "machine":
        first.kill()
    else:
        names = {"executor": "CoarseGrainedExecutorBackend", "Python workers": "pyspark.daemon"}
        found = descendants(first.started.pid, names[killed])
        assert found
        for process in found:
            # Workers end with the daemon that started them.
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
    said, _ = run.communicate()
    assert run.returncode == 0, said[-3000:]
    _require_equal(tmp_path, frame, 2000, 2_000_000)


def test_executors_without_the_package_are_a_clear_error(machines: Cluster, tmp_path: Path) -> None:
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "sitecustomize.py").write_text(_WITHOUT)
    python = tmp_path / "python"
    python.write_text(
        f'#!/bin/sh\nPYTHONPATH={tmp_path / "bare"}:$PYTHONPATH exec {sys.executable} "$@"\n'
    )
    python.chmod(0o755)
    run = _driver(machines.url, tmp_path, people(1_000), python=str(python))
    said, _ = run.communicate()
    assert run.returncode != 0
    assert "lack the package shoal" in said
    assert not (tmp_path / "release").exists()
