"""Releases that show statistics of classes: measured, studied and reported with the row map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import shoal
from shoal.cli.main import run
from shoal.errors import InputError, ParameterError

if TYPE_CHECKING:
    from pathlib import Path

TABLE = pl.DataFrame(
    {
        "age": [30, 31, 33, None, None, None, 62, 64, 70, 41, None, 44],
        "sex": list("FFFMMMFMFMFM"),
        "job": list("aabbccaabbcc"),
        "ill": list("abcabcabcabc"),
    }
)
WORDS: dict[str, Any] = {
    "k": 3, "quasi": ["age", "sex", "job"], "sensitive": ["ill"], "algorithm": "k-member", "seed": 2
}  # fmt: skip
SHOWN: list[Any] = [
    {"notation": "midpoint"},
    {"aggregate": {"age": "mean"}},
    {"aggregate": {"age": "median", "job": "mode"}, "notation": "json"},
    {"aggregate": {"sex": "mode"}, "notation": "min_max"},
]


@pytest.mark.parametrize("shown", SHOWN)
def test_measures_are_those_of_the_intervals_behind(shown: Any) -> None:
    plain = shoal.anonymize(TABLE, **WORDS)
    release = shoal.anonymize(TABLE, **WORDS, **shown)
    expected = shoal.measure(TABLE, plain)
    found = shoal.measure(TABLE, release)
    assert found["per_attribute"] == pytest.approx(expected["per_attribute"])
    assert found["measures"] == pytest.approx(expected["measures"])


@pytest.mark.parametrize("shown", SHOWN)
def test_suppressed_records_say_nothing(shown: Any) -> None:
    words = {**WORDS, "suppression": 0.5, "suppress_for": "released"}
    plain = shoal.anonymize(TABLE, **words)
    release = shoal.anonymize(TABLE, **words, **shown)
    assert plain.facts.suppressed
    found, expected = (shoal.measure(TABLE, one)["measures"]["gcp"] for one in (release, plain))
    assert found == pytest.approx(expected)


def test_without_the_row_map_the_error_says_what_to_do() -> None:
    release = shoal.anonymize(TABLE, **WORDS, aggregate={"age": "mean"})
    words = {**{name: WORDS[name] for name in ("k", "quasi", "sensitive")}}
    with pytest.raises(ParameterError, match="mean of its class") as caught:
        shoal.measure(TABLE, release.table, aggregate={"age": "mean"}, **words)
    assert "custody" in caught.value.remedy
    with pytest.raises(InputError, match="row map"):
        shoal.measure(
            TABLE, release.table, rows=release.custody.rows[:-1], aggregate={"age": "mean"}, **words
        )


def test_the_commands_take_the_custody_file(
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    secrets = str(tmp_path_factory.mktemp("secret") / "c.json")
    table = pl.concat([TABLE] * 5)
    table.write_csv("in.csv")
    words = ["-k", "3", "--quasi", "age,sex,job", "--sensitive", "ill", "--algorithm", "mondrian"]
    made = ["--aggregate", "age=mean", "--facts", "f.json", "--custody", secrets]
    assert run(["anonymize", "in.csv", *words, *made, "-o", "out.csv", "--report", "r.html"]) == 0
    known = ["in.csv", "out.csv", "--facts", "f.json"]
    custody = ["--custody", secrets]
    assert run(["measure", *known, *custody]) == 0
    assert run(["utility", *known, *custody, "--target", "ill", "--folds", "2"]) == 0
    assert run(["report", *known, *custody, "-o", "again.html"]) == 0
    for page in ("r.html", "again.html"):
        assert "statistics of classes" in (tmp_path / page).read_text()
    capsys.readouterr()
    assert run(["measure", *known]) == 2
    assert "--custody" in capsys.readouterr().err
    assert run(["report", *known, *custody, "--public", "-o", "public.html"]) == 2
    assert not (tmp_path / "public.html").exists()
