"""`shoal bound`, and bounds told beside a release."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from shoal.cli.main import run
from shoal.cli.summary import bound_text
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
    assert "no release of this form can be below" in capsys.readouterr().out
    assert sorted(folder.iterdir()) == before


def test_bound_of_freeform_releases(folder: Path, capsys: Captured) -> None:
    task = ["bound", "people.csv", "-k", "3", *ROLES, "--bound-seconds", "5", "--json"]
    assert run(task) == 0
    classes = json.loads(capsys.readouterr().out)
    assert run([*task, "--form", "freeform"]) == 0
    covers = json.loads(capsys.readouterr().out)
    assert (classes["form"], covers["form"]) == ("classes", "freeform")
    # Classes are covers, too, so that these lose no more; six records are proved.
    assert 0 < covers["lower_bound"] <= classes["loss"] + 1e-9
    assert covers["gap"] == pytest.approx(0, abs=1e-5)
    assert covers["converged"] is True


def test_a_release_tells_its_bound(folder: Path, capsys: Captured) -> None:
    outputs = ["-o", "out/r.csv", "--facts", "out/facts.json", "--custody", "custody.json"]
    (folder / "out").mkdir()
    words = ["--bound-seconds", "5", "--algorithm", "k-member"]  # which proves nothing by itself
    assert run(["anonymize", "people.csv", "-k", "3", *ROLES, *outputs, *words]) == 0
    facts = json.loads((folder / "out" / "facts.json").read_text())
    exact = json.loads((folder / "custody.json").read_text())["figures"]
    assert 0 < exact["lower_bound"] <= exact["loss"]
    assert exact["gap"] == pytest.approx(1 - exact["lower_bound"] / exact["loss"], abs=1e-9)
    assert facts["job"]["bound_seconds"] == 5
    shown = " ".join(capsys.readouterr().out.split())
    told = shown.partition("no release of this form can be below ")[2].partition(": ")[0]
    # Never more than was proved.
    assert exact["lower_bound"] - 1e-4 < float(told) <= exact["lower_bound"]
    # It depends on exact values, so that it would confirm guesses about them.
    assert not {"gap", "lower_bound", "optimal"} & set(facts)


def test_what_cannot_be_bounded_is_refused(folder: Path, capsys: Captured) -> None:
    assert run(["bound", "people.csv", "-k", "3", *ROLES, "--measure", "mi"]) == 2
    assert "never falls" in capsys.readouterr().err
    assert run(["bound", "people.csv", "-k", "8", *ROLES]) == 1
    assert run(["bound", "people.csv", "-k", "3", *ROLES, "--bound-seconds", "-1"]) == 2


def test_percentages_are_of_the_loss() -> None:
    assert bound_text(0.04, 0.03) == (
        "no release of this form can be below 0.0300: at most 25.0 % of this loss can be avoided"
    )
    assert "below 0.0208:" in bound_text(0.03, 0.02089)
    assert "less than 0.1 % of this loss" in bound_text(0.1, 0.1)
    assert "below" not in bound_text(0.1, 0.0)
    assert bound_text(0.0, 0.0) == "no loss at all: the best possible"
