from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.command import PEOPLE

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a small table of people, which commands of this process run in."""
    (tmp_path / "people.csv").write_text(PEOPLE)
    monkeypatch.chdir(tmp_path)
    for variable in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "SHOAL_TRACEBACK"):
        monkeypatch.delenv(variable, raising=False)
    return tmp_path
