"""Limits on memory: noticed before a library aborts, or the system kills the process silently.

Libraries abort, or hang, when an allocation or the start of a thread fails, and no handler of ours
gets to say why. So the limit on address space (``ulimit -v``) is compared with the need before they
are loaded. Limits of control groups (containers) and the memory of the machine are enforced by
killing, so they are watched while a command runs.
"""

from __future__ import annotations

import errno
import os
import signal
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

WHAT = "There is not enough memory for this table."
REMEDY = (
    "Use a larger machine, raise the limit if there is one (`ulimit -v`, or the container's), drop "
    "columns that nobody needs, or let `shoal anonymize` work on disk (`engine='disk'`)."
)
# Measured as peaks of address space: libraries, stacks of threads and arenas take 1.4 GiB on two
# cores, whatever the table; a table takes a multiple of its file.
_FIXED = 1536 * 2**20
_PER_BYTE = 25
# A file and the table read from it are in memory at once, so less than this never suffices.
_LEAST_PER_BYTE = 2
# What must stay free: enough to unwind, and little enough to let small containers work.
_RESERVE_SHARE, _MOST_RESERVED = 25, 128 * 2**20
# A look costs a millisecond, so the more is free, the longer until the next: no longer than it
# takes to fill that much at this rate.
_SECONDS_BETWEEN_LOOKS, _MOST_SECONDS = 0.02, 0.5
_FILLED_PER_SECOND = 16 * 2**30
_MOUNTS = {"": ("sys/fs/cgroup", "sys/fs/cgroup/unified"), "memory": ("sys/fs/cgroup/memory",)}
# Panics of polars, and threads that do not start.
_CARRIERS = ("PanicException", "ComputeError", "RuntimeError")
_SIGNS = ("memory allocation", "cannot allocate memory", "bad_alloc", "can't start new thread")


def is_lack_of_memory(error: BaseException) -> bool:
    """Return whether memory ran out; libraries report it in ways of their own."""
    if isinstance(error, MemoryError):
        return True
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    if type(error).__name__ in _CARRIERS:
        return any(sign in str(error).lower() for sign in _SIGNS)
    return False


def require_memory(arguments: Sequence[str], root: Path = Path("/")) -> None:
    """Raise if the files that a command line names cannot be worked on within the limits.

    Parameters
    ----------
    arguments
        The command line. One that names no file is never refused.
    root
        Where the system reports about itself.

    Raises
    ------
    MemoryError
        If they cannot.
    """
    sizes = [file_size(argument) for argument in arguments]
    files = [size for size in sizes if size is not None]
    if not files:
        return
    limit = _address_space()
    if limit is not None and limit < _FIXED + _PER_BYTE * sum(files):
        raise MemoryError
    if any(room.free < _LEAST_PER_BYTE * sum(files) for room in rooms(root)):
        raise MemoryError


@dataclass(frozen=True, slots=True)
class Room:
    """Memory that a process shares with others: all of it, and what is free, in bytes."""

    total: int
    free: int

    @property
    def reserve(self) -> int:
        """What must stay free."""
        return min(self.total // _RESERVE_SHARE, _MOST_RESERVED)


def rooms(root: Path = Path("/")) -> list[Room]:
    """Return the memory of the machine and of every control group with a limit, where known."""
    found = [_machine(root)]
    for line in _lines(root / "proc/self/cgroup"):
        _, controllers, path = (*line.split(":", 2), "", "")[:3]
        if controllers and "memory" not in controllers.split(","):
            continue
        unified = not controllers
        mounts = (
            ("sys/fs/cgroup", "sys/fs/cgroup/unified") if unified else ("sys/fs/cgroup/memory",)
        )
        for mount in mounts:
            # A group is bound by the limits of those above it; within a container the path of
            # the host is not there, and the mount itself is the group.
            inner = Path(path.lstrip("/"))
            found += [
                _group(root / mount / one, unified=unified) for one in (inner, *inner.parents)
            ]
    return list(dict.fromkeys(room for room in found if room is not None))


class MemoryGuard:
    """Ends a process in order when memory runs out, before the system kills it.

    A first shortage interrupts the main thread as a signal to end does. Where the main thread is
    deep in a library and does not react, and the shortage grows, the process ends by itself;
    whatever was being written is then completed or undone by the next run.

    Parameters
    ----------
    before_exit
        Called before the process ends by itself.
    end_signal
        The signal whose handler unwinds the main thread.
    root
        Where the system reports about itself.
    """

    def __init__(
        self,
        before_exit: Callable[[], object],
        end_signal: signal.Signals = signal.SIGTERM,
        root: Path = Path("/"),
    ) -> None:
        self.tripped = False
        self._before_exit = before_exit
        self._signal = end_signal
        self._root = root
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="memory guard", daemon=True)

    def __enter__(self) -> Self:
        if rooms(self._root):
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._ended.set()

    def _watch(self) -> None:
        import _thread

        pause = _SECONDS_BETWEEN_LOOKS
        while not self._ended.wait(pause):
            watched = rooms(self._root)
            pause = _pause(watched)
            for room in watched:
                if room.free < room.reserve // 2:
                    self._before_exit()
                    os._exit(1)
                if room.free < room.reserve and not self.tripped:
                    self.tripped = True
                    _thread.interrupt_main(self._signal)


def _pause(watched: Sequence[Room]) -> float:
    """Return the seconds until the next look.

    >>> _pause([Room(total=2**36, free=2**35)]), _pause([Room(total=2**30, free=2**28)])
    (0.5, 0.02)
    """
    spare = min((room.free - room.reserve for room in watched), default=0)
    return min(max(spare / _FILLED_PER_SECOND, _SECONDS_BETWEEN_LOOKS), _MOST_SECONDS)


def _machine(root: Path) -> Room | None:
    reported = {}
    for line in _lines(root / "proc/meminfo"):
        name, _, rest = line.partition(":")
        reported[name] = int(rest.split()[0]) * 1024 if rest.split()[:1] else 0
    if "MemAvailable" not in reported or "MemTotal" not in reported:
        return None
    swap = reported.get("SwapFree", 0)
    return Room(
        reported["MemTotal"] + reported.get("SwapTotal", 0), reported["MemAvailable"] + swap
    )


def _group(folder: Path, *, unified: bool) -> Room | None:
    """Return the memory of a control group, if it has a limit."""
    names = (
        ("memory.max", "memory.current", "inactive_file")
        if unified
        else ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
    )
    try:
        limit = int((folder / names[0]).read_text())
        used = int((folder / names[1]).read_text())
    except (OSError, ValueError):  # also "max", which is no limit
        return None
    if limit >= 2**60:
        return None
    # Pages of files that nobody uses are given back before anybody is killed.
    stat = dict(line.split(" ", 1) for line in _lines(folder / "memory.stat") if " " in line)
    return Room(limit, limit - used + int(stat.get(names[2], 0)))


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError:
        return []


def _address_space() -> int | None:
    """Return the limit on address space in bytes, if there is one."""
    if os.name != "posix":
        return None
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft


def file_size(argument: str) -> int | None:
    """Return the size of the file that an argument names, if it names one."""
    try:
        path = Path(argument)
        return path.stat().st_size if path.is_file() else None
    except (OSError, ValueError):
        return None
