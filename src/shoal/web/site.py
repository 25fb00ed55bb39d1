"""What every screen works with: workspace, queue and templates."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from markupsafe import Markup
from starlette.responses import HTMLResponse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jinja2 import Environment
    from starlette.requests import Request

    from shoal.web.runs import Queue
    from shoal.web.workspace import Project, Workspace

STEPS = (
    ("open", "Open"),
    ("columns", "Columns"),
    ("hierarchies", "Hierarchies"),
    ("goal", "Goal"),
    ("run", "Run"),
    ("compare", "Compare"),
    ("explore", "Explore"),
    ("export", "Export"),
)


@dataclass(frozen=True, slots=True)
class Site:
    """What every screen works with.

    Parameters
    ----------
    workspace
        Tables, jobs and runs.
    queue
        Worker processes.
    upload_limit
        Largest upload in bytes.
    templates
        What pages are made from.
    one_prediction
        Held while a goal is tried on a sample: somebody who types asks for trials faster than they
        finish.
    """

    workspace: Workspace
    queue: Queue
    upload_limit: int
    templates: Environment
    one_prediction: asyncio.Lock = field(default_factory=asyncio.Lock)

    def page(
        self,
        template: str,
        *,
        here: str = "",
        project: Project | None = None,
        status: int = 200,
        **values: Any,
    ) -> HTMLResponse:
        """Return a page."""
        text = self.fragment(template, project, here=here, **values)
        return HTMLResponse(text, status_code=status)

    def fragment(
        self, template: str, project: Project | None = None, *, here: str = "", **values: Any
    ) -> str:
        """Return the text of a page, or of a part of one."""
        base = f"/p/{project.identifier}" if project is not None else ""
        steps = [
            {
                "name": name,
                "title": title,
                "url": f"{base}/{name}" if base else "/" if name == "open" else "",
            }
            for name, title in STEPS
        ]
        return self.templates.get_template(template).render(
            steps=steps,
            here=here,
            project=project,
            base=base,
            version_field=_version_field(project),
            **values,
        )

    def message(
        self, what: str, remedy: str = "", *, tone: str = "bad", status: int = 400
    ) -> HTMLResponse:
        """Return a message for the place where pages show messages."""
        return self.page("message.html", what=what, remedy=remedy, tone=tone, status=status)


def version_of(form: Mapping[str, Any]) -> int | None:
    """Return the version of the job that a page showed when its form was sent."""
    given = str(form.get("version", ""))
    return int(given) if given.isdecimal() else None


def _version_field(project: Project | None) -> Markup:
    """Return the field by which a form tells which version of the job its page showed."""
    if project is None:
        return Markup()
    return Markup('<input type="hidden" name="version" value="{}">').format(project.version)


def site_of(request: Request) -> Site:
    """Return what the screens of a request work with."""
    site: Site = request.app.state.site
    return site


def came_from(request: Request) -> str:
    """Return the page of a table that a form was sent from, nothing if it was another page."""
    found = urlsplit(request.headers.get("referer", ""))
    own = found.path.startswith("/p/") and found.netloc == request.headers.get("host")
    return found._replace(scheme="", netloc="", fragment="").geturl() if own else ""
