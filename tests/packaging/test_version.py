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


def test_every_supported_python_is_declared_tested_and_built() -> None:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    prefix = "Programming Language :: Python :: 3."
    minors = [
        int(each.removeprefix(prefix))
        for each in pyproject["project"]["classifiers"]
        if each.startswith(prefix)
    ]
    assert minors == list(range(minors[0], minors[-1] + 1))
    assert pyproject["project"]["requires-python"] == f">=3.{minors[0]}"
    assert pyproject["tool"]["ruff"]["target-version"] == f"py3{minors[0]}"
    assert pyproject["tool"]["mypy"]["python_version"] == f"3.{minors[0]}"
    assert pyproject["tool"]["cibuildwheel"]["build"] == " ".join(f"cp3{one}-*" for one in minors)
    matrix = ", ".join(f'"3.{one}"' for one in minors)
    assert f"python: [{matrix}]\n" in (ROOT / ".github/workflows/ci.yml").read_text(
        encoding="utf-8"
    )
    assert f"find_package(Python 3.{minors[0]} " in (ROOT / "CMakeLists.txt").read_text(
        encoding="utf-8"
    )
