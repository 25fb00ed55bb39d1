"""Run: choose an algorithm and a budget, watch the search, stop it and keep the best."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from shoal.algorithms import algorithms, describe_parameters, make_algorithm
from shoal.errors import InputError
from shoal.options import Job
from shoal.web.charts import best_so_far, search_chart
from shoal.web.runs import Run, State, run_of, runs_of
from shoal.web.screens.columns import with_role
from shoal.web.site import site_of, version_of
from shoal.web.workspace import Project

router = APIRouter(prefix="/p/{identifier}/run")
_GLANCE = 0.5  # seconds between two looks at a run
_WAYS = {
    "identifier": "will be dropped",
    "quasi": "will be generalized",
    "accept": "is accepted as it is",
}


@router.get("")
async def show(request: Request, identifier: str) -> HTMLResponse:
    """Show the choice of algorithm and budget, and all runs."""
    site = site_of(request)
    project = site.workspace.project(identifier)
    options = project.options()
    name = options.get("algorithm", "auto")
    known = algorithms()
    return site.page(
        "run.html",
        here="run",
        project=project,
        options=options,
        algorithms=[(one, cls.family, cls.traits.summary) for one, cls in known.items()],
        name=name,
        parameters=_offered(name),
        **_listed(project),
    )


@router.get("/list")
async def list_runs(request: Request, identifier: str, seen: str = "") -> Response:
    """Show the list of runs, if it has changed since it was seen."""
    site = site_of(request)
    project = site.workspace.project(identifier)
    listed = _listed(project)
    if listed["seen"] == seen:
        return Response(status_code=204)
    return site.page("run_list.html", project=project, **listed)


@router.post("/method")
async def choose_method(request: Request, identifier: str) -> Response:
    """Take algorithm, parameters and budget into the job."""
    project = site_of(request).workspace.project(identifier)
    form = await request.form()
    options = project.options()
    name = str(form.get("algorithm", "auto"))
    given = {
        key.removeprefix("param-"): str(value).strip()
        for key, value in form.items()
        if key.startswith("param-") and str(value).strip()
    }
    known = (
        {one.name for one in describe_parameters(algorithms()[name])}
        if name in algorithms()
        else ()
    )
    parameters = {key: _value(text) for key, text in given.items() if key in known}
    make_algorithm(name, parameters)  # an unknown name or a value out of range is reported now
    changed: dict[str, Any] = {**options, "algorithm": name, "param": parameters}
    for key, cast in (("time", float), ("steps", int), ("bound_seconds", float), ("threads", int)):
        text = str(form.get(key, "")).strip()
        changed.pop(key, None)
        if text:
            changed[key] = _number(text, cast)
    if changed["algorithm"] == "auto":
        del changed["algorithm"]
    kept = {key: value for key, value in changed.items() if value != {}}
    project.change(kept, version=version_of(form))
    return RedirectResponse(f"/p/{identifier}/run", status_code=303)


@router.post("/start")
async def start(request: Request, identifier: str) -> Response:
    """Queue a run with the job as it is now."""
    site = site_of(request)
    project = site.workspace.project(identifier)
    project.require(version_of(await request.form()))
    options = project.options()
    Job.from_dict(options)  # all that is wrong with the options is reported now
    run = site.queue.submit(project, options)
    return RedirectResponse(f"/p/{identifier}/run/{run.number}", status_code=303)


@router.get("/{number}")
async def watch(request: Request, identifier: str, number: int) -> HTMLResponse:
    """Show one run, live while it lasts."""
    site = site_of(request)
    project = site.workspace.project(identifier)
    run = run_of(project, number)
    shown = {"run": _shown(run), "exposed": _exposed(run, project.options()), **_seen(run)}
    return site.page("watch.html", here="run", project=project, **shown)


@router.post("/{number}/exposed")
async def settle(request: Request, identifier: str, number: int) -> Response:
    """Decide about a column that stopped a run: drop it, generalize it, or accept it."""
    project = site_of(request).workspace.project(identifier)
    columns = run_of(project, number).status.get("exposed", ())
    form = await request.form()
    place, way = str(form.get("column", "")), str(form.get("way", ""))
    if way not in _WAYS or not place.isdecimal() or int(place) >= len(columns):
        raise InputError("There is no such column or choice.", remedy="Reload the page.")
    name, options = columns[int(place)], project.options()
    options["accept"] = [other for other in options.get("accept", ()) if other != name]
    if way == "accept":
        options["accept"].append(name)
    else:
        options = with_role(options, name, way)
    kept = {key: value for key, value in options.items() if value != []}
    project.change(kept, version=version_of(form))
    return RedirectResponse(f"/p/{identifier}/run/{number}", status_code=303)


@router.get("/{number}/events")
async def events(request: Request, identifier: str, number: int) -> Response:
    """Send what the page of a run shows whenever it changes, until the run ends."""
    site = site_of(request)
    project = site.workspace.project(identifier)
    run = run_of(project, number)

    async def stream() -> AsyncIterator[str]:
        sent = {"state": "", "progress": ""}
        while not await request.is_disconnected():
            shown = {"run": _shown(run), "exposed": [], **_seen(run)}
            for event, template in (("state", "run_state.html"), ("progress", "progress.html")):
                now = site.fragment(template, project, **shown)
                if now != sent[event]:
                    yield _event(event, now)
                    sent[event] = now
            if run.state.ended:
                yield _event("ended", "")
                return
            await asyncio.sleep(_GLANCE)

    return StreamingResponse(stream(), media_type="text/event-stream")


@router.post("/{number}/stop")
async def stop(request: Request, identifier: str, number: int) -> Response:
    """End a run; a search keeps the best it has found."""
    site = site_of(request)
    await site.queue.stop(run_of(site.workspace.project(identifier), number))
    return RedirectResponse(f"/p/{identifier}/run/{number}", status_code=303)


def _listed(project: Project) -> dict[str, Any]:
    """Return all runs, and their states, by which a page that is out of date is recognized."""
    runs = [_shown(run) for run in runs_of(project)]
    return {
        "runs": runs,
        "unfinished": any(not State(run["state"]).ended for run in runs),
        "seen": "-".join(run["state"] for run in runs),
    }


def _offered(name: str) -> list[Any]:
    """Return the parameters of the algorithm that the page requests; the goal sets the form."""
    known = algorithms()
    every = describe_parameters(known[name]) if name in known else ()
    return [one for one in every if not (name == "auto" and one.name == "form")]


def _seen(run: Run) -> dict[str, Any]:
    reports = best_so_far(run.progress())
    last = reports[-1] if reports else None
    return {"last": last, "chart": search_chart(reports)}


def _shown(run: Run) -> dict[str, Any]:
    status = run.status
    state = State(status["state"])
    return {
        "number": run.number,
        "status": status,
        "state": str(state),
        "summary": run.summary() if state is State.DONE else None,
    }


def _exposed(run: Run, options: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the columns that stopped a run, and what the job says about each of them now."""
    return [
        {
            "name": name,
            "settled": next(
                (outcome for way, outcome in _WAYS.items() if name in options.get(way, ())), ""
            ),
        }
        for name in run.status.get("exposed", ())
    ]


def _event(name: str, text: str) -> str:
    lines = "".join(f"data: {line}\n" for line in text.splitlines() or [""])
    return f"event: {name}\n{lines}\n"


def _number(text: str, cast: type[int] | type[float]) -> int | float | str:
    try:
        return cast(text)
    except ValueError:
        return text  # the job says what is wrong with it


def _value(text: str) -> Any:
    lowered = text.lower()
    if lowered in {"true", "false"}:
        return lowered == "true"
    for cast in (int, float):
        try:
            return cast(text)
        except ValueError:
            continue
    return text
