"""``shoal serve``: a port, an address that works once, and a server until Ctrl-C."""

from __future__ import annotations

import signal
import socket
import sys
import threading
import webbrowser
from typing import TYPE_CHECKING

import uvicorn

from shoal.errors import InputError
from shoal.web.app import create_app
from shoal.web.occupancy import occupied, remove_abandoned
from shoal.web.security import Access
from shoal.web.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from starlette.types import ASGIApp

UPLOAD_LIMIT = 2 * 2**30
_WAITING = 128  # connections that may wait for the server


def serve(
    *,
    port: int = 0,
    browser: bool = True,
    workspace: str | Path | None = None,
    upload_limit: int = UPLOAD_LIMIT,
    say: Callable[[str], None] = print,
) -> None:
    """Serve the app on this machine until it is interrupted.

    Parameters
    ----------
    port
        Port to listen on; 0 takes a free one.
    browser
        Whether to open the app in the browser.
    workspace
        Folder that keeps tables and runs; a temporary one is removed at the end.
    upload_limit
        Largest upload in bytes.
    say
        Prints a line.

    Raises
    ------
    InputError
        If the port is taken, or another server uses the workspace.
    """
    listener = _listen(port)
    access = Access(listener.getsockname()[1])
    remove_abandoned()
    place = Workspace.open(workspace)
    try:
        with occupied(place.root):
            app = create_app(place, access, upload_limit=upload_limit)
            _announce(access, say, browser=browser)
            _run(app, listener)
    finally:
        place.close()


def _announce(access: Access, say: Callable[[str], None], *, browser: bool) -> None:
    """Print the address, and open it."""
    address = access.address()
    say(address)
    if browser:
        webbrowser.open(address)
    if sys.stdin is not None and sys.stdin.isatty():
        say("Press Enter for a new address, Ctrl-C to end.")
        threading.Thread(target=_more_addresses, args=(access, say), daemon=True).start()


def _run(app: ASGIApp, listener: socket.socket) -> None:
    """Answer until a signal ends it."""
    # Pages that follow a run keep a connection open; the server does not wait for them.
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=2,
    )
    server = uvicorn.Server(config)
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, server.handle_exit)  # the terminal was closed
    server.run(sockets=[listener])


def _listen(port: int) -> socket.socket:
    """Return a socket that takes connections already, so that the printed address works at once.

    A browser that comes before the server is ready waits for it.
    """
    # With the protocol named, asyncio sends small answers at once (TCP_NODELAY), not 40 ms later.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if port:  # a free port must not be one that another server has taken but does not use yet
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen(_WAITING)
    except OSError as error:
        listener.close()
        raise InputError(
            f"Port {port} cannot be used: {error.strerror or error}.",
            remedy="Choose another port, or leave it out to take a free one.",
        ) from error
    return listener


def _more_addresses(access: Access, say: Callable[[str], None]) -> None:
    for _ in sys.stdin:
        say(access.address())
