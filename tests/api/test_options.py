"""Options of the public functions: what they accept, and how they report mistakes."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import shoal
from shoal.errors import ParameterError

PEOPLE = pl.DataFrame(
    {
        "age": [35, 36, 37, 61, 62, 66],
        "sex": list("FFFMMM"),
        "ill": ["flu", "cold", "flu", "gout", "flu", "cold"],
    }
)
WORDS: dict[str, Any] = {"k": 3, "quasi": ["age", "sex"], "sensitive": ["ill"], "seed": 1}


def refusal(function: Any, *frames: Any, **options: Any) -> ParameterError:
    with pytest.raises(ParameterError) as caught:
        function(*frames, **options)
    return caught.value


def test_all_mistakes_of_a_call_are_reported_together() -> None:
    error = refusal(
        shoal.anonymize, PEOPLE, k="x", quasi_identifiers=["age"], rest="keep", suppression=1.5
    )
    assert len(error.mistakes) == 5
    text = str(error)
    assert "5 mistakes in the options" in text
    assert "`k` should be a valid integer" in text
    assert "`quasi` is missing" in text
    assert "There is no option 'quasi_identifiers'. Did you mean 'quasi'?" in text
    assert "`rest` should be 'other' or 'drop'" in text
    assert "`suppression` should be less than or equal to 1" in text
    assert "--" not in text


def test_unknown_names_are_reported_together() -> None:
    error = refusal(
        shoal.anonymize,
        PEOPLE,
        algorithm="mondriaan",
        measure="gpc",
        models=["k-diversity:3", "t-closeness:0.2@age"],
        **WORDS,
    )
    assert "Did you mean 'mondrian'?" in str(error)
    assert "Did you mean 'gcp'?" in str(error)
    assert "k-diversity" in str(error)
    assert len(error.mistakes) == 3


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"k": 1, "notation": "words"}, ["k is 1", "`notation` should be"]),
        ({"k": 1, "algorithm": "mondriaan"}, ["k is 1", "'mondrian'"]),
        ({"suppression": 2, "algorithm": "flash", "form": "freeform"}, ["`suppression`", "flash"]),
        (
            {"quasy": "age", "k": 1, "rest": "keep", "measure": "gpc"},
            ["'quasi'", "k is 1", "`rest` should be", "'gcp'"],
        ),
        (
            {"k": 1, "algorithm": "flash", "measure": "cm", "set_loss": "binary"},
            ["k is 1", "flash cannot take", "cm is a measure of attributes"],
        ),
        (
            {"models": ["k-map:2", "population-uniqueness:0.1"], "notation": "words"},
            ["needs `population`", "needs `sampling_fraction`", "`notation` should be"],
        ),
    ],
)
def test_options_that_are_wrong_for_different_reasons_are_reported_together(
    options: dict[str, Any], said: list[str]
) -> None:
    error = refusal(shoal.anonymize, PEOPLE, **{**WORDS, **options})
    assert len(error.mistakes) == len(said), str(error)
    for text in said:
        assert text in str(error)


def test_one_mistake_is_reported_by_itself() -> None:
    error = refusal(shoal.anonymize, PEOPLE, **WORDS, weight={"age": 0})
    assert error.what == "`weight` of 'age' should be greater than 0."
    assert error.mistakes == ()


@pytest.mark.parametrize(
    ("function", "frames", "options", "said"),
    [
        (shoal.verify, 2, {}, "`k` is missing"),
        (shoal.measure, 2, {"k": 3}, "`quasi` is missing"),
        (shoal.bound, 1, {"k": 3}, "`quasi` is missing"),
        (shoal.utility, 2, {"quasi": ["age"], "target": "ill", "folds": 1}, "`folds` should be"),
        (shoal.anatomize, 1, {"l": 2, "quasi": ["age"]}, "`sensitive` is missing"),
        (shoal.anatomize, 1, {"l": 2, "quasi": ["age"], "sensitive": "a,b"}, "takes one sensitive"),
        (shoal.anatomize, 1, {**WORDS, "l": 2}, "There is no option 'k'"),
        (shoal.risk, 1, {"treshold": 0.1}, "Did you mean 'threshold'?"),
        (shoal.risk, 1, {"threshold": 2}, "`threshold` should be"),
    ],
)
def test_every_function_reports_mistakes(
    function: Any, frames: int, options: dict[str, Any], said: str
) -> None:
    assert said in str(refusal(function, *[PEOPLE] * frames, **options))


def test_build_hierarchy_reports_mistakes() -> None:
    error = refusal(shoal.build_hierarchy, PEOPLE, "age", "stars", besides=["sex"])
    assert "Did you mean 'beside'?" in error.remedy


def test_a_release_describes_itself() -> None:
    release = shoal.anonymize(PEOPLE, suppression=0.5, **WORDS)
    assert shoal.verify(PEOPLE, release).passed
    assert shoal.measure(PEOPLE, release) == shoal.measure(PEOPLE, release.frame, **WORDS)


def test_options_take_precedence_over_the_job_of_a_release() -> None:
    release = shoal.anonymize(PEOPLE, suppression=0.5, **WORDS)
    assert not shoal.verify(PEOPLE, release, k=4).passed


def test_an_explicit_default_takes_precedence_over_the_job_of_a_release() -> None:
    """A stricter limit that happens to be the default must not be overlooked."""
    ages = pl.DataFrame({"age": [20, 20, 20, 70]})
    release = shoal.anonymize(ages, k=3, quasi=["age"], suppression=0.25, seed=1)
    assert release.facts["suppressed"] == 1
    assert shoal.verify(ages, release).passed
    assert not shoal.verify(ages, release, suppression=0.0).passed


def test_the_job_of_the_facts_may_be_splatted() -> None:
    release = shoal.anonymize(PEOPLE, models=["distinct-l-diversity:2"], time=1, **WORDS)
    job = release.facts["job"]
    assert job["model"] == ["distinct-l-diversity:2"]
    assert shoal.verify(PEOPLE, release.frame, **job).passed
    assert shoal.anonymize(PEOPLE, **job).verdict.passed


def test_one_option_under_two_names() -> None:
    assert "given twice" in str(refusal(shoal.anonymize, PEOPLE, measure="mi", goal="gcp", **WORDS))
    words = {**WORDS, "measure": "gcp", "goal": "gcp"}
    assert shoal.anonymize(PEOPLE, **words).verdict.passed


def test_the_models_of_a_release_are_verified_too() -> None:
    release = shoal.anonymize(PEOPLE, models=["distinct-l-diversity:2"], **WORDS)
    checks = [check.name for check in shoal.verify(PEOPLE, release).checks]
    assert any("distinct-l-diversity" in name for name in checks)
    assert not shoal.verify(PEOPLE, release, models=["distinct-l-diversity:3"]).passed


def test_hierarchy_objects_of_a_release_are_known() -> None:
    ages = [(str(age), "young" if age < 50 else "old", "*") for age in PEOPLE["age"]]
    tree = shoal.Hierarchy.from_rows(ages)
    release = shoal.anonymize(PEOPLE, hierarchy={"age": tree}, **WORDS)
    assert set(release.frame["age"]) == {"young", "old"}
    assert shoal.verify(PEOPLE, release).passed
    assert shoal.measure(PEOPLE, release)["per_attribute"]["age"] > 0


def test_mappings_hold_column_by_column() -> None:
    release = shoal.anonymize(PEOPLE, value_range={"age": (0, 100)}, **WORDS)
    narrow = shoal.measure(PEOPLE, release, weight={"sex": 2.0})["per_attribute"]["age"]
    assert narrow == shoal.measure(PEOPLE, release)["per_attribute"]["age"]
    wide = shoal.measure(PEOPLE, release, value_range={"age": (0, 1000)})["per_attribute"]["age"]
    assert wide < narrow


def test_the_long_name_of_a_role_does_not_lead_to_another_role() -> None:
    # `identifier` would delete the columns.
    said = str(refusal(shoal.anonymize, PEOPLE, k=2, quasi_identifiers=["age"]))
    assert "There is no option 'quasi_identifiers'. Did you mean 'quasi'?" in said


def test_one_record_is_not_several() -> None:
    with pytest.raises(shoal.InfeasibleError, match=r"the table has only 1 record\."):
        shoal.anonymize(PEOPLE.head(1), rest="drop", k=2, quasi=["age"])
