"""Analyses of a release: shares of closures, folds, rules, counts and classifiers."""

from __future__ import annotations

import itertools
import subprocess
import sys
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.analysis.classifiers import Folds, classify, draw_folds
from shoal.analysis.queries import compare_counts
from shoal.analysis.rules import compare_rules
from shoal.analysis.shown import Shown, groups_of
from shoal.encoding import encode, encode_values
from shoal.encoding.parse import codes_in, parse_release
from shoal.errors import InputError, ParameterError, SchemaError
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Table
from tests.tables import MIXED, mixed_table


def both(original: pl.DataFrame, release: pl.DataFrame, **words: Any) -> tuple[Shown, Shown]:
    hierarchy = words.pop("hierarchy", {})
    job = Job.from_dict({"k": 2, "rest": "drop", **words})
    encoded = encode(Table.of(original, schema_of(original, job, hierarchy)))
    recoding, domains = parse_release(release, encoded.domains)
    codes = tuple(map(codes_in, domains, encoded.codes, encoded.domains))
    return Shown.exact(domains, codes), Shown.recoded(domains, recoding)


PEOPLE = pl.DataFrame(
    {
        "age": [20, 30, 40, 60],
        "job": ["cook", "cook", "nurse", "smith"],
        "place": ["aa", "ab", "ba", "da"],
        "code": ["x", "x", "y", "z"],
    }
)
SHOWN = pl.DataFrame(
    {
        "age": ["[20..40]", "[20..40]", "[25..35]", "*"],
        "job": ["{cook|nurse}", "cook", "{cook|nurse|smith}", "*"],
        "place": ["west", "ab", "a", "*"],
        "code": ["*", "x", "y", "*"],
    }
)
WORDS: dict[str, Any] = {
    "quasi": ["age", "job", "place", "code"],
    "suppress_only": ["code"],
    "hierarchy": {"place": MIXED["hierarchy"]["place"]},
}


def test_a_closure_counts_for_each_value_of_the_table_that_it_covers() -> None:
    original, release = both(PEOPLE, SHOWN, **WORDS)

    def shares(shown: Shown, attribute: int, text: str) -> list[float]:
        code = list(shown.domains[attribute].texts).index(text)
        found = shown.share(attribute, np.array([code]))[shown.index[attribute]]
        return [float(share) for share in found]

    ages = original.domains[0]
    thirty = [float(text) for text in ages.texts].index(30.0)
    assert release.share(0, np.array([thirty]))[release.index[0]] == pytest.approx(
        [1 / 3, 1 / 3, 1, 1 / 4]
    )
    assert original.share(0, np.array([thirty]))[original.index[0]].tolist() == [0, 1, 0, 0]
    assert shares(release, 1, "cook") == pytest.approx([1 / 2, 1, 1 / 3, 1 / 3])
    # Of the leaves below west the table has aa, ab and ba.
    assert shares(release, 2, "ab") == pytest.approx([1 / 3, 1, 1 / 2, 1 / 4])
    assert shares(release, 3, "x") == pytest.approx([1 / 3, 1, 0, 1 / 3])
    ends = release.ends(0)[release.index[0]]
    assert ends[0].tolist() == pytest.approx([0, 0.25, 0.5, 0])
    assert ends[2].tolist() == pytest.approx([5 / 40, 10 / 40, 15 / 40, 0])
    assert ends[3].tolist() == pytest.approx([0, 0.5, 1, 0])


def test_values_are_drawn_from_closures_in_equal_shares() -> None:
    _, release = both(PEOPLE, SHOWN, **WORDS)
    many = release.take(np.repeat(np.arange(4), 6_000)).drawn(np.random.default_rng(3))
    for attribute, domain in enumerate(release.domains):
        for record in range(4):
            drawn = np.bincount(
                many.index[attribute][record * 6_000 : (record + 1) * 6_000], minlength=domain.size
            )
            expected = [
                release.share(attribute, np.array([code]))[release.index[attribute][record]]
                for code in range(domain.size)
            ]
            assert drawn / 6_000 == pytest.approx(np.array(expected), abs=0.03)


@pytest.mark.parametrize("bins", [1, 3, 16])
def test_groups_part_the_values(bins: int) -> None:
    frame = mixed_table(200, 1, missing=0.1)
    words = {key: MIXED[key] for key in ("quasi", "suppress_only", "hierarchy")}
    stars = pl.DataFrame({column: ["*"] for column in MIXED["quasi"]})
    original, _ = both(frame, stars, **words)
    for place, groups in enumerate(groups_of(original, bins)):
        codes = np.concatenate([group.codes for group in groups])
        assert sorted(codes.tolist()) == list(range(original.domains[place].size))
        if place in (0, 4):  # numbers and dates; missing cells are a group of their own
            assert len(groups) <= bins + 1


def test_folds_hold_equal_shares_of_labels_and_keep_people_together() -> None:
    rng = np.random.default_rng(1)
    labels = rng.choice(3, 600, p=[0.7, 0.2, 0.1])
    folds = draw_folds(labels, 5, rng)
    for label in range(3):
        counts = np.bincount(folds[labels == label], minlength=5)
        assert counts.max() - counts.min() <= 1
    people = np.repeat(np.arange(200), 3)
    folds = draw_folds(labels, 5, rng, people)
    assert all(len(set(folds[people == person].tolist())) == 1 for person in range(200))
    assert np.bincount(folds, minlength=5).tolist() == [120] * 5


def slow_rules(
    frame: pl.DataFrame, target: str, support: float, confidence: float
) -> set[tuple[frozenset[tuple[str, str]], str]]:
    columns = [column for column in frame.columns if column != target]
    rows = frame.rows(named=True)
    found = set()
    for size in (1, 2):
        for chosen in itertools.combinations(columns, size):
            for values in itertools.product(*(frame[one].unique().to_list() for one in chosen)):
                fits = [
                    row
                    for row in rows
                    if all(row[one] == value for one, value in zip(chosen, values, strict=True))
                ]
                for label in frame[target].unique().to_list():
                    hits = sum(row[target] == label for row in fits)
                    base = sum(row[target] == label for row in rows) / len(rows)
                    if hits / len(rows) >= support and hits / len(fits) >= max(
                        confidence, 1.1 * base
                    ):
                        items = zip(chosen, map(str, values), strict=True)
                        found.add((frozenset(items), str(label)))
    return found


def test_rules_are_those_that_a_slow_search_finds() -> None:
    rng = np.random.default_rng(4)
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 24, 300),
            "job": rng.choice(["cook", "nurse", "smith"], 300),
            "code": rng.choice(["x", "y"], 300),
        }
    )
    ill = (frame["age"] < 22).to_numpy() & (rng.random(300) < 0.8)
    frame = frame.with_columns(ill=pl.Series(np.where(ill, "yes", "no")))
    words = {"quasi": ["age", "job", "code"], "suppress_only": ["code"]}
    original, release = both(frame, frame.select("age", "job", "code"), **words)
    labels, names = encode_values(frame["ill"])
    told = compare_rules(original, release, (labels, labels), names, support=0.05, confidence=0.6)
    slow = slow_rules(frame, "ill", 0.05, 0.6)
    assert told["original"] == told["release"] == told["kept"] == len(slow) > 5
    assert told["confidence_difference"] == 0.0
    assert told["share_kept"] == 1.0
    assert told["share_spurious"] == 0.0
    for rule in told["strongest"]:
        assert (frozenset(rule["if"].items()), rule["then"]) in slow


def test_rules_of_a_release_that_says_nothing_are_lost() -> None:
    frame = pl.DataFrame({"sex": ["f", "m"] * 20, "ill": ["yes", "no"] * 20})
    stars = pl.DataFrame({"sex": ["*"] * 40})
    original, release = both(frame, stars, quasi=["sex"])
    labels, names = encode_values(frame["ill"])
    told = compare_rules(original, release, (labels, labels), names, support=0.1, confidence=0.6)
    assert (told["original"], told["release"], told["share_kept"]) == (2, 0, 0.0)
    assert told["confidence_difference"] == pytest.approx(0.5)


def test_counts_of_exact_records_are_right_and_those_of_closures_uniform() -> None:
    frame = pl.DataFrame({"age": [20] * 30 + [30] * 10})
    original, same = both(frame, frame, quasi=["age"])
    exact = compare_counts(original, same, 50, np.random.default_rng(1))
    assert exact["error"]["mean"] == 0.0
    _, release = both(frame, pl.DataFrame({"age": ["[20..30]"] * 40}), quasi=["age"])
    told = compare_counts(original, release, 400, np.random.default_rng(1))
    # Every query asks for one of the two ages; the release answers 20 to both.
    asked_for_30 = 1.0
    asked_for_20 = 10 / 30
    share = (told["error"]["mean"] - asked_for_20) / (asked_for_30 - asked_for_20)
    assert 0.4 < share < 0.6
    assert told["by_attributes"] == {"1": told["error"]["mean"]}
    assert told["error"]["low"] < told["error"]["mean"] < told["error"]["high"]


def learnable(n: int) -> pl.DataFrame:
    rng = np.random.default_rng(6)
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 60, n),
            "job": rng.choice(["cook", "nurse", "smith"], n),
            "name": [f"p{i}" for i in range(n)],
        }
    )
    ill = (frame["job"] == "cook") | (frame["age"] >= 50)
    return frame.with_columns(ill=pl.when(ill).then(pl.lit("yes")).otherwise(pl.lit("no")))


def test_classifiers_learn_what_the_release_still_shows() -> None:
    frame = learnable(600)
    words: dict[str, Any] = {"quasi": ["age", "job"], "sensitive": ["ill"], "identifier": ["name"]}
    made = shoal.anonymize(
        frame, k=5, algorithm="annealing", measure="cm", steps=30_000, seed=1, **words
    )
    assert made.figures.measures["cm"] == 0.0
    told = shoal.utility(
        frame, made.frame, target="ill", rows=made.custody.rows, folds=3, queries=20, **words
    )
    learning = told["learning"]
    assert learning["apart"]
    assert told["notes"] == []
    assert learning["majority"]["mean"] == pytest.approx(
        min(frame["ill"].value_counts()["count"]) / 600, abs=1e-9
    )
    boosted = learning["classifiers"]["gradient boosting"]
    assert boosted["original"]["mean"] < 0.02
    assert boosted["release"]["mean"] < 0.05
    assert boosted["recoded"]["mean"] < 0.02
    assert "strongest" not in told["rules"]

    blank = made.table.with_columns(age=pl.lit("*"), job=pl.lit("*"))
    nothing = shoal.utility(frame, blank, target="ill", folds=3, queries=20, rules=True, **words)
    assert not nothing["learning"]["apart"]
    assert "`rows`" in nothing["notes"][0]
    assert "strongest" in nothing["rules"]
    for name, errors in nothing["learning"]["classifiers"].items():
        assert errors["recoded"]["mean"] == pytest.approx(learning["majority"]["mean"], abs=0.01), (
            name
        )


def test_nobody_is_tested_by_their_own_record() -> None:
    """Labels are noise: who errs less than half of the time has seen the answers."""
    rng = np.random.default_rng(9)
    # Pairs of records with the same value and the same label; both of a pair are one person.
    labels = np.repeat(rng.integers(0, 2, 49), 2).astype(np.uint32)
    pairs = pl.DataFrame({"job": [f"j{i // 2:03}" for i in range(98)]})
    original, release = both(pairs, pairs, quasi=["job"])
    apart = draw_folds(labels, 2, rng, np.arange(98) // 2)
    mixed = np.arange(98) % 2
    names = ("naive Bayes",)
    kept = classify(original, release, (labels, labels), Folds(apart, apart, True), names=names)
    leaked = classify(original, release, (labels, labels), Folds(mixed, mixed, False), names=names)
    assert leaked["classifiers"]["naive Bayes"]["release"]["mean"] == 0.0
    assert kept["classifiers"]["naive Bayes"]["release"]["mean"] > 0.3


def test_utility_in_facts_is_what_the_two_tables_and_the_row_map_tell() -> None:
    frame = learnable(120)
    words: dict[str, Any] = {"quasi": ["age", "job"], "sensitive": ["ill"], "identifier": ["name"]}
    made = shoal.anonymize(frame, k=4, seed=2, utility=True, **words)
    told = shoal.utility(frame, made.frame, target="ill", rows=made.custody.rows, **words)
    assert made.figures.utility == told
    assert made.figures.seconds["utility"] > 0
    wrong = made.custody.rows.copy()
    wrong[0] = wrong[1]
    with pytest.raises(InputError, match="row map"):
        shoal.utility(frame, made.frame, target="ill", rows=wrong, **words)


def test_bad_settings_and_targets_are_refused() -> None:
    frame = learnable(40)
    shown = frame.select("age", "job", "ill")
    with pytest.raises(ParameterError, match="folds"):
        shoal.utility(frame, shown, target="ill", quasi=["age", "job"], folds=1)
    constant = frame.with_columns(ill=pl.lit("no"))
    with pytest.raises(ParameterError, match="nothing to learn"):
        shoal.utility(constant, constant, target="ill", quasi=["age", "job"], folds=2)
    with pytest.raises(ParameterError, match="`target`"):
        shoal.anonymize(frame, k=3, quasi=["age", "job"], rest="drop", utility=True)


def test_a_marginal_without_its_column_is_refused_before_anything_is_learned() -> None:
    frame = learnable(60)
    words: dict[str, Any] = {"quasi": ["age", "job"], "sensitive": ["ill"], "identifier": ["name"]}
    made = shoal.anonymize(frame, k=5, algorithm="mondrian", **words)
    seen: list[Any] = []
    with pytest.raises(SchemaError, match="'agee'"):
        shoal.utility(
            frame, made.frame, target="ill", keep_marginals=["agee*ill"], watch=seen.append, **words
        )
    assert not any(one.fraction for one in seen)


def test_without_scikit_learn_the_remedy_is_told() -> None:
    code = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import polars as pl, shoal\n"
        "frame = pl.DataFrame({'age': [1, 2, 3, 4], 'ill': ['y', 'n', 'y', 'n']})\n"
        "shoal.utility(frame, frame, target='ill', quasi=['age'], folds=2)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert ended.returncode != 0
    assert "pip install 'shoal[utility]'" in ended.stderr
