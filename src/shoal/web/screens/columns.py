"""Columns: a role and a kind for each, and how exposed people are by what was chosen so far."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, Response

from shoal.errors import InputError
from shoal.table.column_hints import KIND_NAMES
from shoal.table.date_formats import require_date_format
from shoal.web.profiles import exposed_by, profile_of
from shoal.web.site import site_of, version_of

if TYPE_CHECKING:
    from shoal.web.workspace import Project

router = APIRouter(prefix="/p/{identifier}/columns")
ROLES = (
    ("", "not decided"),
    ("quasi", "quasi-identifier"),
    ("sensitive", "sensitive"),
    ("identifier", "identifier"),
    ("other", "other"),
    ("drop", "leave out"),
)
_LISTED = ("quasi", "sensitive", "identifier", "other")
_ALONE = {"person": ("identifier",), "target": ("sensitive", "other")}
"""Options that name one column, and the roles that it may have."""
DETAILS = {"date_format": ("", "date", "datetime"), "order": ("ordered",)}
"""Options that say more about a kind, and the kinds they go with."""


@router.get("")
async def show(request: Request, identifier: str) -> HTMLResponse:
    """Show all columns with what was chosen and what is suggested."""
    site = site_of(request)
    project = site.workspace.project(identifier)
    shown = _shown(project, project.options())
    return site.page("columns.html", here="columns", project=project, **shown)


@router.get("/exposed")
async def exposed(request: Request, identifier: str) -> HTMLResponse:
    """Show how many records the chosen quasi-identifiers single out."""
    site = site_of(request)
    return await _exposed(request, site.workspace.project(identifier))


@router.post("/suggested")
async def take_suggestions(request: Request, identifier: str) -> Response:
    """Give every column the role that is suggested for it."""
    project = site_of(request).workspace.project(identifier)
    profile = profile_of(project)
    options = project.options()
    for column in profile["columns"]:
        name = column["name"]
        options = with_role(options, name, column["role"])
        if column["role"] == "quasi":
            options = with_detail(options, "kind", name, column["suggested_kind"])
            options = with_detail(options, "date_format", name, column["date_format"])
    project.change(options, version=version_of(await request.form()))
    return Response(status_code=204, headers={"hx-refresh": "true"})


@router.post("/{number}/role")
async def set_role(request: Request, identifier: str, number: int) -> HTMLResponse:
    """Give a column a role."""
    project = site_of(request).workspace.project(identifier)
    form = await request.form()
    role = str(form.get("role", ""))
    if role not in dict(ROLES):
        raise InputError("There is no such role.", remedy="Choose one from the list.")
    before = project.options()
    changed = with_role(before, _name(project, number), role)
    project.change(changed, version=version_of(form))
    # A column that is left out changes what the page says about those without a role.
    names = [column["name"] for column in profile_of(project)["columns"]]
    then, now = roles_of(before, names), roles_of(changed, names)
    others = [
        (place, now[name])
        for place, name in enumerate(names)
        if place != number and now[name] != then[name]
    ]
    is_quasi = [number] if ("quasi" in {then[names[number]], role}) else []
    return await _exposed(request, project, other_roles=others, kinds_changed=is_quasi)


@router.post("/{number}/kind")
async def set_kind(request: Request, identifier: str, number: int) -> HTMLResponse:
    """Read a column as another kind."""
    project = site_of(request).workspace.project(identifier)
    form = await request.form()
    kind = str(form.get("kind", ""))
    name = _name(project, number)
    if name not in project.options().get("quasi", ()):
        raise InputError(
            "Only quasi-identifiers have a kind.", remedy="Choose the column's role first."
        )
    changed = with_detail(project.options(), "kind", name, kind)
    for detail, kinds in DETAILS.items():
        if kind not in kinds:
            changed = with_detail(changed, detail, name, "")
    project.change(changed, version=version_of(form))
    return await _exposed(request, project, details_changed=[number])


@router.post("/{number}/{detail}")
async def set_detail(request: Request, identifier: str, number: int, detail: str) -> HTMLResponse:
    """Say how the dates of a column are written, or in which order its values stand."""
    project = site_of(request).workspace.project(identifier)
    form = await request.form()
    if detail not in DETAILS:
        raise InputError("There is no such detail.", remedy="Reload the page.")
    text = str(form.get("detail", "")).strip()
    name = _name(project, number)
    if detail == "date_format" and text:
        require_date_format(name, text)
    value: Any = text
    if detail == "order":
        value = [one.strip() for one in text.split(",") if one.strip()]
    changed = with_detail(project.options(), detail, name, value)
    if detail == "date_format" and text and not changed.get("kind", {}).get(name):
        changed = with_detail(changed, "kind", name, "date")
    project.change(changed, version=version_of(form))
    return await _exposed(request, project)


def roles_of(options: dict[str, Any], columns: list[str]) -> dict[str, str]:
    """Return the role of every column, empty where none was chosen."""
    chosen = {name: role for role in _LISTED for name in options.get(role, ())}
    rest = {"drop": "drop", "other": "other"}.get(options.get("rest", ""), "")

    return {name: chosen.get(name, rest) for name in columns}


def with_role(options: dict[str, Any], name: str, role: str) -> dict[str, Any]:
    """Return the options with another role of a column, without those that only its old role has.

    A column that is left out is one that no option names; the job then says ``rest = "drop"``.

    >>> with_role({"quasi": ["age"], "kind": {"age": "numeric"}, "k": 5}, "age", "other")
    {'k': 5, 'other': ['age']}
    """
    changed = dict(options)
    for one in _LISTED:
        named = [other for other in changed.get(one, ()) if other != name]
        if one == role:
            named.append(name)
        changed[one] = named
    if role == "drop":
        changed["rest"] = "drop"
    for option, value in options.items():
        if isinstance(value, dict) and role != "quasi" and option != "param":
            changed[option] = {other: one for other, one in value.items() if other != name}
    if role != "sensitive" and "model" in options:
        changed["model"] = [one for one in options["model"] if one.partition("@")[2] != name]
    for option, roles in _ALONE.items():
        if options.get(option) == name and role not in roles:
            del changed[option]
    return {key: value for key, value in changed.items() if value not in ([], {})}


def with_detail(options: dict[str, Any], option: str, name: str, value: Any) -> dict[str, Any]:
    """Return the options with another value of one that columns have each for themselves.

    >>> with_detail({"k": 5}, "kind", "zip", "categorical")
    {'k': 5, 'kind': {'zip': 'categorical'}}
    """
    held = {other: one for other, one in options.get(option, {}).items() if other != name}
    if value:
        held[name] = value
    rest = {key: one for key, one in options.items() if key != option}
    return {**rest, option: held} if held else rest


def _shown(project: Project, options: dict[str, Any]) -> dict[str, Any]:
    """Return what the columns of the page show."""
    profile = profile_of(project)
    return {
        "profile": profile,
        "roles": ROLES,
        "kinds": sorted(KIND_NAMES),
        "chosen": roles_of(options, [column["name"] for column in profile["columns"]]),
        "kinds_chosen": options.get("kind", {}),
        "formats": options.get("date_format", {}),
        "orders": options.get("order", {}),
    }


async def _exposed(request: Request, project: Project, **changed: Any) -> HTMLResponse:
    """Return the figures of exposure, with parts of the page that a change concerns, too."""
    version = project.version  # what the next change starts from
    options = project.options()
    quasi = tuple(options.get("quasi", ()))
    columns = [column["name"] for column in profile_of(project)["columns"]]
    roles = roles_of(options, columns)
    figures = await run_in_threadpool(exposed_by, project, quasi)
    undecided = [name for name in columns if not roles[name]]
    values = {"other_roles": [], "kinds_changed": [], "details_changed": [], **changed, **figures}
    page = site_of(request).page(
        "column_changed.html",
        project=project,
        quasi=quasi,
        undecided=undecided,
        **_shown(project, options),
        **values,
    )
    page.headers["shoal-version"] = str(version)
    return page


def _name(project: Project, number: int) -> str:
    columns = profile_of(project)["columns"]
    if not 0 <= number < len(columns):
        raise InputError("There is no such column.", remedy="Reload the page.")
    return str(columns[number]["name"])
