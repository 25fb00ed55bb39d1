"""Cells that a spreadsheet would run are marked, and the marks come off again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from shoal.cli.main import run
from shoal.io import read_table
from shoal.io.formulas import columns_with_formulas, with_marks, without_marks

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_formulas_are_marked_and_numbers_are_not() -> None:
    frame = pl.DataFrame(
        {"a": ["=1+1", "-5", "+49 30", "@x", "-1.5e3", "'=x", "x=1", None], "b": ["1"] * 8}
    )
    assert columns_with_formulas(frame) == ["a"]
    assert with_marks(frame)["a"].to_list() == [
        "'=1+1", "-5", "'+49 30", "'@x", "-1.5e3", "''=x", "x=1", None,
    ]  # fmt: skip


def test_names_are_marked_too() -> None:
    frame = pl.DataFrame({"=x": ["a"], "'=x": ["b"], "-1": ["c"], "n": [1]})
    assert columns_with_formulas(frame) == ["=x", "'=x"]
    assert with_marks(frame).columns == ["'=x", "''=x", "-1", "n"]
    assert without_marks(with_marks(frame)).equals(frame)


@given(st.lists(st.text("'=+-@1.ax\t", max_size=5), min_size=1))
def test_marks_come_off_again(cells: list[str]) -> None:
    frame = pl.DataFrame({"a": cells}, schema={"a": pl.String})
    marked = with_marks(frame)
    assert without_marks(marked).equals(frame)
    assert columns_with_formulas(marked) == columns_with_formulas(frame)


def test_a_marked_release_verifies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(
        'age,sick\n35,"=HYPERLINK(""x"")"\n36,flu\n61,-2\n62,@home\n', encoding="utf-8"
    )
    made = ["anonymize", "t.csv", "-k", "2", "--quasi", "age", "--sensitive", "sick", "-o"]
    assert run([*made, "plain.csv"]) == 0
    assert "--escape-formulas" in capsys.readouterr().out
    assert run([*made, "book.xlsx"]) == 0
    assert "'sick' is written as text" in " ".join(capsys.readouterr().out.split())
    assert run([*made, "safe.csv", "--escape-formulas", "--facts", "f.json"]) == 0
    cells = read_table("safe.csv", header="present")["sick"].to_list()
    assert sorted(cells) == ['\'=HYPERLINK("x")', "'@home", "-2", "flu"]
    assert run(["verify", "t.csv", "safe.csv", "--facts", "f.json"]) == 0
    assert run(["verify", "t.csv", "plain.csv", "-k", "2", *made[4:-1]]) == 0


def test_a_formula_among_numbers_is_always_found() -> None:
    cells = ["=1+1", "-9", *map(str, range(29))]
    frame = pl.DataFrame({"a": cells, "b": ["flu", "-9", "hiv"] + [None] * 28})
    for _ in range(20):
        assert columns_with_formulas(frame) == ["a"]
        assert with_marks(frame)["a"].to_list() == ["'=1+1", *cells[1:]]
