"""Reading: what just works, and what is refused with row, line and remedy."""

from __future__ import annotations

import csv
import gzip
import io
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from shoal.errors import FileError, InputError
from shoal.io import read_table
from shoal.io.arrow_schema import refuse_arrow_columns
from shoal.io.delimited import BLOCK_BYTES, check_delimited

if TYPE_CHECKING:
    from pathlib import Path

CELL = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=12)


def written(tmp_path: Path, content: bytes | str, name: str = "data.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refusal(path: Path | str, **options: Any) -> FileError:
    with pytest.raises(FileError) as caught:
        read_table(path, **options)
    assert caught.value.what
    assert caught.value.remedy
    return caught.value


def test_csv_cells_stay_as_spelled(tmp_path: Path) -> None:
    path = written(tmp_path, "zip,age,when,flag\n00123,1.50,2020-1-5,TRUE\n,007,, x \n")
    frame = read_table(path)
    assert frame.schema == dict.fromkeys(["zip", "age", "when", "flag"], pl.String)
    assert frame.rows() == [("00123", "1.50", "2020-1-5", "TRUE"), (None, "007", None, " x ")]


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        ("a,b\n1,2\n3,4", [("1", "2"), ("3", "4")]),
        ("a;b\n1,5;2,5\n3,1;4,2\n", [("1,5", "2,5"), ("3,1", "4,2")]),
        ("a\tb\n1, 2\t3\n", [("1, 2", "3")]),
        ("a|b\n1|2\n", [("1", "2")]),
        ("a,b\r\n1,2\r\n3,4\r\n", [("1", "2"), ("3", "4")]),
        ("a,b\r1,2\r3,4\r", [("1", "2"), ("3", "4")]),
        ("a,b\n1,2\n\n\n", [("1", "2")]),
        ("a,b\r\n1,2\r\n\r\n", [("1", "2")]),
        ("a,b\n1,\n", [("1", None)]),
        ("a,b\n,\n", [(None, None)]),
        ('a,b\n"x, y","z\nw"\n"q ""r""",""\n', [("x, y", "z\nw"), ('q "r"', None)]),
        ('a,b\r\n"x\r\ny",2\r\n', [("x\r\ny", "2")]),
        ('"a","b"\n"1","2"', [("1", "2")]),
        ('a,b\n5" pipe,2\n', [('5" pipe', "2")]),
        ('a,b\n5" pipe,"x,y"\n,\n\n', [('5" pipe', "x,y"), (None, None)]),
        ("a\n1\n\n2\n", [("1",), (None,), ("2",)]),
        ("a\n1", [("1",)]),
        ('a\n"1\n\n2"\n', [("1\n\n2",)]),
        ("name,größe\nJosé,日本\n", [("José", "日本")]),
        ("a,b\n\u2028,\x0b\x1c\x85\n", [("\u2028", "\x0b\x1c\x85")]),
    ],
)
def test_usual_shapes_of_csv(
    tmp_path: Path, content: str, rows: list[tuple[str | None, ...]]
) -> None:
    assert read_table(written(tmp_path, content)).rows() == rows


def test_header_may_hold_quotes_and_newlines(tmp_path: Path) -> None:
    frame = read_table(written(tmp_path, '"a, b","c\nd",e\n1,2,3\n'))
    assert frame.columns == ["a, b", "c\nd", "e"]
    assert frame.rows() == [("1", "2", "3")]


def test_byte_order_marks(tmp_path: Path) -> None:
    text = "größe,b\n1,2\n"
    for content in (text.encode("utf-8-sig"), text.encode("utf-16")):
        frame = read_table(written(tmp_path, content))
        assert frame.columns == ["größe", "b"]
        assert frame.rows() == [("1", "2")]


def test_other_encodings(tmp_path: Path) -> None:
    path = written(tmp_path, "ort,b\nKöln,€\n".encode("cp1252"))
    assert read_table(path, encoding="cp1252").rows() == [("Köln", "€")]


def test_null_values(tmp_path: Path) -> None:
    path = written(tmp_path, 'a,b\n?,NA\n"?",x?\n')
    assert read_table(path, null_values=["?", "NA"]).rows() == [(None, None), (None, "x?")]
    frame = pl.DataFrame({"text": ["?", "x", ""], "number": [1, None, 3]})
    frame.write_parquet(tmp_path / "data.parquet")
    read = read_table(tmp_path / "data.parquet", null_values=["?", "1"])
    assert read.rows() == [(None, None), ("x", None), ("", 3)]


def test_very_long_cells(tmp_path: Path) -> None:
    long = "x" * 3_000_000
    path = written(tmp_path, f'a,b\n{long},"{long},"\n5" ,{long}\n')
    assert read_table(path).rows() == [(long, long + ","), ('5" ', long)]


@pytest.mark.parametrize("before", range(0, 25, 3))
def test_records_that_span_blocks(tmp_path: Path, before: int) -> None:
    """A file is looked through in blocks of 16 MiB; here one ends within quoted records."""
    records = '"x, y","z\nw\n\n,,\n"\n"q ""r""",\n1,2\n'
    filler = "x" * ((1 << 24) - len("a,b\n,\n") - before)
    path = written(tmp_path, f"a,b\n{filler},\n{records}")
    expected = [(filler, None), ("x, y", "z\nw\n\n,,\n"), ('q "r"', None), ("1", "2")]
    assert read_table(path).rows() == expected


@settings(max_examples=150, deadline=None)
@given(
    rows=st.integers(1, 4).flatmap(
        lambda width: st.lists(
            st.lists(CELL, min_size=width, max_size=width), min_size=1, max_size=8
        )
    ),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    separator=st.sampled_from([",", ";", "\t", "|"]),
    given_separator=st.booleans(),
)
def test_any_cells_survive(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[list[str]],
    quoting: int,
    separator: str,
    given_separator: bool,
) -> None:
    path = tmp_path_factory.mktemp("round") / "data.csv"
    header = [f"column {place}" for place in range(len(rows[0]))]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=separator, quoting=quoting)  # type: ignore[arg-type]
        writer.writerow(header)
        writer.writerows(rows)
    # One column shows no separator, so it must be told to find more than the usual comma.
    told = separator if given_separator or len(header) == 1 else None
    frame = read_table(path, separator=told)
    assert frame.columns == header
    assert frame.rows() == [tuple(cell or None for cell in row) for row in rows]


@settings(max_examples=200, deadline=None)
@given(text=st.text(st.sampled_from('ab,"\n\r 1'), min_size=1, max_size=30))
def test_agrees_with_the_csv_module_or_refuses(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    # A lone carriage return is content to one parser and an end of line to the other.
    content = "x,y\n" + text.replace("\r", "\r\n")
    path = tmp_path_factory.mktemp("any") / "data.csv"
    path.write_bytes(content.encode())
    try:
        rows = list(csv.reader(io.StringIO(content, newline=""), strict=True))[1:]
    except csv.Error:
        rows = [["unpaired quotes"]]
    while rows and rows[-1] == []:
        rows.pop()
    quoted_end = re.search(r'""(?:\r?\n|$)', content)
    if rows and all(len(row) == 3 and not row[2] for row in rows) and not quoted_end:
        rows = [row[:2] for row in rows]  # every line ends in a separator
    if rows and all(len(row) == 2 for row in rows):
        expected = [tuple(cell or None for cell in row) for row in rows]
        assert read_table(path, separator=",").rows() == expected
    else:
        refusal(path, separator=",")


@settings(max_examples=300, deadline=None)
@given(
    text=st.text(st.sampled_from('ab,"\n\r 1'), min_size=1, max_size=30),
    block_bytes=st.sampled_from([1, 2, 3, 7]),
)
def test_blocks_of_any_size_find_the_same(text: str, block_bytes: int) -> None:
    def found(size: int) -> object:
        try:
            return check_delimited(f"x,y\n{text}".encode(), "data", ",", block_bytes=size)
        except FileError as error:
            return str(error)

    assert found(block_bytes) == found(BLOCK_BYTES)


@pytest.mark.parametrize("suffix", [".csv.gz", ".tsv.gz", ".txt", ".TSV"])
def test_suffixes_of_text(tmp_path: Path, suffix: str) -> None:
    separator = "\t" if "tsv" in suffix.lower() else ","
    content = separator.join("ab") + "\n" + separator.join("12") + "\n"
    data = gzip.compress(content.encode()) if suffix.endswith(".gz") else content.encode()
    assert read_table(written(tmp_path, data, "data" + suffix)).rows() == [("1", "2")]


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".ipc", ".feather"])
def test_binary_formats_keep_types(tmp_path: Path, suffix: str) -> None:
    frame = pl.DataFrame(
        {"a": [1, None], "b": ["x", "y"], "c": pl.Series(["lo", "hi"], dtype=pl.Enum(["lo", "hi"]))}
    )
    path = tmp_path / f"data{suffix}"
    if suffix == ".parquet":
        frame.write_parquet(path)
    else:
        frame.write_ipc(path)
    assert_frame_equal(read_table(path), frame)


def test_arrow_stream_files(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [1, 2]})
    frame.write_ipc_stream(tmp_path / "data.arrow")
    assert_frame_equal(read_table(tmp_path / "data.arrow"), frame)


READ_STANDARD_INPUT = "from shoal.io import read_table; print(read_table('-').rows())"


def test_standard_input_by_content() -> None:
    buffer = io.BytesIO()
    pl.DataFrame({"a": ["1"], "b": ["2"]}).write_parquet(buffer)
    arrow = io.BytesIO()
    pl.DataFrame({"a": ["1"], "b": ["2"]}).write_ipc(arrow)
    text = b"a;b\n1;2\n"
    for data in (text, gzip.compress(text), buffer.getvalue(), arrow.getvalue()):
        done = subprocess.run(
            [sys.executable, "-c", READ_STANDARD_INPUT], input=data, capture_output=True, check=True
        )
        assert done.stdout.decode().strip() == "[('1', '2')]"


def test_ragged_rows_are_named(tmp_path: Path) -> None:
    path = written(tmp_path, 'a,b,c\n1,2,3\n4,5\n"x\ny",2,3\n1,2,3,4\n')
    error = refusal(path)
    assert "header has 3 fields" in error.what
    assert "data row 2 (line 3) has 2" in error.what
    assert "data row 4 (line 6) has 4" in error.what
    assert "`separator`" in error.remedy


def test_ragged_rows_among_stray_quotes_are_named(tmp_path: Path) -> None:
    error = refusal(written(tmp_path, 'a,b\n5" x,2\n"m\nn",1\n1,2,3\n'))
    assert "data row 3 (line 5) has 3" in error.what


def test_many_ragged_rows_are_counted(tmp_path: Path) -> None:
    error = refusal(written(tmp_path, "a,b\n" + "1\n" * 12))
    assert "data row 5 (line 6) has 1, and 7 more rows" in error.what


def test_a_blank_line_inside_is_a_ragged_row(tmp_path: Path) -> None:
    assert "data row 2 (line 3)" in refusal(written(tmp_path, "a,b\n1,2\n\n3,4\n")).what


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"", "empty"),
        (b"\n \n", "empty"),
        (b"a,b\n", "no rows"),
        (b"a,b", "no rows"),
        (b'"a","b"\r\n\r\n', "no rows"),
        (b'a"x,b\n', "no rows"),
        (b"a,b,a\n1,2,3\n", "more than once: 'a'"),
        (b"a,,c\n1,2,3\n", "no name for column 2 of 3"),
        (b",b\n1,2\n", "no name for column 1 of 2"),
        (b"a,b\n1,\x002\n", "NUL"),
        (b"PK\x03\x04 and more", "Excel"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "Excel"),
        (b"%PDF-1.7\n", "PDF"),
        (b"\n<!DOCTYPE html><html>", "HTML"),
        (b"PAR1....PAR1", "Parquet"),
        (b"ARROW1\0\0", "Arrow"),
        (b'a,b\n"1,2\n3,4\n', "line 2 do not pair up"),
        (b'a,b\n"1"x,2\n', "line 2 do not pair up"),
        (gzip.compress(b"a,b\n" + b"1,2\n" * 999, mtime=0)[:-9], "gzip"),
    ],
)
def test_what_is_not_a_table(tmp_path: Path, content: bytes, part: str) -> None:
    assert part in refusal(written(tmp_path, content)).what


def test_an_index_column_of_pandas_gets_its_own_advice(tmp_path: Path) -> None:
    assert "index=False" in refusal(written(tmp_path, ",b\n0,2\n")).remedy


def test_wrong_encoding_names_byte_and_line(tmp_path: Path) -> None:
    error = refusal(written(tmp_path, b"ort,b\nx,1\nK\xf6ln,2\n"), encoding="utf-8")
    assert "0xf6 in line 3" in error.what
    assert "`encoding" in error.remedy
    assert "latin-1" in error.remedy
    assert "cp1252" in error.remedy


def test_unknown_encoding(tmp_path: Path) -> None:
    assert "utf-9" in refusal(written(tmp_path, "a\n1\n"), encoding="utf-9").what
    # A codec of Python that exists, and fails on purpose.
    assert "unknown" in refusal(written(tmp_path, "a\n1\n"), encoding="undefined").what


def test_text_that_is_not_utf16(tmp_path: Path) -> None:
    refusal(written(tmp_path, "a\n1\n2"), encoding="utf-16-le")


@pytest.mark.parametrize("separator", [",,", '"', "\n", "é"])
def test_impossible_separators(tmp_path: Path, separator: str) -> None:
    refusal(written(tmp_path, "a,b\n1,2\n"), separator=separator)


def test_separator_by_word(tmp_path: Path) -> None:
    assert read_table(written(tmp_path, "a,b\tc\n1,2\t3\n"), separator="tab").width == 2


def test_missing_file_folder_and_loop(tmp_path: Path) -> None:
    assert "does not exist" in refusal(tmp_path / "absent.csv").what
    (tmp_path / "folder.csv").mkdir()
    assert "folder" in refusal(tmp_path / "folder.csv").what
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    assert "cannot be read" in refusal(tmp_path / "loop.csv").what


def test_unreadable_file(tmp_path: Path) -> None:
    path = written(tmp_path, "a\n1\n")
    path.chmod(0)
    code = (
        "import os, sys\n"
        "from shoal.errors import FileError\n"
        "from shoal.io import read_table\n"
        "if os.geteuid() == 0: os.setegid(65534); os.seteuid(65534)\n"
        "try: read_table(sys.argv[1])\n"
        "except FileError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, check=True, text=True
    )
    assert "permission denied" in done.stdout


@pytest.mark.parametrize("name", ["data.ods", "data", "data.gz", "data.parquet.gz", "data.json"])
def test_unknown_suffix(tmp_path: Path, name: str) -> None:
    error = refusal(written(tmp_path, "a\n1\n", name))
    assert ".parquet" in error.remedy
    assert ("Save the sheet as CSV" in error.remedy) == name.endswith("xlsx")


def test_gzip_by_name_only(tmp_path: Path) -> None:
    assert "not a gzip file" in refusal(written(tmp_path, "a\n1\n", "data.csv.gz")).what


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_damaged_binary_files(tmp_path: Path, suffix: str) -> None:
    frame = pl.DataFrame({"a": list(range(2000)), "b": ["x"] * 2000})
    path = tmp_path / f"data{suffix}"
    _ = frame.write_parquet(path) if suffix == ".parquet" else frame.write_ipc(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert "damaged" in refusal(path).what
    path.write_bytes(b"a,b\n1,2\n")
    assert "though its name says so" in refusal(path).what
    path.write_bytes(b"")
    assert "empty" in refusal(path).what
    empty = frame.clear()
    _ = empty.write_parquet(path) if suffix == ".parquet" else empty.write_ipc(path)
    assert "no rows" in refusal(path).what


def test_errors_show_no_cells(tmp_path: Path) -> None:
    for content in (
        "name,b\nSecretive,2,3\n",
        'name,b\n"Secretive,2\n',
        "name,b\nSecretive,\xff\n",
    ):
        error = refusal(written(tmp_path, content.encode("latin-1")), encoding="utf-8")
        assert "Secretive" not in str(error)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (pa.array([[1]], pa.list_view(pa.int64())), "list view"),
        (pa.array([[1]], pa.large_list_view(pa.int64())), "list view"),
        (pa.array([{"a": [1]}], pa.struct([("a", pa.list_view(pa.int64()))])), "list view"),
        (pa.array([pa.MonthDayNano([1, 2, 3])]), "interval"),
        (pa.array([1], pa.run_end_encoded(pa.int32(), pa.int64())), "run-end"),
        (pa.array([{"a": [1]}]), None),
        (pa.array(["a"]).dictionary_encode(), None),
    ],
    ids=str,
)
def test_columns_at_which_polars_panics_are_found_without_pyarrow(
    column: Any, kind: str | None, *, stream: bool
) -> None:
    table = pa.table({"n": [1], "some é": column})
    sink = pa.BufferOutputStream()
    with (pa.ipc.new_stream if stream else pa.ipc.new_file)(sink, table.schema) as writer:
        writer.write(table)
    data = sink.getvalue().to_pybytes()
    if kind is None:
        refuse_arrow_columns(data, stream=stream)
    else:
        with pytest.raises(InputError, match=f"Column 'some é' has the type {kind}"):
            refuse_arrow_columns(data, stream=stream)
    for end in range(0, 64, 3):  # damaged files are left to their reader
        refuse_arrow_columns(data[:end], stream=stream)
