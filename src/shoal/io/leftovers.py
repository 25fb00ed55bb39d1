"""Temporary files that killed processes left behind; locks show which are in use."""

from __future__ import annotations

import contextlib
import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

HAS_LOCKS = os.name == "posix"  # elsewhere nothing is removed


def hold(path: Path) -> int | None:
    """Lock a temporary file for as long as this process lives, or until it is let go."""
    if not HAS_LOCKS:
        return None
    import fcntl

    descriptor = os.open(path, os.O_RDONLY)
    with contextlib.suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return descriptor


def remove_leftovers(place: Path) -> None:
    """Remove temporary files beside a place that no living process holds."""
    if not HAS_LOCKS:
        return
    import fcntl

    named = re.compile(re.escape(f".{place.name[:200]}.") + r"[0-9a-f]{16}\.(partial|previous)")
    with contextlib.suppress(OSError):
        for path in [one for one in place.parent.iterdir() if named.fullmatch(one.name)]:
            with contextlib.suppress(OSError):
                descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    path.unlink()
                finally:
                    os.close(descriptor)
