"""Figures that pycanon, an independent checker, computes too.

Where definitions differ the test says so: pycanon rounds entropy l-diversity down to a whole
number, compares classes with the release (not with the original, which is the same here, since
nothing is suppressed), divides CAVG by the k that the release has (not by the k asked for), and
leaves ties out of CM. Its recursive (c, l)-diversity sorts counts upwards, so its c is not the one
of the definition and is not compared.
"""

from __future__ import annotations

from math import log
from typing import Any

import polars as pl
import pytest

import shoal
from tests.tables import MIXED, mixed_table

anonymity = pytest.importorskip("pycanon.anonymity")
metrics = pytest.importorskip("pycanon.metrics")

QUASI = MIXED["quasi"]
WORDS: dict[str, Any] = {**MIXED, "sensitive": ["disease", "wage"], "k": 4, "seed": 5}


@pytest.fixture(scope="module", params=["k-member", "mondrian"])
def case(request: pytest.FixtureRequest) -> tuple[pl.DataFrame, shoal.Release[Any], Any]:
    frame = mixed_table(160, 21).with_columns(
        wage=pl.Series([(7 * i * i) % 11 for i in range(160)])
    )
    release = shoal.anonymize(frame, algorithm=request.param, **WORDS)
    return frame, release, release.frame.to_pandas()


def weakest(frame: pl.DataFrame, release: shoal.Release[Any], word: str) -> float:
    """Return the figure of the weakest class, as the verifier tells it."""
    verdict = shoal.verify(frame, release.frame, models=word, **WORDS)
    detail = next(check.detail for check in verdict.checks if check.name == word)
    return float(detail.rpartition(" in the weakest class")[0].rpartition(" is ")[2])


def test_k(case: tuple[pl.DataFrame, shoal.Release[Any], Any]) -> None:
    _, release, table = case
    assert release.verdict.smallest_class == anonymity.k_anonymity(table, QUASI)


def test_distinct_diversity(case: tuple[pl.DataFrame, shoal.Release[Any], Any]) -> None:
    frame, release, table = case
    theirs = anonymity.l_diversity(table, QUASI, ["disease"])
    assert weakest(frame, release, "distinct-l-diversity:1@disease") == theirs


def test_frequency_diversity_is_the_inverse_of_alpha(
    case: tuple[pl.DataFrame, shoal.Release[Any], Any],
) -> None:
    frame, release, table = case
    alpha, _ = anonymity.alpha_k_anonymity(table, QUASI, ["wage"])
    ours = weakest(frame, release, "frequency-l-diversity:1@wage")
    assert ours == pytest.approx(1 / alpha, rel=1e-4)


def test_entropy_diversity(case: tuple[pl.DataFrame, shoal.Release[Any], Any]) -> None:
    frame, release, table = case
    theirs = anonymity.entropy_l_diversity(table, QUASI, ["wage"])
    # Its rounding down may turn an exact 4 into a 3.
    assert theirs <= weakest(frame, release, "entropy-l-diversity:1@wage") <= theirs + 1


def test_closeness_of_texts_is_equal_and_of_numbers_ordered(
    case: tuple[pl.DataFrame, shoal.Release[Any], Any],
) -> None:
    frame, release, table = case
    equal = anonymity.t_closeness(table, QUASI, ["disease"])
    assert weakest(frame, release, "t-closeness:1@disease") == pytest.approx(equal, rel=1e-4)
    ordered = anonymity.t_closeness(table, QUASI, ["wage"])
    ours = weakest(frame, release, "ordered-t-closeness:1@wage")
    assert ours == pytest.approx(ordered, rel=1e-4)


def test_likeness(case: tuple[pl.DataFrame, shoal.Release[Any], Any]) -> None:
    frame, release, table = case
    theirs = anonymity.basic_beta_likeness(table, QUASI, ["disease"])
    assert weakest(frame, release, "beta-likeness:1@disease") == pytest.approx(theirs, rel=1e-4)


def test_delta_disclosure_where_no_class_lacks_a_value() -> None:
    # pycanon passes over values that a class lacks; by the definition they break the model.
    frame = pl.DataFrame({"town": [*"xxxxxyyyyy"], "sex": [*"FFFFFMMMMM"], "ill": [*"aaabbabbbb"]})
    quasi = ["town", "sex"]
    words: dict[str, Any] = {"k": 2, "quasi": quasi, "sensitive": ["ill"]}
    verdict = shoal.verify(frame, frame, models="delta-disclosure:0.5", **words)
    theirs = anonymity.delta_disclosure(frame.to_pandas(), quasi, ["ill"])
    # In y, a has 1/5; in the table it has 4/10.
    assert theirs == pytest.approx(log(2))
    assert f"is {theirs:.6g} in the weakest class" in str(verdict)
    assert not verdict.passed


def test_discernibility_and_class_size(case: tuple[pl.DataFrame, shoal.Release[Any], Any]) -> None:
    frame, release, table = case
    ours = release.figures.measures
    original = frame.to_pandas()
    assert ours["dm"] == metrics.discernability_metric(original, table, QUASI)
    theirs = metrics.average_ecsize(original, table, QUASI)
    assert ours["cavg"] == pytest.approx(theirs * release.verdict.smallest_class / WORDS["k"])


def test_classification_metric_where_there_are_no_ties() -> None:
    frame = pl.DataFrame({"age": [1, 1, 1, 2, 2, 2], "sex": [*"FFFMMM"], "ill": [*"aabccc"]})
    quasi = ["age", "sex"]
    ours = shoal.measure(frame, frame, k=3, quasi=quasi, sensitive=["ill"])["measures"]["cm"]
    table = frame.to_pandas()
    assert ours == metrics.classification_metric(table, table, quasi, ["ill"])
