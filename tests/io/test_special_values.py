"""Special values beside numbers: a category of their own, and the numbers stay numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import shoal
from shoal.cli.main import run
from shoal.errors import ParameterError, SchemaError
from shoal.io import read_table

if TYPE_CHECKING:
    from pathlib import Path

WEEKS = ["12", "N", "30", "R", "", "52", "40", "N", "N", "12", "30", "41"]
DECLARED = ["weeks=N|R"]


def table() -> pl.DataFrame:
    return pl.DataFrame({"weeks": WEEKS, "ill": list("abcabcabcabc")})


def written(path: Path) -> Path:
    frame = table()
    if path.suffix == ".csv":
        frame.write_csv(path)
    elif path.suffix == ".parquet":
        frame.with_columns(pl.col("weeks").replace("", None)).write_parquet(path)
    else:
        frame.write_excel(path)
    return path


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".xlsx"])
def test_numbers_and_codes_are_read_apart(tmp_path: Path, suffix: str) -> None:
    read = read_table(written(tmp_path / f"in{suffix}"), special_values=DECLARED)
    numbers = [int(text) if text.isdigit() else None for text in WEEKS]
    assert read["weeks"].cast(pl.Int64).to_list() == numbers
    codes = [text if text in {"N", "R"} else None for text in WEEKS]
    assert read["weeks_special"].to_list() == codes


def test_codes_that_are_numbers_and_decimal_commas(tmp_path: Path) -> None:
    typed = pl.DataFrame({"weeks": [12, 98, None, 30]})
    typed.write_parquet(tmp_path / "in.parquet")
    read = read_table(tmp_path / "in.parquet", special_values=["weeks=98"])
    assert read["weeks"].to_list() == [12, None, None, 30]
    assert read["weeks_special"].to_list() == [None, "98", None, None]
    (tmp_path / "in.csv").write_text("weeks;ill\n1,5;a\nN;b\n2,25;c\n")
    read = read_table(tmp_path / "in.csv", special_values=DECLARED, decimal=",")
    assert read["weeks"].to_list() == ["1.5", None, "2.25"]


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".xlsx"])
@pytest.mark.parametrize("notation", ["text", "min_max", "midpoint", "label", "json"])
def test_a_release_is_verified_and_says_which(
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    suffix: str,
    notation: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    custody = str(tmp_path_factory.mktemp("custody") / "c.json")
    source = str(written(tmp_path / f"in{suffix}"))
    words = ["-k", "2", "--quasi", "weeks", "--sensitive", "ill", "--special-values", *DECLARED]
    out = ["-o", f"out{suffix}", "--facts", "facts.json", "--custody", custody,
           "--dictionary", "columns.csv", "--notation", notation,
           "--algorithm", "mondrian"]  # fmt: skip
    assert run(["anonymize", source, *words, *out]) == 0
    known = ["--facts", "facts.json", "--custody", custody]
    assert run(["verify", source, f"out{suffix}", *known]) == 0
    assert run(["measure", source, f"out{suffix}", *known]) == 0
    assert run(["risk", source, f"out{suffix}", "--facts", "facts.json"]) == 0
    told = pl.read_csv("columns.csv")
    assert "weeks_special" in told["column"].to_list()
    # The verifier's word does not depend on how the release was made: a forged code is found.
    if suffix == ".csv" and notation == "text":
        forged = pl.read_csv("out.csv", infer_schema=False)
        forged.with_columns(weeks_special=pl.lit("R")).write_csv("forged.csv")
        assert run(["verify", source, "forged.csv", *known]) == 1


def test_mixed_classes_show_both_or_nothing() -> None:
    frame = pl.DataFrame({"weeks": [None, 12, 30, 31], "weeks_special": ["N", None, None, None]})
    words: dict[str, Any] = {"k": 2, "quasi": ["weeks", "weeks_special"], "algorithm": "k-member"}
    shown = shoal.anonymize(frame, **words).table.rows()
    assert sorted(shown, key=str) == [("*", "{N|}"), ("*", "{N|}")] + [
        row for row in sorted(shown, key=str) if row[0] != "*"
    ]


def test_a_code_that_is_not_declared_is_named_with_its_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = written(tmp_path / "in.csv")
    out = tmp_path / "out.csv"
    asked = ["anonymize", str(source), "-k", "2", "--quasi", "weeks", "--sensitive", "ill"]
    assert run([*asked, "--special-values", "weeks=N", "-o", str(out)]) == 2
    told = capsys.readouterr().err
    assert "data row 4" in told
    assert "--special-values" in told
    assert not out.exists()


def test_what_contradicts_is_refused(tmp_path: Path) -> None:
    source = written(tmp_path / "in.csv")
    for declared, said in ((["N"], "COLUMN=CODE"), (["days=N"], "no such"), (["weeks="], "COLUMN")):
        with pytest.raises(SchemaError, match=said):
            read_table(source, special_values=declared)
    table().with_columns(weeks_special=pl.lit("x")).write_csv(source)
    with pytest.raises(SchemaError, match="already has"):
        read_table(source, special_values=DECLARED)
    with pytest.raises(ParameterError, match="contradict"):
        shoal.Job(k=2, quasi=["weeks"], special_values=DECLARED, missing="drop")


def test_a_job_holds_both_columns(tmp_path: Path) -> None:
    job = shoal.Job(k=2, quasi=["weeks", "ill"], special_values=DECLARED)
    assert job.quasi == ("weeks", "weeks_special", "ill")
    job.save(tmp_path / "job.toml")
    assert shoal.Job.load(tmp_path / "job.toml") == job
    assert shoal.Job(k=2, quasi=["ill"], special_values=DECLARED).quasi == ("ill",)


def test_inspect_says_what_can_be_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frame = pl.DataFrame({"age": [str(20 + row % 50) for row in range(199)] + ["N"]})
    frame.write_csv(tmp_path / "in.csv")
    assert run(["inspect", str(tmp_path / "in.csv")]) == 0
    assert "--special-values" in capsys.readouterr().out
    assert run(["inspect", str(tmp_path / "in.csv"), "--special-values", "age=N"]) == 0
    told = capsys.readouterr().out
    assert "age_special" in told
    assert "mixed" not in told
