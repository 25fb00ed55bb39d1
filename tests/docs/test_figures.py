"""Stored results say where they come from, and pages show what is stored."""

from __future__ import annotations

import importlib
import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks import pages, store

if TYPE_CHECKING:
    from pathlib import Path

STORED = sorted(store.RESULTS.glob("*.json"))


@pytest.mark.parametrize("file", STORED, ids=lambda file: file.stem)
def test_results_say_where_they_come_from(file: Path) -> None:
    content = json.loads(file.read_text(encoding="utf-8"))

    assert content["study"] == file.stem
    assert content["parts"]
    for part, entry in content["parts"].items():
        assert re.fullmatch(r"[0-9a-f]{9}( with changes)?", entry["commit"]), part
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", entry["date"]), part
        assert {"processor", "cores", "memory_gib"} <= entry["machine"].keys(), part
        assert entry["figures"], part
    assert "/home/" not in file.read_text(encoding="utf-8")
    assert "/work/" not in file.read_text(encoding="utf-8")


def test_saving_a_part_keeps_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "RESULTS", tmp_path)

    store.save("toy", {"first": [{"loss": 0.25}]}, seconds=1.0)
    store.save("toy", {"second": [{"loss": 0.5}], "absent": []}, seconds=1.0)

    assert store.figures("toy", "first") == [{"loss": 0.25}]
    assert store.figures("toy", "second") == [{"loss": 0.5}]
    assert "absent" not in store.load("toy")


def test_a_changed_figure_changes_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What keeps pages current: the rendered table is a function of the stored file."""
    monkeypatch.setattr(store, "RESULTS", tmp_path)

    def table(parts: dict[str, Any]) -> pages.PageTable:
        return pages.PageTable(("loss",), [(pages.share(parts["all"][0]["loss"]),)], ["all"])

    module = importlib.import_module("benchmarks.mondrian")
    monkeypatch.setattr(module, "TABLES", {"toy": table}, raising=False)
    store.save("mondrian", {"all": [{"loss": 0.25}]}, seconds=1.0)
    before = pages.render("mondrian", "toy")
    store.save("mondrian", {"all": [{"loss": 0.5}]}, seconds=1.0)

    assert "| .2500 |" in before
    assert "| .5000 |" in pages.render("mondrian", "toy")
    assert "| .5 |" in pages.render("mondrian", "all")  # as stored
