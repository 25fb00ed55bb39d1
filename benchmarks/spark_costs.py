"""What a release on Spark costs, from the event logs of measured runs, and at other sizes.

The smallest and the largest measured table give a straight line for whatever grows with the
records; the number of cells and of levels follows from the cut rule.
"""

from __future__ import annotations

import json
from math import ceil, log2
from typing import TYPE_CHECKING, Any

from benchmarks.pages import PageTable, number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

SETTINGS = {
    "spark.eventLog.enabled": "true",
    "spark.eventLog.compress": "false",
    "spark.eventLog.rolling.enabled": "false",
}
# Of the census-like table: the distinct values of its quasi-identifiers, and the default cell.
_VALUES = 244
_CELL_RECORDS = 100_000
# Cells are cut at the median, so that they hold between half of the target and all of it.
_FILLED = 0.7
# A count that reaches the driver: attribute, cell, code and count, in Arrow and in NumPy.
_BYTES_PER_COUNT = 2 * (4 + 3 * 8)
_CLUSTERS = ((10_000_000, 2), (100_000_000, 16), (1_000_000_000, 100))
_CORES_OF_AN_EXECUTOR = 4
# Spark refuses results beyond ``spark.driver.maxResultSize``, 1 GB unless set otherwise. A count
# is four columns there.
_RESULT_BYTES = 2**30
_BYTES_IN_A_RESULT = 4 + 3 * 8
# Partitions of a shuffle, unless set otherwise; each counts the values of its cells.
_PARTITIONS = 200


def read_events(folder: Path) -> dict[str, Any]:
    """Return stages, shuffled bytes and CPU seconds of the tasks of one application."""
    (log,) = (file for file in folder.rglob("*") if file.is_file() and file.name[0] not in "._")
    stages = shuffled = spilled = 0
    cpu = 0.0
    with log.open(encoding="utf-8") as lines:
        for line in lines:
            event = json.loads(line)
            if event["Event"] == "SparkListenerStageCompleted":
                stages += 1
            metrics = event.get("Task Metrics")
            if event["Event"] == "SparkListenerTaskEnd" and metrics:
                shuffled += metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"]
                spilled += metrics["Disk Bytes Spilled"]
                cpu += metrics["Executor CPU Time"] / 1e9
    return {
        "stages": stages,
        "shuffled_bytes": shuffled,
        "spilled_bytes": spilled,
        "JVM_task_CPU_s": round(cpu, 1),
    }


def cost_tables() -> dict[str, Callable[[Mapping[str, Any]], PageTable]]:
    """Return the tables of the cost model, by name."""
    return {"spark_constants": _constants_table, "spark_scaled": _scaled_table}


def _constants_table(parts: Mapping[str, Any]) -> PageTable:
    """Return the constants, and how each follows from the measured runs."""
    constants = _constants(parts["spark"])
    rows = [
        ["CPU seconds per million records, all processes", number(constants["cpu"])],
        ["Shuffled bytes per record", number(constants["shuffled"])],
        ["Stages beside those of the cuts", number(constants["stages"])],
        ["Stages per level of cuts", number(constants["stages_per_level"])],
        ["Largest Python process, MB", number(constants["worker"])],
        ["Largest JVM (driver and executor in one), MB", number(constants["java"])],
    ]
    return PageTable(["constant", "measured"], rows, ["spark"])


def _scaled_table(parts: Mapping[str, Any]) -> PageTable:
    """Return the cost at other sizes and on other clusters."""
    constants = _constants(parts["spark"])
    header = [
        "records", "cores", "cells", "levels", "stages", "CPU hours", "hours", "shuffled GB",
        "shuffled GB per core", "counts shuffled, GB", "GB per executor of 4 cores",
        "counts at the driver, MB", "most distinct values",
    ]  # fmt: skip
    rows = []
    for n, cores in _CLUSTERS:
        cells = _cells(n)
        hours = constants["cpu"] * n / 1e6 / 3600
        shuffled = constants["shuffled"] * n / 1e9
        figures = (
            n,
            cores,
            cells,
            _levels(n),
            round(constants["stages"] + constants["stages_per_level"] * _levels(n)),
            round(hours, 2),
            round(hours / cores, 2),
            round(shuffled, 1),
            round(shuffled / cores, 1),
            # Levels double the cells, so that all of them together count twice the last.
            round(2 * _PARTITIONS * cells * _VALUES * _BYTES_IN_A_RESULT / 1e9, 1),
            round((_CORES_OF_AN_EXECUTOR * constants["worker"] + constants["java"]) / 1000, 1),
            round(cells * _VALUES * _BYTES_PER_COUNT / 1e6, 1),
            _RESULT_BYTES // _BYTES_IN_A_RESULT // cells,
        )
        rows.append([number(one) for one in figures])
    return PageTable(header, rows, ["spark"])


def _constants(runs: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    first, last = runs[0], runs[-1]
    more = last["n"] - first["n"]
    levels = _levels(last["n"]) - _levels(first["n"])
    per_level = (last["stages"] - first["stages"]) / levels if levels else 0.0
    return {
        "cpu": (last["CPU_s"] - first["CPU_s"]) / more * 1e6,
        "shuffled": (last["shuffled_bytes"] - first["shuffled_bytes"]) / more,
        "stages": last["stages"] - per_level * _levels(last["n"]),
        "stages_per_level": per_level,
        "worker": max(_largest(run, "python") for run in runs),
        "java": max(_largest(run, "java") for run in runs),
    }


def _largest(run: Mapping[str, Any], program: str) -> float:
    held: Mapping[str, float] = run["largest_process_MB"]
    return max((size for name, size in held.items() if program in name), default=0)


def _cells(n: int) -> int:
    return max(1, ceil(n / (_FILLED * _CELL_RECORDS)))


def _levels(n: int) -> int:
    return max(0, ceil(log2(n / _CELL_RECORDS)))
