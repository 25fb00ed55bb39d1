"""The job file: what every click changes, shown and edited as it is, and taken back by steps."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomli_w
from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from shoal.errors import InputError, ShoalError
from shoal.options import Job
from shoal.options.reading import ReadingOptions
from shoal.web.screens.export import command_of, hierarchy_files
from shoal.web.site import came_from, site_of, version_of
from shoal.web.workspace import StaleJobError

if TYPE_CHECKING:
    from shoal.web.workspace import Project

router = APIRouter(prefix="/p/{identifier}/job")


@router.get("")
async def show(request: Request, identifier: str) -> HTMLResponse:
    """Show the job file and the command line that does the same."""
    project = site_of(request).workspace.project(identifier)
    return _screen(request, project, tomli_w.dumps(project.options()))


@router.post("")
async def change(request: Request, identifier: str) -> Response:
    """Take a job file that was edited by hand, if all of its options are known and in range."""
    project = site_of(request).workspace.project(identifier)
    form = await request.form()
    text = str(form.get("job", "")).replace("\r\n", "\n")
    try:
        project.change(checked(project, text), version=version_of(form))
    except StaleJobError:
        raise
    except ShoalError as error:
        return _screen(request, project, text, error)
    return RedirectResponse(f"/p/{identifier}/job", status_code=303)


def checked(project: Project, text: str) -> dict[str, Any]:
    """Return the options that a job file sets.

    Raises
    ------
    InputError
        If it is not TOML, sets how the table is read, or names files outside the project.
    ParameterError
        If options are unknown or out of range.
    """
    try:
        options = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"This is not TOML: {error}.", remedy="Correct it.") from None
    reading = [name for name in options if name in ReadingOptions.model_fields]
    if reading:
        raise InputError(
            f"`{reading[0]}` sets how the table is read.", remedy="Set it on the screen Open."
        )
    kept = Path("hierarchies")
    for name in hierarchy_files(options):
        if Path(name).parent != kept or not (project.folder / name).is_file():
            raise InputError(
                f"There is no hierarchy file {name} in this project.",
                remedy="Import it on the screen Hierarchies.",
            )
    # What is still missing is reported when the job runs.
    columns = project.column_names()
    Job.from_dict({"k": 2, "quasi": columns[:1], **options})
    return options


def _screen(
    request: Request, project: Project, text: str, error: ShoalError | None = None
) -> HTMLResponse:
    return site_of(request).page(
        "job.html",
        project=project,
        text=text,
        reading=tomli_w.dumps(project.reading),
        command=command_of(project),
        error=error,
        status=200 if error is None else 400,
    )


@router.post("/undo")
async def undo(request: Request, identifier: str) -> Response:
    """Take the last change back."""
    project = site_of(request).workspace.project(identifier)
    project.require(version_of(await request.form()))
    project.undo()
    return RedirectResponse(came_from(request) or f"/p/{identifier}/job", status_code=303)
