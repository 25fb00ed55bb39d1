"""Only the browser that was given the address gets in, and only from the app's own pages."""

from __future__ import annotations

import re

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from shoal.web.security import Access, Guard

PORT = 8123
HERE = f"http://127.0.0.1:{PORT}"


def page(_request: object) -> PlainTextResponse:
    return PlainTextResponse("secret page")


@pytest.fixture
def access() -> Access:
    return Access(PORT)


@pytest.fixture
def client(access: Access) -> httpx.AsyncClient:
    app = Starlette(routes=[Route("/", page, methods=["GET", "POST"])])
    transport = httpx.ASGITransport(app=Guard(app, access))
    return httpx.AsyncClient(transport=transport, base_url=HERE)


async def sign_in(client: httpx.AsyncClient, access: Access) -> httpx.Response:
    return await client.get(access.address())


@pytest.mark.anyio
async def test_without_a_token_there_is_nothing_to_see(client: httpx.AsyncClient) -> None:
    answer = await client.get("/")

    assert answer.status_code == 401
    assert "secret page" not in answer.text


@pytest.mark.anyio
async def test_the_token_becomes_a_strict_cookie_and_leaves_the_address(
    client: httpx.AsyncClient, access: Access
) -> None:
    answer = await sign_in(client, access)

    assert answer.status_code == 303
    assert answer.headers["location"] == "/"
    assert re.search(r"HttpOnly; SameSite=Strict", answer.headers["set-cookie"])
    assert (await client.get("/")).text == "secret page"


@pytest.mark.anyio
async def test_a_token_works_once(client: httpx.AsyncClient, access: Access) -> None:
    address = access.address()
    await client.get(address)
    client.cookies.clear()

    assert (await client.get(address)).status_code == 401


@pytest.mark.anyio
async def test_the_browser_that_was_let_in_may_use_the_address_again(
    client: httpx.AsyncClient, access: Access
) -> None:
    address = access.address()
    await client.get(address)

    again = await client.get(address)

    assert (again.status_code, again.headers["location"]) == (303, "/")


@pytest.mark.anyio
async def test_the_token_leads_to_no_other_server(
    client: httpx.AsyncClient, access: Access
) -> None:
    token = access.address().partition("token=")[2]

    answer = await client.get(f"{HERE}//evil.example/?token={token}")

    assert answer.headers["location"] == "/evil.example/"


@pytest.mark.anyio
async def test_what_went_wrong_is_logged_without_the_cells_it_names(
    access: Access, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_request: object) -> PlainTextResponse:
        raise ValueError("cell 4711 is wrong")

    app = Guard(Starlette(routes=[Route("/", fail)]), access)
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=True)
    async with httpx.AsyncClient(transport=transport, base_url=HERE) as client:
        await sign_in(client, access)
        answer = await client.get("/")

    assert answer.status_code == 500
    assert "GET /: ValueError at test_security.py" in caplog.text
    assert "4711" not in caplog.text


@pytest.mark.anyio
async def test_a_guessed_token_or_cookie_is_refused(client: httpx.AsyncClient) -> None:
    assert (await client.get("/?token=guess")).status_code == 401
    client.cookies.set(f"shoal-{PORT}", "guess")
    assert (await client.get("/")).status_code == 401


@pytest.mark.anyio
@pytest.mark.parametrize("host", ["evil.example", "evil.example:8123", "127.0.0.1:80", ""])
async def test_another_host_is_refused(
    client: httpx.AsyncClient, access: Access, host: str
) -> None:
    """DNS rebinding: a page of another name whose address became 127.0.0.1."""
    await sign_in(client, access)

    answer = await client.get("/", headers={"host": host})

    assert answer.status_code == 421
    assert "secret page" not in answer.text


@pytest.mark.anyio
@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": f"http://127.0.0.1:{PORT + 1}"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {},
    ],
)
async def test_a_change_from_another_page_is_refused(
    client: httpx.AsyncClient, access: Access, headers: dict[str, str]
) -> None:
    await sign_in(client, access)

    assert (await client.post("/", headers=headers)).status_code == 403


@pytest.mark.anyio
@pytest.mark.parametrize(
    "headers",
    [{"origin": HERE}, {"origin": f"http://localhost:{PORT}"}, {"sec-fetch-site": "same-origin"}],
)
async def test_a_change_from_its_own_page_is_taken(
    client: httpx.AsyncClient, access: Access, headers: dict[str, str]
) -> None:
    await sign_in(client, access)

    assert (await client.post("/", headers=headers)).status_code == 200


@pytest.mark.anyio
async def test_every_answer_forbids_outside_content(
    client: httpx.AsyncClient, access: Access
) -> None:
    refused = await client.get("/")
    await sign_in(client, access)
    for answer in (refused, await client.get("/")):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
