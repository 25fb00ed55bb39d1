"""A pool of processes that solves units; each finished unit is a checkpoint."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import threading
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from multiprocessing.connection import wait as wait_for
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.engines.disk.folder import WorkFolder
from shoal.engines.solving import CLASS, seed_of, solve_unit
from shoal.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from shoal.engines.solving import Plan

STARRED, SUPPRESSED, KEY = "__shoal_starred", "__shoal_suppressed", "__shoal_key"
UNITS, SOLVED = "units.parquet", "solved"
_GLANCE = 0.2
_work: tuple[WorkFolder, Plan, list[int]] | None = None


@dataclass(frozen=True, slots=True)
class Solved:
    """What is known of a solved unit beside its records."""

    unit: int
    records: int
    classes: int
    suppressed: int
    lost: tuple[float, ...]
    steps: int


def solve_units(
    folder: WorkFolder, plan: Plan, processes: int, tell: Callable[[float], None]
) -> list[Solved]:
    """Solve every unit that is not solved yet; return what is known of all.

    Parameters
    ----------
    folder
        Holds the plan and the records in the order of their units.
    processes
        How many units are solved at the same time.
    tell
        Is told from time to time how much of the work is done, from 0 to 1.

    Raises
    ------
    FileError
        If a process was killed; what is solved stays.
    """
    solved = folder.part(SOLVED)
    done = {one: _read(solved, one) for one in range(len(plan.tree.units)) if _is_done(solved, one)}
    sizes = [plan.tree.records_of_unit(unit) for unit in range(len(plan.tree.units))]
    # The largest first: none is left to run alone at the end.
    pending = sorted((u for u in range(len(sizes)) if u not in done), key=lambda u: -sizes[u])
    tell(sum(sizes[unit] for unit in done) / max(sum(sizes), 1))
    if pending:
        with _pool(folder, min(processes, len(pending))) as pool:
            futures = {pool.submit(_solve, unit) for unit in pending}
            try:
                while futures:
                    ended, futures = wait(futures, _GLANCE, return_when=FIRST_COMPLETED)
                    for future in ended:
                        found = future.result()
                        done[found.unit] = found
                    tell(sum(sizes[unit] for unit in done) / sum(sizes))
            except BrokenProcessPool:
                raise FileError(
                    "A process that solved cells was killed, perhaps for want of memory.",
                    remedy="Resume the run with fewer `threads`.",
                ) from None
    return [done[unit] for unit in sorted(done)]


@contextmanager
def _pool(folder: WorkFolder, processes: int) -> Iterator[ProcessPoolExecutor]:
    """Yield a pool whose processes end with this one, however it ends."""
    threads = os.environ.get("POLARS_MAX_THREADS")
    os.environ["POLARS_MAX_THREADS"] = "1"  # each process is one of as many as there are threads
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(
        processes,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_begin,
        initargs=(str(folder.path),),
    )
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise
    else:
        pool.shutdown()
    finally:
        if threads is None:
            del os.environ["POLARS_MAX_THREADS"]
        else:
            os.environ["POLARS_MAX_THREADS"] = threads


def _begin(path: str) -> None:
    """Prepare a process: read the plan, leave Ctrl-C to the parent, and end when it ends."""
    global _work  # noqa: PLW0603 (a process of the pool has one plan)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def follow() -> None:
        wait_for([parent.sentinel])
        os._exit(1)

    threading.Thread(target=follow, name="shoal-parent", daemon=True).start()
    folder = WorkFolder(Path(path))
    plan = folder.plan()
    starts = np.cumsum([0, *(plan.tree.records_of_unit(u) for u in range(len(plan.tree.units)))])
    _work = folder, plan, starts.tolist()


def _solve(unit: int) -> Solved:
    assert _work is not None
    folder, plan, starts = _work
    length = starts[unit + 1] - starts[unit]
    part = pl.scan_parquet(folder.path / UNITS).slice(starts[unit], length).collect()
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
    _place(solved, unit, ".json").write_text(json.dumps(asdict(known)))
    partial = _place(solved, unit, ".partial")
    table.write_parquet(partial, compression="zstd", compression_level=1)
    partial.rename(_place(solved, unit, ".parquet"))
    return known


def _place(solved: Path, unit: int, suffix: str) -> Path:
    return solved / f"{unit:08}{suffix}"


def _is_done(solved: Path, unit: int) -> bool:
    return _place(solved, unit, ".parquet").is_file()


def _read(solved: Path, unit: int) -> Solved:
    told = json.loads(_place(solved, unit, ".json").read_text())
    return Solved(**{**told, "lost": tuple(told["lost"])})
