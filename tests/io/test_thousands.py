"""Numbers with marks between thousands, in files as people keep them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from shoal.cli.main import run
from shoal.io import read_source
from shoal.io.source import ReadOptions

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("cells", "decimal", "thousands", "expected"),
    [
        (["1,234.50", "12"], ".", ",", ["1234.50", "12"]),
        (["1 234,50", "12"], ",", " ", ["1234.50", "12"]),
        (["1\u202f234,5", "1\u00a0000"], ",", " ", ["1234.5", "1000"]),
        (["1'234.5", "-1'000'000"], ".", "'", ["1234.5", "-1000000"]),
        (["1.234,5", "7"], ",", None, ["1234.5", "7"]),
        (["1,234", "90,000+"], ".", ",", ["1234", "90000+"]),
        # Not all cells are numbers so written: the column is a text.
        (["1,23", "12"], ".", ",", ["1,23", "12"]),
        (["1,234", "x"], ".", ",", ["1,234", "x"]),
    ],
)
def test_cells(
    tmp_path: Path, cells: list[str], decimal: str, thousands: str | None, expected: list[str]
) -> None:
    path = tmp_path / "pay.csv"
    path.write_text("name;pay\n" + "".join(f"a;{cell}\n" for cell in cells), encoding="utf-8")
    options = ReadOptions(separator=";", decimal=decimal, thousands=thousands)
    source = read_source(path, options)
    assert source.frame["pay"].to_list() == expected
    assert bool(source.notes) is (cells != expected)


def test_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{pay:,}|F\n" for pay in range(900, 1500, 25))
    (tmp_path / "people.csv").write_text("pay|sex\n" + rows)
    made = ["anonymize", "people.csv", "-k", "4", "--quasi", "pay,sex", "--thousands", ","]
    assert run([*made, "-o", "out.csv", "--facts", "facts.json"]) == 0
    assert "[900.." in (tmp_path / "out.csv").read_text()
    assert run(["verify", "people.csv", "out.csv", "--facts", "facts.json"]) == 0


def test_codes_for_missing_cells_do_not_make_texts(tmp_path: Path) -> None:
    path = tmp_path / "pay.csv"
    path.write_text("name;pay\na;1,234\nb;N\nc;900\n")
    options = ReadOptions(separator=";", thousands=",", null_values=("pay=N",))
    assert read_source(path, options).frame["pay"].to_list() == ["1234", None, "900"]


def test_inspect_tells_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pay.csv").write_text("sex;pay\nf;1,234\nm;12,900\nf;900\nm;2,000.5\n")
    assert run(["inspect", "pay.csv"]) == 0
    assert "--thousands ," in " ".join(capsys.readouterr().out.split())
