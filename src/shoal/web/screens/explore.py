"""Explore: the original and the released table, side by side, a class at a time."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse

from shoal.web.lattice import drawing
from shoal.web.runs import State, run_of, runs_of
from shoal.web.site import site_of
from shoal.web.tables import Request as Wanted
from shoal.web.tables import original_page, released_page

router = APIRouter(prefix="/p/{identifier}/explore")


@router.get("")
async def show(
    request: Request,
    identifier: str,
    *,
    run: int = 0,
    page: int = 0,
    column: str = "",
    contains: str = "",
    group: int = -1,
    of: int = 0,
    originals: str = "beside",
) -> HTMLResponse:
    """Show a page of the table, or of a release beside it; a class is one ``of`` a run."""
    if of not in {0, run}:
        group = -1
    site = site_of(request)
    project = site.workspace.project(identifier)
    wanted = Wanted(max(page, 0), column, contains, group if group >= 0 else None)
    done = [one.number for one in runs_of(project) if one.state is State.DONE]
    here: dict[str, Any] = {"here": "explore", "project": project, "wanted": wanted}
    if run in done:
        made = run_of(project, run)
        values = await run_in_threadpool(released_page, made, wanted)
        around = made.lattice()
        lattice = drawing(around) if around is not None else None
        return site.page(
            "explore_release.html",
            **here,
            **values,
            done=done,
            run=run,
            lattice=lattice,
            originals_below=originals == "below",
        )
    values = await run_in_threadpool(original_page, project.page_table, wanted)
    return site.page("explore.html", **here, **values, done=done, run=run)
