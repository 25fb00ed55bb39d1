"""``shoal hierarchy`` and recipes on ``shoal anonymize``."""

from __future__ import annotations

import json
import shlex
import tomllib
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import shoal
from shoal.cli.flag_values import options_of_flags, options_of_job_file
from shoal.cli.main import run
from tests.cli.command import ROLES

if TYPE_CHECKING:
    from pathlib import Path

    Captured = pytest.CaptureFixture[str]


def build(*flags: str, column: str = "age", output: str = "tree.csv") -> int:
    return run(["hierarchy", "build", "people.csv", column, *flags, "-o", output])


@pytest.mark.parametrize(
    ("column", "flags", "line"),
    [
        ("age", ["--ranges", "5,10,20"], "35,[35..39],[30..39],[20..39],*"),
        ("age", ["--quantiles", "2"], "35,<50,*"),
        ("age", ["--automatic", "--kind", "categorical"], "36,[36..37],[35..37],*"),
        ("age", ["--cuts", "36,50", "--cuts", "50"], "35,<36,<50,*"),
        ("zip", ["--stars"], "1010,101*,*"),
        ("sex", ["--automatic"], "F,*"),
        (
            "disease",
            ["--automatic", "--beside", "sex"],
            "cold,{cold|flu},*",
        ),
        ("sex", ["--ranges", "2", "--order", "F,M,X"], "X,X,*"),
    ],
)
def test_every_way(
    column: str, flags: list[str], line: str, folder: Path, capsys: Captured
) -> None:
    assert build(*flags, column=column) == 0, capsys.readouterr().err
    assert line in (folder / "tree.csv").read_text().splitlines()
    told = capsys.readouterr()
    assert "--hierarchy" in told.out
    assert run(["hierarchy", "check", "tree.csv", "people.csv", column]) == 0
    assert "✓" in capsys.readouterr().out


def test_without_a_verb_the_help_is_shown(capsys: Captured) -> None:
    assert run(["hierarchy"]) == 2
    told = capsys.readouterr()
    assert "build" in told.out
    assert told.err == ""


def test_dates_with_a_format(folder: Path) -> None:
    (folder / "people.csv").write_text("born\n29.02.2020\n01.03.2020\n31.12.1999\n\n")
    assert build("--dates", "--date-format", "%d.%m.%Y", column="born") == 0
    assert "29.02.2020,2020-Q1,*\n" in (folder / "tree.csv").read_text()


def test_groups(folder: Path, capsys: Captured) -> None:
    (folder / "codes.csv").write_text(
        "zip,town,state\n1010,Linz,North\n1011,Linz,North\n1012,Wels,North\n"
        "2010,Graz,South\n2011,Graz,South\n2012,Graz,South\n9999,Bonn,West\n"
    )
    assert build("--groups", "codes.csv", column="zip") == 0
    assert "1012,Wels,North,*" in (folder / "tree.csv").read_text()
    assert "1 values of the hierarchy are not in column zip" in capsys.readouterr().out
    (folder / "codes.csv").write_text("zip,town\n1010,Linz\n")
    assert build("--groups", "codes.csv", "--force", column="zip") == 2
    told = capsys.readouterr().err
    assert "lacks 5 of its values: '1011'" in told
    assert "1012,Wels,North,*" in (folder / "tree.csv").read_text(), "the old file stays"


def test_a_hierarchy_on_standard_output(folder: Path, capsysbinary: Any) -> None:
    assert build("--stars", column="zip", output="-") == 0
    told = capsysbinary.readouterr()
    assert told.out.startswith(b"1010,101*,*\n")
    assert b"groups" in told.err


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ([], "No recipe"),
        (["--stars", "--dates"], "exclude each other"),
        (["--ranges", "5,7"], "do not consist of whole"),
        (["--stars", "--by", "counts"], "--by requires --automatic"),
        (["--ranges", "5", "-o", "people.csv", "--force"], "input and an output"),
        (["--ranges", "5", "-o", "missing/tree.csv"], "does not exist"),
        (["--ranges", "5", "--json", "-o", "-"], "standard output"),
    ],
)
def test_what_build_refuses(flags: list[str], message: str, folder: Path, capsys: Captured) -> None:
    before = (folder / "people.csv").read_text()
    assert run(["hierarchy", "build", "people.csv", "age", "-o", "tree.csv", *flags]) == 2
    told = capsys.readouterr()
    assert message in " ".join((told.err + told.out).split())
    assert not (folder / "tree.csv").exists()
    assert (folder / "people.csv").read_text() == before


def test_an_unknown_column_names_the_nearest(folder: Path, capsys: Captured) -> None:
    assert build("--stars", column="zp") == 2
    assert "Did you mean 'zip'?" in capsys.readouterr().err


def test_check_names_what_is_wrong(folder: Path, capsys: Captured) -> None:
    (folder / "bad.csv").write_text(
        "1010,a,x,*\n1011,a,y,*\n1012,b,y,*\n1012,b,y,*\n2010,b,y,*\n7777,b,y,*\n"
    )
    assert run(["hierarchy", "check", "bad.csv", "people.csv", "zip", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["passed"] is False
    found = {fault["kind"]: fault for fault in told["faults"]}
    assert set(found) == {"duplicate", "non-nested", "missing"}
    assert found["duplicate"]["values"] == ["1012"]
    assert found["non-nested"]["values"] == ["a"]
    assert found["missing"]["values"] == ["2011", "2012"]
    assert told["notes"] == ["1 of its values are not in the column."]
    assert run(["hierarchy", "check", "bad.csv"]) == 1
    shown = capsys.readouterr().out
    assert "FAULTS" in shown
    assert "'1012'" in shown
    assert run(["hierarchy", "check", "bad.csv", "people.csv"]) == 2


def test_a_long_list_is_cut_and_counted(folder: Path, capsys: Captured) -> None:
    numbers = "\n".join(str(number) for number in range(100, 150))
    (folder / "many.csv").write_text(f"n\n{numbers}\n")
    (folder / "tree.csv").write_text("100,*\n")
    assert run(["hierarchy", "check", "tree.csv", "many.csv", "n", "--json"]) == 1
    (fault,) = json.loads(capsys.readouterr().out)["faults"]
    assert fault["count"] == 49
    assert len(fault["values"]) == 10
    assert "and 39 more" in fault["what"]


def test_show_counts_real_records(folder: Path, capsys: Captured) -> None:
    (folder / "people.csv").write_text("age\n" + "21\n" * 5 + "24\n" * 2 + "35\n\n")
    (folder / "tree.csv").write_text("21;20s;*\n24;20s;*\n35;30s;*\n99;90s;*\n")
    assert run(["hierarchy", "show", "tree.csv", "people.csv", "age", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["missing"] == 1
    level = told["levels"][1]
    assert (level["groups"], level["empty"], level["smallest"], level["largest"]) == (2, 1, 1, 7)
    assert level["examples"] == [
        {"group": "20s", "records": 7},
        {"group": "30s", "records": 1},
    ]
    assert run(["hierarchy", "show", "tree.csv", "people.csv", "age"]) == 0
    assert "20s (7)  30s (1)" in capsys.readouterr().out
    assert run(["hierarchy", "show", "ranges:10", "people.csv", "age"]) == 0
    assert "[20..29] (7)" in capsys.readouterr().out


def test_anonymize_takes_recipes_and_the_job_repeats_them(folder: Path, capsys: Captured) -> None:
    recipes = "age=ranges:5,10,20,zip=stars,sex=auto"
    flags = ["--hierarchy", recipes, "--facts", "f.json", "--save-job", "jobs/j.toml"]
    (folder / "jobs").mkdir()
    assert run(["anonymize", "people.csv", "-k", "3", *ROLES, *flags, "-o", "out.csv"]) == 0
    told = capsys.readouterr().out
    assert "its hierarchy was built (ranges:5,10,20)" in " ".join(told.split())
    expected = {"age": "ranges:5,10,20", "zip": "stars", "sex": "auto"}
    assert tomllib.loads((folder / "jobs/j.toml").read_text())["hierarchy"] == expected
    facts = json.loads((folder / "f.json").read_text())
    assert facts["job"]["hierarchy"] == expected
    released = pl.read_csv(folder / "out.csv", infer_schema=False)
    assert set(released["age"]) == {"[35..39]", "[60..69]"}
    assert set(released["zip"]) == {"101*", "201*"}

    assert run(["verify", "people.csv", "out.csv", "--facts", "f.json"]) == 0
    assert run(["measure", "people.csv", "out.csv", "--facts", "f.json", "--json"]) == 0
    capsys.readouterr()
    again = ["anonymize", "people.csv", "--job", "jobs/j.toml", "-o", "again.csv"]
    assert run(again) == 0
    repeated = pl.read_csv(folder / "again.csv", infer_schema=False)
    assert repeated.sort(repeated.columns).equals(released.sort(released.columns))


def test_a_tree_that_was_made_is_the_tree_of_its_file(folder: Path) -> None:
    assert build("--automatic", "--beside", "age,sex", column="disease") == 0
    people = pl.read_csv(folder / "people.csv")
    tree = shoal.build_hierarchy(people, "disease", "auto", beside=["age", "sex"])
    assert shoal.read_hierarchy("tree.csv").rows() == tree.rows()
    quasi = ["age", "sex", "disease"]
    by_recipe = shoal.anonymize(
        people, k=3, quasi=quasi, rest="drop", seed=1, hierarchy={"disease": "auto"}
    )
    by_file = shoal.anonymize(
        people, k=3, quasi=quasi, rest="drop", seed=1, hierarchy={"disease": "tree.csv"}
    )
    assert by_recipe.frame.equals(by_file.frame)
    assert by_recipe.facts["job"]["hierarchy"] == {"disease": "auto"}
    assert by_recipe.figures.measures == by_file.figures.measures


def test_faults_stop_a_run_before_solving(folder: Path, capsys: Captured) -> None:
    (folder / "zip.csv").write_text("1010,a,*\n1010,b,*\n")
    flags = ["--hierarchy", "zip=zip.csv", "-o", "out.csv"]
    assert run(["anonymize", "people.csv", "-k", "3", *ROLES, *flags]) == 2
    assert "'1010'" in capsys.readouterr().err
    assert not (folder / "out.csv").exists()


def test_words_with_numbers() -> None:
    def read(*texts: str) -> dict[str, str]:
        words: dict[str, str] = options_of_flags({"hierarchy": list(texts)})["hierarchy"]
        return words

    assert read("age=ranges:5,10,zip=stars") == {"age": "ranges:5,10", "zip": "stars"}
    assert read(r"age=ranges:5\,10", "zip=a.csv") == {"age": "ranges:5,10", "zip": "a.csv"}
    assert read("age=cuts:18,30/30,b=auto") == {"age": "cuts:18,30/30", "b": "auto"}
    with pytest.raises(shoal.errors.ParameterError, match="not NAME=VALUE"):
        read("zip=a.csv,10")
    with pytest.raises(shoal.errors.ParameterError, match="not NAME=VALUE"):
        read("zip=stars,10")


def test_a_file_that_is_named_like_a_recipe(folder: Path) -> None:
    (folder / "dates").write_text("F,any,*\nM,any,*\n")
    flags = ["--hierarchy", "sex=./dates", "--save-job", "j.toml", "-o", "out.csv"]
    assert run(["anonymize", "people.csv", "-k", "3", *ROLES, *flags]) == 0
    assert options_of_job_file("j.toml")["hierarchy"] == {"sex": "./dates"}
    assert run(["anonymize", "people.csv", "--job", "j.toml", "-o", "again.csv"]) == 0


def test_show_takes_what_is_said_about_the_column(folder: Path, capsys: Captured) -> None:
    days = pl.DataFrame({"day": ["29.02.2024", "01.03.2024"], "size": ["low", "high"]})
    days.write_csv("days.csv")
    assert run(["hierarchy", "show", "dates", "days.csv", "day"]) == 2
    assert "--date-format day=" in capsys.readouterr().err
    written = ["--date-format", "%d.%m.%Y"]
    assert run(["hierarchy", "show", "dates:month", "days.csv", "day", *written]) == 0
    assert "2024-02 (1)" in capsys.readouterr().out
    order = ["--order", "low,high"]
    assert run(["hierarchy", "show", "ranges:2", "days.csv", "size", *order]) == 0
    assert "[low..high] (2)" in capsys.readouterr().out
    assert build("--ranges", "5") == 0
    capsys.readouterr()
    assert run(["hierarchy", "show", "tree.csv", "people.csv", "age", *order]) == 2
    assert "this one is a file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("word", "remedy"),
    [("star", "did you mean stars?"), ("groups:places.csv", "the path"), ("x", "the path")],
)
def test_a_word_that_is_no_file(word: str, remedy: str, folder: Path, capsys: Captured) -> None:
    assert run(["hierarchy", "show", word, "people.csv", "zip"]) == 2
    assert remedy in capsys.readouterr().err


def test_the_command_to_verify_names_a_hierarchy_that_the_job_lists(
    folder: Path, capsys: Captured
) -> None:
    """Facts leave it out, and verification needs it."""
    ages = pl.read_csv(folder / "people.csv")["age"].unique().sort()
    tree = shoal.Hierarchy.from_rows(
        [[str(age), "young, mostly" if age < 50 else "old", "*"] for age in ages]
    )
    roles = {"quasi": ["age", "sex", "zip"], "sensitive": ["disease"], "rest": "drop"}
    job = shoal.Job.from_dict({"k": 3, **roles, "hierarchy": {"age": tree}})
    job.save(folder / "job.toml")
    flags = ["--job", "job.toml", "-o", "out.csv", "--facts", "facts.json"]
    assert run(["anonymize", "people.csv", *flags]) == 0, capsys.readouterr().err
    command = capsys.readouterr().out.strip().splitlines()[-1]
    assert "tree:" not in (folder / "facts.json").read_text()
    assert run(shlex.split(command)[1:]) == 0, capsys.readouterr()
