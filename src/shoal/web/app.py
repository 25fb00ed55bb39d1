"""The app: screens, static files and errors, behind the guard."""

from __future__ import annotations

from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import FastAPI, Request
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from shoal.errors import ShoalError
from shoal.web import screens
from shoal.web.runs import Queue, recover, runs_of
from shoal.web.security import Guard
from shoal.web.site import Site, site_of
from shoal.web.workspace import StaleJobError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.responses import HTMLResponse
    from starlette.types import ASGIApp

    from shoal.web.security import Access
    from shoal.web.workspace import Workspace

_HERE = Path(__file__).parent


def create_app(
    workspace: Workspace, access: Access, *, upload_limit: int, workers: int = 1
) -> ASGIApp:
    """Return the app behind its guard."""
    recover(workspace)
    queue = Queue(workers)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        yield
        await queue.close()

    app = FastAPI(lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    app.state.site = Site(workspace, queue, upload_limit, _environment())
    app.mount("/static", StaticFiles(directory=_HERE / "static"))
    app.mount("/vega", StaticFiles(directory=str(files("shoal.reports") / "vendor")))
    for router in screens.ROUTERS:
        app.include_router(router)

    @app.exception_handler(ShoalError)
    async def show_error(request: Request, error: Exception) -> HTMLResponse:
        assert isinstance(error, ShoalError)
        site = site_of(request)
        status = 409 if isinstance(error, StaleJobError) else 400
        if request.headers.get("hx-request") or request.method == "PUT":
            return site.message(error.what, error.remedy, status=status)
        return site.page("failure.html", what=error.what, remedy=error.remedy, status=status)

    return Guard(app, access)


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["count"] = lambda number: f"{number:,}"
    environment.filters["percent"] = lambda share: f"{share:.1%}"
    environment.globals["runs_of"] = runs_of
    return environment
