"""``shoal report`` and ``shoal anonymize --report``."""

from __future__ import annotations

import json
import stat
from typing import TYPE_CHECKING

import pytest

from shoal.cli.main import run
from tests.cli.command import ROLES

if TYPE_CHECKING:
    from pathlib import Path

MADE = ["anonymize", "people.csv", "-k", "3", *ROLES, "-o", "out.csv", "--facts", "facts.json"]


@pytest.fixture
def made(folder: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    assert run([*MADE, "--report", "both.html", "--public-report", "public.md"]) == 0
    shown = capsys.readouterr().out
    assert "both.html" in shown
    assert "public.md" in shown
    return folder


def test_reports_are_written_with_the_release(made: Path) -> None:
    internal, public = (made / "both.html").read_text(), (made / "public.md").read_text()
    assert "Do not hand it out" in internal
    assert "may be handed out" in public
    assert stat.S_IMODE((made / "both.html").stat().st_mode) == 0o600
    for secret in ("Archer", "gout"):
        assert secret not in internal
        assert secret not in public


def test_a_release_that_passes(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = ["report", "people.csv", "out.csv", "--facts", "facts.json"]
    assert run([*told, "-o", "report.html"]) == 0
    assert "every record hides among at least 3" in capsys.readouterr().out
    text = (made / "report.html").read_text()
    assert "shoal verify people.csv out.csv --facts facts.json" in text
    assert run([*told, "-o", "report.html"]) == 2  # it exists
    assert run([*told, "-o", "report.html", "--force", "--certificate"]) == 0
    assert "Signature" in (made / "report.html").read_text()
    capsys.readouterr()
    assert run([*told, "-o", "-", "--report-format", "json", "--public"]) == 0
    assert json.loads(capsys.readouterr().out)["audience"] == "public"
    assert run([*told, "-o", "new.html", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["passed"] is True


def test_a_release_that_fails_says_so_in_red_and_exits_1(
    made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    roles = [*ROLES, "-k", "3"]
    assert run(["report", "people.csv", "people.csv", *roles, "-o", "failed.html"]) == 1
    assert "failed verification" in capsys.readouterr().out
    text = (made / "failed.html").read_text()
    assert 'class="verdict failed' in text
    assert "Do not publish it" in text
    assert "Archer" not in text


@pytest.mark.parametrize(
    "arguments",
    [
        ["people.csv", "nowhere.csv", "-o", "r.html"],
        ["people.csv", "out.csv", "-o", "nowhere/r.html"],
        ["people.csv", "out.csv", "-o", "people.csv", "--force"],
        ["people.csv", "out.csv", "-o", "r.html", "--report-format", "pdf"],
        ["people.csv", "out.csv", "-o", "c.md", "--certificate"],
        ["people.csv", "out.csv", "-o", "-", "--json"],
    ],
)
def test_bad_input(arguments: list[str], made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path.name for path in made.iterdir()}
    assert run(["report", *arguments, "--facts", "facts.json"]) == 2
    assert "error" in capsys.readouterr().err
    assert {path.name for path in made.iterdir()} == before
