"""One server per workspace, and none of its files left behind when it is killed.

A server holds a lock in its workspace for as long as it lives. A second one is refused there: it
would take the runs of the first for abandoned. A temporary workspace whose lock nobody holds
belongs to a server that was killed before it could remove the original data in it; the next
server removes it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterator

LOCK = "server.lock"
TEMPORARY = "shoal-web-"
"""How the names of temporary workspaces begin."""
_HAS_LOCKS = os.name == "posix"  # elsewhere nothing tells whether a server is alive


@contextmanager
def occupied(root: Path) -> Iterator[None]:
    """Keep other servers out of a workspace.

    Raises
    ------
    FileError
        If another server works in it.
    """
    descriptor = os.open(root / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not _locked(descriptor):
            raise FileError(
                f"Another server uses the workspace {root}.",
                remedy="Open its address, or name another folder.",
            )
        # Written once the lock is held: an empty file may belong to a server that is starting.
        os.truncate(descriptor, 0)
        os.write(descriptor, f"{os.getpid()}\n".encode())
        yield
    finally:
        os.close(descriptor)


def remove_abandoned(folder: Path | None = None) -> None:
    """Remove temporary workspaces of servers that were killed, from the folder they are made in."""
    if not _HAS_LOCKS:
        return
    for root in (folder or Path(tempfile.gettempdir())).glob(f"{TEMPORARY}*"):
        with suppress(OSError):  # it is another user's, or gone
            descriptor = os.open(root / LOCK, os.O_RDWR | os.O_NOFOLLOW)
            try:
                if os.fstat(descriptor).st_size and _locked(descriptor):
                    shutil.rmtree(root, ignore_errors=True)
            finally:
                os.close(descriptor)


def _locked(descriptor: int) -> bool:
    """Lock a file, and return whether nobody else holds it."""
    if not _HAS_LOCKS:
        return True
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
