"""Tables in several files, packed files, JSON lines, and files of SPSS, Stata and SAS."""

from __future__ import annotations

import datetime
import gzip
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyreadstat
import pytest
import zstandard
from polars.testing import assert_frame_equal

from shoal.cli.main import run
from shoal.errors import FileError
from shoal.io import ReadOptions, Staging, check_output, read_source, read_table
from shoal.io.compression import unpack

PEOPLE = pl.DataFrame(
    {
        "age": [35, 36, None, 61],
        "sex": ["f", "m", "f", None],
        "paid": [1.5, 2.0, None, 4.25],
        "adult": [True, None, False, True],
    }
)


def refusal(path: Path | str, **options: Any) -> FileError:
    with pytest.raises(FileError) as caught:
        read_table(path, **options)
    assert caught.value.remedy
    return caught.value


def test_a_partitioned_folder_is_one_table(tmp_path: Path) -> None:
    folder = tmp_path / "visits"
    for zip_code, part in (("01067", PEOPLE[:2]), ("__HIVE_DEFAULT_PARTITION__", PEOPLE[2:])):
        place = folder / "year=2024" / f"zip={zip_code}"
        place.mkdir(parents=True)
        part.write_parquet(place / "part-0.parquet")
    (folder / "_SUCCESS").touch()
    (folder / ".hidden").touch()
    frame = read_table(folder)
    expected = PEOPLE.with_columns(
        year=pl.lit("2024"), zip=pl.Series(["01067", "01067", None, None])
    )
    assert_frame_equal(frame, expected)
    assert read_table(folder, null_values=["zip=01067"])["zip"].null_count() == 4


def test_folders_that_are_no_dataset(tmp_path: Path) -> None:
    folder = tmp_path / "visits"
    folder.mkdir()
    assert "without Parquet files" in refusal(folder).what
    PEOPLE.write_parquet(folder / "one.parquet")
    PEOPLE.drop("sex").write_parquet(folder / "two.parquet")
    assert "two.parquet differs" in refusal(folder).what
    assert "'sex'" in refusal(folder).what
    (folder / "readme.txt").touch()
    assert "readme.txt" in refusal(folder).what


def test_a_column_must_not_stand_twice(tmp_path: Path) -> None:
    place = tmp_path / "visits" / "sex=f"
    place.mkdir(parents=True)
    PEOPLE.write_parquet(place / "one.parquet")
    assert "'sex' is both in the file and in the name of its folder" in refusal(place.parent).what


def test_a_release_does_not_go_into_the_folder_that_is_read(tmp_path: Path) -> None:
    (tmp_path / "visits" / "year=2024").mkdir(parents=True)
    with pytest.raises(FileError, match="the folder that is read"):
        check_output(
            tmp_path / "visits" / "year=2024" / "new.parquet", inputs=[tmp_path / "visits"]
        )
    check_output(tmp_path / "new.parquet", inputs=[tmp_path / "visits"])


def test_a_pattern_names_files_of_one_table(tmp_path: Path) -> None:
    (tmp_path / "2024-02.csv").write_text("age,sex\n61,m\n")
    (tmp_path / "2024-01.csv").write_text("sex,age\nf,35\nm,36\n")
    source = read_source(tmp_path / "2024-*.csv")
    assert source.frame.rows() == [("f", "35"), ("m", "36"), ("m", "61")]
    assert source.sha256 is not None
    (tmp_path / "2024-03.csv").write_text("age,gender\n61,m\n")
    error = refusal(tmp_path / "2024-*.csv")
    assert "2024-03.csv differs" in error.what
    assert "'sex', 'gender'" in error.what
    assert "matches no file" in refusal(tmp_path / "2025-*.csv").what


def test_marks_of_numbers_concern_all_files_of_a_pattern(tmp_path: Path) -> None:
    """One file must not have 1.234 for what another one has as 1234."""
    (tmp_path / "a.csv").write_text("pay;sex\n1.234,50;m\n1.000;f\n")
    (tmp_path / "b.csv").write_text("pay;sex\n1.234;m\nunknown;f\n")
    source = read_source(tmp_path / "*.csv", ReadOptions(decimal=","))
    assert source.frame["pay"].to_list() == ["1.234,50", "1.000", "1.234", "unknown"]
    assert "not all (data row 4)" in source.notes[0]
    told = ReadOptions(decimal=",", null_values=("unknown",))
    source = read_source(tmp_path / "*.csv", told)
    assert source.frame["pay"].to_list() == ["1234.50", "1000", "1234", None]


def test_marks_of_numbers_in_other_formats(tmp_path: Path) -> None:
    frame = pl.DataFrame({"pay": ["1.234,50", "7"], "day": [1, 2]})
    frame.write_parquet(tmp_path / "data.parquet")
    read = read_table(tmp_path / "data.parquet", decimal=",")
    assert read.to_dict(as_series=False) == {"pay": ["1234.50", "7"], "day": [1, 2]}


def test_a_file_may_be_named_like_a_pattern(tmp_path: Path) -> None:
    (tmp_path / "data[1].csv").write_text("age,sex\n61,m\n")
    assert read_table(tmp_path / "data[1].csv").height == 1


@pytest.mark.parametrize("suffix", [".csv.gz", ".csv.zst", ".tsv.zst", ".jsonl.gz", ".jsonl.zst"])
def test_packed_files_are_written_and_read(tmp_path: Path, suffix: str) -> None:
    for name in ("one", "two"):
        with Staging() as staging:
            staging.table(PEOPLE, tmp_path / f"{name}{suffix}")
            staging.commit()
    packed = (tmp_path / f"one{suffix}").read_bytes()
    assert packed == (tmp_path / f"two{suffix}").read_bytes()
    assert packed[:2] == (b"\x1f\x8b" if suffix.endswith(".gz") else b"\x28\xb5")
    frame = read_table(tmp_path / f"one{suffix}")
    expected = PEOPLE if "jsonl" in suffix else PEOPLE.cast(pl.String)
    assert_frame_equal(frame, expected)


def test_damaged_packed_files(tmp_path: Path) -> None:
    content = b"age,sex\n" + b"35,f\n" * 999
    for suffix, packed in (
        (".gz", gzip.compress(content)),
        (".zst", zstandard.ZstdCompressor(write_checksum=True).compress(content)),
    ):
        path = tmp_path / f"data.csv{suffix}"
        for damaged in (packed[:-3], packed[:9], packed[:-3] + b"xyz"):
            path.write_bytes(damaged)
            assert "damaged or truncated" in refusal(path).what
        path.write_bytes(content)
        assert "is not a" in refusal(path).what
        path.write_bytes(packed + packed.replace(b"x", b"x"))
        assert "repeats the column names" in refusal(path).what  # two parts are both read


def test_what_grows_beyond_any_table_is_refused() -> None:
    content = b"0" * (1 << 24)
    for packed in (gzip.compress(content), zstandard.compress(content)):
        with pytest.raises(FileError, match="over 200 times its size"):
            unpack(packed, None, "data.csv.gz", always_allowed=1 << 20)


def test_json_lines_keep_their_types(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text('{"age": 35, "sex": "f", "x": 1.5}\n\n{"age": 36, "adult": true}\n')
    frame = read_table(path)
    assert frame.rows() == [(35, "f", 1.5, None), (36, None, None, True)]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "empty"),
        ('{"a": 1}\n{"a": }\n', "line 2 is not a JSON object"),
        ('{"a": 1}\n\n[1]\n', "line 3 is not a JSON object"),
        ('{"a": NaN}\n', "line 1 holds NaN"),
        ('{"a": true}\n{"a": 1}\n', "which do not go together"),
        ('{"a": "Secretive"}\n{"a": "Secretive\n', "line 2 is not a JSON object"),
    ],
)
def test_bad_json_lines(tmp_path: Path, content: str, says: str) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text(content)
    error = refusal(path)
    assert says in error.what
    assert "Secretive" not in str(error)


SURVEY = pd.DataFrame(
    {
        "age": [35.0, 36.0, None, 99.0],
        "sex": ["f", "m", "f", ""],
        "paid": [1.5, 2.0, 3.0, 4.25],
        "born": [datetime.date(1980, 1, 2)] * 4,
    }
)


@pytest.mark.parametrize("suffix", [".sav", ".zsav", ".por", ".dta", ".xpt"])
def test_statistical_files(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"data{suffix}"
    frame = SURVEY.drop(columns="born") if suffix in (".xpt", ".por") else SURVEY
    if suffix in (".sav", ".zsav"):
        pyreadstat.write_sav(
            frame,
            path,
            compress=suffix == ".zsav",
            missing_ranges={"age": [99]},
            variable_value_labels={"age": {99.0: "no answer"}},
        )
    elif suffix == ".por":
        pyreadstat.write_por(frame, path)
    elif suffix == ".dta":
        pyreadstat.write_dta(frame, path)
    else:
        pyreadstat.write_xport(frame, path)
    source = read_source(path)
    table = source.frame.rename(str.lower)
    user_missing = suffix in (".sav", ".zsav")
    assert table["age"].to_list() == [35, 36, None, None if user_missing else 99]
    assert table["age"].dtype == pl.Int64
    assert table["paid"].to_list() == [1.5, 2.0, 3.0, 4.25]
    if "born" in table.columns:
        assert table["born"].to_list() == SURVEY["born"].tolist()
    assert ("labels" in str(source.notes)) == user_missing


@pytest.mark.parametrize("suffix", [".sav", ".dta", ".sas7bdat", ".xpt", ".por"])
def test_damaged_statistical_files(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"data{suffix}"
    path.write_bytes(b"not what the name says, Secretive")
    error = refusal(path)
    assert f"cannot be read as a {suffix} file" in error.what
    assert "Secretive" not in str(error)
    with pytest.raises(FileError, match="can be read, but not written"):
        check_output(tmp_path / f"out{suffix}")


@pytest.mark.parametrize("engine", ["local", "disk"])
@pytest.mark.parametrize("source", ["in/*.csv", "in/[ab].csv", "**/a.csv", "in/a.csv"])
@pytest.mark.parametrize("output", ["in/a.csv", "link.csv"])
def test_a_file_that_a_pattern_names_is_never_replaced(
    engine: str, source: str, output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from shoal.cli.main import run

    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    for name in ("a", "b"):
        (tmp_path / "in" / f"{name}.csv").write_text("age,sex\n35,f\n35,m\n36,f\n36,m\n")
    before = (tmp_path / "in" / "a.csv").read_bytes()
    (tmp_path / "link.csv").symlink_to("in/a.csv")
    made = ["anonymize", source, "-k", "2", "--quasi", "age", "--rest", "drop", "--force"]
    assert run([*made, "--engine", engine, "-o", output]) == 2
    assert run([*made, "--engine", engine, "-o", "o.csv", "--facts", output]) == 2
    assert (tmp_path / "in" / "a.csv").read_bytes() == before
    assert run([*made, "--engine", engine, "-o", "o.csv"]) == 0


def test_a_release_does_not_match_the_pattern_that_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("age\n1\n")
    pattern = str(tmp_path / "*.csv")
    with pytest.raises(FileError, match=r"matches .* the pattern"):
        check_output(tmp_path / "released.csv", inputs=[pattern])
    with pytest.raises(FileError, match="input and an output"):
        check_output(tmp_path / "a.csv", force=True, inputs=[pattern])
    check_output(tmp_path / "released.parquet", inputs=[pattern])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"table": "t"}, "`table` is for a database"),
        ({"query": "SELECT 1"}, "`query` is for a database"),
        ({"sheet": "s"}, "`sheet` is for a workbook"),
        ({"thousands": ",", "decimal": ","}, "are the same"),
        ({"thousands": "."}, "are the same"),
    ],
)
def test_options_of_other_sources_are_refused(
    options: dict[str, str], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age\n1\n")
    with pytest.raises(FileError, match=message):
        read_table(path, **options)


@pytest.mark.parametrize("name", ["separator", "header", "encoding"])
@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".jsonl", ".db"])
def test_options_of_texts_are_refused_elsewhere(tmp_path: Path, name: str, suffix: str) -> None:
    options = {"separator": ";", "header": "present", "encoding": "cp1252"}
    path = str(tmp_path / f"people{suffix}")
    where = f"sqlite:///{path}#people" if suffix == ".db" else path
    with Staging() as staging:
        staging.table(pl.DataFrame({"age": [1]}), where)
        staging.commit()
    with pytest.raises(FileError, match=f"`{name}` is for CSV"):
        read_table(where, **{name: options[name]})


def test_a_separator_may_be_that_of_the_release_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"age": [1, 2, 3, 4], "sex": list("ffmm")}).write_parquet("in.parquet")
    words = ["-k", "2", "--quasi", "age,sex", "--separator", ";"]
    assert run(["anonymize", "in.parquet", *words, "-o", "out.csv"]) == 0
    assert Path("out.csv").read_text().startswith("age;sex\n")
    assert run(["verify", "in.parquet", "out.csv", *words]) == 0
    assert run(["anonymize", "in.parquet", *words, "-o", "out.parquet"]) == 2


def test_encodings_of_statistical_files_are_known_by_their_usual_names(tmp_path: Path) -> None:
    path = tmp_path / "data.sav"
    pyreadstat.write_sav(pd.DataFrame({"ort": ["K\u00f6ln", "Rom"]}), path)
    assert read_table(path, encoding="utf-8")["ort"].to_list() == ["Köln", "Rom"]
    assert read_table(path, encoding="latin-1")["ort"].to_list() == ["KÃ¶ln", "Rom"]
    with pytest.raises(FileError, match="'klingon' is unknown"):
        read_table(path, encoding="klingon")
