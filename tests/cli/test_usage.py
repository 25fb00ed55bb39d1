"""All mistakes of a command line come together: unknown and missing flags, and wrong values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from shoal.cli.main import run
from tests.cli.command import PEOPLE

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(PEOPLE)


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        (
            "anonymize people.csv --kk 5 --quassi=age -k 1 --rest maybe --kind age",
            ("There is no --kk. Did you mean '--k'?", "There is no --quassi", "-o is missing",
             "--rest should be", "--kind 'age' is not", "k is 1"),
        ),
        (
            "anonymize --no-such people.csv -k 2 -o out.csv",
            ("There is no --no-such", "--quasi is missing"),
        ),
        ("anonymize", ("DATA is missing", "-o is missing", "-k is missing", "--quasi is missing")),
        (
            "anonymize people.csv -k 2 --quasi age --form concealment --foo",
            ("There is no --foo", "-o is missing", "--algorithm k-concealment"),
        ),
        (
            "verify people.csv --rest maybe --foo",
            ("There is no --foo", "RELEASE is missing", "--rest should be"),
        ),
        ("hierarchy build people.csv age --rangs 5", ("Did you mean '--ranges'?", "-o is missing")),
        ("risk people.csv --thres 2 --threshold 7", ("There is no --thres", "--threshold should")),
        ("demo --foo --bar", ("There is no --foo", "There is no --bar")),
    ],
)  # fmt: skip
def test_mistakes_come_together(
    line: str, parts: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(line.split()) == 2
    shown = capsys.readouterr().err
    for part in parts:
        assert part in shown
    assert f"{len(parts)} mistakes in the options:" in shown


def test_a_single_mistake_leads_to_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        run(["anonymize", "people.csv", "-k", "2", "--quasi", "age", "--fo", "-o", "out.csv"]) == 2
    )
    shown = capsys.readouterr().err
    assert "--fo" in shown
    assert "See: shoal anonymize --help" in shown


def test_mistakes_about_columns_come_together(capsys: pytest.CaptureFixture[str]) -> None:
    options = "--quasi agee,sex,sex --sensitive dis --kind zap=numeric --weight name=2 --rest drop"
    assert run(f"anonymize people.csv -k 2 {options} -o out.csv".split()) == 2
    shown = capsys.readouterr().err
    for part in (
        "There is no column 'agee', which is declared quasi.",
        "There is no column 'dis', which is declared sensitive.",
        "Column 'sex' is declared twice.",
        "--kind names 'zap', but there is no such column.",
        "--weight names 'name', which is not a quasi-identifier.",
        "Did you mean 'age'?",
    ):
        assert part in shown
