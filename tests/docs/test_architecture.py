"""The map of the repository names every package and module, and nothing that does not exist."""

from __future__ import annotations

import re
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

import shoal
from tests.docs.markdown import ROOT

if TYPE_CHECKING:
    from types import FrameType

MAP = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
SOURCE = ROOT / "src/shoal"


def test_every_package_and_module_is_on_the_map() -> None:
    """The tree is generated, and another test keeps it current; this one reads it as people do."""
    rows = re.findall(r"^\| `([\w/]+)/` \| ([^|]+) \| ([^|]*) \|$", MAP, re.MULTILINE)
    named = {folder: set(re.findall(r"`(\w+)`", modules)) for folder, _, modules in rows}
    there = {
        str(init.parent.relative_to(SOURCE)): {
            file.stem for file in init.parent.glob("*.py") if file.stem != "__init__"
        }
        for init in SOURCE.rglob("__init__.py")
        if init.parent != SOURCE
    }
    assert named == there
    assert all(purpose.strip() for _, purpose, _ in rows)


def test_the_root_holds_packages_only() -> None:
    modules = {path.name for path in SOURCE.glob("*.py")}
    assert modules == {"__init__.py", "__main__.py", "errors.py"}


def test_the_walk_names_files_that_exist() -> None:
    walk = re.search(r"## One call, file by file\n(.*?)(?=\n## )", MAP, re.DOTALL)
    assert walk is not None
    steps = re.findall(r"^\d+\. `([\w/]+\.py)`", walk[1], re.MULTILINE)
    assert len(steps) >= 10
    for step in steps:
        assert (SOURCE / step).is_file(), step


def test_places_that_the_map_names_exist() -> None:
    for place in re.findall(r"`((?:src|cpp|tests|benchmarks|docs|examples)/[\w/.]*)`", MAP):
        assert (ROOT / place).exists(), place


def test_a_call_passes_no_more_modules_than_the_map_says() -> None:
    """Modules whose functions run, on the calling thread or another; imports do not count."""
    people = pl.DataFrame(
        {
            "age": [35, 36, 37, 61, 62, 66],
            "sex": list("FFFMMM"),
            "disease": ["flu", "cold", "flu", "gout", "flu", "cold"],
        }
    )

    def call() -> None:
        shoal.anonymize(
            people, k=3, quasi=["age", "sex"], sensitive=["disease"], algorithm="mondrian"
        )

    call()  # imports everything
    package, passed = str(Path(shoal.__file__).parent), set()

    def see(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(package):
            passed.add(frame.f_code.co_filename)

    before = sys.getprofile()
    threading.setprofile(see)
    sys.setprofile(see)
    try:
        call()
    finally:
        sys.setprofile(before)
        threading.setprofile(None)
    stated = re.search(r"runs code in at most\s+(\d+) modules", MAP)
    assert stated is not None
    assert len(passed) <= int(stated[1]), sorted(passed)
    assert len(passed) > int(stated[1]) - 4, "fewer by now: write the new number on the map"
