"""What the verbs do when all goes well, and when a release does not keep its promise."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import stat
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import shoal
from shoal.algorithms import algorithms
from shoal.cli.main import run
from shoal.measures import measures
from tests.cli.command import PEOPLE, ROLES

if TYPE_CHECKING:
    from pathlib import Path

    Captured = pytest.CaptureFixture[str]

TREE = "1010,10**,*\n1011,10**,*\n1012,10**,*\n2010,20**,*\n2011,20**,*\n2012,20**,*\n"


def anonymize(*flags: str, k: int = 3, data: str = "people.csv") -> int:
    return run(["anonymize", data, "-k", str(k), *ROLES, *flags])


def printed_json(capsys: Captured) -> Any:
    told = capsys.readouterr()
    assert told.err == ""
    return json.loads(told.out)


def test_version(capsys: Captured) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"shoal {shoal.__version__}\n"


def test_no_verb_shows_the_help(capsys: Captured) -> None:
    assert run([]) == 2
    assert "anonymize" in capsys.readouterr().out


@pytest.mark.parametrize(
    "verb",
    ["inspect", "anonymize", "verify", "measure", "utility", "bound", "algorithms", "demo"],
)
def test_every_verb_has_help_and_json(verb: str, capsys: Captured) -> None:
    assert run([verb, "--help"]) == 0
    assert "--json" in capsys.readouterr().out


def test_anonymize_writes_what_it_was_asked_for(folder: Path, capsys: Captured) -> None:
    (folder.parent / "safe").mkdir()
    flags = ["--facts", "facts.json", "--custody", "../safe/keys.json", "--save-job", "job.toml"]

    assert anonymize("-o", "out.csv", *flags) == 0

    told = capsys.readouterr()
    assert told.err == ""
    assert told.out.startswith("✓ verified: every record hides among at least 3")
    assert "shoal verify people.csv out.csv --facts facts.json" in told.out
    released = pl.read_csv(folder / "out.csv", infer_schema=False)
    assert released.columns == ["age", "sex", "zip", "disease"]
    assert set(released["age"]) == {"[35..37]", "[61..66]"}
    facts = json.loads((folder / "facts.json").read_text())
    assert (facts["n"], facts["k"], facts["verdict"]["passed"]) == (6, 3, True)
    assert facts["per_attribute"]["age"] == pytest.approx((2 / 31 + 5 / 31) / 2)
    assert "seed" not in facts["job"]
    assert "seed" not in (folder / "job.toml").read_text()

    keys = folder / "../safe/keys.json"
    assert stat.S_IMODE(keys.stat().st_mode) == 0o600
    custody = json.loads(keys.read_text())
    assert custody["source_sha256"] == hashlib.sha256(PEOPLE.encode()).hexdigest()
    content = (folder / "out.csv").read_bytes()
    assert custody["release_sha256"] == hashlib.sha256(content).hexdigest()
    diseases = [line.rsplit(",", 1)[1] for line in PEOPLE.splitlines()[1:]]
    assert [diseases[row - 1] for row in custody["rows"]] == released["disease"].to_list()


def test_seed_of_the_custody_file_makes_the_same_bytes(folder: Path) -> None:
    (folder.parent / "safe").mkdir()
    anonymize("-o", "out.csv", "--custody", "../safe/keys.json", "--save-job", "job.toml")
    seed = json.loads((folder / "../safe/keys.json").read_text())["seed"]

    assert run(["anonymize", "people.csv", "--job", "job.toml", "--seed", seed, "-o", "b.csv"]) == 0
    assert (folder / "b.csv").read_bytes() == (folder / "out.csv").read_bytes()


def test_a_saved_job_makes_the_same_bytes(folder: Path) -> None:
    (folder / "trees").mkdir()
    (folder / "jobs").mkdir()
    (folder / "trees/zip.csv").write_text(TREE)
    flags = ["--hierarchy", "zip=trees/zip.csv", "--weight", "age=2", "--seed", "7"]
    flags += ["--algorithm", "mondrian", "--param", "cuts=relaxed", "--notation", "min_max"]

    assert anonymize("-o", "a.csv", *flags, "--save-job", "jobs/job.toml") == 0
    assert run(["anonymize", "people.csv", "--job", "jobs/job.toml", "-o", "b.csv"]) == 0

    assert (folder / "a.csv").read_bytes() == (folder / "b.csv").read_bytes()
    assert stat.S_IMODE((folder / "jobs/job.toml").stat().st_mode) == 0o600


def test_flags_override_a_job(folder: Path, capsys: Captured) -> None:
    (folder / "job.toml").write_text('k = 2\nquasi = ["age"]\nrest = "drop"\n')

    flags = ["--job", "job.toml", "-k", "6", "-o", "out.csv", "--json"]
    assert run(["anonymize", "people.csv", *flags]) == 0

    facts = printed_json(capsys)
    assert (facts["k"], facts["classes"]) == (6, 1)


def test_json_of_anonymize_is_the_facts(folder: Path, capsys: Captured) -> None:
    assert anonymize("-o", "out.csv", "--facts", "facts.json", "--json") == 0

    assert printed_json(capsys) == json.loads((folder / "facts.json").read_text())


def test_an_output_is_replaced_by_force_alone(folder: Path, capsys: Captured) -> None:
    assert anonymize("-o", "out.csv") == 0
    first = (folder / "out.csv").read_bytes()
    assert anonymize("-o", "out.csv", k=6) == 2
    assert (folder / "out.csv").read_bytes() == first
    assert anonymize("-o", "out.csv", "--force", k=6) == 0
    assert (folder / "out.csv").read_bytes() != first


@pytest.mark.parametrize("name", ["out.csv.gz", "out.parquet", "out.arrow", "out.tsv"])
def test_every_format_can_be_verified(name: str, folder: Path, capsys: Captured) -> None:
    assert anonymize("-o", name) == 0
    assert run(["verify", "people.csv", name, "-k", "3", *ROLES]) == 0


def test_a_separator_is_for_reading_and_writing(folder: Path, capsys: Captured) -> None:
    (folder / "semicolons.csv").write_text(PEOPLE.replace(",", ";"))

    assert anonymize("-o", "out.csv", "--separator", ";", data="semicolons.csv") == 0
    assert (folder / "out.csv").read_text().startswith("age;sex;zip;disease\n")
    line = next(
        line for line in capsys.readouterr().out.splitlines() if line.startswith("  shoal verify")
    )
    assert run(shlex.split(line)[1:]) == 0


def test_a_personal_k_is_verified_with_the_custody_file(folder: Path, capsys: Captured) -> None:
    """Without it a class may hold any record that it covers, whose k may be larger."""
    (folder.parent / "safe").mkdir()
    header, *records = PEOPLE.splitlines()
    rows = [f"{record},{own}" for record, own in zip(records, "333444", strict=True)]
    (folder / "own.csv").write_text("\n".join([f"{header},own", *rows, ""]))
    custody = ["--custody", "../safe/keys.json"]
    assert anonymize("-o", "out.csv", "--personal-k", "own", *custody, data="own.csv") == 0
    line = next(
        line for line in capsys.readouterr().out.splitlines() if line.startswith("  shoal verify")
    )
    assert line.endswith("--custody ../safe/keys.json")
    assert run(shlex.split(line)[1:]) == 0
    assert anonymize("-o", "again.csv", "--personal-k", "own", data="own.csv") == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "make the release again with --custody FILE, then run: shoal verify" in told


def test_persons_are_counted_with_the_custody_file(folder: Path, capsys: Captured) -> None:
    """Without it a class may hold other records that it covers, of fewer persons."""
    (folder.parent / "safe").mkdir()
    header, *records = PEOPLE.splitlines()
    rows = [f"{record},{person}" for record, person in zip(records, "abcdef", strict=True)]
    (folder / "visits.csv").write_text("\n".join([f"{header},who", *rows, ""]))
    flags = ["--identifier", "who", "--person", "who", "--custody", "../safe/keys.json"]
    assert anonymize("-o", "out.csv", *flags, data="visits.csv") == 0
    line = next(
        line for line in capsys.readouterr().out.splitlines() if line.startswith("  shoal verify")
    )
    assert line.endswith("--custody ../safe/keys.json")
    assert run(shlex.split(line)[1:]) == 0


@pytest.mark.parametrize("name", ["*", "^a$"])
def test_a_column_whose_name_is_a_pattern(folder: Path, capsys: Captured, name: str) -> None:
    (folder / "patterns.csv").write_text(PEOPLE.replace("disease", name))

    assert anonymize("-o", "out.csv", data="patterns.csv") == 2
    assert f"A column cannot be named '{name}'" in capsys.readouterr().err
    assert not (folder / "out.csv").exists()


def test_all_ways_to_describe_columns_at_once(folder: Path, capsys: Captured) -> None:
    (folder / "zip.csv").write_text(TREE)
    text = (
        "id,born,size,zip,kin\\, friends,note\n"
        "1,01.02.2000,small,1010,NA,a\n"
        "2,02.02.2000,large,1011,2,b\n"
        "3,03.02.2000,huge,2010,3,c\n"
        "4,04.02.2000,small,2011,?,d\n"
    )
    (folder / "t.csv").write_text(text.replace("kin\\, friends", '"kin, friends"'))
    flags = ["--quasi", r"born,size,zip,kin\, friends", "--identifier", "id", "--rest", "other"]
    flags += ["--date-format", "born=%d.%m.%Y", "--order", "size=small,large,huge"]
    flags += ["--hierarchy", "zip=zip.csv", "--null-values", "?,NA", "--missing", "value"]
    flags += ["--value-range", r"born=1990-01-01:2020-12-31,kin\, friends=0:9", "--weight", "zip=3"]

    code = run(["anonymize", "t.csv", "-k", "2", *flags, "-o", "out.csv", "--facts", "f.json"])
    assert code == 0, capsys.readouterr().err
    capsys.readouterr()

    assert run(["verify", "t.csv", "out.csv", "--facts", "f.json"]) == 0
    assert run(["verify", "t.csv", "out.csv", "-k", "2", *flags]) == 0
    released = pl.read_csv(folder / "out.csv", infer_schema=False)
    assert released.columns == ["born", "size", "zip", "kin, friends", "note"]
    assert sorted(released["note"]) == ["a", "b", "c", "d"]


def test_verify_accepts_by_search_and_by_row_map(folder: Path, capsys: Captured) -> None:
    (folder.parent / "safe").mkdir()
    anonymize("-o", "out.csv", "--facts", "facts.json", "--custody", "../safe/keys.json")
    capsys.readouterr()

    assert run(["verify", "people.csv", "out.csv", "--facts", "facts.json"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("✓ PASSED: 6 of 6 records")
    assert "✗" not in told
    assert run(["verify", "people.csv", "out.csv", "-k", "3", *ROLES, "--json"]) == 0
    assert printed_json(capsys)["passed"] is True
    keys = ["--facts", "facts.json", "--custody", "../safe/keys.json", "--json"]
    assert run(["verify", "people.csv", "out.csv", *keys]) == 0
    verdict = printed_json(capsys)
    assert "row map" in verdict["proof"]
    assert verdict["notes"] == []


def test_verify_says_when_the_custody_file_is_of_another_release(
    folder: Path, capsys: Captured
) -> None:
    (folder.parent / "safe").mkdir()
    anonymize("-o", "out.csv", "--facts", "facts.json", "--custody", "../safe/keys.json")
    other = (folder / "out.csv").read_text().splitlines()
    (folder / "other.csv").write_text("\n".join([other[0], *reversed(other[1:])]) + "\n")
    capsys.readouterr()

    keys = ["--facts", "facts.json", "--custody", "../safe/keys.json", "--json"]
    assert run(["verify", "people.csv", "other.csv", *keys]) == 1
    verdict = printed_json(capsys)
    assert verdict["passed"] is False
    assert "other.csv is not the release" in verdict["notes"][0]


FAULTS = {
    "class of two": ("[35..37],F,[1010..1012],flu", "36,F,[1010..1012],flu"),
    "cell too narrow": ("[35..37]", "[35..36]"),
    "value changed": ("gout", "lepra"),
    "row missing": ("[61..66],M,[2010..2012],gout\n", ""),
    "row twice": (
        "[61..66],M,[2010..2012],gout\n",
        "[61..66],M,[2010..2012],gout\n[61..66],M,[2010..2012],gout\n",
    ),
    "cell not readable": ("[35..37]", "[35..oops]"),
    "column missing": ("zip", "postcode"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_verify_catches_faults(fault: str, folder: Path, capsys: Captured) -> None:
    anonymize("-o", "out.csv")
    capsys.readouterr()
    right, wrong = FAULTS[fault]
    text = (folder / "out.csv").read_text()
    assert right in text
    (folder / "out.csv").write_text(text.replace(right, wrong, 1))

    assert run(["verify", "people.csv", "out.csv", "-k", "3", *ROLES]) == 1
    told = capsys.readouterr()
    assert told.out.startswith("✗ FAILED")
    assert told.err == ""


def test_verify_judges_a_higher_k(folder: Path, capsys: Captured) -> None:
    anonymize("-o", "out.csv", "--facts", "facts.json")

    assert run(["verify", "people.csv", "out.csv", "--facts", "facts.json", "-k", "4"]) == 1


def test_facts_can_be_read_from_another_folder(
    folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("trees", "results"):
        (folder / name).mkdir()
    (folder / "trees/zip.csv").write_text(TREE)
    flags = ["--hierarchy", "zip=trees/zip.csv", "-o", "results/out.csv"]
    assert anonymize(*flags, "--facts", "results/facts.json") == 0
    monkeypatch.chdir(folder / "results")

    assert run(["verify", "../people.csv", "out.csv", "--facts", "facts.json"]) == 0
    monkeypatch.chdir(folder)
    (folder / "trees/regions.csv").write_text("zip,region\n" + TREE.replace(",*", ""))
    flags = ["--hierarchy", "zip=groups:trees/regions.csv", "-o", "results/other.csv"]
    assert anonymize(*flags, "--facts", "results/other.json") == 0
    monkeypatch.chdir(folder / "results")
    assert run(["verify", "../people.csv", "other.csv", "--facts", "other.json"]) == 0


def test_utility_keeps_people_apart_by_the_custody_file(folder: Path, capsys: Captured) -> None:
    (folder.parent / "safe").mkdir()
    custody = ["--custody", "../safe/keys.json"]
    assert anonymize("-o", "out.csv", "--facts", "facts.json", *custody) == 0
    capsys.readouterr()
    task = ["utility", "people.csv", "out.csv", "--facts", "facts.json", "--target", "disease"]
    small = ["--folds", "2", "--queries", "9"]
    assert run([*task, *small, *custody, "--json", "-o", "told.json"]) == 0
    told = printed_json(capsys)
    assert json.loads((folder / "told.json").read_text()) == told
    assert run([*task, *small, "--json", "-o", "told.json"]) == 2  # it is there already
    capsys.readouterr()
    assert told["learning"]["apart"]
    assert told["notes"] == []
    assert "strongest" not in told["rules"]
    assert run([*task, *small, "--rules", "--json"]) == 0
    told = printed_json(capsys)
    assert not told["learning"]["apart"]
    assert "--custody" in told["notes"][0]
    assert told["rules"]["strongest"]
    (folder / "people.csv").write_text((folder / "people.csv").read_text() + "\n")
    assert run([*task, *small, *custody, "--json"]) == 0
    assert "people.csv is not the source" in printed_json(capsys)["notes"][0]
    assert run([*task, *small, "--json"]) == 0
    named = printed_json(capsys)
    assert run([*task[:-2], *small, "--json"]) == 0  # the first sensitive column
    assert printed_json(capsys) == named


def test_utility_without_a_target_compares_counts(folder: Path, capsys: Captured) -> None:
    job = ["-k", "3", "--quasi", "age,sex,zip", "--rest", "drop", "-o", "out.csv"]
    assert run(["anonymize", "people.csv", *job, "--facts", "facts.json"]) == 0
    capsys.readouterr()
    task = ["utility", "people.csv", "out.csv", "--facts", "facts.json", "--queries", "9"]
    assert run([*task, "--keep-marginals", "age*sex,zip"]) == 0
    shown = capsys.readouterr().out
    assert "relative error of 9 counting queries" in shown
    assert "total variation" in shown
    assert "age*sex" in shown
    assert "error of" not in shown.replace("relative error of", "")
    assert run([*task, "--json"]) == 0
    found = printed_json(capsys)
    assert sorted(found) == ["notes", "queries"]
    assert "--target" in found["notes"][0]


def test_measure_tells_every_measure_and_its_meaning(folder: Path, capsys: Captured) -> None:
    anonymize("-o", "out.csv", "--facts", "facts.json")
    facts = json.loads((folder / "facts.json").read_text())
    capsys.readouterr()

    assert run(["measure", "people.csv", "out.csv", "--facts", "facts.json", "--json"]) == 0
    measured = printed_json(capsys)
    # Nothing is suppressed, so readers of the release arrive at the same figures.
    published = {name: measured["measures"][name] for name in facts["measures"]}
    assert published == pytest.approx(facts["measures"])
    assert measured["per_attribute"] == pytest.approx(facts["per_attribute"])

    assert run(["measure", "people.csv", "out.csv", "-k", "3", *ROLES]) == 0
    told = " ".join(capsys.readouterr().out.split())
    for name, one in measures().items():
        assert name in told
        assert one.meaning.split(":")[0] in told


def test_inspect_spells_out_a_command_that_runs(folder: Path, capsys: Captured) -> None:
    assert run(["inspect", "people.csv"]) == 0
    told = capsys.readouterr().out
    line = told.splitlines()[-1].strip()
    assert run(shlex.split(line)[1:]) == 0
    assert (folder / "people-released.csv").exists()


def test_inspect_as_json(folder: Path, capsys: Captured) -> None:
    assert run(["inspect", "people.csv", "--json"]) == 0

    found = printed_json(capsys)
    assert (found["n"], found["unique"], found["k"]) == (6, 6, 1)
    roles = {column["name"]: column["role"] for column in found["columns"]}
    assert roles == {
        "name": "identifier",
        "age": "quasi",
        "sex": "quasi",
        "zip": "quasi",
        "disease": "sensitive",
    }
    assert shlex.split(found["command"])[:3] == ["shoal", "anonymize", "people.csv"]


def test_inspect_without_a_guess_makes_no_command(folder: Path, capsys: Captured) -> None:
    (folder / "t.csv").write_text("xyzzy\n1\n1\n2\n")

    assert run(["inspect", "t.csv", "--json"]) == 0
    found = printed_json(capsys)
    assert found["command"] is None
    assert any("--quasi" in warning for warning in found["warnings"])
    assert run(["inspect", "t.csv"]) == 0
    assert "shoal anonymize" not in capsys.readouterr().out


def test_control_characters_of_a_table_do_not_reach_the_terminal(
    folder: Path, capsys: Captured
) -> None:
    (folder / "t.csv").write_text("age,\x1b[31mred\n1,2\n3,4\n")

    assert run(["inspect", "t.csv"]) == 0
    told = capsys.readouterr().out
    assert "\x1b" not in told
    assert "\\x1b[31mred" in told


def test_algorithms_as_text_and_as_json(capsys: Captured) -> None:
    assert run(["algorithms"]) == 0
    told = capsys.readouterr().out
    assert run(["algorithms", "--json"]) == 0
    listed = printed_json(capsys)["algorithms"]
    assert [one["name"] for one in listed] == list(algorithms())
    for one in listed:
        assert one["name"] in told
        assert run(["algorithms", one["name"], "--json"]) == 0
        assert printed_json(capsys) == one
        assert run(["algorithms", one["name"]]) == 0
        alone = capsys.readouterr().out
        assert all(parameter["name"] in alone for parameter in one["parameters"])


def test_errors_as_json(folder: Path, capsys: Captured) -> None:
    assert anonymize("-o", "out.csv", "--json", k=7) == 1

    told = capsys.readouterr()
    error = json.loads(told.out)["error"]
    assert error["type"] == "InfeasibleError"
    assert "only 6 records" in error["what"]
    assert "largest feasible k is 6" in error["remedy"]
    assert told.err.startswith("error: ")


def test_usage_errors_as_json(capsys: Captured) -> None:
    assert run(["verify", "a.csv", "b.csv", "--json", "--colour"]) == 2

    assert json.loads(capsys.readouterr().out)["error"]["type"] == "UsageError"


def test_persons_are_counted(folder: Path, capsys: Captured) -> None:
    rows = ["id,age", *(f"{number // 2},{number}" for number in range(12))]
    (folder / "visits.csv").write_text("\n".join(rows) + "\n")
    flags = ["-k", "3", "--quasi", "age", "--person", "id", "-o", "out.csv"]

    assert run(["anonymize", "visits.csv", *flags]) == 0
    assert re.search(r"at least [3-6] persons", capsys.readouterr().out)


def test_suppression_is_told(folder: Path, capsys: Captured) -> None:
    ages = [20 + number % 5 for number in range(50)] + [60, 70, 80, 90, 99]
    (folder / "t.csv").write_text("\n".join(["age", *map(str, ages)]) + "\n")
    flags = ["-k", "5", "--quasi", "age", "--suppression", "0.1"]

    # The five lose half of their range together; suppressed, they would lose all of it.
    assert run(["anonymize", "t.csv", *flags, "-o", "all.csv", "--json"]) == 0
    assert printed_json(capsys)["suppressed"] == 0
    others = ["--suppress-for", "released"]
    assert run(["anonymize", "t.csv", *flags, *others, "-o", "stars.csv", "--json"]) == 0
    assert printed_json(capsys)["suppressed"] == 5
    withhold = [*others, "--suppressed", "withhold", "-o", "fewer.csv"]
    assert run(["anonymize", "t.csv", *flags, *withhold]) == 0
    assert "5 (9.09 %); 5 withheld" in capsys.readouterr().out
    assert (folder / "stars.csv").read_text().splitlines().count("*") == 5
    assert len((folder / "fewer.csv").read_text().splitlines()) == 51
    for name in ("stars.csv", "fewer.csv"):
        assert run(["verify", "t.csv", name, *flags]) == 0
    assert run(["verify", "t.csv", "fewer.csv", "-k", "5", "--quasi", "age"]) == 1


def test_demo(folder: Path, capsys: Captured) -> None:
    assert run(["demo", "--output", "shown", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["verdict"]["passed"] is True
    assert run(["demo", "--output", "shown"]) == 2
    assert "--force" in capsys.readouterr().err


def test_marginal_tables_are_kept_and_reported(folder: Path, capsys: Captured) -> None:
    keep = ["--keep-marginals", "age*sex,sex*zip"]
    assert anonymize("-o", "out.csv", "--facts", "facts.json", *keep, "--marginal-weight", "2") == 0
    told = capsys.readouterr().out
    assert re.search(r"marginal table +cells +total variation +hellinger", told)
    assert re.search(r"age\*sex +12 +0\.\d{4}", told)
    assert "Releases tried for --keep-marginals" in told
    assert run(["measure", "people.csv", "out.csv", "--facts", "facts.json", "--json"]) == 0
    assert set(printed_json(capsys)["marginals"]) == {"age*sex", "sex*zip"}
    assert run(["measure", "people.csv", "out.csv", "--facts", "facts.json"]) == 0
    assert re.search(r"sex\*zip +12 +0\.\d{4}", capsys.readouterr().out)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("-", "released.csv"),
        ("sqlite:///clinic.db#visits", "released.csv"),
        ("postgresql://ann@server/clinic", "released.csv"),
        ("2024-*.csv", "released.parquet"),
        ("2024-*.parquet", "released.csv"),
        ("folder", "folder-released.parquet"),
        ("people.csv.zst", "people-released.csv.zst"),
        ("people.sav", "people-released.csv"),
        ("people.xlsm", "people-released.xlsx"),
        ("people.parquet", "people-released.parquet"),
    ],
)
def test_the_release_that_inspect_suggests_can_be_written(
    data: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from shoal.cli.inspect import suggested_release

    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    if "*" not in data and "/" not in data and data not in ("-", "folder"):
        (tmp_path / data).touch()
    assert suggested_release(data) == expected
