"""Stored results say where they come from, and pages show what is stored."""

from __future__ import annotations

import importlib
import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from docs import generate

from benchmarks import pages, store
from benchmarks.__main__ import parts_of
from tests.docs.markdown import PAGES, ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SOURCES = "".join(file.read_text() for file in (ROOT / "benchmarks").rglob("*.py"))
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
    # Settings and figures name no folder of the machine that measured them.
    assert not re.search(r'"/\w', file.read_text(encoding="utf-8"))


def test_saving_a_part_keeps_the_others(tmp_path: Path) -> None:
    store.save("toy", {"first": [{"loss": 0.25}]}, seconds=1.0, folder=tmp_path)
    store.save("toy", {"second": [{"loss": 0.5}], "absent": []}, seconds=1.0, folder=tmp_path)

    assert store.figures("toy", "first", tmp_path) == [{"loss": 0.25}]
    assert store.figures("toy", "second", tmp_path) == [{"loss": 0.5}]
    assert "absent" not in store.load("toy", tmp_path)


def test_a_changed_figure_changes_the_page(tmp_path: Path) -> None:
    """What keeps pages current: the rendered table is a function of the stored file."""

    def table(parts: Mapping[str, Any]) -> pages.PageTable:
        return pages.PageTable(("loss",), [(pages.share(parts["all"][0]["loss"]),)], ["all"])

    def shown(loss: float, name: str) -> str:
        store.save("toy", {"all": [{"loss": loss}]}, seconds=1.0, folder=tmp_path)
        return pages.write(name, store.load("toy", tmp_path), {"toy": table}, "make toy")

    assert "| .2500 |" in shown(0.25, "toy")
    assert "| .5000 |" in shown(0.5, "toy")
    assert "| .5 |" in shown(0.5, "all")  # as stored
    assert "*`make toy`, commit `" in shown(0.5, "all")


STUDIES = (ROOT / "docs/bounds.md", *sorted((ROOT / "docs/studies").glob("*.md")))
GENERATED = re.compile(r"<!-- begin ([\w:.*-]+) -->.*?<!-- end \1 -->", re.DOTALL)
TABLE = re.compile(r"(?:^\|.*\|\n)+", re.MULTILINE)
FIGURE = re.compile(r"(?<![\w`])[.\d]*\d[.,\d]*(?![\w`])")


@pytest.mark.parametrize("page", STUDIES, ids=lambda page: page.stem)
def test_tables_of_studies_are_generated_from_stored_results(page: Path) -> None:
    by_hand = GENERATED.sub("", page.read_text(encoding="utf-8"))
    for table in TABLE.finditer(by_hand):
        body = table[0].split("\n", 2)[2]
        assert len(FIGURE.findall(body)) < 3, table[0][:200]


COMMAND = re.compile(
    r"((?:SHOAL_\w+=\S+[\\\s]+)*)python -m benchmarks((?: [a-z]\w*(?::[\w,-]+)?)+)"
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_of_studies_name_what_there_is(page: Path) -> None:
    """Studies take minutes to hours, so that pages' commands are read, not run."""
    text = GENERATED.sub("", page.read_text(encoding="utf-8"))
    for settings, names in COMMAND.findall(text):
        assert all(name in SOURCES for name in re.findall(r"(\w+)=", settings)), settings
        for name in names.split():
            study, _, parts = name.partition(":")
            assert hasattr(importlib.import_module(f"benchmarks.{study}"), "run"), name
            assert set(filter(None, parts.split(","))) <= set(parts_of(study)), name


def test_figures_in_sentences_come_from_stored_results() -> None:
    shown = "It loses <!-- figure:engines.disk_loses -->nothing<!-- end figure --> than the other."
    runs = {
        part: next(one for one in store.figures("engines", part) if one["n"] == 10_000_000)
        for part in ("disk", "local")
    }
    more = 100 * (runs["disk"]["GCP"] - runs["local"]["GCP"]) / runs["local"]["GCP"]
    assert f"-->{more:.1f} % more<!--" in generate.refreshed(shown)
