"""The app without a network: its ASGI interface, with real worker processes behind it."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from shoal.web.app import create_app
from shoal.web.runs import Run, runs_of
from shoal.web.security import Access
from shoal.web.workspace import Project, Workspace

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from starlette.types import ASGIApp

PORT = 8124
HERE = f"http://127.0.0.1:{PORT}"
LIMIT = 100_000
PATIENCE = 120.0  # seconds that a run may take on a busy machine


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@dataclass(frozen=True, slots=True)
class Served:
    """The app, a browser's client of it, and its workspace."""

    client: httpx.AsyncClient
    workspace: Workspace

    async def opened(self, content: str | bytes, name: str = "people.csv") -> Project:
        """Upload a table."""
        answer = await self.client.put("/open/upload", params={"name": name}, content=content)
        assert answer.status_code == 201, answer.text
        return self.workspace.project(answer.headers["location"].split("/")[2], read=False)

    async def started(self, project: Project) -> Run:
        """Start a run of the job as it is."""
        answer = await self.client.post(f"/p/{project.identifier}/run/start")
        assert answer.status_code == 303, answer.text
        number = int(answer.headers["location"].rpartition("/")[2])
        return next(run for run in runs_of(project) if run.number == number)


async def reached(run: Run, *states: str) -> None:
    """Wait until a run is in one of these states."""
    async with asyncio.timeout(PATIENCE):
        while run.state not in states:
            await asyncio.sleep(0.05)


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    access = Access(PORT)
    workspace = Workspace.open(tmp_path / "workspace")
    app = create_app(workspace, access, upload_limit=LIMIT)
    transport = httpx.ASGITransport(app=app)
    async with (
        _lifespan(app),
        httpx.AsyncClient(
            transport=transport, base_url=HERE, headers={"origin": HERE}, timeout=PATIENCE
        ) as client,
    ):
        await client.get(access.address())
        yield Served(client, workspace)


@asynccontextmanager
async def _lifespan(app: ASGIApp) -> AsyncIterator[None]:
    """Start and end the app, as a server would."""
    events: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    answers: asyncio.Queue[Any] = asyncio.Queue()
    task = asyncio.ensure_future(app({"type": "lifespan"}, events.get, answers.put))
    await events.put({"type": "lifespan.startup"})
    assert (await answers.get())["type"] == "lifespan.startup.complete"
    yield
    await events.put({"type": "lifespan.shutdown"})
    assert (await answers.get())["type"] == "lifespan.shutdown.complete"
    await task
