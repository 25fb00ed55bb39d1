"""Medians of CPU and wall time, and plain tables."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Timed(Generic[Result]):
    """Median times of several runs, and what the last one returned."""

    cpu: float
    wall: float
    result: Result


def timed(work: Callable[[], Result], repeats: int = 5) -> Timed[Result]:
    """Run ``work`` several times; medians, since neighbours on the machine come and go."""
    cpu: list[float] = []
    wall: list[float] = []
    for _ in range(repeats):
        cpu_start, wall_start = time.process_time(), time.perf_counter()
        result = work()
        cpu.append(time.process_time() - cpu_start)
        wall.append(time.perf_counter() - wall_start)
    return Timed(statistics.median(cpu), statistics.median(wall), result)


def print_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print right-aligned columns; floats with four significant digits."""
    cells = [
        list(header),
        *(
            [f"{cell:.4g}" if isinstance(cell, float) else str(cell) for cell in row]
            for row in rows
        ),
    ]
    widths = [max(len(line[place]) for line in cells) for place in range(len(header))]
    for line in cells:
        print("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)))
