"""One server per workspace; what a killed one left behind is removed."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
import tomli_w

from shoal.errors import FileError
from shoal.web.occupancy import LOCK, TEMPORARY, occupied, remove_abandoned
from shoal.web.workspace import write_json
from tests.web.conftest import PATIENCE, Served
from tests.web.test_app import JOB, PEOPLE

if TYPE_CHECKING:
    from pathlib import Path

ORPHANED = 75

needs_locks = pytest.mark.skipif(os.name != "posix", reason="locks of files")


@needs_locks
def test_a_second_server_is_refused(tmp_path: Path) -> None:
    with (
        occupied(tmp_path),
        pytest.raises(FileError, match="Another server uses the workspace"),
        occupied(tmp_path),
    ):
        pass

    with occupied(tmp_path):
        pass


@needs_locks
def test_only_workspaces_that_nobody_uses_are_removed(tmp_path: Path) -> None:
    names = ("killed", "alive", "starting", "unlocked")
    killed, alive, starting, unlocked = (tmp_path / f"{TEMPORARY}{name}" for name in names)
    elsewhere = tmp_path / "elsewhere"
    for root in (killed, alive, starting, unlocked, elsewhere):
        root.mkdir()
    (killed / "table.parquet").write_text("original data")
    (killed / LOCK).write_text("1\n")
    (elsewhere / LOCK).write_text("1\n")
    (starting / LOCK).touch()
    (tmp_path / f"{TEMPORARY}link").symlink_to(elsewhere, target_is_directory=True)

    with occupied(alive):
        remove_abandoned(tmp_path)

    assert not killed.exists()
    assert all(root.is_dir() for root in (alive, starting, unlocked, elsewhere))


@pytest.mark.anyio
async def test_a_worker_ends_with_its_server(served: Served) -> None:
    project = await served.opened(PEOPLE)
    run = project.folder / "runs" / "0001"
    run.mkdir(parents=True)
    endless = {key: value for key, value in JOB.items() if key != "steps"} | {"time": 3600.0}
    (run / "job.toml").write_text(tomli_w.dumps(endless), encoding="utf-8")
    write_json(run / "status.json", {"state": "running"})

    with subprocess.Popen(
        [sys.executable, "-m", "shoal.web.worker", "run", str(run)], stdin=subprocess.PIPE
    ) as worker:
        assert worker.stdin is not None
        worker.stdin.close()  # as the system does when the server is killed
        code = worker.wait(PATIENCE)

    assert code == ORPHANED
