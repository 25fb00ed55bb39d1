"""Open: a table from an upload, a path, a database or the example."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from shoal.errors import FileError
from shoal.web.runs import runs_of
from shoal.web.site import site_of

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.web.workspace import Project

router = APIRouter()


@router.get("/")
async def show(request: Request) -> HTMLResponse:
    """Show how to open a table, and those that are open."""
    site = site_of(request)
    projects = [
        {"identifier": one.identifier, "about": one.about, "run_count": len(runs_of(one))}
        for one in site.workspace.projects()
    ]
    return site.page(
        "open.html",
        here="open",
        projects=projects,
        temporary=site.workspace.temporary,
        limit=_size(site.upload_limit),
        limit_bytes=site.upload_limit,
    )


@router.put("/open/upload")
async def upload(request: Request, name: str) -> Response:
    """Stream an upload into its project, and read it in a worker process."""
    site = site_of(request)
    too_large = FileError(
        f"The file is larger than {_size(site.upload_limit)}.",
        remedy="Open it by its path instead: nothing is copied then.",
    )
    if int(request.headers.get("content-length", 0)) > site.upload_limit:
        raise too_large
    shown = name.replace("\\", "/").rpartition("/")[2][:200] or "table"
    project = site.workspace.create(shown)
    file = project.folder / f"source{_suffixes(shown)}"
    received = 0
    try:
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            async for chunk in request.stream():
                received += len(chunk)
                if received > site.upload_limit:
                    raise too_large
                out.write(chunk)
    except OSError as error:
        project.remove()
        raise FileError(
            f"The upload cannot be stored: {error.strerror or 'the disk refuses it'}.",
            remedy="Free some space, or open the file by its path.",
        ) from error
    except BaseException:
        project.remove()
        raise
    return await _read(request, project, file)


@router.post("/open/path")
async def open_path(request: Request) -> Response:
    """Open a file of this machine, or a database."""
    form = await request.form()
    path = str(form.get("path", "")).strip()
    if not path:
        raise FileError("No path was given.", remedy="Name a file or a database.")
    project = site_of(request).workspace.create(path.rpartition("/")[2] or path)
    table = str(form.get("table", "")).strip()
    way = "query" if " " in table else "table"
    return await _read(request, project, path, **({way: table} if table else {}))


@router.post("/open/example")
async def open_example(request: Request) -> Response:
    """Open the bundled example."""
    from shoal.example import write_example

    project = site_of(request).workspace.create("hospital.csv")
    files = write_example(project.folder, rows=10_000)
    return await _read(request, project, files.table)


async def _read(request: Request, project: Project, source: str | Path, **reading: str) -> Response:
    site = site_of(request)
    project.note(source=os.fspath(source), reading=reading)
    try:
        await site.queue.read(project)
    except BaseException:
        project.remove()
        raise
    place = f"/p/{project.identifier}/columns"
    if request.method == "PUT":
        return Response(status_code=201, headers={"location": place})
    return RedirectResponse(place, status_code=303)


def _suffixes(name: str) -> str:
    """Return the suffixes that tell the format, such as ``.csv.gz``, and nothing else."""
    found = re.search(r"(\.[A-Za-z0-9]{1,8}){1,2}$", name)
    return found[0].lower() if found else ".csv"


def _size(number: int) -> str:
    return f"{number / 2**30:.0f} GB" if number >= 2**30 else f"{number / 2**20:.0f} MB"
