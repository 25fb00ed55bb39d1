"""The web app in Chromium: whole paths from a table to its release, by keyboard alone."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import httpx
import polars as pl
import pytest
from axe_playwright_python.sync_playwright import Axe

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Locator, Page, Route

PATIENCE = 90_000.0  # milliseconds that a step may take on a busy machine
MARKUP = "<img src=x onerror=boom()>"
FORMULA = "=2+5+cmd|' /C calc'!A0"
SCRIPT = "<script>boom()</script>"
MOST_TABS = 120


@dataclass(slots=True)
class Visit:
    """A tab, what its console printed, and what it asked of others."""

    page: Page
    address: str
    console: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)

    @property
    def project(self) -> str:
        """Address of the table that is open."""
        return "/".join(self.page.url.split("/")[:5])

    def watch(self) -> None:
        """Note what the page prints and asks for, and block what is asked of others."""
        page = self.page
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda message: self.console.append(message.text))
        page.on("pageerror", lambda error: self.console.append(str(error)))

        def guard(route: Route) -> None:
            if route.request.url.startswith(self.address + "/"):
                route.continue_()
            else:
                self.outside.append(route.request.url)
                route.abort()

        page.context.route("**/*", guard)


@dataclass(slots=True)
class Server:
    """A server of the app, and the state of a browser that was let in."""

    address: str
    session: Path


@pytest.fixture(scope="module")
def server(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """``shoal serve`` as its users start it."""
    folder = tmp_path_factory.mktemp("web")
    command = [sys.executable, "-m", "shoal", "serve", "--no-browser", "--workspace"]
    with subprocess.Popen(
        [*command, str(folder / "workspace")],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            printed = process.stdout.readline().strip()
            # Without the token: the address works once, and a page is more work than an answer.
            refused = httpx.get(printed.partition("?")[0], timeout=PATIENCE / 1000)
            assert refused.status_code == 401
            context = browser.new_context()
            context.new_page().goto(printed, timeout=PATIENCE, wait_until="commit")
            context.storage_state(path=folder / "session.json")
            context.close()
            yield Server(printed.partition("/?")[0], folder / "session.json")
        finally:
            process.terminate()
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()  # a server that hangs must not hold up the other tests


def opened(browser: Browser, server: Server, scheme: str = "light", width: int = 1400) -> Visit:
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme=scheme,  # type: ignore[arg-type]
        storage_state=server.session,
    )
    visit = Visit(context.new_page(), server.address)
    visit.watch()
    return visit


@pytest.fixture
def visit(browser: Browser, server: Server) -> Iterator[Visit]:
    found = opened(browser, server)
    yield found
    found.page.context.close()


@pytest.fixture(scope="module")
def hospital(browser: Browser, server: Server, tmp_path_factory: pytest.TempPathFactory) -> Visit:
    """The example, from the start page to a file, by keyboard alone: two runs with different k."""
    visit = opened(browser, server)
    page, keys = visit.page, visit.page.keyboard
    page.goto(server.address)
    press(page, page.get_by_role("button", name="Open the example"))
    page.get_by_role("heading", name="Format").wait_for()
    press(page, page.get_by_role("link", name="Next: columns"))
    press(page, page.get_by_role("button", name="Take all suggestions"))
    page.get_by_text("the k of the table now").wait_for()
    press(page, page.get_by_role("link", name="Next: hierarchies"))
    press(page, page.get_by_role("link", name="sex"))
    page.wait_for_url("**/hierarchies?column=sex")
    press(page, page.get_by_role("button", name="Make", exact=True))
    page.get_by_text("Tree, with the number of records").wait_for()
    press(page, page.get_by_role("link", name="Next: goal"))
    for k, form in (("5", "full"), ("25", "as the")):
        page.wait_for_url("**/goal")
        reach(page, page.get_by_label("k", exact=True))
        keys.press("ControlOrMeta+a")
        with page.expect_response(lambda answer: answer.request.method == "POST"):
            keys.type(k)
            keys.press("Tab")
        reach(page, page.get_by_label("Form of the release"))
        with page.expect_response(lambda answer: answer.request.method == "POST"):
            keys.type(form)
        press(page, page.get_by_role("link", name="Next: run"))
        page.wait_for_url("**/run")
        reach(page, page.get_by_role("textbox", name="Steps"))
        keys.press("ControlOrMeta+a")
        keys.type("300")
        press(page, page.get_by_role("button", name="Keep"))
        page.wait_for_load_state()
        press(page, page.get_by_role("button", name="Run now"))
        page.get_by_role("heading", name="Loss per column").wait_for()
        assert "hides among at least" in page.inner_text(".message.good")
        if k == "5":
            press(page, page.get_by_role("link", name="Goal", exact=True))
    press(page, page.get_by_role("link", name="Compare", exact=True).last)
    press(page, page.get_by_role("link", name="Loss", exact=True))
    page.wait_for_url("**/compare?sort=loss*")
    press(page, page.get_by_role("link", name="Export run 2"))
    file = tmp_path_factory.mktemp("exported") / "release.csv"
    reach(page, page.get_by_role("link", name="release.csv", exact=True))
    with page.expect_download() as download:
        keys.press("Enter")
    download.value.save_as(file)
    assert pl.read_csv(file, infer_schema=False).height == 10_000
    press(page, page.get_by_role("link", name="Explore", exact=True))
    page.wait_for_url("**/explore")
    reach(page, page.get_by_label("Table"))
    with page.expect_navigation():
        keys.type("the release of run 2")
    press(page, page.locator("tbody").get_by_role("link").first)
    page.wait_for_url("**/explore?run=2&group=*")
    assert page.locator("tr.marked").count() >= 25
    return visit


def screens_of(project: str, run: int) -> list[str]:
    """Return the address of every screen of a table with a finished run, with few records each."""
    names = ("open", "columns", "hierarchies?column=sex", "goal", "run", f"run/{run}", "compare")
    more = ("explore?column=sex&contains=none", f"explore?run={run}&group=0", f"export?run={run}")
    return [f"{project}/{name}" for name in (*names, *more, "job")]


def test_the_lattice_of_a_full_domain_run_is_drawn(
    browser: Browser, server: Server, hospital: Visit
) -> None:
    visit = opened(browser, server, "dark", 360)
    page = visit.page
    page.goto(f"{hospital.project}/explore?run=1")
    picture = page.get_by_role("region", name="Picture of the lattice")
    assert picture.locator("g.chosen").count() == 1
    assert "Chosen: " in (picture.get_by_role("img").get_attribute("aria-label") or "")
    reach(page, picture)
    # The same by keyboard and without a picture.
    reach(page, page.get_by_text("The nodes as a table"))
    page.keyboard.press("Enter")
    nodes = page.get_by_role("region", name="Nodes of the lattice").locator("tbody tr")
    assert nodes.count() == picture.locator("g.node").count()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    violations = Axe().run(page).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"][:120]) for one in violations] == []
    assert visit.console == []
    page.context.close()


def test_the_whole_path_is_quiet_and_asks_nobody_else(hospital: Visit) -> None:
    assert hospital.console == []
    assert hospital.outside == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_screen_is_accessible_and_fits(
    browser: Browser, server: Server, hospital: Visit, scheme: str
) -> None:
    visit = opened(browser, server, scheme)
    page = visit.page
    # The schemes differ in their colours alone.
    rules: dict[str, object] = {"resultTypes": ["violations"]}
    if scheme == "dark":
        rules["runOnly"] = ["color-contrast"]
    wrong: list[tuple[str, int, object]] = []
    for address in [server.address, *screens_of(hospital.project, 1)]:
        page.goto(address)
        page.wait_for_load_state("networkidle")
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        for width in (360, 1200, 1400, 2560):
            page.set_viewport_size({"width": width, "height": 900})
            if page.evaluate("document.documentElement.scrollWidth") > width:
                wrong.append((address, width, "wider than the window"))
            if width not in {360, 1400}:
                continue  # the same elements as at 1,400 pixels
            for one in Axe().run(page, options=rules).response["violations"]:
                nodes = [node["html"][:120] for node in one["nodes"][:3]]
                wrong.append((address, width, (one["id"], nodes)))
    assert wrong == []
    assert visit.console == []
    assert visit.outside == []
    page.context.close()


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A table whose names and cells are markup and formulas."""
    lines = [f"age,{MARKUP},{FORMULA}"]
    for number in range(60):
        illness = (SCRIPT, "<b>flu</b>", "=1+1")[number % 3]
        lines.append(f"{20 + number % 12},{'FM'[number % 2]},{illness}")
    file = tmp_path / "<b>people.csv"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def require_no_markup(page: Page) -> None:
    """Nothing of the table became an element."""
    assert page.locator("main img, main script, main b, nav img, nav b").count() == 0


def reach(page: Page, target: Locator) -> None:
    """Press Tab until the element has the focus."""
    target.wait_for()
    for _ in range(MOST_TABS):
        if target.evaluate("one => one === document.activeElement"):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"The keyboard does not reach {target}.")


def press(page: Page, target: Locator) -> None:
    """Reach an element by the keyboard, and press Enter."""
    reach(page, target)
    page.keyboard.press("Enter")


def held(page: Page, routes: list[Route]) -> Route:
    """Wait for a request that is held back, and return it."""
    while not routes:
        page.wait_for_timeout(20)
    return routes.pop()


def test_an_own_table_by_keyboard_alone(visit: Visit, hostile: Path) -> None:
    page = visit.page
    keys = page.keyboard
    page.goto(visit.address)
    reach(page, page.get_by_label("Path on this machine"))
    keys.type(str(hostile))
    keys.press("Enter")
    page.wait_for_url("**/open")
    require_no_markup(page)
    reach(page, page.get_by_role("link", name="Next: columns"))
    keys.press("Enter")
    page.wait_for_url("**/columns")
    roles = {"age": "quasi", MARKUP: "quasi", FORMULA: "sens"}
    for name, role in roles.items():
        reach(page, page.get_by_label(f"Role of {name}"))
        with page.expect_response("**/role"):
            keys.type(role)
    require_no_markup(page)
    reach(page, page.get_by_role("link", name="Next: hierarchies"))
    keys.press("Enter")
    estimates: list[Route] = []
    page.route("**/goal/prediction*", lambda route: estimates.append(route))  # noqa: PLW0108
    reach(page, page.get_by_role("link", name="Next: goal"))
    keys.press("Enter")
    reach(page, page.get_by_label("k", exact=True))
    before = held(page, estimates)
    keys.type("4")
    # What was asked for before is not shown once something else was typed.
    before.continue_()
    typed = held(page, estimates)
    assert page.locator(".awaited").get_attribute("aria-busy") == "true"
    assert page.get_by_text("Estimating").is_visible()
    assert not page.locator("#cost").is_visible()
    typed.continue_()
    page.unroute("**/goal/prediction*")
    page.get_by_text("of the detail lost").wait_for()
    with page.expect_response("**/goal"):
        keys.press("Tab")
    require_no_markup(page)
    reach(page, page.get_by_role("link", name="Next: run"))
    keys.press("Enter")
    reach(page, page.get_by_role("textbox", name="Steps"))
    keys.type("100")
    keys.press("Enter")
    page.wait_for_load_state()
    reach(page, page.get_by_role("button", name="Run now"))
    keys.press("Enter")
    page.get_by_role("heading", name="Loss per column").wait_for()
    # Each combination of age and sex occurs five times, so nothing needs to be generalized.
    assert "hides among at least 5" in page.inner_text(".message.good")
    reach(page, page.get_by_role("link", name="Export", exact=True).last)
    keys.press("Enter")
    reach(page, page.get_by_role("link", name="release.parquet"))
    with page.expect_download() as download:
        keys.press("Enter")
    assert set(pl.read_parquet(download.value.path()).columns) >= {"age", MARKUP, FORMULA}
    for address in screens_of(visit.project, 1):
        page.goto(address)
        page.wait_for_load_state("networkidle")
        require_no_markup(page)
    page.goto(f"{visit.project}/explore")
    assert {MARKUP, FORMULA} <= set(page.locator("thead th").all_inner_texts())
    assert SCRIPT in page.locator("tbody td").all_inner_texts()
    assert visit.console == []
    assert visit.outside == []


def test_a_file_is_uploaded_and_its_name_is_text(visit: Visit, hostile: Path) -> None:
    page = visit.page
    page.goto(visit.address)
    page.get_by_label("Choose a file").set_input_files(hostile)
    page.wait_for_url("**/open")
    require_no_markup(page)
    assert hostile.name in page.inner_text("nav")
    page.goto(visit.address)
    require_no_markup(page)
    assert hostile.name in page.inner_text("main")
    assert visit.console == []
