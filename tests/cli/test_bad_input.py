"""Every kind of bad input: exit code, an error that says what, and nothing written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from shoal.cli.main import run
from tests.cli.command import PEOPLE, ROLES

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Case:
    name: str
    command: str
    says: str
    code: int = 2
    files: dict[str, str | bytes] = field(default_factory=dict)


_ALL = " ".join(ROLES)
_K = f"-k 3 {_ALL}"


def _with(column: str, cells: list[str]) -> str:
    """Return the people with one column replaced."""
    header, *rows = PEOPLE.splitlines()
    place = header.split(",").index(column)
    changed = []
    for row, cell in zip(rows, cells, strict=True):
        parts = row.split(",")
        parts[place] = cell
        changed.append(",".join(parts))
    return "\n".join([header, *changed]) + "\n"


_TREE = "1010,10**,*\n1011,10**,*\n1012,10**,*\n2010,20**,*\n2011,20**,*\n2012,20**,*\n"

CASES = [
    # Several options at once.
    Case(
        "wrong choices and numbers",
        f"people.csv -k x {_ALL} --rest y --time z",
        "3 mistakes in the options",
    ),
    # The file.
    Case("missing file", f"nothing.csv {_K}", "nothing.csv does not exist"),
    Case("a folder", f"inner {_K}", "is a folder"),
    Case("a web address", f"https://example.org/t.csv {_K}", "not on this machine"),
    Case("an object store", f"s3://bucket/t.parquet {_K}", "not on this machine"),
    Case("a folder named like a table", f"inner.csv {_K}", "is a folder"),
    Case("image", f"t.csv {_K}", "a PNG image", files={"t.csv": b"\x89PNG\r\n\x1a\n0000"}),
    Case("workbook", f"t.csv {_K}", "Excel", files={"t.csv": b"PK\x03\x04rest"}),
    Case("damaged parquet", f"t.parquet {_K}", "t.parquet", files={"t.parquet": b"PAR1 no"}),
    Case("unknown suffix", f"t.xyz {_K}", "suffix .xyz", files={"t.xyz": "a"}),
    Case("empty", f"t.csv {_K}", "empty", files={"t.csv": ""}),
    Case("header only", f"t.csv {_K}", "no rows", files={"t.csv": "age,sex\n"}),
    Case("ragged", f"t.csv {_K}", "row 2", files={"t.csv": "age,sex\n1,F\n2\n3,M\n"}),
    Case(
        "wrong encoding",
        f"t.csv {_K} --encoding utf-8",
        "--encoding",
        files={"t.csv": "name,age\nJos\xe9,3\n".encode("latin-1")},
    ),
    Case("not that encoding", f"people.csv {_K} --encoding utf-16", "read as utf-8"),
    Case("target that is no column", f"people.csv {_K} --target sick", "'disease'"),
    Case("unknown encoding", f"people.csv {_K} --encoding klingon", "'klingon' is unknown"),
    Case("bad separator", f"people.csv {_K} --separator ab", "separator"),
    Case("same header twice", f"t.csv {_K}", "'age'", files={"t.csv": "age,age\n1,2\n"}),
    Case("special value without a column", f"people.csv {_K} --special-values N", "weeks=N|R"),
    Case("special value of no column", f"people.csv {_K} --special-values ages=N", "'ages'"),
    Case(
        "special value that is not declared",
        f"t.csv {_K} --special-values age=N",
        "data row 5",
        files={"t.csv": _with("age", ["35", "36", "N", "61", "R", "66"])},
    ),
    Case(
        "special values that drop all",
        f"people.csv {_K} --special-values age=N --missing drop",
        "contradict",
    ),
    Case(
        "two styles of dates",
        f"t.csv {_K}",
        "%Y-%m-%d|%d.%m.%Y",
        files={"t.csv": _with("age", [*("2020-01-0" + day for day in "12345"), "06.01.2020"])},
    ),
    Case(
        "a public report of means",
        f"people.csv {_K} --aggregate age=mean --public-report r.html",
        "release alone",
    ),
    # The columns.
    Case("unknown column", "people.csv -k 3 --quasi agee --rest drop", "Did you mean 'age'?"),
    Case("two roles", "people.csv -k 3 --quasi age,sex --sensitive sex --rest drop", "twice"),
    Case("same role twice", "people.csv -k 3 --quasi age,age --rest drop", "twice"),
    Case("no quasi-identifier", "people.csv -k 3 --sensitive disease --rest drop", "--quasi"),
    Case("undeclared columns", "people.csv -k 3 --quasi age", "'name'"),
    Case("unknown kind", f"people.csv {_K} --kind age=nummeric", "Did you mean 'numeric'?"),
    Case("kind of no quasi", f"people.csv {_K} --kind disease=numeric", "'disease'"),
    Case("kind without a value", f"people.csv {_K} --kind age", "--kind 'age' is not"),
    Case("kind twice", f"people.csv {_K} --kind age=numeric,age=date", "'age' twice"),
    Case("weight zero", f"people.csv {_K} --weight age=0", "weight"),
    Case("weight of letters", f"people.csv {_K} --weight age=heavy", "weight"),
    Case("narrow value range", f"people.csv {_K} --value-range age=40:50", "narrower"),
    Case(
        "value range the wrong way round",
        f"people.csv {_K} --value-range age=90:0",
        "lowest value first",
    ),
    Case("unreadable value range", f"people.csv {_K} --value-range age=low:high", "value range"),
    Case("unknown person", f"people.csv {_K} --person who", "'who'"),
    Case("incomplete order", f"people.csv {_K} --order sex=F", "'sex'"),
    # The cells.
    Case(
        "NaN",
        f"t.csv {_K}",
        "row 2",
        files={"t.csv": _with("age", ["1", "NaN", "3", "4", "5", "6"])},
    ),
    Case(
        "infinity",
        f"t.csv {_K} --kind age=numeric",
        "row 2",
        files={"t.csv": _with("age", ["1", "inf", "3", "4", "5", "6"])},
    ),
    Case(
        "beyond 2^53",
        f"t.csv {_K}",
        "2^53",
        files={"t.csv": _with("age", ["1", "2", str(2**53 + 2), "4", "5", "6"])},
    ),
    Case(
        "mixed types",
        f"t.csv {_K} --kind age=numeric",
        "row 4",
        files={"t.csv": _with("age", ["1", "2", "3", "old", "5", "6"])},
    ),
    Case(
        "dates that do not parse",
        f"t.csv {_K} --kind age=date",
        "row 3",
        files={
            "t.csv": _with(
                "age",
                [
                    "2000-01-01",
                    "2000-01-02",
                    "2000-02-30",
                    "2000-01-04",
                    "2000-01-05",
                    "2000-01-06",
                ],
            )
        },
    ),
    # Hierarchies.
    Case("missing hierarchy", f"people.csv {_K} --hierarchy zip=none.csv", "none.csv"),
    Case(
        "hierarchy misses a value",
        f"people.csv {_K} --hierarchy zip=zip.csv",
        "2012",
        files={"zip.csv": _TREE.replace("2012,20**,*\n", "")},
    ),
    Case(
        "hierarchy lists a value twice",
        f"people.csv {_K} --hierarchy zip=zip.csv",
        "1010",
        files={"zip.csv": _TREE + "1010,20**,*\n"},
    ),
    Case(
        "empty hierarchy",
        f"people.csv {_K} --hierarchy zip=zip.csv",
        "leaf,level1",
        files={"zip.csv": ""},
    ),
    # The goal.
    Case("k missing", f"people.csv {_ALL}", "-k is missing"),
    Case("k of one", f"people.csv -k 1 {_ALL}", "k"),
    Case("k negative", f"people.csv -k -5 {_ALL}", "k"),
    Case("k of letters", f"people.csv -k many {_ALL}", "valid integer"),
    Case("k beyond n", f"people.csv -k 7 {_ALL}", "largest feasible k is 6", code=1),
    Case("unknown model", f"people.csv {_K} --model x-diversity:3", "'x-diversity'"),
    Case("unknown measure", f"people.csv {_K} --measure beauty", "'beauty'"),
    Case("share beyond one", f"people.csv {_K} --suppression 1.5", "suppression"),
    Case("unknown word", f"people.csv {_K} --suppressed gone", "'gone'"),
    # The method.
    Case("unknown algorithm", f"people.csv {_K} --algorithm k-membr", "k-member"),
    Case("unknown parameter", f"people.csv {_K} --param cuts=strict", "no parameter 'cuts'"),
    Case(
        "parameter out of range", f"people.csv {_K} --algorithm mondrian --param cuts=odd", "'cuts'"
    ),
    Case("no threads", f"people.csv {_K} --threads 0", "threads"),
    Case("negative seed", f"people.csv {_K} --seed -1", "seed"),
    # The job.
    Case("missing job", f"people.csv {_K} --job none.toml", "none.toml"),
    Case(
        "job is no TOML", f"people.csv {_K} --job j.toml", "not TOML", files={"j.toml": "k = = 3"}
    ),
    Case(
        "unknown key",
        "people.csv --job j.toml",
        "Did you mean 'quasi'?",
        files={"j.toml": 'k = 3\nquassi = ["age"]\n'},
    ),
    # Usage.
    Case("unknown flag", f"people.csv {_K} --colour red", "--colour"),
    Case("no data", _K, "DATA"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "-"))
def test_says_what_and_writes_nothing(
    case: Case, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "inner").mkdir()
    (folder / "inner.csv").mkdir()
    for name, content in case.files.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    (folder / "out.csv").write_text("previous")
    before = sorted(folder.iterdir())

    code = run(
        ["anonymize", *case.command.split(), "-o", "out.csv", "--facts", "f.json", "--force"]
    )

    told = capsys.readouterr()
    assert code == case.code, told.err
    assert told.err.startswith("error: ")
    assert case.says in told.err
    assert told.out == ""
    assert len(told.err.splitlines()) >= 2, "the remedy is missing"
    assert sorted(folder.iterdir()) == before
    assert (folder / "out.csv").read_text() == "previous"


OUTPUTS = [
    ("-o out.csv", "out.csv exists"),
    ("-o new.csv --facts out.csv", "out.csv exists"),
    ("-o people.csv --force", "input and an output"),
    ("-o none/new.csv", "folder"),
    ("-o out.csv/new.csv", "folder"),
    ("-o inner", "is a folder"),
    ("-o new.docx", "suffix .docx"),
    ("-o new.csv --facts new.csv", "same file"),
    ("-o new.csv --custody keys.json", "beside the release"),
    ("-o new.csv --custody inner/../keys.json", "beside the release"),
    ("-o new.csv --custody inner/keys.json", "folder of the release"),
    ("-o new.csv --custody -", "standard output"),
    ("-o - --json", "standard output"),
    ("-o - --facts -", "standard output"),
    ("", "--output"),
]


@pytest.mark.parametrize(("flags", "says"), OUTPUTS)
def test_outputs_are_checked_before_any_work(
    flags: str, says: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "inner").mkdir()
    (folder / "out.csv").write_text("previous")
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}

    assert run(["anonymize", "people.csv", *_K.split(), *flags.split()]) == 2

    assert says in capsys.readouterr().err
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


def test_outputs_are_checked_before_the_data_is_read(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["anonymize", "nothing.csv", *_K.split(), "-o", "none/new.csv"])

    assert "none" in capsys.readouterr().err.splitlines()[0]


OTHERS = [
    ("verify - - -k 3", "standard input"),
    ("verify people.csv nothing.csv -k 3 --quasi age --rest drop", "nothing.csv"),
    ("verify people.csv people.csv --quasi age", "-k is missing"),
    ("verify people.csv people.csv --facts people.csv", "not JSON"),
    ("verify people.csv people.csv --facts list.json", "not a JSON object"),
    ("verify people.csv people.csv --facts object.json", "no job"),
    ("verify people.csv people.csv --facts none.json", "none.json"),
    (f"verify people.csv people.csv {_K} --custody object.json", "no row map"),
    ("measure people.csv nothing.csv -k 3 --quasi age --rest drop", "nothing.csv"),
    ("inspect nothing.csv", "nothing.csv"),
    ("algorithms monderian", "mondrian"),
]


@pytest.mark.parametrize(("command", "says"), OTHERS)
def test_other_verbs(
    command: str, says: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "list.json").write_text("[1]")
    (folder / "object.json").write_text('{"rows": ["1"]}')

    assert run(command.split()) == 2

    told = capsys.readouterr()
    assert told.err.startswith("error: ")
    assert says in told.err
    assert told.out == ""
