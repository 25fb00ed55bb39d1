"""The examples in docstrings run, and print what they show."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

import shoal

ROOT = Path(shoal.__file__).parent


def modules_with_examples() -> dict[str, int]:
    """Return how many examples the source of each module shows, for modules with any."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        lines = path.read_text(encoding="utf-8").splitlines()
        examples = sum(line.lstrip().startswith(">>> ") for line in lines)
        if examples:
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(("shoal", *parts)).removesuffix(".__init__")] = examples
    return found


@pytest.mark.parametrize(("name", "examples"), modules_with_examples().items())
def test_examples_print_what_they_show(
    name: str, examples: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # examples may write files
    outcome = doctest.testmod(importlib.import_module(name))
    assert outcome.attempted == examples  # doctest finds all of them
    assert outcome.failed == 0
