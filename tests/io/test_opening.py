"""What stands above the records: column names, no column names, titles, ``sep=`` lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from shoal.errors import FileError
from shoal.io import ReadOptions, read_source, read_table

if TYPE_CHECKING:
    from pathlib import Path

RECORDS = "Jonas Lange,61,m,cold\nEva Maier,35,f,flu\nAnna Roth,44,f,cold\nTim Kurz,58,m,gout\n"


def written(tmp_path: Path, content: str | bytes, name: str = "data.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def question(path: Path) -> FileError:
    with pytest.raises(FileError) as caught:
        read_table(path)
    return caught.value


def test_a_first_line_of_data_is_asked_about_and_not_quoted(tmp_path: Path) -> None:
    error = question(written(tmp_path, RECORDS))
    assert "columns 2, 3, 4" in error.what
    assert "`header='absent'`" in error.remedy
    assert "`header='present'`" in error.remedy
    for cell in ("Jonas", "Lange", "61", "cold"):
        assert cell not in str(error)


def test_the_answer_absent_keeps_the_first_record(tmp_path: Path) -> None:
    frame = read_table(written(tmp_path, RECORDS), header="absent")
    assert frame.columns == ["column_1", "column_2", "column_3", "column_4"]
    assert frame.height == 4
    assert frame.row(0) == ("Jonas Lange", "61", "m", "cold")


def test_the_answer_present_takes_the_first_line_at_its_word(tmp_path: Path) -> None:
    frame = read_table(written(tmp_path, RECORDS), header="present")
    assert frame.columns == ["Jonas Lange", "61", "m", "cold"]
    assert frame.height == 3


@pytest.mark.parametrize(
    "content",
    [
        # A missing cell, a repeated one and a code for missing in the first record.
        "39,m,,A1\n41,f,x,A2\n39,m,y,A1\n",
        "m,39,39\nf,41,40\nm,39,42\n",
        "NA,m,flu\n35,f,cold\n44,m,flu\n41,f,flu\n",
        "2024-01-03,10115\n2024-02-05,80331\n2023-05-06,20095\n",
        'm,"5"" pipe",39\nf,x" y,40\nm,z,41\n',
    ],
)
def test_records_without_names(tmp_path: Path, content: str) -> None:
    assert "looks like a record" in question(written(tmp_path, content)).what
    assert read_table(written(tmp_path, content), header="absent").width > 1


@pytest.mark.parametrize(
    "content",
    [
        "name,age,sex\nAnn,35,f\nBen,36,m\n",
        "id,2019,2020,2021\n" + "".join(f"{row},{row}.5,7,8\n" for row in range(40)),
        "name,city\nAnn,Berlin\nBen,Paris\n",
        "age\n35\n36\n",
        "Alter;PLZ\n35;10115\n36;80331\n",
        "a,b\n,\n,\n",
        "when,where\n2024-01-03,x\n2024-02-05,y\n",
    ],
)
def test_names_are_not_asked_about(tmp_path: Path, content: str) -> None:
    separator = ";" if ";" in content else ","
    header = content.splitlines()[0].split(separator)
    assert read_table(written(tmp_path, content)).columns == header


def test_titles_are_named_with_the_line_of_the_header(tmp_path: Path) -> None:
    content = 'Patients 2024\n"as of\nMarch"\n\nage;sex;zip\n35;f;1\n36;m;2\n37;f;3\n'
    error = question(written(tmp_path, content))
    assert "3 lines" in error.what
    assert "like a title" in error.what
    assert "in line 5" in error.what
    frame = read_table(written(tmp_path, content), header="5")
    assert frame.rows() == [("35", "f", "1"), ("36", "m", "2"), ("37", "f", "3")]


def test_titles_padded_with_separators(tmp_path: Path) -> None:
    error = question(written(tmp_path, "Patients,,\nage,sex,zip\n35,f,1\n36,m,2\n"))
    assert "in line 2" in error.what


def test_a_separator_line_is_heeded_and_told(tmp_path: Path) -> None:
    path = written(tmp_path, "sep=;\r\na;b,c\r\n1;2\r\n3;4\r\n")
    source = read_source(path)
    assert source.frame.columns == ["a", "b,c"]
    assert source.frame.rows() == [("1", "2"), ("3", "4")]
    assert "sep=;" in source.notes[0]


def test_lines_are_counted_from_the_top_of_the_file(tmp_path: Path) -> None:
    error = question(written(tmp_path, "sep=;\na;b\n1;2\n3;4;5\n"))
    assert "data row 2 (line 4)" in error.what
    with pytest.raises(FileError, match="line 5"):
        read_table(written(tmp_path, 'title\n\na,b\n1,2\n5" x,2,3\n'), header="3")


@pytest.mark.parametrize(
    "content", ["a,b,\n1,2,\n3,4,\n", "a,b\n1,2,\n3,4,\n", 'a,b,\r\n5" x,2,\r\n3,4,\r\n']
)
def test_a_separator_at_the_end_of_every_line(tmp_path: Path, content: str) -> None:
    source = read_source(written(tmp_path, content))
    assert source.frame.columns == ["a", "b"]
    assert source.frame.row(-1) == ("3", "4")
    assert "ends in a separator" in source.notes[0]


def test_a_separator_at_the_end_of_some_lines_is_ragged(tmp_path: Path) -> None:
    assert "data row 1" in question(written(tmp_path, "a,b\n1,2,\n3,4\n")).what


def test_repeated_column_names_are_no_records(tmp_path: Path) -> None:
    content = "age,sex\n35,f\nage,sex\n36,m\nage,sex\n"
    error = question(written(tmp_path, content))
    assert "data rows 2, 4 repeat the column names" in error.what


@pytest.mark.parametrize("header", ["0", "-1", "yes", "1.5", ""])
def test_headers_that_cannot_be(tmp_path: Path, header: str) -> None:
    with pytest.raises(FileError, match="neither present, absent"):
        read_table(written(tmp_path, "a,b\n1,2\n"), header=header)


def test_a_header_beyond_the_end(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="not in line 9"):
        read_table(written(tmp_path, "a,b\n1,2\n"), header="9")


def test_missing_codes_of_one_column(tmp_path: Path) -> None:
    path = written(tmp_path, "age,zip\n97,97\n 98,?\n35,98\n")
    frame = read_table(path, null_values=["?", "age=97|98"])
    assert frame.rows() == [(None, "97"), (None, None), ("35", "98")]


def test_missing_codes_of_unknown_columns_are_all_told(tmp_path: Path) -> None:
    from shoal.errors import SchemaError

    path = written(tmp_path, "age,zip\n97,97\n35,98\n")
    with pytest.raises(SchemaError, match="'agee', 'plz'"):
        read_table(path, null_values=["agee=97", "plz=98", "age=1"])


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("name,Straße\nMüller,Köln\nJosé,São Paulo\n", "cp1252"),
        ("nazwisko,miasto\nŁukasz,Łódź\nŻaneta,Gdańsk\n", "cp1250"),
        ("имя,город\nИван,Москва\nПётр,Казань\n", "cp1251"),
        ("nom,ville\nRené,Zürich\nÉlodie,Genève\n", "mac_roman"),
        ("名前,市\n山田,東京\n太郎,大阪\n", "shift_jis"),
    ],
)
def test_an_encoding_is_guessed_told_and_overruled(
    tmp_path: Path, text: str, encoding: str
) -> None:
    path = written(tmp_path, text.encode(encoding))
    source = read_source(path)
    assert source.encoding == encoding
    assert f"read as {encoding}, which is a guess" in source.notes[0]
    assert source.frame.write_csv() == text
    told = read_source(path, ReadOptions(encoding="latin-1"))
    assert told.encoding is None
    assert told.notes == ()


def test_marks_of_every_width(tmp_path: Path) -> None:
    for encoding in ("utf-8-sig", "utf-16", "utf-32"):
        source = read_source(written(tmp_path, "größe,b\n1,2\n".encode(encoding)))
        assert source.frame.columns == ["größe", "b"]
        assert source.notes == ()


def test_one_column_of_sets_has_no_bars_between_fields(tmp_path: Path) -> None:
    frame = read_table(written(tmp_path, "sex\n{f|m}\n{f|m}\n*\n{f|x}\n"), header="present")
    assert frame.columns == ["sex"]
