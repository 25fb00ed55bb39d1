"""The app: screens, static files and errors, behind the guard."""

from __future__ import annotations

from contextlib import asynccontextmanager, suppress
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse

from shoal.algorithms import algorithms
from shoal.errors import ShoalError
from shoal.web import screens
from shoal.web.messages import with_fields
from shoal.web.runs import Queue, recover
from shoal.web.security import Guard
from shoal.web.site import Site, came_from, site_of
from shoal.web.space import NO_SPACE, is_lack_of_space
from shoal.web.workspace import StaleJobError, UnreadTableError

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
    algorithms()  # they are found on demand, which the first visit of a screen would wait for
    app.state.site = Site(workspace, queue, upload_limit, _environment())
    app.mount("/static", StaticFiles(directory=_HERE / "static"))
    app.mount("/vega", StaticFiles(directory=str(files("shoal.reports") / "vendor")))
    for router in screens.ROUTERS:
        app.include_router(router)

    @app.exception_handler(UnreadTableError)
    async def show_reading(request: Request, _error: Exception) -> RedirectResponse:
        return RedirectResponse(f"/p/{request.path_params['identifier']}/open", status_code=303)

    @app.exception_handler(ShoalError)
    async def show_error(request: Request, error: Exception) -> HTMLResponse:
        assert isinstance(error, ShoalError)
        status = 409 if isinstance(error, StaleJobError) else 400
        return _explained(request, error.what, error.remedy, status)

    @app.exception_handler(OSError)
    async def show_lack_of_space(request: Request, error: Exception) -> HTMLResponse:
        if not is_lack_of_space(error):
            raise error
        return _explained(request, *NO_SPACE, 507)

    @app.exception_handler(HTTPException)
    async def show_refusal(request: Request, error: Exception) -> HTMLResponse:
        assert isinstance(error, HTTPException)
        what = _REFUSALS.get(error.status_code, "This request cannot be answered.")
        return _explained(request, what, "Go back, and reload the page.", error.status_code)

    @app.exception_handler(RequestValidationError)
    async def show_wrong_address(request: Request, _error: Exception) -> HTMLResponse:
        # The message of the error would repeat what was sent.
        return _explained(request, _REFUSALS[404], "Go back, and reload the page.", 404)

    @app.exception_handler(Exception)
    async def show_bug(request: Request, error: Exception) -> HTMLResponse:
        what = f"Something unexpected happened: {type(error).__name__}. This is a bug."
        return _explained(request, what, "The server goes on. Please report it.", 500)

    return Guard(app, access)


_REFUSALS = {404: "There is no such page.", 405: "This page cannot be used in this way."}


def _explained(request: Request, what: str, remedy: str, status: int) -> HTMLResponse:
    """Return what went wrong: a message for the requesting page, or a page of its own."""
    site = site_of(request)
    if request.headers.get("hx-request") or request.method == "PUT":
        return site.message(what, remedy, status=status)
    project = None
    with suppress(ShoalError):
        identifier = request.path_params.get("identifier", "")
        project = site.workspace.project(identifier, read=False)
    back = came_from(request)
    return site.page(
        "failure.html", project=project, what=what, remedy=remedy, back=back, status=status
    )


@cache
def _environment() -> Environment:
    """Return the templates, compiled when the app is made: no reader waits for it."""
    environment = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["count"] = lambda number: f"{number:,}"
    environment.filters["percent"] = lambda share: "–" if share is None else f"{100 * share:.1f} %"
    environment.filters["with_fields"] = with_fields
    environment.filters["breakable"] = _breakable
    for name in environment.list_templates():
        environment.get_template(name)
    return environment


def _breakable(cell: object) -> Markup:
    """Return a cell that may be broken between the values of a set and the ends of an interval.

    >>> _breakable("{<b>|c}")
    Markup('{&lt;b&gt;|<wbr>c}')
    """
    text = str(escape(str(cell)))
    return Markup(text.replace("|", "|<wbr>").replace("..", "..<wbr>"))  # noqa: S704 (escaped)
