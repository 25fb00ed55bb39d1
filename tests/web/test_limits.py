"""Uploads beyond the limit, and disks without space."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import httpx
import pytest

from shoal.web.app import create_app
from shoal.web.security import Access
from shoal.web.server import UPLOAD_LIMIT
from shoal.web.workspace import Workspace
from tests.web.conftest import HERE, LIMIT, PATIENCE, PORT, Served
from tests.web.test_app import PEOPLE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

LARGEST_FILE = 40_000
SMALL_DISK = f"""
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, ({LARGEST_FILE}, {LARGEST_FILE}))
from shoal.cli.main import main
main()
"""


async def parts(size: int, sent: list[int]) -> AsyncIterator[bytes]:
    """Yield a body of this size without telling it, and note how much was taken."""
    part = bytes(1 << 20 if size > 1 << 20 else 1000)
    while sum(sent) < size:
        sent.append(len(part))
        yield part


@pytest.mark.anyio
async def test_a_stream_over_the_limit_is_refused_while_it_comes(served: Served) -> None:
    sent: list[int] = []
    answer = await served.client.put(
        "/open/upload", params={"name": "large.csv"}, content=parts(10 * LIMIT, sent)
    )

    assert answer.status_code == 400
    assert "larger than" in answer.text
    assert "by its path" in answer.text
    assert sum(sent) < 2 * LIMIT
    assert list((served.workspace.root / "projects").iterdir()) == []


@pytest.mark.anyio
@pytest.mark.slow
async def test_two_gigabytes_are_refused(tmp_path: Path) -> None:
    access = Access(PORT)
    workspace = Workspace.open(tmp_path / "workspace")
    app = create_app(workspace, access, upload_limit=UPLOAD_LIMIT)
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app=app),
        base_url=HERE,
        headers={"origin": HERE},
        timeout=PATIENCE,
    ) as client:
        await client.get(access.address())
        answer = await client.put(
            "/open/upload", params={"name": "large.csv"}, content=parts(UPLOAD_LIMIT + 2**20, [])
        )

    assert answer.status_code == 400
    assert "larger than 2 GB" in answer.text
    assert list((workspace.root / "projects").iterdir()) == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[httpx.Client]:
    """A server whose files may not grow, as on a disk that is full."""
    command = [sys.executable, "-c", SMALL_DISK, "serve", "--no-browser", "--workspace"]
    with subprocess.Popen(
        [*command, str(tmp_path / "workspace")],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        base = address.partition("/?")[0]
        with httpx.Client(base_url=base, headers={"origin": base}, timeout=PATIENCE) as client:
            client.get(address)
            yield client
        process.terminate()


def test_a_full_disk_is_told_and_the_server_lives(small_disk: httpx.Client, tmp_path: Path) -> None:
    projects = tmp_path / "workspace" / "projects"
    large = small_disk.put(
        "/open/upload", params={"name": "large.csv"}, content=b"a,b\n" + b"1,2\n" * LARGEST_FILE
    )
    assert large.status_code == 400
    assert "cannot be stored" in large.text

    # This fits as CSV, but not as the table that is made from it.
    unique = "name\n" + "".join(f"{number:06}\n" for number in range(LARGEST_FILE // 8))
    wide = small_disk.put("/open/upload", params={"name": "wide.csv"}, content=unique)
    assert wide.status_code == 400
    assert "no space left" in wide.text
    assert list(projects.iterdir()) == []

    small = small_disk.put("/open/upload", params={"name": "small.csv"}, content=PEOPLE)
    assert small.status_code == 201, small.text
