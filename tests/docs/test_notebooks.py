"""The notebooks run from top to bottom in a real kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import nbformat
import pytest
from nbclient import NotebookClient

from benchmarks.data import find_data
from tests.docs.markdown import ROOT

if TYPE_CHECKING:
    from pathlib import Path

NOTEBOOKS = sorted((ROOT / "examples/notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("place", NOTEBOOKS, ids=lambda place: place.stem)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_notebook_runs(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADULT", str(find_data("adult")))  # the bundled example where it is absent
    notebook = nbformat.read(place, as_version=4)  # type: ignore[no-untyped-call]
    assert all(not cell.get("outputs") for cell in notebook.cells), "clear the outputs"
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": tmp_path}}).execute()
    shown = [cell.outputs for cell in notebook.cells if cell.cell_type == "code" and cell.outputs]
    assert shown


def test_there_are_notebooks() -> None:
    assert {place.stem for place in NOTEBOOKS} == {"hospital", "classifiers", "several-releases"}
