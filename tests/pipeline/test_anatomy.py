"""Releases in two tables: what they promise, and what their verifier sees."""

from __future__ import annotations

import json
import stat
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.cli.main import run as run_command
from shoal.errors import ExposureError, InfeasibleError, ParameterError, SchemaError
from shoal.pipeline.anatomy import verify_anatomized
from shoal.table import declare
from shoal.verifier.anatomy import verify_anatomy

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.verifier import Verdict


def people(values: list[str | None]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "name": [f"p{i}" for i in range(len(values))],
            "age": [20 + i % 7 for i in range(len(values))],
            "town": [f"t{i % 3}" for i in range(len(values))],
            "ill": pl.Series(values, dtype=pl.String),
        }
    )


ROLES: dict[str, Any] = {"quasi": ["age", "town"], "identifier": ["name"]}
HOSPITAL = people(["flu"] * 6 + ["gout"] * 5 + ["mumps", "cold", "ache"] * 4 + [None] * 3)


def verdict_of(
    original: pl.DataFrame, who: pl.DataFrame, what: pl.DataFrame, least: int, rows: Any = None
) -> Verdict:
    schema = declare(original, sensitive=["ill"], **ROLES)
    return verify_anatomy(original, who, what, schema, least, witness=rows)


@settings(max_examples=60, deadline=None)
@given(
    values=st.lists(st.sampled_from(["a", "b", "c", "d", "e", None]), min_size=2, max_size=60),
    least=st.integers(2, 4),
    seed=st.integers(0, 2**32),
)
def test_every_group_is_diverse_and_true(values: list[str | None], least: int, seed: int) -> None:
    frame = people(values)
    most = max(Counter(values).values())
    if most * least > len(values):
        with pytest.raises(InfeasibleError) as caught:
            shoal.anatomize(frame, l=least, sensitive="ill", seed=seed, **ROLES)
        assert caught.value.feasible == len(values) // most
        return
    made = shoal.anatomize(frame, l=least, sensitive="ill", seed=seed, **ROLES)
    # Counted with dictionaries, from the two tables and the row map.
    groups: dict[int, Counter[str | None]] = {}
    for row, group in zip(made.custody.rows.tolist(), made.people["group"].to_list(), strict=True):
        groups.setdefault(group, Counter())[values[row]] += 1
    told: dict[int, Counter[str | None]] = {}
    for group, value, count in made.values.rows():
        told.setdefault(group, Counter())[value] += count
    assert groups == told
    for held in groups.values():
        assert max(held.values()) * least <= held.total()
    shown = made.people.drop("group").rows()
    assert shown == frame.select("age", "town")[made.custody.rows].rows()
    assert verdict_of(frame, made.people, made.values, least).passed


def test_faults_are_seen() -> None:
    made = shoal.anatomize(HOSPITAL, l=3, sensitive="ill", seed=5, **ROLES)
    who, what, rows = made.people, made.values, made.custody.rows
    assert verdict_of(HOSPITAL, who, what, 3, rows).passed
    one = pl.int_range(pl.len()) == 0

    def failing(
        who: pl.DataFrame, what: pl.DataFrame, least: int = 3, rows: Any = None
    ) -> set[str]:
        found = verdict_of(HOSPITAL, who, what, least, rows)
        assert not found.passed
        return {check.name for check in found.checks if not check.passed}

    assert failing(who, what, least=5) == {"groups of at least 5 values"}
    moved = who.with_columns(group=pl.when(one).then(who["group"][1] % 2 + 1).otherwise("group"))
    if not moved.equals(who):
        assert "both tables have the same groups" in failing(moved, what)
    assert "every record accounted for" in failing(who.with_columns(age=pl.col("age") + one), what)
    more = what.with_columns(count=pl.col("count") + one)
    assert {"both tables have the same groups", "sensitive values unchanged"} <= failing(who, more)
    assert failing(who.with_columns(ill=pl.lit("flu")), what) == {"columns present"}
    assert failing(who, what.with_columns(age=pl.lit(1))) == {"columns present"}
    assert failing(who, what, rows=np.zeros(len(rows), dtype=np.int64)) == {"row map is one-to-one"}
    # Two groups with a value exchanged: whoever looks like nobody else is in the wrong one.
    ill = what["ill"].to_list()
    held = {group: what.filter(group=group)["ill"].to_list() for group in what["group"]}
    one_of, other_of = next(
        (i, j)
        for i, first in enumerate(what["group"])
        for j, second in enumerate(what["group"])
        if ill[j] not in held[first] and ill[i] not in held[second]
    )
    ill[one_of], ill[other_of] = ill[other_of], ill[one_of]
    crossed = what.with_columns(ill=pl.Series(ill))
    assert failing(who, crossed) == {"groups hold their originals"}
    assert failing(who, crossed, rows=rows) == {"groups hold their originals"}


# Four people in one group of two values, each of which half of them have.
FOUR = people(["flu", "gout", "flu", "gout"])
WHO = FOUR.select("age", "town", group=pl.lit(1))
WHAT = pl.DataFrame({"group": [1, 1], "ill": ["flu", "gout"], "count": [2, 2]})


@pytest.mark.parametrize(
    ("who", "what", "rows", "failed", "detail"),
    [
        pytest.param(
            WHO.with_columns(group=pl.Series([1, 1, 1, None])), WHAT, None,
            "columns present", "the first table has rows without a group", id="no group",
        ),
        pytest.param(
            WHO, WHAT.with_columns(group=pl.Series([1, None])), None,
            "columns present", "the second table has rows without a group", id="no owner",
        ),
        pytest.param(
            WHO, pl.DataFrame({"group": 1, "ill": ["flu", "flu", "gout"], "count": [1, 1, 2]}),
            None, "both tables have the same groups", "1 values are listed twice in a group",
            id="listed twice",
        ),
        pytest.param(
            WHO.head(3), WHAT, None,
            "every record accounted for", "3 records released, but there are 4 originals",
            id="left out",
        ),
        pytest.param(
            WHO, WHAT, np.array([1, 0, 2, 3]),
            "values unchanged", "column 'age': release rows 1, 2", id="exchanged",
        ),
    ],
)  # fmt: skip
def test_each_fault_is_named(
    who: pl.DataFrame, what: pl.DataFrame, rows: Any, failed: str, detail: str
) -> None:
    assert verdict_of(FOUR, WHO, WHAT, 2).passed
    assert verdict_of(FOUR, WHO, WHAT, 2, np.arange(4)).passed
    found = verdict_of(FOUR, who, what, 2, rows)
    assert not found.passed
    (said,) = [check.detail for check in found.checks if check.name == failed and not check.passed]
    assert detail in said


def test_seed_repeats_and_input_is_untouched() -> None:
    before = HOSPITAL.clone()
    one, two, other = (
        shoal.anatomize(HOSPITAL, l=2, sensitive="ill", seed=seed, **ROLES) for seed in (1, 1, 2)
    )
    assert one.people.equals(two.people)
    assert one.values.equals(two.values)
    assert not one.people.equals(other.people)
    assert HOSPITAL.equals(before)
    assert "name" not in one.people.columns
    assert any("not who is in the table" in note for note in one.facts["notes"])


def test_bad_words_are_refused() -> None:
    with pytest.raises(ParameterError, match="l is 1"):
        shoal.anatomize(HOSPITAL, l=1, sensitive="ill", **ROLES)
    with pytest.raises(SchemaError, match="'group'"):
        shoal.anatomize(HOSPITAL.rename({"town": "group"}), l=2, sensitive="ill",
                        quasi=["age", "group"], identifier=["name"])  # fmt: skip


def test_command_line_writes_both_tables_or_nothing(tmp_path: Path) -> None:
    source, who, what, facts = (
        str(tmp_path / name) for name in ("people.csv", "who.csv", "what.csv", "facts.json")
    )
    HOSPITAL.write_csv(source)
    words = ["--quasi", "age,town", "--identifier", "name", "--sensitive", "ill"]
    outputs = ["-o", who, "--values", what, "--facts", facts]
    assert run_command(["anatomize", source, "-l", "9", *words, *outputs]) == 1
    assert not (tmp_path / "who.csv").exists()
    assert run_command(["anatomize", source, "-l", "3", *words, *outputs]) == 0
    told = json.loads((tmp_path / "facts.json").read_text())
    assert told["groups"] == pl.read_csv(who)["group"].n_unique()
    assert told["verdict"]["passed"]
    found = verdict_of(HOSPITAL, pl.read_csv(who), pl.read_csv(what), 3)
    assert found.passed, str(found)
    assert run_command(["anatomize", source, "-l", "3", *words, *outputs]) == 2


def test_the_command_line_verifies_two_tables(tmp_path: Path) -> None:
    paths = {name: str(tmp_path / f"{name}.csv") for name in ("source", "who", "what")}
    made = shoal.anatomize(HOSPITAL, l=3, sensitive="ill", seed=1, **ROLES)
    for name, frame in (("source", HOSPITAL), ("who", made.people), ("what", made.values)):
        frame.write_csv(paths[name])
    words = ["verify", paths["source"], paths["who"], "--quasi", "age,town"]
    words += ["--sensitive", "ill", "--identifier", "name"]
    both = [*words, "--values", paths["what"]]
    assert run_command([*both, "--l", "3"]) == 0
    assert run_command([*both, "--l", "5"]) == 1
    assert run_command(both) == 2
    assert run_command([*words, "--l", "3"]) == 2
    made.people.with_columns(age=pl.lit(1)).write_csv(paths["who"])
    assert run_command([*both, "--l", "3"]) == 1


def test_the_custody_file_proves_groups_where_people_look_alike(tmp_path: Path) -> None:
    for name in ("out", "safe"):
        (tmp_path / name).mkdir()
    source, who, what, keys = (
        str(tmp_path / name)
        for name in ("people.csv", "out/who.csv", "out/what.csv", "safe/keys.json")
    )
    HOSPITAL.write_csv(source)
    words = ["--quasi", "age,town", "--identifier", "name", "--sensitive", "ill"]
    outputs = ["-o", who, "--values", what]
    beside = str(tmp_path / "out" / "keys.json")
    assert run_command(["anatomize", source, "-l", "3", *words, *outputs, "--custody", beside]) == 2
    assert list((tmp_path / "out").iterdir()) == []
    assert run_command(["anatomize", source, "-l", "3", *words, *outputs, "--custody", keys]) == 0
    assert stat.S_IMODE((tmp_path / "safe" / "keys.json").stat().st_mode) == 0o600
    check = ["verify", source, who, "--values", what, "--l", "3", *words, "--custody", keys]
    assert run_command(check) == 0
    # Two people of different groups and values change places: the row map tells.
    shown = pl.read_csv(who)
    there = json.loads((tmp_path / "safe" / "keys.json").read_text())["rows"]
    ill = [HOSPITAL["ill"][row - 1] for row in there]
    one, other = next(
        (a, b)
        for a in range(len(ill))
        for b in range(len(ill))
        if ill[a] != ill[b] and shown["group"][a] != shown["group"][b]
    )
    groups = shown["group"].to_list()
    groups[one], groups[other] = groups[other], groups[one]
    shown.with_columns(group=pl.Series(groups)).write_csv(who)
    assert run_command(check) == 1


def visits() -> pl.DataFrame:
    """Return visits with columns that must not be released beside the quasi-identifiers."""
    rng = np.random.default_rng(3)
    ill = rng.choice(["flu", "gout", "mumps", "cold"], 200).tolist()
    drug = {"flu": "A1", "gout": "B2", "mumps": "C3", "cold": "D4"}
    return pl.DataFrame(
        {
            "age": rng.integers(20, 60, 200),
            "visitor": rng.choice(["Jonas Lange", "Anna Weber", "Petra Vogel", "Uwe Braun"], 200),
            "mail": [f"p{place}@example.org" for place in range(200)],
            "drug": [drug[one] for one in ill],
            "ward": rng.choice(["north", "south"], 200),
            "ill": ill,
        }
    )


VISITED: dict[str, Any] = {"l": 3, "quasi": ["age"], "sensitive": ["ill"]}


def test_names_and_contacts_are_not_released_beside_quasi_identifiers() -> None:
    with pytest.raises(ExposureError) as caught:
        shoal.anatomize(visits(), **VISITED, rest="other")
    assert caught.value.columns == ("visitor", "mail")
    assert "generalize" not in str(caught.value)
    named = shoal.anatomize(visits(), l=3, quasi=["age", "visitor"], sensitive="ill", rest="drop")
    assert any("'visitor' is a quasi-identifier" in note for note in named.custody.notes)


def test_a_column_that_tells_the_sensitive_value_is_not_released() -> None:
    words: dict[str, Any] = {**VISITED, "identifier": ["visitor", "mail"], "rest": "other"}
    with pytest.raises(ExposureError, match="determines the sensitive attribute 'ill'") as caught:
        shoal.anatomize(visits(), **words)
    assert caught.value.columns == ("drug",)
    made = shoal.anatomize(visits(), **words, accept=["drug"])
    assert made.facts["accepted"] == ["drug"]
    assert any("accepted as they are: 'drug'" in check.detail for check in made.verdict.checks)
    tables = visits(), made.people, made.values
    rows = made.custody.rows
    assert verify_anatomized(*tables, **words, rows=rows, accept=["drug"]).passed
    refused = verify_anatomized(*tables, **words, rows=rows)
    assert [check.name for check in refused.checks if not check.passed] == ["unchanged columns"]


def test_verify_finds_names_in_two_tables(tmp_path: Path) -> None:
    made = shoal.anatomize(visits(), **VISITED, rest="other", accept=["visitor", "mail", "drug"])
    paths = [str(tmp_path / name) for name in ("o.csv", "p.csv", "v.csv")]
    for frame, path in zip((visits(), made.people, made.values), paths, strict=True):
        frame.write_csv(path)
    flags = ["--values", paths[2], "-l", "3", "--quasi", "age", "--sensitive", "ill"]
    command = ["verify", *paths[:2], *flags, "--rest", "other"]
    assert run_command([*command, "--accept", "visitor,mail,drug"]) == 0
    assert run_command([*command, "--accept", "drug"]) == 1
