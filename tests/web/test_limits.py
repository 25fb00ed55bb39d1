"""Uploads beyond the limit, and disks without space."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
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


@contextmanager
def serving(command: list[str]) -> Iterator[httpx.Client]:
    """A server, and a client that was let in."""
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            base = address.partition("/?")[0]
            with httpx.Client(base_url=base, headers={"origin": base}, timeout=PATIENCE) as client:
                client.get(address)
                yield client
        finally:
            process.terminate()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[httpx.Client]:
    """A server whose files may not grow, as under a quota."""
    command = [sys.executable, "-c", SMALL_DISK, "serve", "--no-browser", "--workspace"]
    with serving([*command, str(tmp_path / "workspace")]) as client:
        yield client


def incompressible(records: int) -> str:
    """Return a CSV file with 6 bytes per record that no compression makes smaller by much."""
    chance = random.Random(1)
    return "name\n" + "".join(f"{chance.getrandbits(20):05x}\n" for _ in range(records))


def test_a_file_that_may_not_grow_is_told_and_the_server_lives(
    small_disk: httpx.Client, tmp_path: Path
) -> None:
    projects = tmp_path / "workspace" / "projects"
    large = small_disk.put(
        "/open/upload", params={"name": "large.csv"}, content=b"a,b\n" + b"1,2\n" * LARGEST_FILE
    )
    assert large.status_code == 400
    assert "cannot be stored" in large.text

    # This fits as CSV, but not as the table that is made from it.
    names = ",".join(f"c{number}" for number in range(400))
    cells = ",".join("1" * 400)
    content = f"{names}\n{cells}\n{cells}\n"
    wide = small_disk.put("/open/upload", params={"name": "wide.csv"}, content=content)
    assert wide.status_code == 400
    assert "no space left" in wide.text
    assert list(projects.iterdir()) == []

    small = small_disk.put("/open/upload", params={"name": "small.csv"}, content=PEOPLE)
    assert small.status_code == 201, small.text


DISK = 1_200  # kilobytes
IN_NAMESPACE = f"""
set -e
mount -t tmpfs -o size={DISK}k,mode=700 tmpfs "$1/workspace"
(
    while [ ! -e "$1/fill" ]; do sleep 0.05; done
    dd if=/dev/zero of="$1/workspace/filler" bs=1k 2>/dev/null || true
    touch "$1/filled"
    while [ ! -e "$1/empty" ]; do sleep 0.05; done
    rm "$1/workspace/filler"
    touch "$1/emptied"
) </dev/null >/dev/null 2>&1 &
exec "$2" -m shoal serve --no-browser --workspace "$1/workspace"
"""


class Disk:
    """A disk of its own, seen by one server alone, that can be filled and emptied."""

    def __init__(self, folder: Path, client: httpx.Client) -> None:
        self._folder = folder
        self.client = client

    def fill(self) -> None:
        """Write until the disk is full."""
        self._ask("fill", "filled")

    def empty(self) -> None:
        """Remove what filled it."""
        self._ask("empty", "emptied")

    def _ask(self, wish: str, answer: str) -> None:
        (self._folder / wish).touch()
        end = time.monotonic() + PATIENCE
        while not (self._folder / answer).exists():
            assert time.monotonic() < end
            time.sleep(0.02)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    """A server whose workspace is a file system of little more than a megabyte."""
    apart = ["unshare", "--user", "--map-root-user", "--mount"]
    trial = [*apart, "mount", "-t", "tmpfs", "tmpfs", str(tmp_path)]
    if (
        shutil.which("unshare") is None
        or subprocess.run(trial, check=False, capture_output=True).returncode
    ):
        pytest.skip("this system lets nobody but root mount a disk")
    (tmp_path / "workspace").mkdir(mode=0o700)
    command = [*apart, "sh", "-c", IN_NAMESPACE, "sh", str(tmp_path), sys.executable]
    try:
        with serving(command) as client:
            yield Disk(tmp_path, client)
    finally:
        for wish in ("fill", "empty"):
            (tmp_path / wish).touch()  # the helper ends


def tables(client: httpx.Client) -> list[str]:
    """Return the addresses of the tables that the first page lists."""
    return sorted(set(re.findall(r"/p/[0-9a-f]{12}(?=/)", client.get("/").text)))


def test_an_upload_that_fills_the_disk_is_told_and_removed(disk: Disk) -> None:
    large = b"a,b\n" + b"1,2\n" * (DISK * 300)
    refused = disk.client.put("/open/upload", params={"name": "large.csv"}, content=large)

    assert refused.status_code == 400
    assert "cannot be stored: No space left on device" in refused.text
    assert tables(disk.client) == []
    small = disk.client.put("/open/upload", params={"name": "small.csv"}, content=PEOPLE)
    assert small.status_code == 201, small.text


def test_a_table_that_fills_the_disk_is_told_and_removed(disk: Disk) -> None:
    # This fits as CSV, but not as the table that is made from it.
    unique = incompressible(DISK * 100)
    refused = disk.client.put("/open/upload", params={"name": "wide.csv"}, content=unique)

    assert refused.status_code == 400
    assert "no space left in the workspace" in refused.text
    assert tables(disk.client) == []


def test_a_run_and_a_change_on_a_full_disk_are_told_and_the_server_lives(disk: Disk) -> None:
    client = disk.client
    client.put("/open/upload", params={"name": "people.csv"}, content=PEOPLE)
    (project,) = tables(client)
    for place, role in enumerate(("quasi", "quasi", "sensitive")):
        client.post(f"{project}/columns/{place}/role", data={"role": role})
    client.post(f"{project}/goal", data={"k": "3"})

    # Two reports of about a megabyte do not fit.
    client.post(f"{project}/run/start")
    end = time.monotonic() + PATIENCE
    while "badge bad" not in (page := client.get(f"{project}/run/1").text):
        assert time.monotonic() < end
        assert ">done<" not in page
        time.sleep(0.1)
    assert "There is no space left in the workspace; nothing was kept." in page

    disk.fill()
    refused = client.post(f"{project}/goal", data={"k": "9"})
    assert refused.status_code == 507
    assert "There is no space left in the workspace" in refused.text
    assert 'value="3"' in client.get(f"{project}/goal").text
    disk.empty()
    assert client.post(f"{project}/goal", data={"k": "9"}).status_code == 303
    assert 'value="9"' in client.get(f"{project}/goal").text
