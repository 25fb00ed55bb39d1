"""Open: a table from an upload, a path, a database or the example, and how it was read."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from shoal.errors import FileError, InputError, ShoalError
from shoal.io.databases import is_database
from shoal.io.databases.address import DatabaseAddress
from shoal.web.profiles import profile_of
from shoal.web.reading import can_be_corrected, fields_of, first_lines, options_in, suggested_header
from shoal.web.runs import runs_of
from shoal.web.site import site_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.web.workspace import Project

router = APIRouter()
_LONGEST_NAME = 200


@router.get("/")
async def show(request: Request) -> HTMLResponse:
    """Show how to open a table, and those that are open."""
    return _start(request)


@router.put("/open/upload")
async def upload(request: Request, name: str) -> Response:
    """Stream an upload into its project, and read it in a worker process."""
    site = site_of(request)
    too_large = FileError(
        f"The file is larger than {_size(site.upload_limit)}.",
        remedy="Open it by its path instead, which has no limit.",
    )
    if int(request.headers.get("content-length", 0)) > site.upload_limit:
        raise too_large
    shown = name.replace("\\", "/").rpartition("/")[2][:_LONGEST_NAME] or "table"
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
    place = await _read(request, project, file, {})
    return Response(status_code=201, headers={"location": place})


@router.post("/open/path")
async def open_path(request: Request) -> Response:
    """Open a file of this machine, or a database."""
    form = await request.form()
    path, table = (str(form.get(name, "")).strip() for name in ("path", "table"))
    try:
        if not path:
            raise FileError("No path was given.", remedy="Name a file or a database.")
        if is_database(path):
            address, path = path, ""  # one that holds a password is neither stored nor shown again
            DatabaseAddress.of(address)
            path = address
        elif path.startswith("~"):
            path = os.path.expanduser(path)  # noqa: PTH111 (an address must keep its slashes)
        _require_no_device(path)
        name = (path.rpartition("/")[2] or path)[:_LONGEST_NAME]
        project = site_of(request).workspace.create(name)
        way = "query" if " " in table else "table"
        place = await _read(request, project, path, {way: table} if table else {})
    except ShoalError as error:
        return _start(request, path=path, table=table, error=error)
    return RedirectResponse(place, status_code=303)


@router.post("/open/example")
async def open_example(request: Request) -> Response:
    """Open the bundled example."""
    from shoal.example import write_example

    project = site_of(request).workspace.create("hospital.csv")
    files = write_example(project.folder, rows=10_000)
    place = await _read(request, project, files.table, {})
    return RedirectResponse(place, status_code=303)


@router.get("/p/{identifier}/open")
async def show_table(request: Request, identifier: str, options: str = "") -> HTMLResponse:
    """Show how a table was read, its first rows, and what is wrong with it."""
    project = site_of(request).workspace.project(identifier, read=False)
    return _table(request, project, project.about.get("problem"), outcome=options)


@router.post("/p/{identifier}/open")
async def read_again(request: Request, identifier: str) -> Response:
    """Read the table of a project in another way; if that fails, it stays as it is."""
    site = site_of(request)
    project = site.workspace.project(identifier, read=False)
    if any(not run.state.ended for run in runs_of(project)):
        raise InputError("A run of this table has not ended.", remedy="Stop it first.")
    form = {key: str(value) for key, value in (await request.form()).items()}
    given = options_in(form, project.about["source"])
    fresh = project.fresh_reading()
    fresh.note(reading=given)
    try:
        await site.queue.read(fresh)
    except InputError as error:
        fresh.remove()
        problem = {"what": error.what, "remedy": error.remedy}
        if not project.is_read:
            project.note(problem=problem, given=given)
        return _table(request, project, problem, given=given, status=400)
    except BaseException:
        fresh.remove()
        raise
    had_options = bool(project.options())
    kept = project.take_table(fresh)
    outcome = ("?options=kept" if kept else "?options=cleared") if had_options else ""
    return RedirectResponse(f"/p/{identifier}/open{outcome}", status_code=303)


@router.post("/p/{identifier}/remove")
async def remove(request: Request, identifier: str) -> Response:
    """Remove a table with its runs."""
    project = site_of(request).workspace.project(identifier, read=False, current=False)
    if project.is_current and any(not run.state.ended for run in runs_of(project)):
        raise InputError("A run of this table has not ended.", remedy="Stop it first.")
    project.remove()
    return RedirectResponse("/", status_code=303)


def _start(
    request: Request, *, path: str = "", table: str = "", error: ShoalError | None = None
) -> HTMLResponse:
    site = site_of(request)
    projects = [
        {
            "identifier": one.identifier,
            "about": one.about,
            "is_current": one.is_current,
            "is_read": one.is_read,
            "run_count": len(runs_of(one)),
        }
        for one in site.workspace.projects()
    ]
    return site.page(
        "open.html",
        here="open",
        projects=projects,
        temporary=site.workspace.temporary,
        limit=_size(site.upload_limit),
        limit_bytes=site.upload_limit,
        path=path,
        table=table,
        error=error,
        status=200 if error is None else 400,
    )


def _table(
    request: Request,
    project: Project,
    problem: Mapping[str, str] | None,
    *,
    given: Mapping[str, Any] | None = None,
    outcome: str = "",
    status: int = 200,
) -> HTMLResponse:
    about = project.about
    return site_of(request).page(
        "table.html",
        here="open",
        project=project,
        profile=profile_of(project) if project.is_read else None,
        problem=problem,
        fields=fields_of(about["source"]),
        given=given if given is not None else about.get("given", {}),
        first_lines=[] if project.is_read else first_lines(about["source"]),
        header=suggested_header((problem or {}).get("remedy", "")),
        outcome=outcome,
        run_count=len(runs_of(project)),
        status=status,
    )


async def _read(
    request: Request, project: Project, source: str | Path, reading: Mapping[str, Any]
) -> str:
    """Read the table of a new project, and return where it is shown.

    A file that other options may make a table of is kept, so that it need not be sent again.
    """
    project.note(source=os.fspath(source), reading=dict(reading))
    try:
        await site_of(request).queue.read(project)
    except InputError:
        if "problem" not in project.about or not can_be_corrected(os.fspath(source)):
            project.remove()
            raise
    except BaseException:
        project.remove()
        raise
    return f"/p/{project.identifier}/open"


def _require_no_device(path: str) -> None:
    """Refuse what would never end to read: pipes, sockets and devices."""
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError):  # not a file at all, which the reader tells
        return
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise FileError(f"{path} is not a file.", remedy="Name a file with a table.")


def _suffixes(name: str) -> str:
    """Return the suffixes that tell the format, such as ``.csv.gz``, and nothing else."""
    found = re.search(r"(\.[A-Za-z0-9]{1,8}){1,2}$", name)
    return found[0].lower() if found else ".csv"


def _size(number: int) -> str:
    return f"{number / 2**30:.0f} GB" if number >= 2**30 else f"{number / 2**20:.0f} MB"
