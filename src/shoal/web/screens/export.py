"""Export: the release in any format, its facts and job, and the custody file, apart from it."""

from __future__ import annotations

import shlex
from typing import Any

import polars as pl
import tomli_w
from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse, HTMLResponse, Response

from shoal.errors import InputError
from shoal.io import Staging
from shoal.web.runs import Run, State, run_of, runs_of
from shoal.web.site import site_of

router = APIRouter(prefix="/p/{identifier}/export")
FORMATS = ("csv", "parquet", "arrow", "xlsx")


@router.get("")
async def show(request: Request, identifier: str, run: int = 0) -> HTMLResponse:
    """Show what can be taken away."""
    site = site_of(request)
    project = site.workspace.project(identifier)
    done = [one.number for one in runs_of(project) if one.state is State.DONE]
    chosen = run if run in done else (done[0] if done else 0)
    source = project.about["name"]
    lines = _commands(run_of(project, chosen), source) if chosen else {}
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
    file = run.release.with_suffix(f".{suffix}")
    if not file.is_file():
        await run_in_threadpool(_write, run, suffix)
    return FileResponse(file, filename=file.name)


@router.get("/{number}/facts.json")
async def facts(request: Request, identifier: str, number: int) -> Response:
    """Send the facts, which may be published with the release."""
    return FileResponse(_done(request, identifier, number).facts_file, filename="facts.json")


@router.get("/{number}/job.toml")
async def job(request: Request, identifier: str, number: int) -> Response:
    """Send the job file."""
    text = (_done(request, identifier, number).folder / "job.toml").read_text(encoding="utf-8")
    return _download(text, "job.toml")


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
        staging.table(frame, run.release.with_suffix(f".{suffix}"))
        staging.commit()


def _download(text: str, name: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type="application/octet-stream", headers=headers)


def _commands(run: Run, source: str) -> dict[str, Any]:
    options = run.facts()["job"]
    python = ",\n".join(f"    {key}={value!r}" for key, value in options.items())
    return {
        "command": shlex.join(
            ["shoal", "anonymize", source, "--job", "job.toml", "-o", "release.csv"]
        ),
        "script": (
            "import polars as pl\nimport shoal\n\n"
            f"table = pl.read_csv({source!r}, infer_schema=False)\n"
            f"release = shoal.anonymize(\n    table,\n{python},\n)\n"
            'release.save("release.csv", facts="facts.json")\n'
        ),
        "toml": tomli_w.dumps(options),
    }
