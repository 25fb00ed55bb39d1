"""Export: the release in any format, facts, reports and job, and apart from them the custody."""

from __future__ import annotations

import io
import os
import shlex
import zipfile
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import polars as pl
from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse, HTMLResponse, Response

from shoal.algorithms.constants import SMALL
from shoal.errors import InputError
from shoal.hierarchies import file_of, is_file
from shoal.io import ReadOptions, Staging
from shoal.web.runs import Run, State, run_of, runs_of
from shoal.web.site import site_of
from shoal.web.workspace import Project

router = APIRouter(prefix="/p/{identifier}/export")
FORMATS = ("csv", "csv.gz", "tsv", "jsonl", "parquet", "arrow", "feather", "xlsx")


@router.get("")
async def show(request: Request, identifier: str, run: int = 0) -> HTMLResponse:
    """Show what can be taken away."""
    site = site_of(request)
    project = site.workspace.project(identifier)
    done = [one.number for one in runs_of(project) if one.state is State.DONE]
    chosen = run if run in done else (done[0] if done else 0)
    lines = repeating(run_of(project, chosen), project) if chosen else {}
    return site.page(
        "export.html",
        here="export",
        project=project,
        done=done,
        run=chosen,
        formats=FORMATS,
        **lines,
    )


@router.get("/{number}/release.{suffix}")
async def release(request: Request, identifier: str, number: int, suffix: str) -> Response:
    """Send the release in one of the formats."""
    run = _done(request, identifier, number)
    if suffix not in FORMATS:
        raise InputError("There is no such format.", remedy=f"Choose one of {', '.join(FORMATS)}.")
    file = _in_format(run, suffix)
    if not file.is_file():
        await run_in_threadpool(_write, run, suffix)
    return FileResponse(file, filename=file.name)


@router.get("/{number}/facts.json")
async def facts(request: Request, identifier: str, number: int) -> Response:
    """Send the facts, which may be published with the release."""
    return FileResponse(_done(request, identifier, number).facts_file, filename="facts.json")


@router.get("/{number}/report.html")
async def report(request: Request, identifier: str, number: int) -> Response:
    """Send the public report, computed from the release alone."""
    file = _done(request, identifier, number).report(public=True)
    return FileResponse(file, filename="report.html")


@router.get("/{number}/internal-report.html")
async def internal_report(request: Request, identifier: str, number: int) -> Response:
    """Send the internal report, which holds figures of the original."""
    file = _done(request, identifier, number).report(public=False)
    return FileResponse(file, filename="internal-report.html")


@router.get("/{number}/job.zip")
async def job(request: Request, identifier: str, number: int) -> Response:
    """Send the job file and the hierarchy files that it names."""
    run = _done(request, identifier, number)
    project = site_of(request).workspace.project(identifier)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(run.folder / "job.toml", "job.toml")
        for name in hierarchy_files(run.options()):
            archive.write(project.folder / name, name)
    headers = {"content-disposition": 'attachment; filename="job.zip"'}
    return Response(packed.getvalue(), media_type="application/zip", headers=headers)


@router.post("/{number}/custody.json")
async def custody(request: Request, identifier: str, number: int) -> Response:
    """Send the secrets of the release, for the custodian alone."""
    return FileResponse(_done(request, identifier, number).custody, filename="custody.json")


def _done(request: Request, identifier: str, number: int) -> Run:
    run = run_of(site_of(request).workspace.project(identifier), number)
    if run.state is not State.DONE:
        raise InputError("This run has no release.", remedy="Choose a run that is done.")
    return run


def _write(run: Run, suffix: str) -> None:
    frame = pl.read_parquet(run.release)
    with Staging() as staging:
        staging.table(frame, _in_format(run, suffix))
        staging.commit()


def _in_format(run: Run, suffix: str) -> Path:
    return run.release.with_name(f"release.{suffix}")


def hierarchy_files(options: Mapping[str, Any]) -> list[str]:
    """Return the hierarchy files that a job names, from the folder of the job."""
    trees = options.get("hierarchy", {}).values()
    return sorted({file_of(tree) for tree in trees if is_file(tree)})


def source_of(project: Project) -> str:
    """Return what a command line calls the table: an upload by its name, else its place."""
    about = project.about
    kept = about["source"].startswith(os.fspath(project.folder))  # the upload, or the example
    return str(about["name"] if kept else about["source"])


def command_of(project: Project) -> str:
    """Return the command line that does what a job file of a project says."""
    given = ["shoal", "anonymize", source_of(project), "--job", "job.toml", "-o", "release.csv"]
    return shlex.join([*given, "--facts", "facts.json"])


def repeating(run: Run, project: Project) -> dict[str, Any]:
    """Return the command line and the script that make the same release again.

    A search that ends with its time, not its steps, ends elsewhere on another machine.
    """
    options = run.options()
    known = {field.name for field in fields(ReadOptions)}
    reading = "".join(f", {name}={value!r}" for name, value in options.items() if name in known)
    return {
        "command": command_of(project),
        "script": (
            "import shoal\nfrom shoal.io import read_table\n\n"
            f"table = read_table({source_of(project)!r}{reading})\n"
            'job = shoal.Job.load("job.toml")\n'
            "release = job.run(table)\n"
            'release.save("release.csv", facts="facts.json")\n'
        ),
        "timed": "time" in options or ("steps" not in options and run.facts()["n"] > SMALL),
    }
