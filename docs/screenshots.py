"""Photograph the screens of the web app for the documentation.

``python -m docs.screenshots`` serves the app, opens the bundled example as a reader would, and
writes two small PNGs per screen to ``docs/images/web``, a light one and a dark one. ``--width 380
--to DIR`` draws narrow screens elsewhere, to look at them.
"""

from __future__ import annotations

import argparse
import io
import itertools
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from PIL import Image
from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from playwright.sync_api import Page

IMAGES = Path(__file__).resolve().parent / "images" / "web"
SCREENS = (
    "start",
    "open",
    "columns",
    "hierarchies",
    "goal",
    "run",
    "compare",
    "explore",
    "lattice",
    "export",
    "job",
)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
LARGEST = 120 * 1024
"""Bytes of a picture; a page of documentation shows all of them."""
_WIDTH, _TALLEST = 1200, 1500
_PATIENCE = 180_000.0  # milliseconds


def main() -> None:
    """Photograph all screens."""
    parser = argparse.ArgumentParser(prog="python -m docs.screenshots")
    parser.add_argument("--width", type=int, default=_WIDTH)
    parser.add_argument("--to", type=Path, default=IMAGES)
    asked = parser.parse_args()
    asked.to.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "shoal", "serve", "--no-browser", "--workspace"]
        with subprocess.Popen(  # noqa: S603 (our own command)
            [*command, f"{folder}/workspace"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout is not None
            try:
                address = process.stdout.readline().strip()
                photograph(address, asked.to, asked.width)
            finally:
                process.terminate()


def photograph(address: str, folder: Path, width: int) -> None:
    """Go the whole way on the example, and photograph each screen in both schemes."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium_program(), args=["--no-sandbox", "--hide-scrollbars"]
        )
        page = browser.new_page(viewport={"width": width, "height": 800})
        page.set_default_timeout(_PATIENCE)
        page.goto(address)
        start = page.url  # its token works once
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            page.goto(start)
            take_picture(page, folder / f"start-{scheme}.png")
        project = prepare(page)
        places = {
            "hierarchies": "hierarchies?column=birth_date",
            "run": "run/2",
            "explore": "explore?run=2",
            "lattice": "explore?run=3",
            "export": "export?run=2",
        }
        for screen, scheme in itertools.product(SCREENS[1:], SCHEMES):
            page.emulate_media(color_scheme=scheme)
            page.goto(f"{project}/{places.get(screen, screen)}")
            page.wait_for_load_state("networkidle")
            if screen == "goal":
                page.get_by_text("of the detail lost").wait_for()
            if screen == "compare":
                page.wait_for_selector("html[data-drawn]")
            take_picture(page, folder / f"{screen}-{scheme}.png")
        browser.close()


def prepare(page: Page) -> str:
    """Open the example, choose roles and a hierarchy, make three releases; return its address."""
    page.get_by_role("button", name="Open the example").click()
    page.wait_for_url("**/open")
    project = page.url.removesuffix("/open")
    page.goto(f"{project}/columns")
    page.get_by_role("button", name="Take all suggestions").click()
    page.get_by_text("the k of the table now").wait_for()
    page.goto(f"{project}/hierarchies?column=birth_date")
    page.get_by_label("dates", exact=True).check()
    page.get_by_role("button", name="Make", exact=True).click()
    page.get_by_text("Tree, with the number of records").wait_for()
    for k, form in (("5", ""), ("20", ""), ("20", "full-domain")):
        page.goto(f"{project}/goal")
        if not form:  # a field that stays as it is sends nothing
            with page.expect_response(lambda answer: answer.request.method == "POST"):
                page.get_by_label("k", exact=True).fill(k)
                page.get_by_label("k", exact=True).blur()
        else:
            with page.expect_response(lambda answer: answer.request.method == "POST"):
                page.get_by_label("Form of the release").select_option(form)
        page.goto(f"{project}/run")
        page.get_by_role("textbox", name="Steps").fill("20000")
        page.get_by_role("button", name="Keep").click()
        page.get_by_role("button", name="Run now").click()
        page.get_by_role("heading", name="Loss per column").wait_for()
    return project


def chromium_program() -> str:
    """Return the browser of the system, or end where there is none."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    found = next((place for name in names if (place := shutil.which(name))), None)
    if found is None:
        sys.exit("Chromium is not installed.")
    return found


def take_picture(page: Page, file: Path, tallest: int = _TALLEST) -> None:
    """Write a picture of the page with as few colours as keep it small."""
    height = min(int(page.evaluate("document.documentElement.scrollHeight")), tallest)
    width = (page.viewport_size or {"width": _WIDTH})["width"]
    clip = {"x": 0.0, "y": 0.0, "width": float(width), "height": float(height)}
    taken = page.screenshot(full_page=True, clip=clip)  # type: ignore[arg-type]
    image = Image.open(io.BytesIO(taken)).convert("RGB")
    for colours in (256, 128, 64, 32, 16):
        small = io.BytesIO()
        image.quantize(colours, dither=Image.Dither.NONE).save(small, "png", optimize=True)
        if small.tell() <= LARGEST:
            break
    file.write_bytes(small.getvalue())


if __name__ == "__main__":
    main()
