"""A target decides by which measure a release is made: all candidates, the best of them kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal

pytest.importorskip("sklearn")
ASKED: dict[str, Any] = {"k": 8, "quasi": ["age", "school", "sex"], "seed": 5, "steps": 2_000}


def people(n: int = 240) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    age, school = rng.integers(18, 80, n), rng.integers(1, 16, n)
    sex = rng.choice(["f", "m"], n)
    says = 0.05 * (age - 45) + 0.4 * (school - 8) + (sex == "m") + rng.normal(0, 1, n)
    return pl.DataFrame(
        {"age": age, "school": school, "sex": sex, "rich": np.where(says > 0, "yes", "no")}
    )


@pytest.fixture(scope="module")
def release() -> shoal.Release[pl.DataFrame]:
    return shoal.anonymize(people(), other=["rich"], target="rich", **ASKED)


def test_the_candidate_of_least_error_is_kept(release: shoal.Release[pl.DataFrame]) -> None:
    candidates = release.figures.candidates
    assert [(one["algorithm"], one["measure"]) for one in candidates] == [
        ("auto", "gcp"),
        ("auto", "wmi"),
        ("auto", "pmi"),
        ("annealing", "cm"),
        ("iyengar", "cm"),
    ]
    for one in candidates:
        assert len(one["errors"]) == 3
        assert one["error"] == pytest.approx(np.mean(list(one["errors"].values())))
        assert 0 < one["error"] < 0.5
    best = min(candidates, key=lambda one: one["error"])
    assert release.facts.algorithm == best["algorithm"]
    assert release.facts.measure == best["measure"]
    assert release.verdict.passed


def test_errors_stay_in_custody(release: shoal.Release[pl.DataFrame]) -> None:
    # Seconds differ between runs, and may begin with the digits of an error.
    facts = release.facts.to_json()
    for one in release.figures.candidates:
        name = f"{one['algorithm']} under {one['measure']}"
        assert any(f"{name}: {100 * one['error']:.2f} %" in note for note in release.custody.notes)
        assert str(one["error"]) not in facts
        assert f"{100 * one['error']:.2f} %" not in facts


def test_the_published_job_gives_the_same_release(release: shoal.Release[pl.DataFrame]) -> None:
    again = shoal.Job(**{**release.facts.job, "seed": 5}).run(people())
    assert again.frame.equals(release.frame)
    assert not again.figures.candidates


def test_classes_that_give_the_target_away_are_counted() -> None:
    frame = people().with_columns(rich=pl.col("sex"))
    found = shoal.anonymize(frame, other=["rich"], accept=["rich"], target="rich", **ASKED)
    quasi = ASKED["quasi"]
    values = found.frame.group_by(quasi).agg(pl.col("rich").n_unique())["rich"]
    alike = int((values == 1).sum())
    assert alike
    expected = f"In {alike} of {len(values)} classes all records have the same value of 'rich'"
    assert any(expected in note for note in found.custody.notes)


@pytest.mark.parametrize("model", ["concealment", "(k,1)", "(1,k)"])
def test_releases_without_classes_are_not_said_to_have_any(model: str) -> None:
    found = shoal.anonymize(
        people(60), k=3, quasi=ASKED["quasi"], other=["rich"], target="rich", seed=5,
        algorithm="k-concealment", param={"model": model},
    )  # fmt: skip
    assert not any("classes" in note for note in found.custody.notes)


def test_a_model_rules_such_classes_out_and_recoding_with_them() -> None:
    asked = {**ASKED, "models": ["distinct-l-diversity:2@rich"]}
    found = shoal.anonymize(people(), sensitive=["rich"], target="rich", **asked)
    candidates = found.figures.candidates
    assert [one["measure"] for one in candidates] == ["gcp", "wmi", "pmi"]
    assert all(one["homogeneous"][0] == 0 for one in candidates)
    assert not any("whoever finds a person's class" in note for note in found.custody.notes)


@pytest.mark.parametrize(
    ("sensitive", "models", "warned"),
    [
        (["rich"], [], True),
        (["rich"], ["average-risk:0.5"], True),
        (["rich"], ["distinct-l-diversity:2"], False),
        (["rich"], ["distinct-l-diversity:2@rich"], False),
        (["rich", "well"], ["distinct-l-diversity:2@well"], True),
    ],
)
def test_pmi_warns_unless_a_model_protects_the_target(
    sensitive: list[str], models: list[str], *, warned: bool
) -> None:
    frame = people().with_columns(well=pl.col("rich").reverse())
    asked = {**ASKED, "algorithm": "k-member", "measure": "pmi", "models": models, "rest": "drop"}
    asked.pop("steps", None)
    found = shoal.anonymize(frame, sensitive=sensitive, target="rich", **asked)
    # Once: with a count where there are classes that hold one value, without otherwise.
    counted = [note for note in found.custody.notes if "whoever finds a person's class" in note]
    told = [note for note in found.custody.notes if "pmi groups records with the same" in note]
    alike = found.frame.group_by(ASKED["quasi"]).agg(pl.col("rich").n_unique())["rich"].min() == 1
    assert len(counted) == alike
    assert len(told) == (warned and not alike)
    assert bool(counted or told) is warned


def test_pmi_warns_where_the_sensitive_column_is_its_target() -> None:
    asked = {**ASKED, "algorithm": "k-member", "measure": "pmi", "steps": None}
    found = shoal.anonymize(people(), sensitive=["rich"], **asked)
    assert any("pmi groups records with the same" in note for note in found.custody.notes)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"bound_seconds": 0.5}, "a lower bound exists for gcp alone"),
        ({"form": "full-domain"}, "not for full-domain"),
        ({"set_loss": "binary"}, "set_loss"),
        ({"models": ["average-risk:0.5"]}, "conditions on the whole release"),
    ],
)
def test_a_note_says_why_there_is_no_contest(options: dict[str, Any], why: str) -> None:
    trees = {"school": "ranges:4,8", "age": "ranges:10,20", "sex": "auto"}
    hierarchy = trees if "form" in options else {}
    found = shoal.anonymize(
        people(), other=["rich"], target="rich", hierarchy=hierarchy, **ASKED, **options
    )
    (note,) = (note for note in found.custody.notes if "not compared" in note)
    assert why in note
    assert "gcp is minimized" in note
    assert found.facts.measure == "gcp"
    assert not found.figures.candidates


def test_a_target_of_many_values_is_not_learned() -> None:
    frame = people().with_columns(rich=pl.int_range(240) % 60)
    found = shoal.anonymize(frame, other=["rich"], accept=["rich"], target="rich", **ASKED)
    assert any("it has more than 20 values" in note for note in found.custody.notes)
    assert found.facts.measure == "gcp"
    assert not found.figures.candidates


def test_without_scikit_learn_there_is_no_contest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.pipeline.compatibility.find_spec", lambda _: None)
    found = shoal.anonymize(people(), other=["rich"], target="rich", **ASKED)
    assert any("scikit-learn is not installed" in note for note in found.custody.notes)
    assert found.facts.measure == "gcp"


@pytest.mark.parametrize(
    "options",
    [{"measure": "pmi"}, {"measure": "gcp"}, {"algorithm": "mondrian"}, {"algorithm": "annealing"}],
)
def test_classes_that_give_the_target_away_are_counted_without_a_contest(
    options: dict[str, Any],
) -> None:
    asked = {name: value for name, value in ASKED.items() if name != "steps"}
    frame = people().with_columns(rich=pl.col("sex"))
    found = shoal.anonymize(
        frame, other=["rich"], accept=["rich"], target="rich", **asked, **options
    )
    values = found.frame.group_by(asked["quasi"]).agg(pl.col("rich").n_unique())["rich"]
    alike = int((values == 1).sum())
    told = [note for note in found.custody.notes if "the same value of 'rich'" in note]
    assert bool(told) is bool(alike)
    if alike:
        assert told[0].startswith(f"In {alike} of {len(values)} classes")
