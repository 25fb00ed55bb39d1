"""Pages in a real browser: the system's Chromium, without a window."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start a browser that ends with the module: while it is there, no other event loop can run."""
    program = next((found for name in _NAMES if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip("Chromium is not installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # In containers there is no sandbox; the pages are our own. Nor is there a desktop to ask
        # for a proxy, which can hold up the first page for long, nor a graphics card to imitate.
        arguments = ["--no-sandbox", "--no-proxy-server", "--disable-gpu"]
        arguments.append("--disable-software-rasterizer")
        chromium = playwright.chromium.launch(executable_path=program, args=arguments)
        yield chromium
        chromium.close()
