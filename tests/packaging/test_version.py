"""The version is written once, and what has to repeat it repeats it."""

from __future__ import annotations

import tomllib
from importlib.metadata import version
from pathlib import Path

import shoal

ROOT = Path(__file__).parents[2]


def test_the_package_metadata_take_the_version_from_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "version" not in project
    assert project["dynamic"] == ["version"]
    assert version("shoal") == shoal.__version__


def test_the_citation_names_the_version_of_the_package() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    lines = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)
    assert lines["version"] == shoal.__version__
