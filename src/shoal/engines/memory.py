"""Memory that the disk engine may take."""

from __future__ import annotations

from shoal.limits.memory import rooms

_LEAST = 512 << 20
_MOST_BY_DEFAULT = 4 << 30


def memory_for_disk(gigabytes: float | None) -> int:
    """Return the bytes that the disk engine may take: as asked, or half of what is free."""
    if gigabytes is not None:
        return int(gigabytes * 2**30)
    free = min((room.free for room in rooms()), default=2 * _MOST_BY_DEFAULT)
    return max(_LEAST, min(_MOST_BY_DEFAULT, free // 2))
