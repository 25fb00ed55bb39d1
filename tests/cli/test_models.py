"""Privacy models and private columns on the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from shoal.cli.main import run
from tests.cli.command import ROLES

if TYPE_CHECKING:
    from pathlib import Path

Captured = pytest.CaptureFixture[str]
RECURSIVE = "recursive-l-diversity:3,2"
BOTH = ("--model", RECURSIVE, "--model", "ordered-t-closeness:0.5@disease")


def anonymize(*more: str) -> int:
    return run(["anonymize", "people.csv", "-k", "3", *ROLES, *more])


def test_models_are_met_recorded_and_verified_from_the_files(
    folder: Path, capsys: Captured
) -> None:
    assert anonymize("-o", "out.csv", "--facts", "facts.json", *BOTH) == 0
    recorded = json.loads((folder / "facts.json").read_text())["job"]["model"]
    assert recorded == [*BOTH[1::2]]
    capsys.readouterr()
    assert run(["verify", "people.csv", "out.csv", "--facts", "facts.json"]) == 0
    assert f"{RECURSIVE}@disease" in capsys.readouterr().out
    assert run(["verify", "people.csv", "out.csv", "-k", "3", *ROLES, *BOTH]) == 0


def test_the_command_to_go_on_with_names_every_model(folder: Path, capsys: Captured) -> None:
    assert anonymize("-o", "out.csv", *BOTH) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert f"--model {RECURSIVE} --model ordered-t-closeness:0.5@disease" in told


def test_a_release_that_does_not_meet_a_model_is_refused(folder: Path, capsys: Captured) -> None:
    assert anonymize("-o", "out.csv") == 0
    capsys.readouterr()
    model = ("--model", "distinct-l-diversity:3")
    # The first three people have two diseases, the others three.
    assert run(["verify", "people.csv", "out.csv", "-k", "3", *ROLES, *model, "--json"]) == 1
    verdict = json.loads(capsys.readouterr().out)
    failed = [check["name"] for check in verdict["checks"] if not check["passed"]]
    assert failed == ["distinct-l-diversity:3@disease"]


@pytest.mark.parametrize(
    ("model", "code"), [("distinct-l-diversity:4", 1), ("distinct-diversity:2", 2)]
)
def test_goals_that_cannot_be_met_or_read_write_nothing(
    model: str, code: int, folder: Path, capsys: Captured
) -> None:
    assert anonymize("-o", "out.csv", "--model", model) == code
    assert not (folder / "out.csv").exists()
    assert "distinct-l-diversity" in capsys.readouterr().err


def test_measure_takes_a_target_and_a_weight(folder: Path, capsys: Captured) -> None:
    roles = ("--quasi", "age,zip", "--sensitive", "disease", "--other", "sex", "--rest", "drop")
    assert run(["anonymize", "people.csv", "-k", "3", *roles, "-o", "out.csv"]) == 0
    capsys.readouterr()
    words = ["-k", "3", *roles, "--target", "sex", "--measure", "wmi:0.25", "--json"]
    assert run(["measure", "people.csv", "out.csv", *words]) == 0
    found = json.loads(capsys.readouterr().out)["measures"]
    # Both classes are of one sex.
    assert found["cm"] == 0.0
    assert found["wmi:0.25"] == pytest.approx(0.25 * found["mi"] + 0.75 * found["pmi"])
