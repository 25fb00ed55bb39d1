"""Goal: k, privacy models, suppression, form, measure and weights, with what they would cost."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, RedirectResponse, Response

from shoal.errors import ShoalError
from shoal.measures import measures
from shoal.models import definitions
from shoal.options import Job
from shoal.web.prediction import predicted
from shoal.web.site import site_of, version_of

router = APIRouter(prefix="/p/{identifier}/goal")
SHAPES = ("classes", "hierarchy", "full-domain", "freeform")
_TEXTS = ("form", "measure", "target", "person", "suppressed", "missing")
_NUMBERS = {"k": int, "suppression": float}


@router.get("")
async def show(request: Request, identifier: str) -> HTMLResponse:
    """Show the goal as it is."""
    site = site_of(request)
    project = site.workspace.project(identifier)
    options = project.options()
    return site.page(
        "goal.html",
        here="goal",
        project=project,
        options=options,
        shapes=SHAPES,
        measures=sorted(name for name, one in measures().items() if not one.higher_is_better),
        models=[one for one in definitions().values() if not one.whole_release],
        whole_models=[one for one in definitions().values() if one.whole_release],
        chosen=_by_column(options.get("model", ())),
    )


@router.post("")
async def change(request: Request, identifier: str) -> Response:
    """Take the form into the job."""
    project = site_of(request).workspace.project(identifier)
    form = await request.form()
    changed = with_goal(project.options(), {key: str(form[key]) for key in form})
    version = project.change(changed, version=version_of(form))
    if request.headers.get("hx-request"):
        return Response(status_code=204, headers={"shoal-version": str(version)})
    return RedirectResponse(f"/p/{identifier}/goal", status_code=303)


@router.get("/prediction")
async def predict(request: Request, identifier: str) -> HTMLResponse:
    """Show whether the goal can be met, and what it would cost, from a sample.

    The goal is that of the job, with what the fields of the page say, which may not be kept yet.
    """
    site = site_of(request)
    project = site.workspace.project(identifier)
    try:
        options = with_goal(project.options(), dict(request.query_params))
        Job.from_dict(options)
        async with site.one_prediction:
            if await request.is_disconnected():  # the fields have changed since
                return HTMLResponse(status_code=204)
            found = await run_in_threadpool(predicted, project, options)
    except ShoalError as error:
        return site.message(error.what, error.remedy, tone="warn", status=200)
    return site.page("prediction.html", **found)


def with_goal(options: dict[str, Any], form: dict[str, str]) -> dict[str, Any]:
    """Return the options with what a form of this screen says; empty fields leave no option."""
    changed = dict(options)
    for key in (*_TEXTS, *_NUMBERS):
        if key not in form:
            continue
        changed.pop(key, None)
        text = form[key].strip()
        if text:
            changed[key] = _number(text, _NUMBERS[key]) if key in _NUMBERS else text
    if "keep_marginals" in form:
        listed = (part.strip() for part in form["keep_marginals"].split(","))
        changed["keep_marginals"] = [part for part in listed if part]
    if "utility" in form:
        changed.pop("utility", None)
        if form["utility"] and "target" in changed:
            changed["utility"] = True
    if any(key.startswith("model-") for key in form):
        requested = (
            (key.removeprefix("model-"), one)
            for key, value in form.items()
            if key.startswith("model-")
            for one in value.split()
        )
        changed["model"] = [f"{one}@{column}" if column else one for column, one in requested]
    weights = {
        key.removeprefix("weight-"): float(_number(value, float))
        for key, value in form.items()
        if key.startswith("weight-") and value and float(_number(value, float)) != 1.0
    }
    if any(key.startswith("weight-") for key in form):
        changed["weight"] = weights
    return {key: value for key, value in changed.items() if value not in ([], {})}


def _by_column(models: list[str] | tuple[str, ...]) -> dict[str, str]:
    """Return the models of each sensitive column as a form shows them; "" is the whole release.

    >>> _by_column(["t-closeness:0.2@income", "distinct-l-diversity:2@income", "average-risk:0.1"])
    {'income': 't-closeness:0.2 distinct-l-diversity:2', '': 'average-risk:0.1'}
    """
    found: dict[str, list[str]] = {}
    for text, _, column in (model.partition("@") for model in models):
        found.setdefault(column, []).append(text)
    return {column: " ".join(texts) for column, texts in found.items()}


def _number(text: str, cast: type[int] | type[float]) -> Any:
    try:
        return cast(text)
    except ValueError:
        return text  # the job says what is wrong with it
