"""Whether the limit on address space (``ulimit -v``) leaves a command enough to work with.

Libraries abort the whole process, or hang, when an allocation or the start of a thread fails, and
no handler of ours gets to say why. So the limit is compared with the need before they are loaded.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# Measured as peaks of address space: libraries, stacks of threads and arenas take 1.4 GiB on two
# cores, whatever the table; a table takes a multiple of its file.
_FIXED = 1536 * 2**20
_PER_BYTE = 25


def require_address_space(arguments: Sequence[str]) -> None:
    """Raise if the files that a command line names cannot be worked on within the limit.

    Raises
    ------
    MemoryError
        If they cannot. A command that names no file is never refused.
    """
    limit = _limit()
    if limit is None:
        return
    sizes = [_size(argument) for argument in arguments]
    files = [size for size in sizes if size is not None]
    if files and limit < _FIXED + _PER_BYTE * sum(files):
        raise MemoryError


def _limit() -> int | None:
    """Return the limit on address space in bytes, if there is one."""
    if os.name != "posix":
        return None
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft


def _size(argument: str) -> int | None:
    """Return the size of the file that an argument names, if it names one."""
    try:
        path = Path(argument)
        return path.stat().st_size if path.is_file() else None
    except (OSError, ValueError):
        return None
