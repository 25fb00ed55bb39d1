"""Memory: predicted before a run, and refused where there is too little."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import polars as pl
import pytest

import shoal
from shoal.engines.memory import predict_memory, require_room, shape_of
from shoal.limits.memory import Room
from tests.engines.census import QUASI, people

if TYPE_CHECKING:
    from pathlib import Path

JOB = shoal.Job(k=5, quasi=QUASI, rest="drop")


def test_the_shape_of_a_file_is_told_without_reading_it_all(tmp_path: Path) -> None:
    frame = people(50_000)
    frame.write_csv(tmp_path / "p.csv")
    frame.write_parquet(tmp_path / "p.parquet")
    estimated = shape_of(str(tmp_path / "p.csv"), JOB)
    exact = shape_of(str(tmp_path / "p.parquet"), JOB)
    assert estimated is not None
    assert exact is not None
    assert abs(estimated.records - 50_000) < 2_500
    assert exact.records == 50_000
    assert estimated.columns == exact.columns == 6
    assert shape_of(str(tmp_path / "nowhere.csv"), JOB) is None
    (tmp_path / "parts").mkdir()
    for part in ("1", "2"):
        frame[:20_000].write_parquet(tmp_path / "parts" / f"{part}.parquet")
    for path in ("parts", "parts/*.parquet"):
        parts = shape_of(str(tmp_path / path), JOB)
        assert parts is not None
        assert (parts.records, parts.columns) == (40_000, 6)


def test_a_table_that_will_not_fit_is_refused_with_the_advice_to_use_the_disk(
    tmp_path: Path,
) -> None:
    people(50_000).write_csv(tmp_path / "p.csv")
    with pytest.raises(shoal.ParameterError, match="GB are free") as raised:
        require_room(str(tmp_path / "p.csv"), JOB, [Room(2**34, 2**34), Room(2**30, 2**26)])
    assert "`engine='disk'`" in raised.value.remedy
    require_room(str(tmp_path / "p.csv"), JOB, [Room(2**34, 2**34)])


@pytest.mark.slow
@pytest.mark.parametrize(("records", "quasi", "others"), [(1_000_000, 4, 0), (700_000, 4, 3)])
def test_the_peak_is_within_thirty_percent_of_the_prediction(
    tmp_path: Path, records: int, quasi: int, others: int
) -> None:
    frame = people(records).select(QUASI)
    more = [pl.Series(f"o{i}", people(records, seed=i)["job"]) for i in range(others)]
    frame.with_columns(more).write_csv(tmp_path / "p.csv")
    command = [sys.executable, "-m", "shoal", "anonymize", str(tmp_path / "p.csv"), "-k", "5",
               "--quasi", ",".join(QUASI), "--rest", "other", "--time", "2", "--json",
               "-o", str(tmp_path / "r.parquet")]  # fmt: skip
    command += ["--accept", ",".join(f"o{i}" for i in range(others))] if others else []
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = status
    assert status == 0
    shape = shape_of(str(tmp_path / "p.csv"), JOB)
    assert shape is not None
    ratio = predict_memory(shape, quasi) / (used.ru_maxrss * 1024)
    assert 0.7 < ratio < 1.3
