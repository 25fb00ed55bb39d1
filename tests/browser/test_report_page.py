"""Reports in Chromium: drawn, quiet, alone, accessible, and printed page by page."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pypdf
import pytest
from axe_playwright_python.sync_playwright import Axe

import shoal
from shoal.example import write_example
from shoal.example.demo import demo_job
from shoal.io import read_table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

WIDE, NARROW = 1440, 390
FORMS = ("internal", "public", "certificate", "failed")
CHARTS = {"internal": 10, "public": 8, "certificate": 0, "failed": 0}


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The reports of a small hospital."""
    folder = tmp_path_factory.mktemp("reports")
    example = write_example(folder, rows=600)
    table = read_table(example.table)
    words = demo_job(example.postcode).model_dump(exclude_defaults=True)
    release = shoal.anonymize(table, steps=2_000, seed=1, **words)
    made = {name: folder / f"{name}.html" for name in FORMS}
    release.report(made["internal"])
    release.report(made["public"], public=True)
    release.report(made["certificate"], certificate=True)
    failed = shoal.report(table, table, path=made["failed"], **words)
    assert not failed.passed
    return made


@dataclass(slots=True)
class Opened:
    """A page, what its console said, and what it asked of others."""

    page: Page
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)


def opened(browser: Browser, path: Path, *, width: int, scheme: str = "light") -> Opened:
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme=scheme,  # type: ignore[arg-type]
    )
    found = Opened(context.new_page())
    found.page.on("console", lambda message: found.said.append(message.text))
    found.page.on("pageerror", lambda error: found.said.append(str(error)))
    found.page.on("request", lambda request: found.asked.append(request.url))
    found.page.goto(path.as_uri())
    if found.page.query_selector("[data-chart]"):
        found.page.wait_for_selector("html[data-drawn]", timeout=60_000)
    return found


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def here(browser: Browser, pages: dict[str, Path], form: str) -> Iterator[Opened]:
    found = opened(browser, pages[form], width=WIDE)
    yield found
    found.page.context.close()


def test_quiet_alone_and_drawn(here: Opened, form: str, pages: dict[str, Path]) -> None:
    assert here.said == []
    assert here.asked == [pages[form].as_uri()]
    drawings = here.page.query_selector_all("[data-chart] svg")
    assert len(drawings) == CHARTS[form]
    for drawing in drawings:
        box = drawing.bounding_box()
        assert box is not None
        assert box["width"] > 200
        assert box["height"] > 30
        assert len(drawing.query_selector_all("path, rect")) > 2


@pytest.mark.parametrize(("scheme", "width"), [("light", WIDE), ("dark", NARROW)])
def test_accessible_and_within_the_window(
    browser: Browser, pages: dict[str, Path], form: str, scheme: str, width: int
) -> None:
    found = opened(browser, pages[form], width=width, scheme=scheme)
    # What is folded must be accessible, too.
    found.page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    violations = Axe().run(found.page).response["violations"]
    told = [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in violations]
    assert told == []
    assert found.page.evaluate("document.documentElement.scrollWidth") <= width
    found.page.context.close()


def test_dark_is_dark_and_light_is_light(browser: Browser, pages: dict[str, Path]) -> None:
    shades = {}
    for scheme in ("light", "dark"):
        found = opened(browser, pages["certificate"], width=WIDE, scheme=scheme)
        colour = found.page.evaluate("getComputedStyle(document.body).backgroundColor")
        shades[scheme] = sum(map(int, colour.removeprefix("rgb(").rstrip(")").split(", ")))
        found.page.context.close()
    assert shades["light"] > 3 * 240
    assert shades["dark"] < 3 * 40


def test_the_verdict_comes_first_and_failure_is_red(here: Opened, form: str) -> None:
    headline = here.page.query_selector(".headline")
    assert headline is not None
    box = headline.bounding_box()
    assert box is not None
    assert box["y"] < 500
    red, green, _ = here.page.evaluate(
        "getComputedStyle(document.querySelector('.headline')).color.match(/\\d+/g).map(Number)"
    )
    assert (red > 2 * green) if form == "failed" else (green > red)


def test_the_keyboard_reaches_the_content(browser: Browser, pages: dict[str, Path]) -> None:
    found = opened(browser, pages["internal"], width=WIDE)
    found.page.keyboard.press("Tab")
    assert found.page.evaluate("document.activeElement.className") == "skip"
    reached = set()
    for _ in range(60):
        found.page.keyboard.press("Tab")
        reached.add(found.page.evaluate("document.activeElement.tagName"))
    assert reached >= {"A", "SUMMARY", "DIV", "PRE"}
    details = found.page.query_selector("details")
    assert details is not None
    summary = details.query_selector("summary")
    assert summary is not None
    summary.focus()
    found.page.keyboard.press("Enter")
    assert details.evaluate("one => one.open")
    found.page.context.close()


@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_every_printed_page_says_for_whom_it_is(here: Opened, form: str, paper: str) -> None:
    printed = pypdf.PdfReader(io.BytesIO(here.page.pdf(format=paper)))
    mark = "PUBLIC" if form == "public" else "INTERNAL"
    other = "INTERNAL" if form == "public" else "PUBLIC"
    for number, page in enumerate(printed.pages, start=1):
        text = page.extract_text()
        assert mark in text, number
        assert other not in text, number
        assert f"{number} / {len(printed.pages)}" in text
    if form == "certificate":
        assert len(printed.pages) == 1
        assert "Signature" in printed.pages[0].extract_text()


def test_without_scripts_the_figures_are_there(browser: Browser, pages: dict[str, Path]) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(pages["internal"].as_uri())
    assert "every record hides among those of at least 5" in page.inner_text(".headline")
    rows = page.query_selector_all("figure details tbody tr")
    assert len(rows) > 30
    context.close()
