"""The exposure check: what it finds, what it misses, what it stops without need, what it costs."""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

import shoal
from benchmarks.exposure_hints import hints_table, on_hints
from benchmarks.exposure_tables import planted, tables
from benchmarks.pages import PageTable, percent, share
from benchmarks.timing import print_table
from tests.exposure.cells import released_unnoticed
from tests.inspection.collection import read_headers

if TYPE_CHECKING:
    from benchmarks.exposure_tables import ExposureTable
    from benchmarks.pages import Parts

ROLES = ("identifier", "quasi", "sensitive", "other")
_CELLS = 200_000


def on_tables() -> list[dict[str, Any]]:
    """Columns of twenty tables that stop a run, against what they should do."""
    rows: list[dict[str, Any]] = []
    for table in tables():
        others = [*table.exposing, *table.ordinary]
        release = shoal.anonymize(
            table.frame.select([*table.quasi, *others]),
            k=table.k,
            quasi=table.quasi,
            other=others,
            accept=others,
            algorithm="mondrian",
            seed=1,
        )
        figures = release.custody.figures
        assert figures is not None
        assert figures.exposure is not None
        stops = {one["column"] for one in figures.exposure["columns"] if one["stops"]}
        rows.append(
            {
                "table": table.name,
                "k": table.k,
                "found": sorted(stops & set(table.exposing)),
                "missed": sorted(set(table.exposing) - stops),
                "false_alarms": sorted(stops & set(table.ordinary)),
                "ordinary": len(table.ordinary),
            }
        )
    print_table(
        ("table", "k", "found", "missed", "false alarms", "of"),
        [
            (row["table"], row["k"], len(row["found"]), row["missed"], row["false_alarms"],
             row["ordinary"])
            for row in rows
        ],
    )  # fmt: skip
    return rows


def on_columns_together() -> list[dict[str, Any]]:
    """Columns that stop a run only together: planted ones, and ordinary columns of all tables.

    Ordinary columns are also shuffled among the records, all in the same way: whatever is found
    then is chance.
    """
    rows: list[dict[str, Any]] = []
    for table in planted():
        found = _together(table, table.frame, [*table.exposing, *table.ordinary])
        rows.append({"table": table.name, "k": table.k, "planted": list(table.exposing), **found})
    for table in tables():
        if len(table.ordinary) < 2:
            continue
        others = list(table.ordinary)
        moved = table.frame.select(others).sample(fraction=1.0, shuffle=True, seed=1)
        shuffled = pl.concat([table.frame.select(table.quasi), moved], how="horizontal")
        found = _together(table, table.frame, others)
        chance = _together(table, shuffled, others)
        rows.append({"table": table.name, "k": table.k, "planted": [], **found,
                     "if_shuffled": chance["found"],
                     "effective_if_shuffled": chance["effective"]})  # fmt: skip
    for row in rows:
        print(row)
    return rows


def _together(table: ExposureTable, frame: pl.DataFrame, others: list[str]) -> dict[str, Any]:
    release = shoal.anonymize(
        frame.select([*table.quasi, *others]),
        k=table.k,
        quasi=table.quasi,
        other=others,
        accept=others,
        algorithm="mondrian",
        seed=1,
    )
    figures = release.custody.figures
    assert figures is not None
    assert figures.exposure is not None
    joint = figures.exposure["other_columns_together"]
    return {
        "found": [one["columns"] for one in joint["findings"]],
        "candidates": joint["candidates"],
        "effective": joint["effective_k"],
    }


def on_headers() -> dict[str, dict[str, dict[str, float]]]:
    """Recall and precision of suggested roles on both halves of the labelled collection."""
    result = {}
    for half in ("development", "held back"):
        headers = [one for one in read_headers() if one.held_back == (half == "held back")]
        frame = pl.DataFrame([header.column() for header in headers])
        suggested = {column.name: str(column.role) for column in shoal.inspect(frame).columns}
        wanted, got, right = Counter[str](), Counter[str](), Counter[str]()
        recalled = Counter[str]()
        for header in headers:
            role = suggested[header.name]
            wanted[header.roles[0]] += 1
            got[role] += 1
            right[role] += role in header.roles
            recalled[header.roles[0]] += role in header.roles
        result[half] = {
            role: {
                "headers": wanted[role],
                "recall": recalled[role] / wanted[role],
                "precision": right[role] / max(got[role], 1),
            }
            for role in ROLES
        }
    print(result)
    return result


def on_cells() -> dict[str, Any]:
    """Cells of identifiers that an exposure check of invented people lets through."""
    found = released_unnoticed(_CELLS)
    print(found)
    return found


def on_a_million() -> dict[str, float]:
    """CPU seconds of the check and of the whole command, a million records of twenty columns."""
    frame = _million()
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "people.csv", Path(folder) / "released.csv"
        frame.write_csv(source)
        start = time.process_time()
        read = pl.read_csv(source)
        quasi = read.columns[:8]
        release = shoal.anonymize(read, k=10, quasi=quasi, rest="other", seed=1)
        release.table.write_csv(target)
        whole = time.process_time() - start
    figures = {
        "records": frame.height,
        "columns": frame.width,
        "whole_cpu_s": whole,
        "examine_wall_s": release.figures.seconds["examine"],
        "check_cpu_s": _check_alone(read, release, quasi),
    }
    figures["share"] = figures["check_cpu_s"] / figures["whole_cpu_s"]
    print(figures)
    return figures


def _check_alone(frame: pl.DataFrame, release: Any, quasi: list[str]) -> float:
    """Return the CPU seconds of the check by itself, as verifying with the row map makes it."""
    from shoal.exposure import examine_columns, examine_release
    from shoal.table import declare

    schema = declare(frame, quasi=quasi, rest="other")
    shown = release.table.select(quasi)
    classes = shown.select(pl.struct(pl.all()).rank("dense")).to_series().to_numpy() - 1
    start = time.process_time()
    found = examine_columns(frame, schema)
    examine_release(
        found,
        frame.select(quasi),
        frame.select(schema.untouched),
        10,
        classes=classes,
        rows=release.custody.rows,
    )
    return time.process_time() - start


def _million(n: int = 1_000_000) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    quasi = {f"q{number}": rng.integers(0, size, n)
             for number, size in enumerate((90, 2, 20, 50, 8, 300, 12, 30))}  # fmt: skip
    texts = {f"t{number}": rng.choice([f"v{value:03d}" for value in range(size)], n)
             for number, size in enumerate((4, 20, 100, 600))}  # fmt: skip
    numbers = {f"n{number}": np.round(rng.gamma(2, 300, n), 2) for number in range(4)}
    codes = {f"c{number}": rng.integers(0, size, n) for number, size in enumerate((2, 5, 40, 900))}
    return pl.DataFrame({**quasi, **texts, **numbers, **codes})


PARTS = {
    "tables": on_tables,
    "together": on_columns_together,
    "hints": on_hints,
    "headers": on_headers,
    "cells": on_cells,
    "million": on_a_million,
}


def run() -> dict[str, Any]:
    """Run all parts."""
    return {name: part() for name, part in PARTS.items()}


def roles_table(parts: Parts) -> PageTable:
    """Return recall and precision of each role on both halves."""
    rows = [
        [role, half, str(found[role]["headers"]), share(found[role]["recall"], 3),
         share(found[role]["precision"], 3)]
        for role in ROLES
        for half, found in parts["headers"].items()
    ]  # fmt: skip
    return PageTable(("role", "half", "headers", "recall", "precision"), rows, ["headers"])


def tables_table(parts: Parts) -> PageTable:
    """Return what was found, missed and stopped without need on each table."""
    rows = [
        [row["table"], str(row["k"]), str(len(row["found"])),
         ", ".join(f"`{name}`" for name in row["missed"]) or "–",
         ", ".join(f"`{name}`" for name in row["false_alarms"]) or "–", str(row["ordinary"])]
        for row in parts["tables"]
    ]  # fmt: skip
    header = ("table", "k", "found", "missed", "false alarms", "ordinary columns")
    return PageTable(header, rows, ["tables"])


def together_table(parts: Parts) -> PageTable:
    """Return what stops a run only together, and what does if columns are shuffled."""
    rows = [
        [row["table"], str(row["k"]), f"{row['candidates']:.1f}", f"{row['effective']:.1f}",
         "; ".join(", ".join(f"`{name}`" for name in group) for group in row["found"]) or "–",
         f"{row['effective_if_shuffled']:.1f}" if "if_shuffled" in row else "",
         (str(len(row["if_shuffled"])) if "if_shuffled" in row else "")]
        for row in parts["together"]
    ]  # fmt: skip
    header = ("table", "k", "candidates", "effective k", "columns that stop the run",
              "effective k if shuffled", "stops if shuffled")  # fmt: skip
    return PageTable(header, rows, ["together"])


def cells_table(parts: Parts) -> PageTable:
    """Return the cells of invented people, and those let through."""
    found = parts["cells"]
    rows = [[f"{found['cells']:,}", str(found["columns"]), str(found["unnoticed"])]]
    return PageTable(("cells", "columns", "columns unnoticed"), rows, ["cells"])


def million_table(parts: Parts) -> PageTable:
    """Return what the check costs."""
    found = parts["million"]
    rows = [[f"{found['records']:,}", str(found["columns"]), f"{found['whole_cpu_s']:.1f}",
             f"{found['check_cpu_s']:.1f}", percent(found["share"])]]  # fmt: skip
    header = ("records", "columns", "whole run, CPU s", "check alone, CPU s", "share")
    return PageTable(header, rows, ["million"])


TABLES = {
    "roles": roles_table,
    "tables": tables_table,
    "together": together_table,
    "hints": hints_table,
    "cells": cells_table,
    "million": million_table,
}
