"""Facts: what is published beside a release tells nothing that the release does not."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import jsonschema
import numpy as np
import polars as pl
import pytest

import shoal
from shoal.cli.main import run
from shoal.measures import Measures, Released, measures
from shoal.pipeline.facts import Facts, schema_of_facts
from tests.tables import mixed_table

if TYPE_CHECKING:
    from pathlib import Path

ILLNESSES = ["flu", "cold", "gout", "rash", "none"]
WORDS: dict[str, Any] = {
    "k": 4,
    "quasi": ["age"],
    "sensitive": ["illness"],
    "suppression": 0.1,
    "suppressed": "withhold",
    "algorithm": "k-member",
    "seed": 7,
}
# What differs from run to run, whatever the table.
VOLATILE = {"date"}


def people(seed: int, oldest: int, illness: str) -> pl.DataFrame:
    """Return forty people between 20 and 60 and one who is far older and ill."""
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": [*rng.integers(20, 61, 40).tolist(), oldest],
            "illness": [*rng.choice(ILLNESSES, 40).tolist(), illness],
        }
    )


def numbers_in(value: Any) -> list[float]:
    """Return every number in a nest of dictionaries and lists."""
    if isinstance(value, dict):
        return [number for one in value.values() for number in numbers_in(one)]
    if isinstance(value, list):
        return [number for one in value for number in numbers_in(one)]
    return [float(value)] if isinstance(value, int | float) and not isinstance(value, bool) else []


def widths(release: shoal.Release[pl.DataFrame]) -> int:
    """Return the sum of the widths of the ages that a release shows."""
    ends = [cell.strip("[]").split("..") for cell in release.table["age"]]
    return sum(int(one[-1]) - int(one[0]) for one in ends)


@pytest.mark.parametrize("seed", range(24))
def test_the_range_of_a_column_does_not_reach_withheld_records(seed: int) -> None:
    oldest = 150 + seed
    frame = people(seed, oldest, "HIV")
    release = shoal.anonymize(frame, **WORDS)
    facts = release.facts
    assert facts.withheld > 0
    shown = [int(end) for cell in release.table["age"] for end in cell.strip("[]").split("..")]
    assert max(shown) < oldest

    # The attack: a mean loss is the sum of widths over range and n, and withheld records lose 1.
    for n, loss in ((facts.n, facts.per_attribute["age"]), (1, facts.measures["gcp_sum"])):
        found = min(shown) + widths(release) / (loss * n - facts.suppressed)
        assert found == pytest.approx(max(shown))
    # The custodian's own figures do tell: the attack itself is sound.
    exact = release.figures.per_attribute["age"] * facts.n - facts.suppressed
    ages = frame["age"].to_numpy()
    assert widths(release) / exact == pytest.approx(ages.max() - ages.min())


@pytest.mark.parametrize("seed", range(24))
def test_no_figure_is_an_entropy_with_the_withheld(seed: int) -> None:
    frame = people(seed, 199, "HIV")
    release = shoal.anonymize(frame, **WORDS)
    assert not {"pmi", "pmi_mean", "mi", "kl", "am"} & release.facts.measures.keys()
    published = numbers_in(
        {name: told for name, told in release.facts.to_dict().items() if name not in VOLATILE}
    )
    counts = frame["illness"].value_counts()["count"].to_numpy() / frame.height
    entropy = float(-(counts * np.log2(counts)).sum())
    known = release.figures.measures
    assert known["pmi"] + known["pmi_mean"] == pytest.approx(entropy)
    sums = [one + other for one in published for other in (0.0, *published)]
    assert not any(abs(found - entropy) < 1e-9 for found in sums)


def test_facts_do_not_change_with_what_is_withheld() -> None:
    alike = 0
    for seed in range(12):
        first = shoal.anonymize(people(seed, 191, "HIV"), **WORDS)
        for oldest, illness in ((197, "HIV"), (191, "flu"), (220, "Ebola")):
            other = shoal.anonymize(people(seed, oldest, illness), **WORDS)
            if not other.table.equals(first.table):
                continue
            alike += 1
            one, two = ({**made.facts.to_dict(), **dict.fromkeys(VOLATILE)}
                        for made in (first, other))  # fmt: skip
            assert one == two
    assert alike >= 12


def test_facts_do_not_change_with_exact_values_behind_the_cells() -> None:
    # The two ages in the middle of each class may be anything between its ends.
    one = pl.DataFrame({"age": [20, 21, 24, 30, 31, 39], "d": list("abcabc")})
    two = pl.DataFrame({"age": [20, 22, 24, 30, 38, 39], "d": list("abcabc")})
    words: dict[str, Any] = {"k": 3, "quasi": ["age"], "sensitive": ["d"], "seed": 1}
    proving: dict[str, Any] = {"algorithm": "k-member", "bound_seconds": 1}
    for more in ({}, proving):
        made = [shoal.anonymize(frame, **words, **more) for frame in (one, two)]
        assert made[0].table.sort("age", "d").equals(made[1].table.sort("age", "d"))
        told = [{**each.facts.to_dict(), **dict.fromkeys(VOLATILE)} for each in made]
        assert told[0] == told[1]


MADE: list[tuple[list[Any], Any, dict[str, Any]]] = [
    (
        ["80011", "80012", "80013", "81011", "81012", "81013"],
        "80012",
        {"hierarchy": {"x": "stars"}},
    ),
    ([21, 22, 23, 31, 32, 33], 22, {"hierarchy": {"x": "ranges:10"}}),
    ([21, 22, 23, 31, 32, 33], 22, {"hierarchy": {"x": "ranges:10"}, "algorithm": "flash"}),
    ([21, 22, 23, 31, 32, 33], 22, {"hierarchy": {"x": "cuts:25,30"}}),
    (
        [f"2020-{month}-{day}" for month in ("03", "04") for day in ("01", "09", "11")],
        "2020-03-09",
        {"hierarchy": {"x": "dates"}},
    ),
    ([*"abcxyz"], "b", {"suppress_only": ["x"]}),
]


@pytest.mark.parametrize(("column", "third", "options"), MADE)
def test_facts_do_not_count_the_values_behind_made_groups(
    column: list[Any], third: Any, options: dict[str, Any]
) -> None:
    # Whether a group of three hides three values or two.
    fewer = [*column[:2], third, *column[3:]]
    told = []
    for values in (column, fewer):
        frame = pl.DataFrame({"x": values, "d": list("abcabc")})
        release = shoal.anonymize(
            frame, k=3, quasi=["x"], sensitive=["d"], seed=1, steps=200, **options
        )
        facts = {**release.facts.to_dict(), **dict.fromkeys(VOLATILE)}
        told.append((sorted(release.table["x"]), facts))
    assert told[0] == told[1]


def test_losses_of_made_hierarchies_are_published_in_levels() -> None:
    ages = [21, 22, 23, 31, 32, 33]
    frame = pl.DataFrame({"age": ages})
    release = shoal.anonymize(frame, k=3, quasi=["age"], hierarchy={"age": "ranges:10,20,40"})
    assert set(release.table["age"]) == {"[20..29]", "[30..39]"}
    assert release.facts.per_attribute == {"age": pytest.approx(1 / 4)}
    assert release.figures.per_attribute == {"age": pytest.approx(2 / 5)}
    assert any("counted in levels" in note for note in release.facts.notes)


def test_published_loss_is_exact_where_every_record_is_released() -> None:
    frame = mixed_table(120, 3, missing=0.0)
    words: dict[str, Any] = {
        "k": 4, "quasi": ["age", "job", "born"], "sensitive": ["disease"], "rest": "drop",
    }  # fmt: skip
    release = shoal.anonymize(frame, **words)
    exact = release.figures
    assert release.facts.suppressed == release.facts.withheld == 0
    assert release.facts.per_attribute == pytest.approx(exact.per_attribute, abs=1e-12)
    for name, figure in release.facts.measures.items():
        assert figure == pytest.approx(exact.measures[name], abs=1e-12), name


def test_a_declared_range_is_what_losses_are_of() -> None:
    frame = people(3, 199, "HIV")
    release = shoal.anonymize(frame, **WORDS, value_range={"age": "0:200"})
    lost = Fraction(widths(release), 200) + release.facts.suppressed
    assert release.facts.per_attribute["age"] == pytest.approx(float(lost / frame.height))
    assert release.facts.per_attribute == pytest.approx(release.figures.per_attribute)


def test_measures_of_the_release_alone_never_ask_for_the_original() -> None:
    release = shoal.anonymize(people(1, 199, "HIV"), **WORDS)
    assert set(release.facts.measures) == {
        name for name, one in measures().items() if not one.original
    }
    # A figure of codes that are not there would raise.
    from shoal.encoding import encode
    from shoal.pipeline.publication import release_alone
    from shoal.pipeline.run import schema_of
    from shoal.table import Table

    table = Table.of(people(1, 199, "HIV"), schema_of(people(1, 199, "HIV"), release.job))
    encoded = encode(table)
    from shoal.encoding.parse import parse_release

    recoding, domains = parse_release(release.table, encoded.domains)
    alone = release_alone(Released(domains, encoded.weights, encoded.codes, recoding, encoded.n, 4))
    assert alone.codes == ()
    assert Measures(alone, of_release_alone=True)["gcp"] == release.facts.measures["gcp"]


def test_facts_confirm_no_guess_about_a_value_inside_an_interval() -> None:
    # Two tables with one release. Its classes are the best of the first table, not of the second:
    # whether they were proved optimal, or how far they are from a bound, would tell which it was.
    tables = [[0, 1, 10, 9, 10, 20], [0, 9, 10, 9, 10, 20], [0, 0, 10, 9, 19, 20]]
    made = []
    for x in tables:
        frame = pl.DataFrame({"x": x, "half": list("aaabbb"), "d": list("uvwuvw")})
        made.append(
            shoal.anonymize(
                frame, k=3, quasi=["x", "half"], sensitive=["d"], seed=1, bound_seconds=5,
                algorithm="mondrian", kind={"half": "categorical"},
            )
        )  # fmt: skip
    assert len({tuple(sorted(release.table.rows())) for release in made}) == 1
    assert len({release.figures.gap for release in made}) > 1
    told = [{**release.facts.to_dict(), **dict.fromkeys(VOLATILE)} for release in made]
    assert told[0] == told[1] == told[2]


def test_the_course_of_a_search_stays_in_custody() -> None:
    release = shoal.anonymize(people(1, 50, "flu"), **WORDS, bound_seconds=1)
    secret = {"optimal", "lower_bound", "gap", "steps", "seconds", "trace", "search"}
    assert not secret & set(release.facts.to_dict())
    assert secret <= set(json.loads(release.custody.to_json("0"))["figures"])
    assert release.figures.seconds["solve"] >= 0
    assert release.figures.steps >= 0


def test_facts_name_no_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home" / "alice"
    (home / "trees").mkdir(parents=True)
    (tmp_path / "out").mkdir()
    (home / "trees" / "illness.csv").write_text("".join(f"{one},*\n" for one in ILLNESSES))
    people(1, 50, "flu").write_csv(home / "people.csv")
    monkeypatch.setenv("HOME", str(home))
    roles = ["--quasi", "age,illness", "-k", "4"]
    for here, tree in (
        (home, "trees/illness.csv"),
        (home, str(home / "trees" / "illness.csv")),
        (tmp_path, "home/alice/trees/illness.csv"),
        (tmp_path / "out", "../home/alice/trees/illness.csv"),
    ):
        monkeypatch.chdir(here)
        outputs = ["-o", str(tmp_path / "out" / "r.csv"), "--facts", str(tmp_path / "out/f.json")]
        words = [*roles, "--hierarchy", f"illness={tree}", *outputs, "--force"]
        assert run(["anonymize", str(home / "people.csv"), *words]) == 0
        told = (tmp_path / "out" / "f.json").read_text()
        assert "alice" not in told
        assert str(tmp_path) not in told
        assert json.loads(told)["job"]["hierarchy"] == {"illness": "illness.csv"}
    assert "alice" not in json.dumps(
        shoal.anonymize(
            people(1, 50, "flu"),
            k=4,
            quasi=["age", "illness"],
            hierarchy={"illness": home / "trees" / "illness.csv"},
        ).facts.to_dict()
    )


def test_details_of_the_verdict_stay_with_the_custodian() -> None:
    words = {**WORDS, "models": ["t-closeness:0.5"], "suppression": 0.2}
    release = shoal.anonymize(people(5, 199, "HIV"), **words)
    # The distance from the table, to six digits, is a figure with the withheld in it.
    assert any("distance" in check.detail for check in release.verdict.checks)
    assert "distance" not in json.dumps(release.facts.verdict)


def test_facts_are_read_back(tmp_path: Path) -> None:
    release = shoal.anonymize(people(1, 50, "flu"), **WORDS)
    release.save(tmp_path / "r.csv", facts=tmp_path / "f.json")
    read = Facts.load(tmp_path / "f.json")
    assert replace(read, release_sha256=None) == release.facts
    assert read["classes"] == read.classes
    with pytest.raises(KeyError):
        read["seed"]
    newer = {**read.to_dict(), "schema_version": 99}
    (tmp_path / "g.json").write_text(json.dumps(newer))
    with pytest.raises(shoal.FileError, match="version 99"):
        Facts.load(tmp_path / "g.json")
    (tmp_path / "h.json").write_text("{}")
    with pytest.raises(shoal.FileError, match="not complete"):
        Facts.load(tmp_path / "h.json")


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"suppressed": "star", "suppression": 0.5},
        {"bound_seconds": 1, "suppression": 0.0},
        {"algorithm": "auto", "time": 0.2},
        {"algorithm": "flash", "hierarchy": {"age": "ranges:10,20"}},
        {"algorithm": "mondrian", "models": ["distinct-l-diversity:2"]},
    ],
    ids=lambda more: more.get("algorithm", "-".join(more)) or "plain",
)
def test_facts_follow_their_schema(more: dict[str, Any], tmp_path: Path) -> None:
    release = shoal.anonymize(people(1, 50, "flu"), **{**WORDS, **more})
    release.save(tmp_path / "r.csv", facts=tmp_path / "f.json")
    told = json.loads((tmp_path / "f.json").read_text())
    schema = schema_of_facts()
    jsonschema.Draft202012Validator.check_schema(schema)
    following = jsonschema.Draft202012Validator(schema)
    following.validate(told)
    # Nothing is published that the schema does not describe, and nothing it describes is left out.
    assert told.keys() == schema["properties"].keys()
    assert told["detail"]["age"].keys() == schema["$defs"]["Detail"]["properties"].keys()
    for name in schema["properties"]:
        assert not following.is_valid({**told, name: ...}), name
    del told["verdict"]
    assert not following.is_valid(told)


def test_facts_do_not_tell_the_widths_behind_statistics_of_classes() -> None:
    # Two means and the widest interval would be two equations for the two ages of a class.
    means = {"one": [20, 50, 90, 94], "two": [30, 40, 91, 93]}
    words: dict[str, Any] = {"k": 2, "quasi": ["age", "sex"], "seed": 1}
    for how in ({"aggregate": {"age": "mean"}}, {"notation": "midpoint"}):
        made = {
            name: shoal.anonymize(pl.DataFrame({"age": ages, "sex": list("ffmm")}), **words, **how)
            for name, ages in means.items()
        }
        assert made["one"].table["age"].sort().to_list() == [35, 35, 92, 92]
        assert made["two"].table["age"].sort().to_list() == [35, 35, 92, 92]
        told = [{**each.facts.to_dict(), **dict.fromkeys(VOLATILE)}
                for each in made.values()]  # fmt: skip
        assert told[0] == told[1]
        assert "gcp" not in told[0]["measures"]
        assert told[0]["per_attribute"] == {"sex": 0.0}
        # The custodian is told what the statistics stand for.
        assert made["one"].detail["age"].largest_width == 30
        assert list(made["one"].detail) == ["age", "sex"]


def test_a_withheld_fraction_does_not_show_in_means() -> None:
    for oldest in ("5000", "5000.12345"):
        ages = ["20", "21", "21", "40", "41", "41", oldest]
        frame = pl.DataFrame({"age": ages, "illness": ["flu"] * 7})
        release = shoal.anonymize(frame, **{**WORDS, "k": 3, "suppression": 0.2},
                                  aggregate={"age": "mean"})  # fmt: skip
        assert release.facts.withheld == 1
        assert set(release.table["age"]) == {20.67, 40.67}
        assert shoal.verify(frame, release, rows=release.custody.rows).passed


def test_facts_keep_the_keys_that_scripts_read() -> None:
    release = shoal.anonymize(people(1, 50, "flu"), **WORDS)
    told = release.facts.to_dict()
    for key in ("n", "k", "algorithm", "measures", "per_attribute", "classes", "suppressed",
                "verdict", "job"):  # fmt: skip
        assert key in told, key
    assert "gcp" in told["measures"]
