"""A process that solves units: ``python -m shoal.engines.disk.worker FOLDER``.

It reads numbers of units, one a line, and answers each with a line of JSON: what is known of the
solved unit, or what went wrong. It ends when there are no more, also because its parent has ended.
A program of its own, since processes that Python's pools start run the user's script again.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.engines.disk.folder import WorkFolder
from shoal.engines.outcome import Solved
from shoal.engines.solving import CLASS, seed_of, solve_unit
from shoal.errors import ShoalError

if TYPE_CHECKING:
    from shoal.engines.solving import Plan

STARRED, SUPPRESSED, KEY = "__shoal_starred", "__shoal_suppressed", "__shoal_key"
UNITS, SOLVED = "units.parquet", "solved"


def place_of(solved: Path, unit: int, suffix: str = ".parquet") -> Path:
    """Return the file of a solved unit; the Parquet file comes last, and marks it as done."""
    return solved / f"{unit:08}{suffix}"


def solve_and_store(folder: WorkFolder, plan: Plan, unit: int, start: int) -> Solved:
    """Solve a unit whose records begin at a row of the laid out records, and store its release."""
    length = plan.tree.records_of_unit(unit)
    part = pl.scan_parquet(folder.path / UNITS).slice(start, length).collect()
    found = solve_unit(part, plan, unit)
    rng = np.random.default_rng(seed_of(plan.seed, plan.tree.units[unit], "order"))
    suppressed = found.suppressed
    table = found.table.drop(CLASS).with_columns(
        pl.Series(STARRED, found.starred),
        pl.Series(SUPPRESSED, suppressed),
        # The release is sorted by this key: shuffled as a whole, whatever the units.
        pl.Series(KEY, rng.integers(2**63, size=length, dtype=np.int64)),
    )
    known = Solved(unit, length, found.classes, int(suppressed.sum()), found.lost, found.steps)
    solved = folder.part(SOLVED)
    place_of(solved, unit, ".json").write_text(json.dumps(asdict(known)))
    partial = place_of(solved, unit, ".partial")
    table.write_parquet(partial, compression="zstd", compression_level=1)
    partial.rename(place_of(solved, unit))
    return known


def main() -> None:
    """Serve the parent until it has no more units."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means
    folder = WorkFolder(Path(sys.argv[1]))
    plan = folder.plan()
    starts = np.cumsum([0, *(plan.tree.records_of_unit(u) for u in range(len(plan.tree.units)))])
    for line in sys.stdin:
        unit = int(line)
        try:
            answer = asdict(solve_and_store(folder, plan, unit, int(starts[unit])))
        except ShoalError as error:
            kind = type(error).__name__
            answer = {"error": kind, "what": error.what, "remedy": error.remedy}
        except Exception as error:  # noqa: BLE001 (its message may quote cells)
            if os.environ.get("SHOAL_TRACEBACK"):
                traceback.print_exc()
            answer = {"error": type(error).__name__, "what": "", "remedy": ""}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
