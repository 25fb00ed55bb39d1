"""The site builds without warnings, loads nothing from elsewhere, and has no dead link."""

from __future__ import annotations

import hashlib
import re
import tomllib

import pytest
from docs import build, pictures

from tests.docs.markdown import PAGES, ROOT, without_code

REFERENCE = ("api", "architecture", "formats", "glossary", "notation", "python", "CHANGELOG")
"""Pages that people look things up in; beside the folders below."""
REFERENCE_FOLDERS = ("verbs", "reference", "algorithms")
LONGEST = 1_500


@pytest.mark.slow
def test_the_site_builds_and_every_link_leads_somewhere() -> None:
    build.build()
    assert build.faults() == []
    pages = {str(file.relative_to(build.SITE)) for file in build.SITE.rglob("*.html")}
    assert {"index.html", "algorithms/auto.html", "reference/errors.html"} <= pages


def test_every_page_is_in_the_navigation() -> None:
    settings = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))
    listed = set(re.findall(r"'([\w/.-]+\.md)'", repr(settings["project"]["nav"])))
    site = ROOT / "docs"
    pages = {str(page.relative_to(site)) for page in PAGES if page.is_relative_to(site)}
    assert pages == listed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_page_is_too_long(page: object) -> None:
    place = ROOT / str(page)
    if place.stem in REFERENCE or place.parent.name in REFERENCE_FOLDERS:
        return
    text = re.sub(r"^\|.*$", "", without_code(place), flags=re.MULTILINE)
    assert len(text.split()) <= LONGEST, f"{len(text.split())} words"


@pytest.mark.parametrize(
    "name",
    [
        "engines-memory",
        "hierarchy-narrow",
        "loss-beside-rivals",
        "loss-beside-rivals-narrow",
        "choosing",
        "algorithms/mondrian",
    ],
)
def test_pictures_are_up_to_date(name: str) -> None:
    for path, content in pictures.drawn([name]):
        assert path.read_text(encoding="utf-8") == content, "run: python -m docs.pictures"


def test_every_picture_is_there() -> None:
    for name in pictures.pictures():
        for palette in pictures.PALETTES:
            assert (pictures.IMAGES / f"{name}-{palette.name}.svg").is_file(), name


def test_the_vendored_script_is_the_one_that_was_published() -> None:
    vendor = ROOT / "docs/vendor"
    listed = tomllib.loads((vendor / "vendored.toml").read_text(encoding="utf-8"))["file"]
    for one in listed:
        content = (vendor / one["name"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == one["sha256"]
        assert (vendor / one["name"].replace(".js", ".LICENSE")).is_file()
