"""How many cores this process may use: by its affinity, and by the quotas of its control groups."""

from __future__ import annotations

import os
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def threads_or_cores(threads: int | None) -> int:
    """Return the requested number of threads; unless set, the number of usable cores."""
    return usable_cores() if threads is None else threads


def usable_cores(root: Path = Path("/")) -> int:
    """Return how many cores can be busy for this process at once, at least 1.

    A container sees all cores of its machine; what it may use of them is the quota of its control
    group, or of one above. A quota of one and a half cores keeps two threads busy for most of the
    time, and counts as two.

    Parameters
    ----------
    root
        Where ``proc`` and ``sys`` are mounted.
    """
    return max(1, min(_cores_by_affinity(), *(ceil(quota) for quota in _quotas(root)), 1024))


def _cores_by_affinity() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _quotas(root: Path) -> Iterator[float]:
    """Yield the quotas, in cores, of the control groups that this process is in."""
    for line in _read(root / "proc/self/cgroup").splitlines():
        number, _, rest = line.partition(":")
        controllers, colon, path = rest.partition(":")
        if not number or not colon:
            continue
        if not controllers:  # version 2
            for folder in _folders(root / "sys/fs/cgroup", path):
                limit, _, period = _read(folder / "cpu.max").partition(" ")
                yield from _ratio(limit, period)
        elif "cpu" in controllers.split(","):
            for folder in _folders(root / "sys/fs/cgroup/cpu", path):
                limit = _read(folder / "cpu.cfs_quota_us")
                yield from _ratio(limit, _read(folder / "cpu.cfs_period_us"))


def _folders(mount: Path, path: str) -> Iterator[Path]:
    """Yield the folder of a group and those above it.

    Within a container the path may be that of the host, while the mount shows the group itself.
    """
    folder = mount / path.lstrip("/")
    while folder != mount:
        yield folder
        folder = folder.parent
    yield mount


def _ratio(limit: str, period: str) -> Iterator[float]:
    """Yield a quota, unless there is none: ``max``, -1 or no file."""
    try:
        cores = int(limit) / int(period)
    except (ValueError, ZeroDivisionError):
        return
    if cores > 0:
        yield cores


def _read(file: Path) -> str:
    try:
        return file.read_text(errors="replace").strip()
    except OSError:
        return ""
