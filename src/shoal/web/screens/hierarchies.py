"""Hierarchies: make one from a recipe or a file, look at its tree, move values, undo."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import polars as pl
from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, RedirectResponse, Response

from shoal.errors import HierarchyError, InputError, ShoalError
from shoal.hierarchies import (
    Groups,
    Hierarchy,
    Recipe,
    format_hierarchy,
    is_recipe,
    preview,
    read_hierarchy,
)
from shoal.options.hierarchy_paths import found_hierarchy
from shoal.table.leaf_values import counts_of, match_spelling
from shoal.web.profiles import profile_of
from shoal.web.site import site_of, version_of
from shoal.web.trees import CountedTree, with_leaf_moved
from shoal.web.workspace import Project

router = APIRouter(prefix="/p/{identifier}/hierarchies")
RECIPES = (
    ("auto", "automatic", "what suits the values; by {} or {}", ("counts", "cooccurrence")),
    ("ranges", "ranges", "numbers: widths, each a multiple of the one before: {}", ("5,10,20",)),
    ("quantiles", "quantiles", "numbers: groups of about equal size: {}", ("8,4,2",)),
    ("cuts", "cut points", "numbers: boundaries, coarser ones after a slash: {}", ("18,30,65/65",)),
    ("stars", "stars", "codes: the last characters become *: {} or {}", ("1,3", "every")),
    ("dates", "dates", "dates: levels, all of them if left empty: {}", ("month,quarter,year",)),
)
"""Name, title, meaning, and examples of what can be typed beside it."""
_LARGEST_FILE = 64 * 2**20
_GROUPS_OFFERED = 100


@router.get("")
async def show(request: Request, identifier: str, column: str = "") -> HTMLResponse:
    """Show the quasi-identifiers with their hierarchies, and one of them in detail."""
    return _screen(request, site_of(request).workspace.project(identifier), column)


def _screen(
    request: Request,
    project: Project,
    column: str,
    *,
    error: ShoalError | None = None,
    form: Mapping[str, Any] | None = None,
) -> HTMLResponse:
    """Return the screen; after an error with what the form said."""
    options = project.options()
    quasi = list(options.get("quasi", ()))
    chosen = column if column in quasi else (quasi[0] if quasi else "")
    given = options.get("hierarchy", {})
    recipe, _, details = str(given.get(chosen, "")).partition(":")
    if form is not None and "recipe" in form:
        recipe, details = str(form["recipe"]), str(form.get("details", ""))
    known = [name for name, *_ in RECIPES]
    return site_of(request).page(
        "hierarchies.html",
        here="hierarchies",
        project=project,
        quasi=quasi,
        given=given,
        chosen=chosen,
        recipes=RECIPES,
        recipe=recipe if recipe in known else known[0],
        details=details if recipe in known else "",
        moved=form or {},
        error=error,
        status=200 if error is None else 400,
        is_recipe=is_recipe,
    )


@router.get("/tree")
async def show_tree(request: Request, identifier: str, column: str) -> HTMLResponse:
    """Show the levels of a hierarchy and its tree, from the root to the first branches."""
    site = site_of(request)
    project = site.workspace.project(identifier)
    try:
        found = await run_in_threadpool(_detail, project, column)
    except (HierarchyError, InputError) as error:
        return site.message(error.what, error.remedy, status=200)
    root = found.counted.root
    children = found.counted.children(root.level, root.first, root.last)
    shown: dict[str, Any] = {"column": column, "root": root, "branches": children, "node": root}
    return site.page(
        "tree.html",
        project=project,
        levels=found.levels,
        groups=found.groups,
        absent=found.absent,
        values=len(found.counted.tree.leaves) - found.absent,
        **shown,
    )


@router.get("/branches")
async def show_branches(  # noqa: PLR0917 (each is a part of the address)
    request: Request,
    identifier: str,
    column: str,
    level: int,
    first: int,
    last: int,
    start: int = 0,
) -> HTMLResponse:
    """Show some children of a node."""
    site = site_of(request)
    project = site.workspace.project(identifier)
    found = await run_in_threadpool(_detail, project, column)
    shown = found.counted.children(level, first, last, start)
    node = {"level": level, "first": first, "last": last}
    return site.page("branches.html", project=project, column=column, branches=shown, node=node)


@router.post("/make")
async def make(request: Request, identifier: str) -> Response:
    """Use a recipe for a column, if the column takes it."""
    project, column, form = await _edited_column(request, identifier)
    details = str(form.get("details", "")).strip()
    name = str(form.get("recipe", ""))
    try:
        recipe = Recipe.parse(f"{name}:{details}" if details else name)
        await run_in_threadpool(_tree, project, column, str(recipe))  # errors are raised now
    except ShoalError as error:
        return _screen(request, project, column, error=error, form=form)
    return _use(project, column, str(recipe))


@router.post("/import")
async def import_file(request: Request, identifier: str) -> Response:
    """Use an uploaded hierarchy file for a column, if it fits."""
    project, column, form = await _edited_column(request, identifier)
    upload = form.get("file")
    content = b"" if upload is None or isinstance(upload, str) else await upload.read(_LARGEST_FILE)
    await form.close()
    file = _new_file(project, column)
    try:
        if not content:
            raise InputError("No file was chosen.", remedy="Choose a hierarchy file.")
        file.write_bytes(content)
        if form.get("layout") == "groups":
            grouped = await run_in_threadpool(read_hierarchy, Groups(file))
            file.write_text(format_hierarchy(grouped), encoding="utf-8")
        tree = await run_in_threadpool(read_hierarchy, file)
        await run_in_threadpool(_require_values, project, column, tree)
    except ShoalError as error:
        file.unlink(missing_ok=True)
        # The upload is known by its own name, not by that of its copy.
        name = str(getattr(upload, "filename", None) or "The file")
        error.what = error.what.replace(str(file), name)
        return _screen(request, project, column, error=error)
    except BaseException:
        file.unlink(missing_ok=True)
        raise
    return _use(project, column, _named(project, file))


@router.post("/move")
async def move(request: Request, identifier: str) -> Response:
    """Move a value into another group; the tree becomes a file of the project."""
    project, column, form = await _edited_column(request, identifier)
    given = project.options().get("hierarchy", {}).get(column)
    try:
        if given is None:
            raise InputError("This column has no hierarchy.", remedy="Make one first.")
        tree = await run_in_threadpool(_tree, project, column, given)
        moved = with_leaf_moved(tree, str(form.get("value", "")), str(form.get("group", "")))
    except ShoalError as error:
        return _screen(request, project, column, error=error, form=form)
    file = _new_file(project, column)
    file.write_text(format_hierarchy(moved), encoding="utf-8")
    return _use(project, column, _named(project, file))


@router.post("/remove")
async def remove(request: Request, identifier: str) -> Response:
    """Generalize the column without a hierarchy again."""
    project, column, _ = await _edited_column(request, identifier)
    return _use(project, column, None)


async def _edited_column(request: Request, identifier: str) -> tuple[Project, str, Any]:
    project = site_of(request).workspace.project(identifier)
    form = await request.form()
    project.require(version_of(form))
    column = str(form.get("column", ""))
    if column not in project.options().get("quasi", ()):
        raise InputError(
            "Only quasi-identifiers have hierarchies.", remedy="Choose the column's role first."
        )
    return project, column, form


def _use(project: Project, column: str, given: str | None) -> Response:
    options = project.options()
    trees = {name: tree for name, tree in options.get("hierarchy", {}).items() if name != column}
    if given is not None:
        trees[column] = given
    options["hierarchy"] = trees
    project.change({key: value for key, value in options.items() if value != {}})
    return _back(project, column)


def _back(project: Project, column: str) -> Response:
    from urllib.parse import urlencode

    place = f"/p/{project.identifier}/hierarchies?{urlencode({'column': column})}"
    return RedirectResponse(place, status_code=303)


def _new_file(project: Project, column: str) -> Path:
    """Return a new file for a column; edits make new files, so that undo finds the old ones."""
    number = [entry["name"] for entry in profile_of(project)["columns"]].index(column)
    taken = len(list(project.hierarchies.glob(f"column-{number}-*.csv")))
    return project.hierarchies / f"column-{number}-{taken + 1}.csv"


def _named(project: Project, file: Path) -> str:
    """Return a file as the job names it: from the folder of the job."""
    return file.relative_to(project.folder).as_posix()


def _tree(project: Project, column: str, given: str) -> Hierarchy:
    if not is_recipe(given):
        return read_hierarchy(found_hierarchy(given, project.folder))
    import shoal

    options = project.options()
    beside = [name for name in options.get("quasi", ()) if name != column]
    frame = pl.read_parquet(project.table, columns=[column, *beside])
    kind = options.get("kind", {}).get(column)
    order = options.get("order", {}).get(column, ())
    date_format = options.get("date_format", {}).get(column)
    return shoal.build_hierarchy(
        frame, column, given, beside=beside, kind=kind, order=order, date_format=date_format
    )


def _require_values(project: Project, column: str, tree: Hierarchy) -> None:
    series = pl.read_parquet(project.table, columns=[column])[column]
    match_spelling(tree, series).require(counts_of(series), column)


@dataclass(frozen=True, slots=True, eq=False)
class _Detail:
    """A hierarchy as its page shows it.

    Parameters
    ----------
    levels, counted
        Its levels, and its tree with counts.
    groups
        Some groups that values can move to.
    absent
        How many of its values do not occur in the data.
    """

    levels: Sequence[Any]
    counted: CountedTree
    groups: tuple[str, ...]
    absent: int


def _detail(project: Project, column: str) -> _Detail:
    options = project.options()
    given = options.get("hierarchy", {}).get(column)
    if given is None:
        raise InputError("This column has no hierarchy.", remedy="Make one first.")
    names = ("quasi", "kind", "order", "date_format")
    read_as = json.dumps([options.get(name) for name in names], sort_keys=True)
    written = project.table.stat().st_mtime_ns
    return _counted(project.folder, column, given, (read_as, written))


@lru_cache(maxsize=16)
def _counted(folder: Path, column: str, given: str, _of: tuple[str, int]) -> _Detail:
    """Return a hierarchy with its counts; the files of hierarchies never change."""
    project = Project(folder)
    series = pl.read_parquet(project.table, columns=[column])[column]
    tree = match_spelling(_tree(project, column, given), series)
    counts = counts_of(series)
    tree.require(counts, column)
    groups = sorted(set(tree.names(1)))[:_GROUPS_OFFERED] if tree.height > 1 else []
    absent = sum(leaf not in counts for leaf in tree.leaves)
    return _Detail(preview(tree, counts), CountedTree(tree, counts), tuple(groups), absent)
