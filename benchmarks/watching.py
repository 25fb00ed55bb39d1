"""Watching a command: the memory of all its processes over time, its disk, its CPU seconds."""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_GLANCE = 0.1
_GLANCES_PER_SIZE = 20
_CURVE = 40
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(slots=True)
class Watched:
    """What a command took.

    Parameters
    ----------
    cpu
        CPU seconds of each process that was seen.
    peak, disk
        Most bytes of resident memory that all its processes held together, and of files.
    largest
        Most resident bytes of one process, by the name of its program.
    glances
        Seconds since the start and resident bytes, at every glance.
    """

    cpu: dict[int, float] = field(default_factory=dict)
    peak: int = 0
    disk: int = 0
    largest: dict[str, int] = field(default_factory=dict)
    glances: list[tuple[float, int]] = field(default_factory=list)

    @property
    def cpu_seconds(self) -> float:
        """CPU seconds of all processes together."""
        return sum(self.cpu.values())

    @property
    def seconds(self) -> float:
        """Wall seconds."""
        return self.glances[-1][0] if self.glances else 0.0

    @property
    def curve(self) -> list[list[int]]:
        """Seconds and the most megabytes until then since the point before; 40 points at most."""
        step = -(-len(self.glances) // _CURVE)
        parts = [self.glances[at : at + step] for at in range(0, len(self.glances), step)]
        return [[round(part[-1][0]), max(held for _, held in part) >> 20] for part in parts]


def watch(
    command: Sequence[str],
    folder: Path,
    out: Path,
    environment: Mapping[str, str] | None = None,
) -> Watched:
    """Run a command to its end, its output in a file, and return what it took.

    Parameters
    ----------
    folder
        The folder whose size is watched.
    """
    seen = Watched()
    began = time.perf_counter()
    with out.open("wb") as told:
        process = subprocess.Popen(command, stdout=told, env=environment)
        while process.poll() is None:
            held = 0
            for pid in _family(process.pid):
                held += _look(pid, seen)
            seen.peak = max(seen.peak, held)
            if len(seen.glances) % _GLANCES_PER_SIZE == 0:
                seen.disk = max(seen.disk, _size(folder))
            seen.glances.append((time.perf_counter() - began, held))
            time.sleep(_GLANCE)
    if process.returncode:
        raise SystemExit(f"the command failed with {process.returncode}")
    return seen


def _look(pid: int, seen: Watched) -> int:
    """Note what a process took so far, and return its resident bytes."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return 0
    name, _, rest = told.partition("(")[2].rpartition(")")
    fields = rest.split()
    held = int(fields[21]) * _PAGE
    seen.cpu[pid] = (int(fields[11]) + int(fields[12])) / _TICKS
    seen.largest[name] = max(seen.largest.get(name, 0), held)
    return held


def _family(pid: int) -> Iterator[int]:
    yield pid
    try:
        children = [
            int(child)
            for task in Path(f"/proc/{pid}/task").iterdir()
            for child in (task / "children").read_text().split()
        ]
    except OSError:
        return
    for child in children:
        yield from _family(child)


def _size(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except OSError:
            continue
    return total
