"""What choices of how kernels are compiled and laid out gain, each undone by itself.

The extension module that is installed beside one built anew without each choice. Processor time of
one thread; both take turns with every piece of work, each in a process of its own, so that
ratios hold on a busy machine, too. Compiling takes about 15 minutes on two cores.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.pages import PageTable
from benchmarks.timing import print_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parent.parent
CHOICES = {
    "hidden visibility": (
        "-DCMAKE_CXX_VISIBILITY_PRESET=default",
        "-DCMAKE_VISIBILITY_INLINES_HIDDEN=OFF",
    ),
    "x86-64-v2": ("-DSHOAL_X86_LEVEL=x86-64",),
    "capped logarithms": ("-DCMAKE_CXX_FLAGS=-DSHOAL_LOGARITHMS=2000000000",),
}
"""Options that undo a choice. One more is stored, values inside the object: the commit that the
result names beside the one before it. It gained nothing and was undone."""
ROUNDS = 5
ROWS = 20_000
FEW_ROWS = 2_000
"""For work whose time grows with their square."""
K = 10
COPIES = 50
"""Records of every row in the table of a million."""
PRIVATE = 4
"""Private values."""
CATEGORIES = (20, 200, 2_000, 13_000)
"""Of the sets."""


def run() -> dict[str, list[dict[str, object]]]:
    """Measure what every choice gains."""
    return {choice: part() for choice, part in PARTS.items()}


def gains(choice: str) -> list[dict[str, object]]:
    """Build without a choice, and run the same work with and without it, in turn."""
    builds = {True: _shipped(), False: _build(choice, CHOICES[choice])}
    workers = {chosen: _start(build) for chosen, build in builds.items()}
    rounds: dict[str, list[dict[bool, float]]] = {work: [] for work in WORKS}
    for turn in range(ROUNDS):
        for work, found in rounds.items():
            first = turn % 2 == 0  # neither is always the first
            found.append({chosen: _ask(workers[chosen], work) for chosen in (first, not first)})
    for worker in workers.values():
        worker.communicate()
    figures: list[dict[str, object]] = [
        {
            "work": work,
            "without": median(one[False] for one in found),
            "with": median(one[True] for one in found),
            "times": median(one[True] / one[False] for one in found),
            "bytes": builds[True].stat().st_size,
            "bytes_without": builds[False].stat().st_size,
        }
        for work, found in rounds.items()
    ]
    print_table(
        ("work", "without", "with", "times", "bytes", "bytes without"),
        [tuple(row.values()) for row in figures],
    )
    return figures


def _shipped() -> Path:
    """Return the extension module that is installed."""
    spec = importlib.util.find_spec("shoal._core.kernels")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin)


def _build(name: str, options: tuple[str, ...]) -> Path:
    """Return the extension module built with these options."""
    folder = ROOT / "build" / "choices" / name.replace(" ", "-")
    cmake = str(Path(sys.executable).with_name("cmake"))
    subprocess.run(
        [
            cmake, "-S", str(ROOT), "-B", str(folder), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
            f"-DCMAKE_MAKE_PROGRAM={Path(sys.executable).with_name('ninja')}", "-DSKBUILD=ON",
            f"-DPython_EXECUTABLE={sys.executable}", *options,
        ],
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    build = [cmake, "--build", str(folder), "--target", "kernels", "--parallel"]
    subprocess.run([*build, str(os.cpu_count() or 1)], check=True, stdout=subprocess.DEVNULL)
    (module,) = folder.glob("kernels*.so")
    return module


def _start(module: Path) -> subprocess.Popen[str]:
    """Return a process that measures what it is asked for with this module."""
    command = [sys.executable, "-m", "benchmarks.compiled_choices", str(module)]
    return subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def _ask(worker: subprocess.Popen[str], work: str) -> float:
    assert worker.stdin is not None
    assert worker.stdout is not None
    worker.stdin.write(work + "\n")
    worker.stdin.flush()
    return float(worker.stdout.readline())


def _answer(module: Path) -> None:
    """Print how many steps a second each work takes with this module, as asked for."""
    spec = importlib.util.spec_from_file_location("kernels", module)
    assert spec is not None
    assert spec.loader is not None
    kernels = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(kernels)
    for line in sys.stdin:
        work, table = WORKS[line.strip()]
        prepared = work(kernels, table)
        begun = time.thread_time()
        steps = prepared()
        print(steps / (time.thread_time() - begun), flush=True)


def _k_member(kernels: Any, table: str) -> Callable[[], int]:
    records = _records(kernels, table, ROWS)

    def work() -> int:
        kernels.k_member(records, 0, K, True, False, kernels.Control())
        return ROWS

    return work


def _information_k_member(kernels: Any, table: str) -> Callable[[], int]:
    objective = _information(kernels, table, FEW_ROWS)
    order = np.arange(FEW_ROWS, dtype=np.int32)

    def work() -> int:
        kernels.information_k_member(objective, order, 0, K, True, False, kernels.Control())
        return FEW_ROWS

    return work


def _sequential(kernels: Any, table: str) -> Callable[[], int]:
    return _improve(kernels, kernels.Objective(_records(kernels, table, FEW_ROWS)))


def _information_sequential(kernels: Any, table: str) -> Callable[[], int]:
    return _improve(kernels, _information(kernels, table, FEW_ROWS))


def _improve(kernels: Any, objective: Any) -> Callable[[], int]:
    def work() -> int:
        control = kernels.Control()
        kernels.sequential(
            objective, kernels.Models(FEW_ROWS), K, K, 2 * K, 1, True, 1, 1, -1, -1.0, control
        )  # fmt: skip
        steps: int = control.steps
        return steps

    return work


def _plain_refine(kernels: Any, table: str) -> Callable[[], int]:
    return _refine(kernels, kernels.Objective(_records(kernels, table, ROWS)), 2_000_000)


def _information_refine(kernels: Any, table: str) -> Callable[[], int]:
    return _refine(kernels, _information(kernels, table, ROWS), 400_000)


def _large_refine(kernels: Any, table: str) -> Callable[[], int]:
    return _refine(kernels, _information(kernels, table, ROWS, COPIES), 400_000, COPIES)


def _refine(kernels: Any, objective: Any, steps: int, copies: int = 1) -> Callable[[], int]:
    """Refine classes of consecutive rows."""
    rows = np.arange(ROWS, dtype=np.int32)
    counts = np.full(ROWS, copies, dtype=np.int32)

    def work() -> int:
        kernels.refine(
            objective, kernels.Models(ROWS), rows, (rows // K).astype(np.int32), counts, ROWS // K,
            k=K * copies, seed=1, threads=1, steps=steps, seconds=-1.0, neighbours=20, region=0,
            heat=1.0, control=kernels.Control(),
        )  # fmt: skip
        return steps

    return work


def _large_counts(kernels: Any, table: str) -> Callable[[], int]:
    records = _records(kernels, table, FEW_ROWS, ROWS * COPIES // FEW_ROWS)
    private = _private(FEW_ROWS)

    def work() -> int:
        for _ in range(10):
            kernels.Objective.information(records, 0.5, private, PRIVATE)
        return 10

    return work


WORKS = {
    f"{name}, {table}": (work, table)
    for table in ("numbers", "sets")
    for name, work in {
        "k-member": _k_member,
        "sequential": _sequential,
        "refine": _plain_refine,
        "k-member, information": _information_k_member,
        "sequential, information": _information_sequential,
        "refine, information": _information_refine,
        "refine, information, a million records": _large_refine,
        "tables of an information measure, a million records": _large_counts,
    }.items()
}
"""What is timed: a function that prepares it, and the table that it works on."""


def _information(kernels: Any, table: str, rows: int, copies: int = 1) -> Any:
    records = _records(kernels, table, rows, copies)
    return kernels.Objective.information(records, 0.5, _private(rows), PRIVATE)


def _private(rows: int) -> NDArray[np.uint8]:
    return np.random.default_rng(2).integers(0, PRIVATE, rows).astype(np.uint8)


def _records(kernels: Any, table: str, rows: int, copies: int = 1) -> Any:
    """Return eight numbers, or four of them and four sets."""
    draw = np.random.default_rng(1)
    records = kernels.Records(np.full(rows, copies, dtype=np.int32))
    for place in range(8):
        count = 50 if table == "numbers" or place < 4 else CATEGORIES[place - 4]
        codes = draw.integers(0, count, rows).astype(np.uint16)
        if count == 50:
            records.add_interval(codes, np.linspace(0.0, 1.0, count), 1 / 8)
        else:
            records.add_set(codes, count, 1 / (count - 1), 1 / 8)
    return records


def _gains(parts: dict[str, list[dict[str, object]]]) -> PageTable:
    """Return what pages show: a row per work, and how many times as fast each choice makes it."""
    times = {
        choice: {str(row["work"]): float(str(row["times"])) for row in rows}
        for choice, rows in parts.items()
    }
    works = [work for work in WORKS if any(work in found for found in times.values())]
    rows = [
        [work, *(f"{found[work]:.2f}" if work in found else "" for found in times.values())]
        for work in works
    ]
    return PageTable(("work", *times), rows, [*parts])


PARTS = {choice: partial(gains, choice) for choice in CHOICES}
TABLES = {"gains": _gains}


if __name__ == "__main__":
    _answer(Path(sys.argv[1]))
