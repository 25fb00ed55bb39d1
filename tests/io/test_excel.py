"""Workbooks: what is read as the sheet shows it, what is refused by the name of its cell."""

from __future__ import annotations

import datetime
import io
import json
import zipfile
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
import xlsxwriter
from polars.testing import assert_frame_equal

from shoal.cli.main import run
from shoal.errors import FileError
from shoal.io import ReadOptions, Staging, read_source, read_table
from tests.cli.command import PEOPLE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DAY = datetime.date(2020, 1, 31)
MOMENT = datetime.datetime(2020, 1, 31, 13, 30, 15)


def made(path: Path, fill: Callable[[Any, Any], None], name: str = "people") -> Path:
    """Return a workbook with one sheet, filled by a function of workbook and sheet."""
    workbook = xlsxwriter.Workbook(str(path / "data.xlsx"), {"strings_to_formulas": False})
    fill(workbook, workbook.add_worksheet(name))
    workbook.close()
    return path / "data.xlsx"


def refusal(path: Path, **options: Any) -> FileError:
    with pytest.raises(FileError) as caught:
        read_table(path, **options)
    assert caught.value.remedy
    return caught.value


def test_cells_are_read_as_the_sheet_shows_them(tmp_path: Path) -> None:
    def fill(workbook: Any, sheet: Any) -> None:
        def form(pattern: str) -> Any:
            return workbook.add_format({"num_format": pattern})

        names = ["text", "padded", "share", "day", "moment", "time", "sum", "whole", "real", "yes"]
        sheet.write_row(0, 0, names)
        for row in (1, 2):
            sheet.write_string(row, 0, "00123")
            sheet.write_number(row, 1, 1066 + row, form("00000"))
            sheet.write_number(row, 2, 0.05 * row, form("0.0%"))
            sheet.write_datetime(row, 3, DAY, form("dd.mm.yyyy"))
            sheet.write_datetime(row, 4, MOMENT, form("dd.mm.yyyy hh:mm:ss"))
            sheet.write_datetime(row, 5, MOMENT.time(), form("hh:mm:ss"))
            sheet.write_formula(row, 6, f"=H{row + 1}*2", None, row * 2)
            sheet.write_number(row, 7, row)
            sheet.write_number(row, 8, row + 0.5)
            sheet.write_boolean(row, 9, row == 1)

    source = read_source(made(tmp_path, fill))
    expected = pl.DataFrame(
        {
            "text": ["00123", "00123"],
            "padded": ["01067", "01068"],
            "share": [0.05, 0.1],
            "day": [DAY, DAY],
            "moment": [MOMENT, MOMENT],
            "time": [MOMENT.time(), MOMENT.time()],
            "sum": [2, 4],
            "whole": [1, 2],
            "real": [1.5, 2.5],
            "yes": [True, False],
        }
    ).with_columns(pl.col("moment").cast(pl.Datetime("ms")))
    assert_frame_equal(source.frame, expected)
    assert source.notes == ("Column 'share' shows percent; it is read as shares, 5% as 0.05.",)


def test_a_table_may_begin_anywhere_in_its_sheet(tmp_path: Path) -> None:
    def fill(workbook: Any, sheet: Any) -> None:
        padded = workbook.add_format({"num_format": "0000"})
        sheet.write_row(3, 2, ["zip", "age"])
        for row in range(4, 9):
            sheet.write_number(row, 2, row, padded)
            sheet.write_number(row, 3, 30 + row)

    path = made(tmp_path, fill)
    error = refusal(path)
    assert "column names seem to be in row 4" in error.what
    frame = read_table(path, header="4")
    assert frame.rows()[0] == ("0004", 34)


def test_sheets_are_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "data.xlsx"
    workbook = xlsxwriter.Workbook(str(path))
    for name in ("January", "February", "notes"):
        sheet = workbook.add_worksheet(name)
        sheet.write_row(0, 0, ["age", "month"])
        sheet.write_row(1, 0, [35, name])
    sheet.hide()
    workbook.close()
    error = refusal(path)
    assert "2 sheets: 'January', 'February'" in error.what
    assert "`sheet='January'`" in error.remedy
    assert read_table(path, sheet="February")["month"].to_list() == ["February"]
    assert read_table(path, sheet="notes").height == 1
    assert "'February'" in refusal(path, sheet="Febuary").remedy


def test_a_sheet_without_column_names_is_asked_about(tmp_path: Path) -> None:
    def fill(_: Any, sheet: Any) -> None:
        for row, record in enumerate([[35, "m"], [36, "f"], [41, "m"], [35, "f"]]):
            sheet.write_row(row, 0, record)

    path = made(tmp_path, fill)
    assert "the first row looks like a record" in refusal(path).what
    frame = read_table(path, header="absent")
    assert frame.columns == ["column_1", "column_2"]
    assert frame.height == 4


def _header(sheet: Any) -> None:
    sheet.write_row(0, 0, ["age", "sex", "zip"])
    for row in range(1, 9):
        sheet.write_row(row, 0, [30 + row, "f", "x"])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            lambda _, sheet: sheet.write_formula("A4", "=1/0", None, "#DIV/0!"),
            "A4 holds an error such as #N/A",
        ),
        (lambda _, sheet: sheet.merge_range("A4:A6", 7), "A4:A6 are merged"),
        (lambda _, sheet: sheet.write_formula("B5", "=A5", None, ""), "B5 holds a formula without"),
        (
            lambda book, sheet: sheet.write_number("A5", 3, book.add_format({"num_format": "000"})),
            "'age' shows leading zeros in some cells",
        ),
        (lambda _, sheet: sheet.write_row(12, 0, [1, "m", "y"]), "rows 10, 11, 12 are empty"),
        (lambda _, sheet: sheet.write_string("B1", "age"), "more than once: 'age'"),
        (lambda _, sheet: sheet.write_string("B1", " "), "B has cells, but no name in row 1"),
        (
            lambda book, sheet: sheet.write_number("A5", 3, book.add_format({"num_format": "0%"})),
            "'age' shows percent in some cells",
        ),
        (lambda _, sheet: sheet.write_boolean("A5", True), "TRUE or FALSE: A5"),
    ],
    ids=[
        "error", "merged", "uncalculated", "zeros", "blank rows", "same name", "no name",
        "percent", "truth",
    ],
)  # fmt: skip
def test_what_a_sheet_must_not_hold(
    tmp_path: Path, change: Callable[[Any, Any], None], says: str
) -> None:
    def fill(workbook: Any, sheet: Any) -> None:
        _header(sheet)
        change(workbook, sheet)

    assert says in refusal(made(tmp_path, fill)).what


def test_errors_are_missing_where_the_user_says_so(tmp_path: Path) -> None:
    def fill(_: Any, sheet: Any) -> None:
        _header(sheet)
        sheet.write_formula("A4", "=NA()", None, "#N/A")

    frame = read_table(made(tmp_path, fill), null_values=["#N/A"])
    assert frame["age"].null_count() == 1
    assert frame["age"].dtype == pl.Int64


@pytest.mark.parametrize("number", [1e19, 1066.5])
def test_a_number_is_never_lost(tmp_path: Path, number: float) -> None:
    def fill(workbook: Any, sheet: Any, form: str | None = None) -> None:
        _header(sheet)
        zeros = workbook.add_format({"num_format": form}) if form else None
        for row, cell in enumerate([1067, number, 1069, 1, 2, 3, 4, 5], start=1):
            sheet.write_number(row, 0, cell, zeros)

    cells = read_table(made(tmp_path, fill))["age"]
    assert cells.to_list() == [1067, number, 1069, 1, 2, 3, 4, 5]
    path = made(tmp_path, lambda book, sheet: fill(book, sheet, "00000"))
    assert "'age' shows leading zeros, but not all" in refusal(path).what


def test_dates_among_texts_are_dates(tmp_path: Path) -> None:
    def fill(workbook: Any, sheet: Any) -> None:
        _header(sheet)
        sheet.write_datetime("C3", DAY, workbook.add_format({"num_format": "dd.mm.yyyy"}))

    assert read_table(made(tmp_path, fill))["zip"].to_list()[:2] == ["x", "2020-01-31"]


def test_gaps_and_hidden_cells(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def fill(_: Any, sheet: Any) -> None:
        sheet.write_string("A1", "A title")
        sheet.write_row("C3", ["age", "sex", "note"])
        for row in range(3, 7):
            sheet.write_row(row, 2, [30 + row, "f"])
        sheet.set_column("D:D", None, None, {"hidden": True})
        sheet.set_row(4, None, None, {"hidden": True})

    source = read_source(made(tmp_path, fill), ReadOptions(header="3"))
    assert source.frame.columns == ["age", "sex", "note"]
    assert source.frame["age"].to_list() == [33, 34, 35, 36]
    (note,) = source.notes
    assert "hides 1 row and column 'sex'" in note
    assert capsys.readouterr().err == ""


def test_merged_titles_above_the_table_do_no_harm(tmp_path: Path) -> None:
    def fill(_: Any, sheet: Any) -> None:
        sheet.merge_range("A1:B1", "Patients")
        sheet.write_row(1, 0, ["age", "sex"])
        sheet.write_row(2, 0, [35, "f"])
        sheet.write_row(3, 0, [36, "m"])

    assert read_table(made(tmp_path, fill), header="2").rows() == [(35, "f"), (36, "m")]


@pytest.mark.parametrize(
    "content", [b"", b"PK\x03\x04 and no more", b"\xd0\xcf\x11\xe0", b"a,b\n1,2\n", b"PAR1"]
)
def test_what_is_no_workbook(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "data.xlsx").write_bytes(content)
    assert "data.xlsx" in refusal(tmp_path / "data.xlsx").what


def test_old_workbooks_are_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "data.xls").write_bytes(b"\xd0\xcf\x11\xe0")
    assert "Save it as .xlsx" in refusal(tmp_path / "data.xls").remedy


def test_an_empty_sheet(tmp_path: Path) -> None:
    assert "is empty" in refusal(made(tmp_path, lambda _, __: None)).what
    path = made(tmp_path, lambda _, sheet: sheet.write_row(0, 0, ["age", "sex"]))
    assert "no rows" in refusal(path).what


WRITTEN = pl.DataFrame(
    {
        "cell": ["[35..37]", "=1+1", "@x", None],
        "whole": pl.Series([1, None, -3, 4], dtype=pl.Int32),
        "real": [0.5, None, -1.5, 2.0],
        "day": [DAY, None, DAY, DAY],
        "moment": pl.Series([MOMENT, None, MOMENT, MOMENT], dtype=pl.Datetime("ms")),
        "yes": [True, None, False, True],
        "time": [MOMENT.time(), None, MOMENT.time(), MOMENT.time()],
    }
)


def test_types_come_back(tmp_path: Path) -> None:
    with Staging() as staging:
        shown = {"k": 5, "job": {"quasi": ["cell"]}}
        staging.table(WRITTEN, tmp_path / "out.xlsx", facts=lambda: shown)
        staging.commit()
    read = read_table(tmp_path / "out.xlsx")
    assert_frame_equal(read, WRITTEN.with_columns(pl.col("whole").cast(pl.Int64)))
    facts = read_table(tmp_path / "out.xlsx", sheet="facts")
    assert facts.rows() == [("k", "5"), ("job.quasi", "cell")]


def test_what_excel_cannot_hold_is_text(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "long": [10**17 + 1, 2],
            "early": [datetime.date(1899, 5, 6), DAY],
            "zoned": pl.Series([MOMENT, MOMENT]).dt.replace_time_zone("UTC"),
            "fine": pl.Series([datetime.datetime(2020, 1, 1, 0, 0, 0, 17), MOMENT]),
            "exact": [Decimal("1.10"), Decimal("2.25")],
            "infinite": [float("inf"), 1.0],
            "set": [["a", "b"], ["c"]],
        }
    )
    with Staging() as staging:
        staging.table(frame, tmp_path / "out.xlsx")
        staging.commit()
    read = read_table(tmp_path / "out.xlsx")
    assert set(read.dtypes) == {pl.String}
    assert read.row(0)[:2] == ("100000000000000001", "1899-05-06")
    assert read["exact"].to_list() == ["1.10", "2.25"]
    assert json.loads(read["set"][0]) == ["a", "b"]


def test_texts_are_never_formulas(tmp_path: Path) -> None:
    with Staging() as staging:
        staging.table(WRITTEN, tmp_path / "out.xlsx")
        staging.commit()
    sheet = zipfile.ZipFile(tmp_path / "out.xlsx").read("xl/worksheets/sheet1.xml")
    assert b"<f>" not in sheet
    assert b'quotePrefix="1"' in zipfile.ZipFile(tmp_path / "out.xlsx").read("xl/styles.xml")


def test_equal_tables_give_equal_bytes(tmp_path: Path) -> None:
    for name in ("one.xlsx", "two.xlsx"):
        with Staging() as staging:
            staging.table(WRITTEN, tmp_path / name)
            staging.commit()
    assert (tmp_path / "one.xlsx").read_bytes() == (tmp_path / "two.xlsx").read_bytes()


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        (pl.DataFrame({"a": ["x" * 40_000]}), "longer than 32,767"),
        (pl.DataFrame({"a": ["x\0y"]}), "NUL"),
        (pl.DataFrame({"a": pl.zeros(1_048_576, eager=True)}), "1,048,575 rows"),
    ],
    ids=["long text", "NUL", "many rows"],
)
def test_what_a_sheet_cannot_hold_is_refused(
    tmp_path: Path, frame: pl.DataFrame, says: str
) -> None:
    with Staging() as staging, pytest.raises(FileError, match=says):
        staging.table(frame, tmp_path / "out.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_from_workbook_to_verified_workbook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    people = pl.read_csv(io.StringIO(PEOPLE))
    with Staging() as staging:
        staging.table(people, "people.xlsx")
        staging.commit()
    roles = ["--quasi", "age,sex,zip", "--sensitive", "disease", "--identifier", "name"]
    assert run(["anonymize", "people.xlsx", "-k", "3", *roles, "-o", "out.xlsx"]) == 0
    assert run(["verify", "people.xlsx", "out.xlsx", "-k", "3", *roles]) == 0
    release = read_table("out.xlsx")
    assert release["age"].unique().sort().to_list() == ["[35..37]", "[61..66]"]
    facts = dict(read_table("out.xlsx", sheet="facts").rows())
    assert facts["k"] == "3"
    assert "Ann" not in str(read_table("out.xlsx", sheet="facts").rows())


def test_options_of_a_workbook() -> None:
    assert ReadOptions.of({"sheet": "a", "null_values": ["?"]}) == ReadOptions(
        sheet="a", null_values=("?",)
    )


def test_floats_come_back_to_the_last_digit(tmp_path: Path) -> None:
    frame = pl.DataFrame({"x": [0.1 + 0.2, 1 / 3 * 7, 1e-300, -5e-324, 1.7976931348623157e308]})
    with Staging() as staging:
        staging.table(frame, tmp_path / "t.xlsx")
        staging.commit()
    assert read_table(tmp_path / "t.xlsx")["x"].to_list() == frame["x"].to_list()


def test_times_finer_than_excel_holds_are_texts(tmp_path: Path) -> None:
    fine, coarse = datetime.time(1, 2, 3, 456), datetime.time(1, 2, 3, 456000)
    frame = pl.DataFrame({"fine": [fine, coarse], "coarse": [coarse, coarse]})
    with Staging() as staging:
        staging.table(frame, tmp_path / "t.xlsx")
        staging.commit()
    found = read_table(tmp_path / "t.xlsx")
    assert [datetime.time.fromisoformat(cell[:15]) for cell in found["fine"]] == [fine, coarse]
    assert found["coarse"].to_list() == [coarse, coarse]


@pytest.mark.parametrize("text", [None, ""])
def test_records_without_a_value_are_refused(tmp_path: Path, text: str | None) -> None:
    frame = pl.DataFrame({"a": [text, "x"], "b": [None, 1]})
    with (
        Staging() as staging,
        pytest.raises(FileError, match="empty rows, and the table has 1") as caught,
    ):
        staging.table(frame, tmp_path / "t.xlsx")
    assert "Parquet" in caught.value.remedy


@pytest.mark.parametrize(
    ("pattern", "shown"),
    [
        ("[$-407]00000", ["01067", "123456"]),
        ("00000\\-0000", ["00000-1067", "00012-3456"]),
        ("000-00-00", ["000-10-67", "012-34-56"]),
        ('"D-"00000', ["D-01067", "D-123456"]),
        ("[Red]00000;-00000", ["01067", "123456"]),
        ("#00000", ["01067", "123456"]),
        ("#,##0", [1067, 123456]),
        ("0", [1067, 123456]),
        ('0 "00"', [1067, 123456]),
    ],
)
def test_leading_zeros_of_any_format_are_kept(
    tmp_path: Path, pattern: str, shown: list[object]
) -> None:
    def fill(workbook: Any, sheet: Any) -> None:
        form = workbook.add_format({"num_format": pattern})
        sheet.write_row(0, 0, ["name", "code"])
        for row, number in enumerate((1067, 123456), start=1):
            sheet.write_string(row, 0, "p")
            sheet.write_number(row, 1, number, form)

    assert read_table(made(tmp_path, fill))["code"].to_list() == shown


def test_leading_zeros_that_depend_on_the_number_are_refused(tmp_path: Path) -> None:
    def fill(workbook: Any, sheet: Any) -> None:
        form = workbook.add_format({"num_format": "[<=99999]00000;00000\\-0000"})
        sheet.write_row(0, 0, ["name", "code"])
        sheet.write_string(1, 0, "p")
        sheet.write_number(1, 1, 1067, form)

    assert "leading zeros" in refusal(made(tmp_path, fill)).what


def test_what_was_verified_is_verified_again_from_the_workbook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pl.DataFrame(
        {
            "age": [30, 31, 40, 41],
            "dose": [0.1 + 0.2, 1 / 3, 2 / 3 * 7, 1.5],
            "at": [datetime.time(1, 2, 3, micro) for micro in (1, 456, 999_999, 0)],
        }
    ).write_parquet("in.parquet")
    words = ["-k", "2", "--quasi", "age", "--sensitive", "dose,at"]
    made_files = ["-o", "out.xlsx", "--facts", "facts.json"]
    assert run(["anonymize", "in.parquet", *words, *made_files]) == 0
    assert run(["verify", "in.parquet", "out.xlsx", "--facts", "facts.json"]) == 0


def test_a_workbook_that_unpacks_to_more_than_any_table_is_refused(tmp_path: Path) -> None:
    path = made(tmp_path, lambda _, sheet: sheet.write_column(0, 0, ["age", 30, 31]))
    content = bytearray(path.read_bytes())
    # The size of its first part, as the directory at the end of the file tells it.
    place = content.index(b"PK\x01\x02") + 24
    content[place : place + 4] = (2**31).to_bytes(4, "little")
    path.write_bytes(content)
    assert "unpacks to more than 1,024 MB" in str(refusal(path))
