"""Databases: types kept, one transaction, no password anywhere."""

from __future__ import annotations

import contextlib
import datetime
import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import psutil
import pytest
from docs.format_trials import SERVERS, kept_by
from polars.testing import assert_frame_equal

import shoal
from shoal.cli.main import run
from shoal.errors import FileError, InputError
from shoal.io import Staging, read_source, read_table
from shoal.io.databases.address import DatabaseAddress
from shoal.io.databases.fingerprint import fingerprint
from shoal.io.databases.session import open_session
from shoal.io.databases.write import prepare_table
from tests.io.servers import postgresql_server

if TYPE_CHECKING:
    from collections.abc import Iterator

MOMENT = datetime.datetime(2020, 1, 31, 13, 30, 15, 250_000)
PEOPLE = pl.DataFrame(
    {
        "small": pl.Series([1, -2, None], dtype=pl.Int16),
        "whole": pl.Series([10**17, 0, None], dtype=pl.Int64),
        "real": [0.5, -1.25, None],
        "text": ["x", 'ü "q", {a|b}\n', None],
        "yes": [True, False, None],
        "day": [datetime.date(2020, 1, 31), datetime.date(1899, 1, 1), None],
        "moment": [MOMENT, MOMENT, None],
        "zoned": pl.Series([MOMENT, MOMENT, None]).dt.replace_time_zone("UTC"),
        "time": [MOMENT.time(), MOMENT.time(), None],
        "exact": pl.Series([Decimal("1.50"), Decimal("-2.25"), None], dtype=pl.Decimal(10, 2)),
        "kind": pl.Series(["a", "b", None], dtype=pl.Categorical),
    }
)
RELEASED = pl.DataFrame({"age": ["[35..37]", "[35..37]", "*"], "paid": [1.5, 2.5, None]})


@pytest.fixture(scope="module")
def postgresql() -> Iterator[str]:
    """The address of a PostgreSQL server of this test alone."""
    with postgresql_server() as (_, address):
        yield address


# A MySQL or MariaDB server does not come as a package: name an empty database to test with one.
MYSQL = os.environ.get("SHOAL_TEST_MYSQL")


@pytest.fixture(params=["postgresql", "sqlite", "duckdb", *(["mysql"] if MYSQL else [])])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database."""
    if request.param == "mysql":
        assert MYSQL is not None
        session = open_session(DatabaseAddress.of(MYSQL), read_only=False)
        for name in session.tables():
            kind = "TABLE" if session.is_base_table(name) else "VIEW"
            session.run(f"DROP {kind} {session.quoted(name)}")
        session.close()
        return MYSQL
    if request.param == "postgresql":
        address: str = request.getfixturevalue("postgresql")
        _run(address, "DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
        return address
    return f"{request.param}:///{tmp_path / 'clinic.db'}"


def _run(address: str, *statements: str) -> None:
    """Run statements as somebody else would."""
    session = open_session(DatabaseAddress.of(address), read_only=False)
    for statement in statements:
        session.run(statement)
    session.commit()
    session.close()


def _write(frame: pl.DataFrame, address: str, if_exists: Any = "fail") -> None:
    with Staging() as staging:
        staging.table(frame, address, if_exists=if_exists)
        staging.commit()


def test_types_come_back(database: str) -> None:
    _write(PEOPLE, f"{database}#people")
    read = read_table(database)
    expected = PEOPLE.with_columns(pl.col("kind").cast(pl.String)).sort("small", nulls_last=True)
    if database.startswith("sqlite"):
        assert read.schema == {
            "small": pl.Int64, "whole": pl.Int64, "real": pl.Float64, "text": pl.String,
            "yes": pl.Int64, "day": pl.String, "moment": pl.String, "zoned": pl.String,
            "time": pl.String, "exact": pl.String, "kind": pl.String,
        }  # fmt: skip
        assert read["day"].to_list() == ["1899-01-01", "2020-01-31", None]
        assert read["exact"].to_list() == ["-2.25", "1.50", None]
        return
    assert read.schema["exact"] in (pl.Decimal(38, 2), pl.Decimal(10, 2))
    if database.startswith("mysql"):
        assert read["zoned"][0] == "2020-01-31 13:30:15.250+00:00"
        assert read.drop("zoned", "exact").rows() == expected.drop("zoned", "exact").rows()
        return
    zoned = pl.col("zoned").dt.convert_time_zone("UTC")
    assert_frame_equal(
        read.with_columns(pl.col("exact").cast(pl.Decimal(10, 2)), zoned),
        expected,
    )


def test_the_table_of_formats_tells_the_truth(database: str) -> None:
    name = next(name for name in ("postgresql", "mysql", "sqlite", "duckdb") if name in database)
    shown = {"postgresql": "PostgreSQL", "mysql": "MySQL, MariaDB"}.get(name)
    if shown is not None:  # the others are tried when pages are made
        assert kept_by(f"{database}#kept") == SERVERS[shown]


def test_rows_are_the_same_source_in_any_order(database: str) -> None:
    shuffled = PEOPLE.sample(fraction=1, shuffle=True, seed=1)
    _write(PEOPLE, f"{database}#one")
    _write(shuffled, f"{database}#two")
    one, two = read_source(f"{database}#one"), read_source(database, _table("two"))
    assert_frame_equal(one.frame, two.frame)
    assert one.sha256 == two.sha256


def _table(name: str) -> Any:
    from shoal.io import ReadOptions

    return ReadOptions(table=name)


def test_a_query_is_read_too(database: str) -> None:
    _write(PEOPLE, f"{database}#people")
    read = read_table(database, query="SELECT small + 1 AS next, text FROM people WHERE yes = yes;")
    assert read.columns == ["next", "text"]
    assert read["next"].to_list() == [-1, 2]
    remarked = read_table(database, query="SELECT text FROM people WHERE text LIKE '%' -- all")
    assert remarked.height == len(PEOPLE["text"].drop_nulls())


def test_which_table(database: str) -> None:
    _write(PEOPLE.select("small"), f"{database}#a")
    _run(database, "DROP TABLE a")
    with pytest.raises(FileError, match="no tables"):
        read_table(database)
    for name in ("visits", "people", 'odd "name"'):
        _write(PEOPLE.select("small"), f"{database}#{name}")
    with pytest.raises(FileError, match=r"3 tables: .*'people', 'visits'"):
        read_table(database)
    with pytest.raises(FileError, match="Did you mean 'visits'"):
        read_table(f"{database}#visit")
    with pytest.raises(FileError, match="more than one table"):
        read_table(f"{database}#visits", query="SELECT 1")
    with pytest.raises(FileError, match="the query failed"):
        read_table(database, query="SELECT secret FROM nowhere")
    assert read_table(f'{database}#odd "name"').height == 3


def test_what_becomes_of_a_table_that_exists(database: str) -> None:
    place = f"{database}#released"
    _write(RELEASED, place)
    before = read_table(place)
    with pytest.raises(FileError, match="exists") as caught:
        _write(RELEASED, place)
    assert "`if_exists='replace'`" in caught.value.remedy
    _write(RELEASED, place, "append")
    assert read_table(place).height == 2 * before.height
    with pytest.raises(FileError, match="other columns than the release: 'paid', 'spent'"):
        _write(RELEASED.rename({"paid": "spent"}), place, "append")
    assert read_table(place).height == 2 * before.height
    _write(RELEASED.rename({"paid": "spent"}), place, "replace")
    assert read_table(place).columns == ["age", "spent"]
    with pytest.raises(FileError, match="names no table"):
        _write(RELEASED, database)


def test_nothing_is_seen_before_the_commit(database: str) -> None:
    place = f"{database}#released"
    _write(RELEASED, place)
    pending = prepare_table(RELEASED.with_columns(paid=9.5), place, "replace")
    assert pending.fingerprint == fingerprint(RELEASED.with_columns(paid=9.5))
    pending.rollback()
    assert_frame_equal(read_table(place), RELEASED.sort("age", "paid", nulls_last=True))


def test_files_are_put_back_when_the_table_fails(database: str, tmp_path: Path) -> None:
    (tmp_path / "facts.json").write_text("old")
    place = f"{database}#released"
    _write(RELEASED, place)
    with Staging() as staging:
        staging.text("new", tmp_path / "facts.json")
        staging.table(RELEASED, f"{database}#other")
        with pytest.raises(FileError, match="exists"):
            staging.table(RELEASED, place)
    assert (tmp_path / "facts.json").read_text() == "old"
    with pytest.raises(FileError, match="no table 'other'"):
        read_table(f"{database}#other")


def test_what_a_database_cannot_hold(database: str) -> None:
    for frame, says in (
        (pl.DataFrame({"a": [datetime.timedelta(1)]}), "'a' holds durations"),
        (pl.DataFrame({"a": ["x\0y"]}), "'a' holds NUL"),
    ):
        with pytest.raises(FileError, match=says):
            _write(frame, f"{database}#t")
    _write(pl.DataFrame({"a": [["x", "y"], ["z"]]}), f"{database}#lists")
    assert read_table(f"{database}#lists")["a"].to_list() == ['["x", "y"]', '["z"]']


def test_one_hundred_thousand_rows(database: str) -> None:
    rng = np.random.default_rng(5)
    frame = pl.DataFrame(
        {
            "age": rng.integers(0, 100, 100_000),
            "zip": [f"{code:05d}" for code in rng.integers(0, 99_999, 100_000)],
            "paid": rng.normal(size=100_000),
        }
    )
    _write(frame, f"{database}#people")
    assert_frame_equal(
        read_table(f"{database}#people"), frame.sort(frame.columns), check_row_order=True
    )


def test_from_table_to_verified_table(
    database: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    rng = np.random.default_rng(7)
    frame = pl.DataFrame(
        {
            "name": [f"person {place}" for place in range(300)],
            "age": rng.integers(20, 90, 300),
            "sex": rng.choice(["f", "m"], 300),
            "sick": rng.choice(["flu", "cold", "gout"], 300),
        }
    )
    _write(frame, f"{database}#people")
    roles = ["--quasi", "age,sex", "--sensitive", "sick", "--identifier", "name"]
    facts, job = (str(tmp_path / name) for name in ("f.json", "job.toml"))
    custody = str(tmp_path_factory.mktemp("custody") / "c.json")
    made = ["anonymize", database, "--table", "people", "-k", "5", *roles]
    made += ["-o", f"{database}#released", "--facts", facts, "--custody", custody]
    assert run([*made, "--save-job", job]) == 0
    assert run(made) == 2
    assert run([*made[:-2], "--if-exists", "replace", "--force"]) == 0
    checked = ["verify", f"{database}#people", f"{database}#released", "--facts", facts]
    assert run(checked) == 0
    assert "people" not in Path(facts).read_text()
    assert run(["anonymize", database, "--table", "people", "-k", "5", *roles, "-o",
                f"{database}#people", "--if-exists", "replace"]) == 2  # fmt: skip
    assert read_table(f"{database}#people").height == 300


@pytest.mark.parametrize("shown", [["--aggregate", "age=mean"], ["--notation", "min_max"]])
def test_the_row_map_follows_the_rows_of_a_database(
    database: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, shown: list[str]
) -> None:
    """Statistics of classes are checked with the row map; a database sorts rows as it likes."""
    custody = str(tmp_path_factory.mktemp("custody") / "c.json")
    ages = [35, 61, 36, None, 62, 37, None, 66]
    people = pl.DataFrame({"age": ages, "sick": list("abcdefgh")})
    people.write_csv(tmp_path / "people.csv")
    source, facts = str(tmp_path / "people.csv"), str(tmp_path / "f.json")
    words = ["-k", "2", "--quasi", "age", "--sensitive", "sick", *shown]
    made = ["anonymize", source, *words, "-o", f"{database}#released", "--facts", facts]
    assert run([*made, "--custody", custody]) == 0
    known = ["--facts", facts, "--custody", custody]
    assert run(["verify", source, f"{database}#released", *known]) == 0
    assert run(["measure", source, f"{database}#released", *known]) == 0


def test_a_custody_file_does_not_stand_beside_the_database_of_the_release(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age\n1\n2\n")
    made = ["anonymize", str(tmp_path / "people.csv"), *RELEASE, "-o"]
    output = f"sqlite:///{tmp_path / 'out.db'}#released"
    assert run([*made, output, "--custody", str(tmp_path / "c.json")]) == 2
    assert not (tmp_path / "out.db").exists()


def test_what_becomes_of_a_table_is_asked_of_databases_alone(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age\n1\n2\n")
    made = ["anonymize", str(tmp_path / "people.csv"), *RELEASE, "-o", str(tmp_path / "out.csv")]
    assert run([*made, "--if-exists", "append"]) == 2
    assert not (tmp_path / "out.csv").exists()


RELEASE = ["-k", "2", "--quasi", "age", "--rest", "drop"]
VISITS = pl.DataFrame({"age": [35, 35, 36, 36], "sex": ["f", "m", "f", "m"]})


@pytest.mark.parametrize("scheme", ["sqlite", "duckdb"])
@pytest.mark.parametrize("if_exists", ["replace", "append"])
@pytest.mark.parametrize(
    ("source", "table"),
    [
        ([":///c.db#visits"], ":///./c.db#visits"),
        ([":///c.db#visits"], ":///{folder}/c.db#visits"),
        ([":///c.db#visits"], ":///link.db#visits"),
        ([":///c.db#visits"], ":///hard.db#visits"),
        ([":///c.db#visits"], ":///c.db#VISITS"),
        ([":///c.db", "--table", "visits"], ":///sub/../c.db#visits"),
        ([":///c.db", "--query", "SELECT age FROM visits"], ":///c.db#visits"),
        ([":///c.db"], ":///./c.db#visits"),
    ],
)
def test_the_table_that_is_read_is_never_written(
    scheme: str,
    if_exists: str,
    source: list[str],
    table: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    _write(VISITS.select("age"), f"{scheme}:///c.db#visits")
    (tmp_path / "sub").mkdir()
    (tmp_path / "link.db").symlink_to("c.db")
    (tmp_path / "hard.db").hardlink_to("c.db")
    before = read_table(f"{scheme}:///c.db#visits")
    output = scheme + table.format(folder=tmp_path)
    made = ["anonymize", scheme + source[0], *source[1:], *RELEASE, "-o", output]
    assert run([*made, "--if-exists", if_exists]) == 2
    assert_frame_equal(read_table(f"{scheme}:///c.db"), before)


def test_a_query_replaces_no_table_of_its_database(database: str, tmp_path: Path) -> None:
    _write(VISITS, f"{database}#visits")
    asked = ["anonymize", database, "--query", "SELECT age FROM visits", *RELEASE, "-o"]
    assert run([*asked, f"{database}#released"]) == 0
    assert run([*asked, f"{database}#visits", "--if-exists", "replace"]) == 2
    assert run([*asked, f"{database}#visits", "--if-exists", "append"]) == 2
    # Nobody can tell what else a query reads.
    assert run([*asked, f"{database}#released", "--if-exists", "append"]) == 2
    named = ["anonymize", f"{database}#visits", *RELEASE, "-o", f"{database}#released"]
    assert run([*named, "--if-exists", "replace"]) == 0
    elsewhere = f"sqlite:///{tmp_path / 'other.db'}#visits"
    _write(VISITS, elsewhere)
    assert run([*asked, elsewhere, "--if-exists", "replace"]) == 0
    assert read_table(f"{database}#visits").height == 4


@pytest.mark.parametrize("if_exists", ["replace", "append"])
def test_a_view_and_the_table_beneath_it_are_never_written(database: str, if_exists: Any) -> None:
    from shoal.io import check_output

    _write(VISITS, f"{database}#visits")
    _write(VISITS, f"{database}#free")
    _run(database, "CREATE VIEW seen AS SELECT * FROM visits")
    with pytest.raises(FileError, match="may be part of what a view or a query reads"):
        check_output(f"{database}#visits", inputs=[f"{database}#seen"], if_exists=if_exists)
    with pytest.raises(FileError, match="is a view"):
        check_output(f"{database}#seen", inputs=[f"{database}#visits"], if_exists=if_exists)
    with pytest.raises(FileError, match="is a view"):
        _write(VISITS, f"{database}#seen", if_exists)
    check_output(f"{database}#free", inputs=[f"{database}#visits"], if_exists=if_exists)
    check_output(f"{database}#new", inputs=[f"{database}#seen"], if_exists=if_exists)


def test_a_server_is_known_by_all_its_names(postgresql: str) -> None:
    from shoal.io import check_output

    _run(postgresql, "DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
    _write(VISITS, f"{postgresql}#visits")
    _run(
        postgresql,
        "CREATE TABLE years (age integer) PARTITION BY RANGE (age)",
        "CREATE TABLE young PARTITION OF years FOR VALUES FROM (0) TO (40)",
    )
    alias = postgresql.replace("host=/", "host=//")
    assert not DatabaseAddress.of(alias).same_database(DatabaseAddress.of(postgresql))
    for source, table in (
        (alias, "visits"),
        (alias, "public.visits"),
        (postgresql, "public.visits"),
    ):
        for place in (f"{source}#visits", f"{source}#public.visits"):
            with pytest.raises(FileError, match="input and an output"):
                check_output(f"{postgresql}#{table}", inputs=[place], if_exists="replace")
    with pytest.raises(FileError, match="what a view or a query reads"):
        check_output(f"{postgresql}#visits", inputs=[alias], if_exists="append")
    with pytest.raises(FileError, match="part of a partitioned table"):
        check_output(f"{postgresql}#young", inputs=[f"{alias}#years"], if_exists="replace")


def test_servers_are_the_same_however_they_are_spelled() -> None:
    visits = DatabaseAddress.of("postgresql://ann@one/clinic#visits")
    for same in ("postgres://ben@ONE:5432/clinic", "postgresql://one/clinic?sslmode=require"):
        assert visits.same_table(DatabaseAddress.of(f"{same}#visits"))
    for other in ("postgresql://one:5433/clinic", "postgresql://one/lab", "mysql://one/clinic"):
        assert not visits.same_table(DatabaseAddress.of(f"{other}#visits"))


def test_a_companion_does_not_replace_the_database_that_is_read_or_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _write(VISITS, "sqlite:///c.db#visits")
    _write(VISITS, "sqlite:///o.db#visits")
    for facts in ("c.db", "o.db"):
        before = (tmp_path / facts).read_bytes()
        made = ["anonymize", "sqlite:///c.db#visits", *RELEASE, "-o", "sqlite:///o.db#released"]
        assert run([*made, "--facts", facts, "--force"]) == 2
        assert (tmp_path / facts).read_bytes() == before


@pytest.mark.parametrize("scheme", ["sqlite", "duckdb"])
def test_no_database_is_made_unless_a_release_is_written(
    scheme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    VISITS.write_csv(tmp_path / "t.csv")
    output = ["-o", f"{scheme}:///new.db#released"]
    assert run(["anonymize", "missing.csv", *RELEASE, *output]) == 2
    assert run(["anonymize", "t.csv", "-k", "2", "--quasi", "agee", *output]) == 2
    assert run(["anonymize", "t.csv", "-k", "9", *RELEASE[2:], *output]) != 0
    assert run(["anonymize", "t.csv", *RELEASE, "-o", f"{scheme}:///none/new.db#released"]) == 2
    with Staging() as staging:  # and never committed
        staging.table(VISITS, output[1])
    with pytest.raises(FileError), Staging() as staging:
        staging.table(VISITS.rename({"sex": "AGE"}), output[1])  # names of columns ignore case
    assert list(tmp_path.iterdir()) == [tmp_path / "t.csv"]
    assert run(["anonymize", "t.csv", *RELEASE, *output]) == 0
    assert read_table(output[1]).height == 4


@pytest.mark.parametrize("scheme", ["sqlite", "duckdb"])
def test_a_database_that_was_there_is_kept(scheme: str, tmp_path: Path) -> None:
    address = f"{scheme}:///{tmp_path / 'new.db'}"
    _write(VISITS, f"{address}#released")
    with Staging() as staging:  # and never committed
        staging.table(VISITS, f"{address}#second")
    assert_frame_equal(read_table(address), VISITS)
    _run(address, "DROP TABLE released")
    with Staging() as staging:
        staging.table(VISITS, f"{address}#second")
    assert (tmp_path / "new.db").exists()


def test_reading_changes_nothing(database: str) -> None:
    _write(PEOPLE, f"{database}#people")
    with pytest.raises(FileError):
        read_table(database, query="DELETE FROM people")
    assert read_table(f"{database}#people").height == 3


def test_columns_of_mixed_kinds_in_sqlite(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path / 'mixed.db'}"
    _run(
        address,
        "CREATE TABLE t (a, b, c)",
        "INSERT INTO t VALUES (1, 1, NULL), ('x', 2.5, 3), (2.5, 3, 4)",
    )
    frame = read_table(address)
    assert frame.schema == {"a": pl.String, "b": pl.Float64, "c": pl.Int64}


def test_types_that_frames_lack_are_texts_in_postgresql(postgresql: str) -> None:
    _run(
        postgresql,
        "DROP TABLE IF EXISTS odd",
        "CREATE TABLE odd (u uuid, j json, i interval, n numeric, m money, a inet)",
        "INSERT INTO odd VALUES ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{\"a\": 1}', '1 day', "
        "1.50, 12.5, '10.0.0.1')",
    )
    assert read_table(f"{postgresql}#odd").row(0) == (
        "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
        '{"a": 1}',
        "1 day",
        "1.50",
        "$12.50",
        "10.0.0.1/32",
    )


def test_types_that_frames_lack_are_texts_in_duckdb(tmp_path: Path) -> None:
    address = f"duckdb:///{tmp_path / 'odd.db'}"
    _run(
        address,
        "CREATE TABLE odd AS SELECT INTERVAL 1 DAY AS i, '101'::BIT AS b, [1, 2] AS l, 5 AS n",
        "CREATE TABLE maps AS SELECT MAP {'a': 1} AS m",
    )
    frame = read_table(f"{address}#odd")
    assert frame.rows() == [("1 day", "101", [1, 2], 5)]
    with pytest.raises(InputError, match="Column 'm' has the type"):
        read_table(f"{address}#maps")


def test_names_and_files_that_are_not_as_usual_in_sqlite(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path / 'odd.db'}"
    _run(address, 'CREATE TABLE "a.b" (n)', 'INSERT INTO "a.b" VALUES (1)')
    assert read_table(address, table="a.b").rows() == [(1,)]
    (tmp_path / "text.db").write_text("no database")
    with pytest.raises(FileError, match="is not a SQLite database"):
        read_table(f"sqlite:///{tmp_path / 'text.db'}")


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ann@localhost/clinic?sslpassword=Secretive",
        "postgresql://ann:Secretive@localhost/clinic",
        "postgres://ann:Secretive@localhost/clinic#visits",
        "mysql://localhost/clinic?user=ann&password=Secretive",
        "mssql://ann:Secretive@localhost/clinic",
        "https://ann:Secretive@localhost/clinic.csv",
        *(
            f"{scheme}://ann:Secretive{mark}Secretive@localhost:1/clinic{table}"
            for scheme in ("postgresql", "mysql", "mssql", "https")
            for mark in "#?/@:"
            for table in ("", "#visits")
        ),
        "postgresql://ann:Secretive",
        "mysql://ann:Secretive/clinic#visits",
        "postgresql://[Secretive/clinic",
        "mysql://[Secretive/clinic#visits",
        "mysql://localhost/clinic#visits?password=Secretive",
    ],
)
def test_a_password_is_refused_and_never_shown(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("age,sex\n35,f\n36,m\n")
    for command in (
        ["inspect", address],
        ["anonymize", address, "-k", "2", "--quasi", "age", "-o", "o.csv"],
        ["anonymize", "t.csv", "-k", "2", "--quasi", "age", "--rest", "drop", "-o", address],
        ["anonymize", address, "-k", "2", "--quasi", "age", "-o", "o.csv", "--engine", "disk"],
        ["anonymize", "t.csv", *RELEASE, "-o", address, "--engine", "disk"],
        ["verify", "t.csv", address, "-k", "2", "--quasi", "age", "--rest", "drop"],
    ):
        assert run(command) == 2
    told = capfd.readouterr()
    assert "Secretive" not in told.out + told.err
    assert list(tmp_path.iterdir()) == [tmp_path / "t.csv"]


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://ann@[::1]:5432/clinic#visits", "postgresql://[::1]:5432/clinic#visits"),
        ("postgresql://ann@one:5432,two:5433/clinic", "postgresql://one:5432,two:5433/clinic"),
        ("postgresql://ann:@one/clinic", "postgresql://one/clinic"),
        ("postgresql://ann%40ward@one:1/clinic#a%40b", "postgresql://one:1/clinic#a@b"),
        ("postgresql:///clinic?host=/run/server", "postgresql:///clinic"),
        ("sqlite:////data/a:b@c.db#visits", "sqlite:////data/a:b@c.db#visits"),
    ],
)
def test_addresses_without_a_password_are_taken(address: str, shown: str) -> None:
    assert DatabaseAddress.of(address).shown == shown


def test_passwords_come_from_the_environment_or_a_private_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from shoal.io.databases.address import stored_password

    assert stored_password() is None
    file = tmp_path / "password"
    file.write_text("Secret ive\nrest\n")
    file.chmod(0o644)
    monkeypatch.setenv("SHOAL_PASSWORD_FILE", str(file))
    with pytest.raises(FileError, match="can be read by other users"):
        stored_password()
    file.chmod(0o600)
    assert stored_password() == "Secret ive"
    monkeypatch.setenv("SHOAL_PASSWORD", "first")
    assert stored_password() == "first"
    place = DatabaseAddress.of("postgresql://ann@server:5433/clinic?sslmode=require#visits")
    assert place.with_password("a/b@c") == (
        "postgresql://ann:a%2Fb%40c@server:5433/clinic?sslmode=require"
    )
    assert place.shown == "postgresql://server:5433/clinic#visits"


def test_a_server_that_wants_a_password(
    postgresql: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(postgresql.partition("?host=")[2])
    rules = (folder / "pg_hba.conf").read_text()
    (folder / "pg_hba.conf").write_text(f"local all ann scram-sha-256\n{rules}")
    _run(
        postgresql,
        "DROP TABLE IF EXISTS visits",
        "CREATE TABLE visits (age INTEGER)",
        "INSERT INTO visits VALUES (35), (36)",
        "CREATE ROLE ann LOGIN PASSWORD 'Secret:ive/@'",
        "GRANT USAGE ON SCHEMA public TO ann",
        "GRANT SELECT ON visits TO ann",
    )
    read_table(postgresql, query="SELECT pg_reload_conf()")
    address = postgresql.replace("postgres@", "ann@") + "#visits"
    with pytest.raises(FileError, match="Cannot connect") as caught:
        read_table(address)
    assert "password" in caught.value.what
    monkeypatch.setenv("SHOAL_PASSWORD", "wrong Secretive")
    with pytest.raises(FileError, match="password authentication failed") as caught:
        read_table(address)
    assert "Secretive" not in str(caught.value)
    monkeypatch.setenv("SHOAL_PASSWORD", "Secret:ive/@")
    assert read_table(address)["age"].to_list() == [35, 36]
    monkeypatch.delenv("SHOAL_PASSWORD")
    own = tmp_path / "pgpass"
    own.write_text("*:*:*:ann:Secret\\:ive/@\n")
    own.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(own))
    assert read_table(address)["age"].to_list() == [35, 36]


def test_a_server_that_is_not_there() -> None:
    with pytest.raises(FileError, match="Cannot connect to postgresql://localhost:1/db"):
        read_table("postgresql://ann@localhost:1/db")


_WRITER = """
import sys, polars as pl
from shoal.io import Staging
frame = pl.DataFrame({"age": ["[35..37]"] * 50_000, "paid": [1.5] * 50_000})
with Staging() as staging:
    staging.text("new", sys.argv[2])
    staging.table(frame, sys.argv[1], if_exists="replace")
    print("written", flush=True)
    staging.commit()
"""


def test_a_server_killed_in_the_middle_leaves_all_as_it_was(tmp_path: Path) -> None:
    facts = tmp_path / "facts.json"
    facts.write_text("old")
    with postgresql_server() as (server, database):
        address = f"{database}#released"
        _write(RELEASED, address)
        # Somebody reads the old table, so that the writer has to wait when it takes its place.
        reader = open_session(DatabaseAddress.of(address), read_only=True)
        reader.fetch('SELECT * FROM "released"')
        command = [sys.executable, "-c", _WRITER, address, str(facts)]
        writer = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"written\n"
        postmaster = psutil.Process(server.get_pid())
        backends = postmaster.children(recursive=True)
        for process in (postmaster, *backends):
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        _, errors = writer.communicate(timeout=600)
        reader.close()
        assert writer.returncode != 0
        assert b"nothing was changed" in errors
        assert facts.read_text() == "old"

        # Where nobody reaps it, a dead server looks alive to the next one that reads these files.
        for lock in (server.pgdata / "postmaster.pid", *server.pgdata.glob(".s.PGSQL.*")):
            lock.unlink()
        server.ensure_postgres_running()
        assert_frame_equal(read_table(address), RELEASED.sort("age", "paid", nulls_last=True))
        left = "SELECT relname FROM pg_class WHERE relname LIKE 'shoal%' OR relname = 'released'"
        assert read_table(database, query=left)["relname"].to_list() == ["released"]


def test_release_save_takes_an_address(database: str) -> None:
    frame = pl.DataFrame({"age": [35, 36, 37, 61, 62, 66], "sex": list("ffmmmf")})
    release = shoal.anonymize(frame, k=3, quasi=["age", "sex"])
    release.save(f"{database}#released")
    with pytest.raises(FileError, match="exists"):
        release.save(f"{database}#released")
    release.save(f"{database}#released", if_exists="replace")
    verdict = shoal.verify(frame, read_table(f"{database}#released"), k=3, quasi=["age", "sex"])
    assert verdict.passed


@pytest.mark.skipif(MYSQL is not None, reason="the tests above run on the server that is named")
def test_mysql_is_tested_where_a_server_is_named() -> None:
    pytest.skip("MySQL: set SHOAL_TEST_MYSQL=mysql://user@host/empty_database to test with it")
