"""Comparisons: every combination, kept results, problems told."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import shoal
from shoal.cli.main import run
from shoal.pipeline.comparison import estimated_seconds, settings_of
from tests.tables import MIXED, mixed_table

if TYPE_CHECKING:
    from pathlib import Path

WORDS: dict[str, Any] = {**MIXED, "seed": 3}


def test_every_combination_is_a_row_and_as_if_run_alone(tmp_path: Path) -> None:
    table = mixed_table(80, 1)
    found = shoal.compare(
        table, k=[2, 4], algorithm=["mondrian", "k-member"], suppression=[0], **WORDS
    )
    assert found.select("k", "algorithm").rows() == [
        (2, "mondrian"), (2, "k-member"), (4, "mondrian"), (4, "k-member")
    ]  # fmt: skip
    assert found["verified"].all()
    release = shoal.anonymize(table, k=4, algorithm="k-member", **WORDS)
    alone = found.row(3, named=True)
    assert alone["loss"] == pytest.approx(release.figures.measures["gcp"])
    assert alone["classes"] == release.facts.classes
    risk = shoal.risk(release.table, quasi=MIXED["quasi"], hierarchy=MIXED["hierarchy"])
    assert alone["risk_average"] == pytest.approx(risk["prosecutor_average"])
    assert alone["risk_highest"] == pytest.approx(risk["prosecutor_highest"])


def test_what_was_compared_is_kept(tmp_path: Path) -> None:
    table = mixed_table(60, 2)
    asked: dict[str, Any] = {"algorithm": "mondrian", "suppression": 0, "store": tmp_path, **WORDS}
    first = shoal.compare(table, k=[2], **asked)
    kept = set(tmp_path.iterdir())
    assert len(kept) == 1
    again = shoal.compare(table, k=[2, 3], **asked)
    assert again.row(0) == first.row(0)  # the same seconds: it was not run again
    assert len(set(tmp_path.iterdir())) == 2
    # Another table is another comparison.
    shoal.compare(table.head(50), k=[2], **asked)
    assert len(set(tmp_path.iterdir())) == 3
    # So is the same one whose columns have changed their names.
    shoal.compare(table.rename({"age": "job", "job": "age"}), k=[2], **asked)
    assert len(set(tmp_path.iterdir())) == 4
    told = "".join(path.read_text() for path in tmp_path.iterdir())
    assert "mumps" not in told
    assert "n1" not in told


def test_a_grouping_table_that_changed_is_read_again(tmp_path: Path) -> None:
    table = pl.DataFrame({"job": ["cook", "nurse", "smith", "baker"]})
    groups, kept = tmp_path / "groups.csv", tmp_path / "kept"
    asked: dict[str, Any] = {"k": 2, "algorithm": "mondrian", "suppression": 0, "quasi": ["job"]}
    asked |= {"hierarchy": {"job": f"groups:{groups}"}, "store": kept}
    groups.write_text("job,group\ncook,food\nbaker,food\nnurse,other\nsmith,other\n")
    fine = shoal.compare(table, **asked)["loss"][0]
    groups.write_text("job,group\ncook,all\nbaker,all\nnurse,all\nsmith,all\n")
    assert shoal.compare(table, **asked)["loss"][0] > fine
    assert len(list(kept.iterdir())) == 2


def test_what_is_kept_is_neither_estimated_nor_announced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    mixed_table(40, 2).write_csv("t.csv")
    asked = ["compare", "t.csv", "--quasi", "age", "--rest", "drop", "--algorithm", "mondrian",
             "--suppression", "0"]  # fmt: skip
    assert run([*asked, "-k", "2"]) == 0
    assert "kept from before" not in capsys.readouterr().err
    assert run([*asked, "-k", "2,3"]) == 0
    assert "2 releases, 1 of them kept from before; about 1.00 s" in capsys.readouterr().err
    assert run([*asked, "-k", "2,3"]) == 0
    assert "about" not in capsys.readouterr().err
    run_anew: list[int] = []
    table = mixed_table(40, 2)
    words: dict[str, Any] = {"algorithm": "mondrian", "suppression": 0, "store": "kept", **WORDS}
    shoal.compare(table, k=[2], **words)
    shoal.compare(table, k=[2, 3], watch=lambda one: run_anew.append(one.k), **words)
    assert run_anew == [3]


def test_what_cannot_be_is_told() -> None:
    table = pl.DataFrame({"age": [1, 2, 3, 4]})
    found = shoal.compare(table, k=[2, 9], algorithm="mondrian", suppression=0, quasi=["age"])
    assert found["verified"].to_list() == [True, False]
    assert found["problem"][1]
    assert found["loss"][1] is None


def test_the_command_goes_on_writes_and_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    mixed_table(60, 2).write_csv("t.csv")
    asked = ["compare", "t.csv", "--quasi", "age,job", "--rest", "drop", "-k", "2,3",
             "--algorithm", "mondrian", "--suppression", "0"]  # fmt: skip
    assert run([*asked, "--report", "c.html"]) == 0
    assert "mondrian" in capsys.readouterr().out
    page = (tmp_path / "c.html").read_text()
    assert page.count('data-chart="') == 4
    assert 'aria-label="Classes against k' in page
    assert run([*asked, "--write", "2", "-o", "out.csv"]) == 0
    assert pl.read_csv("out.csv").height == 60
    for wrong in (["--write", "7", "-o", "x.csv"], ["--write", "1"], ["-k", "five"]):
        assert run([*asked, *wrong]) == 2


def test_a_target_is_compared_and_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    # Two values: classifiers learn a tree for each.
    two = pl.col("disease").replace("mumps", "gout")
    mixed_table(60, 2).with_columns(two).write_csv("t.csv")
    asked = ["compare", "t.csv", "--quasi", "age,job", "--sensitive", "disease", "--rest", "drop",
             "-k", "2,61", "--algorithm", "mondrian", "--suppression", "0",
             "--target", "disease"]  # fmt: skip
    assert run([*asked, "--report", "c.html"]) == 0
    told = capsys.readouterr()
    assert "classifiers that learn from the original" in " ".join(told.out.split())
    heads = told.out.splitlines()[1].split()
    assert heads == ["k", "algorithm", "limit", "loss", "classes", "pressed", "risk", "risk", "s",
                     "error"]  # fmt: skip
    page = (tmp_path / "c.html").read_text()
    assert page.count('data-chart="') == 5
    assert "Error of predictions" in page
    assert '<td colspan="7">' in page  # what cannot be says why in the place of its figures
    assert run([*asked, "--write", "1", "-o", "out.csv"]) == 0
    assert pl.read_csv("out.csv").height == 60


def test_a_form_that_bounds_no_chance_shows_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Counterparts under k-concealment need not be equally likely: 1/k would be too good."""
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"age": [1, 2, 4, 8, 9, 11]}).write_csv("t.csv")
    asked = ["compare", "t.csv", "--quasi", "age", "-k", "2", "--suppression", "0", "--algorithm"]
    assert run([*asked, "k-concealment", "--report", "c.html"]) == 0
    line = next(one for one in capsys.readouterr().out.splitlines() if "k-concealment" in one)
    assert line.split()[-3:-1] == ["–", "–"]
    assert (tmp_path / "c.html").read_text().count('data-chart="') == 3
    assert run([*asked, "ring", "--json"]) == 0
    release = shoal.anonymize(
        pl.read_csv("t.csv"), k=2, quasi=["age"], algorithm="k-concealment", seed=1
    )
    tile = next(one for one in release.report().key_figures if "Chance" in one.label)
    assert "≤" not in tile.value
    assert "does not prove" in tile.meaning


def test_classifiers_count_in_the_estimate() -> None:
    one = settings_of([2], ["mondrian"], [0.0], [[]])
    plain = estimated_seconds(one, {}, 30_000)
    assert plain < 5
    assert estimated_seconds(one, {"target": "disease"}, 30_000) == pytest.approx(60 + plain)
    searched = settings_of([2], ["auto", "optimal"], [0.0], [[]])
    # A second for all else, and ten microseconds a record beyond 100,000.
    assert estimated_seconds(searched[:1], {}, 1_000) == pytest.approx(2 + 1)
    assert estimated_seconds(searched[:1], {}, 30_000) == pytest.approx(5 + 1)
    assert estimated_seconds(searched[:1], {}, 5_000_000) == pytest.approx(50 + 50)
    assert estimated_seconds(searched[1:], {}, 1_000) == pytest.approx(60 + 1)
    assert estimated_seconds(searched, {"time": 3}, 1_000) == pytest.approx(2 * (3 + 1))


def test_a_population_is_known_to_every_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    table = pl.DataFrame({"age": list(range(40))})
    table.write_csv("t.csv")
    pl.concat([table, table]).write_csv("everybody.csv")
    asked = ["compare", "t.csv", "--quasi", "age", "-k", "2", "--algorithm", "mondrian",
             "--suppression", "0", "--model", "k-map:9", "--json"]  # fmt: skip
    assert run([*asked, "--population", "everybody.csv"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["verified"] for row in rows] == [True, True]
    # Everybody is there twice: nine people are five records.
    assert rows[1]["smallest_class"] >= 5 > rows[0]["smallest_class"]


def test_what_is_wrong_with_an_option_is_told_before_any_run() -> None:
    table = pl.DataFrame({"age": [1, 2, 3, 4]})
    with pytest.raises(shoal.ParameterError, match="missing"):
        shoal.compare(table, quasi=["age"], missing="perhaps")  # type: ignore[arg-type]
    with pytest.raises(shoal.ParameterError, match="hierarchie"):
        shoal.compare(table, quasi=["age"], hierarchie={})  # type: ignore[call-arg]
    with pytest.raises(shoal.ParameterError, match="hierarchie"):
        shoal.plan(table, quasi=["age"], hierarchie={})  # type: ignore[call-arg]


def test_what_looks_odd_in_a_table_is_told_before_it_is_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    days = [f"{day:02}.01.1990" for day in range(1, 25)]
    pl.DataFrame({"born": days, "sex": ["f", "m"] * 12}).write_csv("t.csv")
    asked = ["t.csv", "--quasi", "born,sex", "-k", "2"]
    assert run(["plan", *asked]) == 0
    assert run(["compare", *asked, "--algorithm", "mondrian", "--suppression", "0"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert told.count("looks like dates, but is read as texts") == 2
    assert "--date-format" in told
