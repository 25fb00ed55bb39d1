"""Who may talk to the server: one browser, from this machine, with the address that was printed.

The server listens on 127.0.0.1 alone, but any page that a browser shows may send requests there.
So every request must name this server as its host (no DNS rebinding), come from its own pages
(no request forgery) and carry the session cookie, which only the one-time token hands out.
"""

from __future__ import annotations

import logging
import os
import secrets
import traceback
from http.cookies import SimpleCookie
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_LOG = logging.getLogger(__name__)
_SAFE = {"GET", "HEAD"}
_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "same-origin",  # with no-referrer, browsers hide the origin of forms
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


class Access:
    """The one-time tokens and the session of one server.

    Parameters
    ----------
    port
        Port of the server; part of the cookie's name, since cookies do not know ports.
    """

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookie = f"shoal-{port}"
        self._session = secrets.token_urlsafe(32)
        self._tokens: set[str] = set()

    @property
    def hosts(self) -> frozenset[str]:
        """Hosts that a request may name."""
        return frozenset({f"127.0.0.1:{self.port}", f"localhost:{self.port}"})

    def address(self) -> str:
        """Return an address that opens the app once; each call makes a new token."""
        token = secrets.token_urlsafe(24)
        self._tokens.add(token)
        return f"http://127.0.0.1:{self.port}/?token={token}"

    def redeem(self, token: str) -> str | None:
        """Return the session cookie's value for an unused token, and use the token up."""
        for known in self._tokens:
            if secrets.compare_digest(known.encode(), token.encode()):
                self._tokens.discard(known)
                return self._session
        return None

    def admits(self, cookie: str) -> bool:
        """Return whether a cookie is that of the session."""
        return secrets.compare_digest(cookie.encode(), self._session.encode())


class Guard:
    """ASGI middleware that turns away what does not come from the app's own pages."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request, hand it on, and add the security headers to its answer."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # the app has no web sockets
            await send({"type": "websocket.close", "code": 1008})
            return
        guarded = _with_headers(send)
        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        if headers.get("host", "") not in self._access.hosts:
            await _answer(guarded, 421, "This server answers to 127.0.0.1 only.")
            return
        if not self._same_origin(scope["method"], headers):
            await _answer(guarded, 403, "This request comes from another page.")
            return
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = dict(query).get("token")
        cookies = SimpleCookie(headers.get("cookie", ""))
        session = cookies.get(self._access.cookie)
        admitted = session is not None and self._access.admits(session.value)
        if given is not None and scope["method"] in _SAFE:
            await self._sign_in(scope, guarded, query, given, admitted=admitted)
            return
        if not admitted:
            await _answer(guarded, 401, _NO_SESSION)
            return
        try:
            await self._app(scope, receive, guarded)
        except Exception as error:  # the reader has had an answer
            if os.environ.get("SHOAL_TRACEBACK"):
                raise
            _note(scope, error)

    def _same_origin(self, method: str, headers: dict[str, str]) -> bool:
        origin = headers.get("origin")
        if origin is not None:
            return origin in {f"http://{host}" for host in self._access.hosts}
        # A link elsewhere may lead here, without the cookie; nothing elsewhere may change anything.
        return method in _SAFE or headers.get("sec-fetch-site") == "same-origin"

    async def _sign_in(
        self,
        scope: Scope,
        send: Send,
        query: list[tuple[str, str]],
        token: str,
        *,
        admitted: bool,
    ) -> None:
        session = self._access.redeem(token)
        if session is None and not admitted:
            await _answer(send, 401, _USED)
            return
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        # A path with two slashes in front would lead to another server.
        place = "/" + scope["path"].lstrip("/") + (f"?{rest}" if rest else "")
        headers = {"location": place, "cache-control": "no-store"}
        if session is not None:  # otherwise the browser that was let in came again
            cookie = f"{self._access.cookie}={session}; Path=/; HttpOnly; SameSite=Strict"
            headers["set-cookie"] = cookie
        await _answer(send, 303, "", headers)


_NO_SESSION = (
    "Open the address that `shoal serve` printed. It works once; press Enter in the terminal where "
    "the server runs to get a new one."
)
_USED = (
    "This address was used already. Press Enter in the terminal where the server runs to get a new "
    "one."
)


def _note(scope: Scope, error: Exception) -> None:
    """Log what went wrong without its message, which may quote cells of the table."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(where.filename).name}, line {where.lineno}"
    _LOG.error("%s %s: %s at %s", scope["method"], scope["path"], type(error).__name__, place)


def _with_headers(send: Send) -> Send:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            there = {name.decode("latin-1").lower() for name, _ in message["headers"]}
            more = {"cache-control": "no-store", **_HEADERS}
            message["headers"] = [
                *message["headers"],
                *((n.encode(), v.encode()) for n, v in more.items() if n not in there),
            ]
        await send(message)

    return guarded


async def _answer(
    send: Send, status: int, text: str, headers: dict[str, str] | None = None
) -> None:
    body = text.encode()
    sent = {"content-type": "text/plain; charset=utf-8", "content-length": str(len(body))}
    pairs = [(n.encode(), v.encode()) for n, v in {**sent, **(headers or {})}.items()]
    await send({"type": "http.response.start", "status": status, "headers": pairs})
    await send({"type": "http.response.body", "body": body})
