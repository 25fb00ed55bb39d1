"""The job file: what every click changes, shown as it is, and taken back step by step."""

from __future__ import annotations

import tomli_w
from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from shoal.web.screens.export import command_of
from shoal.web.site import came_from, site_of, version_of

router = APIRouter(prefix="/p/{identifier}/job")


@router.get("")
async def show(request: Request, identifier: str) -> HTMLResponse:
    """Show the job file and the command line that does the same."""
    site = site_of(request)
    project = site.workspace.project(identifier)
    return site.page(
        "job.html",
        project=project,
        toml=tomli_w.dumps({**project.reading, **project.options()}),
        command=command_of(project),
    )


@router.post("/undo")
async def undo(request: Request, identifier: str) -> Response:
    """Take the last change back."""
    project = site_of(request).workspace.project(identifier)
    project.require(version_of(await request.form()))
    project.undo()
    return RedirectResponse(came_from(request) or f"/p/{identifier}/job", status_code=303)
