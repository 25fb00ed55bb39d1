"""Build the documentation site into ``build/site``, without network, and check its links.

``python -m docs.build`` is what ``make docs`` runs. Pages work from ``file://``, search included.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "build/site"
_SHIM = "https://unpkg.com/iframe-worker/shim"
"""What the theme would load from elsewhere, so that search works from ``file://``."""
_LOADED = frozenset({"img", "script", "source", "iframe"})
_UNPUBLISHED = ("*.py", "vendor", "__pycache__")


class _Links(HTMLParser):
    """Places a page links to or loads, and the anchors it has."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value}
        for name in ("id", "name"):
            if name in given:
                self.anchors.add(given[name] or "")
        if "srcset" in given:  # one picture each, without widths
            self.loaded.append(given["srcset"])
        place = given.get("src") or given.get("href")
        if place is None:
            return
        if given.get("rel") == "canonical":
            return  # an address on a server, which the site does not need
        icon = tag == "link" and given.get("rel") in ("stylesheet", "icon", "preconnect")
        (self.loaded if tag in _LOADED or icon else self.links).append(place)


def build() -> None:
    """Build the site; warnings are errors."""
    shutil.rmtree(SITE, ignore_errors=True)
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
    done = subprocess.run(  # noqa: S603 (our own interpreter)
        command,
        cwd=ROOT,
        env={**os.environ, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{done.stdout}\n{done.stderr}")
    for pattern in _UNPUBLISHED:
        for path in list(SITE.rglob(pattern)):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    shim = SITE / "assets/javascripts/iframe-worker.js"
    shutil.copy(ROOT / "docs/vendor/iframe-worker.js", shim)
    for page in SITE.rglob("*.html"):
        way = os.path.relpath(shim, page.parent)
        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace(_SHIM, way), encoding="utf-8")


def _known(anchor: str, anchors: set[str]) -> bool:
    return anchor in ("", "only-light", "only-dark") or anchor in anchors


def faults() -> list[str]:
    """Return dead links, missing anchors and requests to other hosts, one line each."""
    pages = {}
    found = []
    for file in sorted(SITE.rglob("*.html")):
        parser = _Links()
        text = file.read_text(encoding="utf-8")
        parser.feed(text)
        pages[file] = parser
        if "```" in text:
            found.append(f"{file.relative_to(SITE)} shows a fence, not the code inside it")
    for file, parser in pages.items():
        name = file.relative_to(SITE)
        if name.name == "404.html":
            continue  # its links start at the root of a server
        found += [f"{name} loads {one}" for one in parser.loaded if urlsplit(one).scheme == "https"]
        for link in parser.links + parser.loaded:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            if target.is_dir():
                target /= "index.html"
            if not target.is_file():
                found.append(f"{name}: {link} leads nowhere")
            elif target in pages and not _known(unquote(parts.fragment), pages[target].anchors):
                found.append(f"{name}: {link} has no such anchor")
    return found


if __name__ == "__main__":
    build()
    wrong = faults()
    summary = (
        "\n".join(wrong) or f"{len(list(SITE.rglob('*.html')))} pages; open build/site/index.html"
    )
    sys.stdout.write(f"{summary}\n")
    sys.exit(1 if wrong else 0)
