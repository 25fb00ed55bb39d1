"""``shoal serve``: the web app, on this machine alone."""

from __future__ import annotations

from typing import Annotated

from typer import Option

from shoal.cli.screen import Screen
from shoal.errors import InputError

_EXTRA = "shoal[web]"


def serve(
    *,
    port: Annotated[int, Option(metavar="N", help="Port; a free one unless set.")] = 0,
    no_browser: Annotated[
        bool, Option("--no-browser", help="Print the address without opening it.")
    ] = False,
    workspace: Annotated[
        str | None,
        Option(
            metavar="DIR",
            help="Keep tables and runs in this private folder; removed at the end otherwise.",
        ),
    ] = None,
) -> int:
    """Open the web app in the browser. Nothing leaves this machine."""
    try:
        from shoal.web.server import serve as serve_app
    except ModuleNotFoundError as error:
        raise InputError(
            f"The web app needs {error.name}, which is not installed.",
            remedy=f"Run: pip install '{_EXTRA}'",
        ) from error
    screen = Screen()
    serve_app(port=port, browser=not no_browser, workspace=workspace, say=screen.say)
    return 0
