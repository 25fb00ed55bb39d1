from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.command import PEOPLE

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a small table of people, which commands of this process run in."""
    # Within a folder of the test's own, so that it has a neighbour for what is secret.
    work = tmp_path / "work"
    work.mkdir()
    (work / "people.csv").write_text(PEOPLE)
    monkeypatch.chdir(work)
    for variable in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "SHOAL_TRACEBACK"):
        monkeypatch.delenv(variable, raising=False)
    return work
