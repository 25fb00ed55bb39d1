"""Memory: what there is, what the disk engine may take, and what a run in memory will need."""

from __future__ import annotations

import os
from pathlib import Path

_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
_LEAST = 512 << 20
_MOST_BY_DEFAULT = 4 << 30


def available_memory() -> int | None:
    """Return how many bytes a process may take now; ``None`` where the system does not tell."""
    found: list[int] = []
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        found += [int(one.split()[1]) << 10 for one in lines if one.startswith("MemAvailable:")]
    except OSError:
        if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
            found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for path in _LIMITS:
        try:
            text = Path(path).read_text().strip()
        except OSError:
            continue
        if text.isdecimal():
            found.append(int(text))
    return min(found, default=None)


def memory_for_disk(gigabytes: float | None) -> int:
    """Return the bytes that the disk engine may take: as asked, or half of what there is."""
    if gigabytes is not None:
        return int(gigabytes * 2**30)
    there = available_memory()
    return max(_LEAST, min(_MOST_BY_DEFAULT, _MOST_BY_DEFAULT if there is None else there // 2))
