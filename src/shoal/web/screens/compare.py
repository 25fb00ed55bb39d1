"""Compare: finished runs side by side, what differs between their jobs, and what each costs."""

from __future__ import annotations

import json
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from shoal.web.runs import State, runs_of
from shoal.web.site import site_of

router = APIRouter(prefix="/p/{identifier}/compare")
SORTS = (
    ("number", "Run"),
    ("loss", "Loss"),
    ("classes", "Classes"),
    ("smallest_class", "Smallest class"),
    ("suppressed", "Suppressed"),
    ("risk_average", "Average risk"),
    ("risk_highest", "Highest risk"),
    ("seconds", "Seconds"),
)


@router.get("")
async def show(
    request: Request, identifier: str, sort: str = "number", order: str = "up"
) -> HTMLResponse:
    """Show all finished runs, in the order of one of their figures."""
    site = site_of(request)
    project = site.workspace.project(identifier)
    done = [run for run in runs_of(project) if run.state is State.DONE]
    shown = [{"number": run.number, **run.summary()} for run in done]
    wanted = sort if sort in dict(SORTS) else "number"
    shown.sort(key=lambda one: (one[wanted], one["number"]), reverse=order == "down")
    jobs = {run.number: run.options() for run in done}
    return site.page(
        "compare.html",
        here="compare",
        project=project,
        runs=shown,
        sorts=SORTS,
        sort=wanted,
        order="down" if order == "down" else "up",
        differing=differing_options([jobs[one["number"]] for one in shown]),
        columns=list(dict.fromkeys(name for one in shown for name in one["per_attribute"])),
        measures=sorted({one["measure"] for one in shown}),
        waiting=sum(not run.state.ended for run in runs_of(project)),
    )


def differing_options(jobs: list[dict[str, Any]]) -> list[tuple[str, list[str]]]:
    """Return each option that is not the same in all jobs, with its value in each of them.

    >>> differing_options([{"k": 2, "seed": 1}, {"k": 3, "seed": 1}])
    [('k', ['2', '3'])]
    >>> differing_options([{"weight": {"age": 2}}, {}])
    [('weight.age', ['2', ''])]
    """
    flat = [_flat(job) for job in jobs]
    names = sorted({name for one in flat for name in one})
    values = {name: [one.get(name, "") for one in flat] for name in names}
    return [(name, said) for name, said in values.items() if len(set(said)) > 1]


def _flat(job: dict[str, Any]) -> dict[str, str]:
    flat: dict[str, str] = {}
    for name, value in job.items():
        if isinstance(value, dict):
            flat.update({f"{name}.{key}": _said(one) for key, one in value.items()})
        else:
            flat[name] = _said(value)
    return flat


def _said(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_said, value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
