"""The version is the same wherever it is written."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import shoal

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("place", ["pyproject.toml", "CITATION.cff"])
def test_every_file_names_the_version_of_the_package(place: str) -> None:
    text = (ROOT / place).read_text(encoding="utf-8")
    if place.endswith(".toml"):
        found = tomllib.loads(text)["project"]["version"]
    else:
        lines = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)
        found = lines["version"]
    assert found == shoal.__version__
