"""`shoal bound`, and bounds told beside a release."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from shoal.cli.main import run
from shoal.cli.summary import told_bound
from tests.cli.command import ROLES

if TYPE_CHECKING:
    from pathlib import Path

    Captured = pytest.CaptureFixture[str]


def test_bound_proves_and_writes_nothing(folder: Path, capsys: Captured) -> None:
    before = sorted(folder.iterdir())
    task = ["bound", "people.csv", "-k", "3", *ROLES, "--bound-seconds", "5"]
    assert run([*task, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert 0 < told["lower_bound"] <= told["loss"]
    assert told["gap"] == pytest.approx(1 - told["lower_bound"] / told["loss"], abs=1e-9)
    assert told["converged"] is True
    assert told["n"] == 6
    assert run(task) == 0
    assert "no release of this kind can be below" in capsys.readouterr().out
    assert sorted(folder.iterdir()) == before


def test_a_release_tells_its_bound(folder: Path, capsys: Captured) -> None:
    outputs = ["-o", "out.csv", "--facts", "facts.json"]
    words = ["--bound-seconds", "5", "--algorithm", "k-member"]  # which proves nothing by itself
    assert run(["anonymize", "people.csv", "-k", "3", *ROLES, *outputs, *words]) == 0
    facts = json.loads((folder / "facts.json").read_text())
    assert 0 < facts["lower_bound"] <= facts["measures"]["gcp"]
    assert facts["job"]["bound_seconds"] == 5
    shown = " ".join(capsys.readouterr().out.split())
    told = shown.partition("no release of this kind can be below ")[2].partition(": within ")[0]
    # Never more than was proved.
    assert facts["lower_bound"] - 1e-4 < float(told) <= facts["lower_bound"]


def test_what_cannot_be_bounded_is_refused(folder: Path, capsys: Captured) -> None:
    assert run(["bound", "people.csv", "-k", "3", *ROLES, "--measure", "mi"]) == 2
    assert "never falls" in capsys.readouterr().err
    assert run(["bound", "people.csv", "-k", "8", *ROLES]) == 1
    assert run(["bound", "people.csv", "-k", "3", *ROLES, "--bound-seconds", "-1"]) == 2


def test_percentages_are_of_the_bound() -> None:
    assert told_bound(0.0335, 0.0301) == (
        "no release of this kind can be below 0.0301: within 11 % of the best possible"
    )
    assert "below 0.0208:" in told_bound(0.03, 0.02089)
    assert told_bound(0.102, 0.1).endswith("within 2.0 % of the best possible")
    assert told_bound(0.1, 0.0) == "no release of this kind can be below 0.0000"
    assert told_bound(0.0, 0.0) == "no loss at all: the best possible"
