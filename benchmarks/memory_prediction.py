"""Peaks of memory of whole commands in memory, beside what was predicted before they began."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

import shoal
from benchmarks.census import census
from shoal.engines.memory import predict_memory, shape_of

if TYPE_CHECKING:
    from collections.abc import Callable

_SECONDS = "3"


def predictions(sizes: list[int]) -> list[dict[str, object]]:
    """Return predicted and measured peaks of each size and kind of columns."""
    figures: list[dict[str, object]] = []
    kinds: dict[str, Callable[[pl.DataFrame], tuple[pl.DataFrame, list[str]]]] = {
        "8 numeric quasi-identifiers": lambda frame: (frame, frame.columns),
        "4 categorical quasi-identifiers, 4 other texts": _texts,
    }
    for n in sizes:
        frame = pl.concat([pl.read_csv(file) for file in census(n)])
        for kind, make in kinds.items():
            figures.append({"columns": kind, "n": n, **_measured(*make(frame))})
            print(figures[-1], flush=True)
    return figures


def _texts(frame: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Return the table with words for codes; half of its columns leave unchanged."""
    words = frame.select(
        pl.format(f"{name.lower()} {{}}", name).alias(name) for name in frame.columns
    )
    return words, [words.columns[place] for place in (0, 2, 3, 5)]


def _measured(frame: pl.DataFrame, quasi: list[str]) -> dict[str, object]:
    others = [name for name in frame.columns if name not in quasi]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "p.csv")
        frame.write_csv(place)
        job = shoal.Job(k=5, quasi=quasi, rest="other")
        shape = shape_of(str(place), job)
        assert shape is not None
        predicted = predict_memory(shape, len(quasi))
        line = [
            sys.executable, "-m", "shoal", "anonymize", str(place), "-k", "5", "--quasi",
            ",".join(quasi), "--rest", "other", "--time", _SECONDS, "--json", "--threads", "2",
            "-o", f"{folder}/r.parquet",
        ]  # fmt: skip
        line += ["--accept", ",".join(others)] if others else []
        process = subprocess.Popen(line, stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = status
    if status:
        raise SystemExit(f"the command failed with {status}")
    peak = used.ru_maxrss * 1024
    return {
        "predicted_MB": predicted >> 20,
        "peak_MB": peak >> 20,
        "predicted_by_peak": round(predicted / peak, 2),
    }
