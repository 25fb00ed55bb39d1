"""Files of hierarchies whose root is called otherwise, as ARX and spreadsheets write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

import shoal
from shoal.cli.main import run
from shoal.errors import HierarchyError
from shoal.hierarchies import read_hierarchy

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "text",
    [
        "1;low;any\n2;low;any\n3;high;any\n",
        "1,low,ALL\r\n2,low,ALL\r\n3,high,ALL\r\n",
        "\ufeff1;low;*\n2;low;*\n3;high;*\n",
        '"1";"low";"any, or none"\n"2";"low";"any, or none"\n"3";"high";"any, or none"\n',
    ],
)
def test_a_root_of_any_name_is_the_root(tmp_path: Path, text: str) -> None:
    path = tmp_path / "level.csv"
    path.write_text(text, encoding="utf-8", newline="")
    tree = read_hierarchy(path)
    assert sorted(tree.rows()) == [("1", "low", "*"), ("2", "low", "*"), ("3", "high", "*")]


def test_two_columns(tmp_path: Path) -> None:
    path = tmp_path / "sex.csv"
    path.write_text("f;any\nm;any\n")
    assert sorted(read_hierarchy(path).rows()) == [("f", "*"), ("m", "*")]


def test_groups_without_a_root_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "level.csv"
    path.write_text("1;low\n2;low\n3;high\n")
    with pytest.raises(HierarchyError, match="one other name for all"):
        read_hierarchy(path)


def test_a_release_with_such_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "level.csv").write_text("1;low;any\n2;low;any\n3;high;any\n4;high;any\n")
    frame = pl.DataFrame({"level": ["1", "2", "3", "4"] * 2})
    frame.write_csv("people.csv")
    assert run(["hierarchy", "check", "level.csv", "people.csv", "level"]) == 0
    release = shoal.anonymize(frame, k=4, quasi=["level"], hierarchy={"level": "level.csv"})
    assert set(release.frame["level"]) == {"low", "high"}
    everything = shoal.anonymize(frame, k=8, quasi=["level"], hierarchy={"level": "level.csv"})
    assert set(everything.frame["level"]) == {"*"}
