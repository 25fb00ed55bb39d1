"""Marginal tables of releases against those of originals: worked by hand, and by an oracle."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.analysis.marginals import BINS, MOST_VALUES
from shoal.errors import InputError, ParameterError, SchemaError
from tests.reference import marginals

PEOPLE = pl.DataFrame(
    {
        "age": [30, 30, 30, 31, 50, 52],
        "sex": ["F", "F", "M", "M", "F", "F"],
        "ill": ["a", "a", "b", "b", "a", "b"],
    }
)
# The first three records are one class, the others another.
RELEASED = pl.DataFrame(
    {
        "age": ["30"] * 3 + ["[31..52]"] * 3,
        "sex": ["{F|M}"] * 6,
        "ill": PEOPLE["ill"],
    }
)
WORDS: dict[str, Any] = {"k": 3, "quasi": ["age", "sex"], "sensitive": ["ill"]}


def distances(released: pl.DataFrame, *texts: str) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = shoal.measure(
        PEOPLE, released, keep_marginals=list(texts), **WORDS
    )["marginals"]
    return found


def test_a_table_of_two_columns_worked_by_hand() -> None:
    """Originals in sixths: 30 F 2; 30 M, 31 M, 50 F, 52 F 1 each. Release: 30 F, 30 M 1.5 each,
    and half a record in each of the six other cells. Eight differences of a half."""
    found = distances(RELEASED, "age*sex")["age*sex"]
    assert found["total_variation"] == pytest.approx(1 / 3)
    common = (sqrt(2 * 1.5) + sqrt(1.5) + 3 * sqrt(0.5)) / 6
    assert found["hellinger"] == pytest.approx(sqrt(1 - common))
    assert found["cells"] == 8


def test_what_classes_spread_may_add_up_to_the_original() -> None:
    """Ages 31, 50, 52 once each, and spread once each; of sexes 4 : 2 become 3 : 3."""
    found = distances(RELEASED, "age", "sex")
    assert found["age"]["total_variation"] == pytest.approx(0)
    assert found["age"]["hellinger"] == pytest.approx(0, abs=1e-7)
    assert found["sex"]["total_variation"] == pytest.approx(1 / 6)


def test_a_column_that_is_released_unchanged_is_exact() -> None:
    """In the second class ages 31, 50, 52 have b, a, b; each is shown as a third a, 2/3 b."""
    found = distances(RELEASED, "age*ill")["age*ill"]
    assert found["total_variation"] == pytest.approx((4 / 3) / 6)


def test_withheld_records_are_spread_over_the_whole_table() -> None:
    """Three of six are withheld: 3/8 in each of eight cells, and 1.5 more in those of age 30."""
    found = distances(RELEASED.head(3), "age*sex")["age*sex"]
    off = 0.125 + 0.875 + 0.375 * 3 + 0.625 * 3
    assert found["total_variation"] == pytest.approx(off / 2 / 6)


def test_an_exact_release_is_at_no_distance() -> None:
    twice = pl.concat([PEOPLE, PEOPLE])
    found = shoal.measure(
        twice, twice.cast(pl.String), keep_marginals=["age*sex*ill"], **{**WORDS, "k": 2}
    )
    assert found["marginals"]["age*sex*ill"]["total_variation"] == pytest.approx(0)


def people(n: int, seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 60, n),
            "sex": rng.choice(["f", "m", "x"], n, p=[0.5, 0.45, 0.05]),
            "town": rng.choice(list("abcdef"), n),
            "ill": rng.choice(["flu", "cold", "gout"], n),
        }
    )


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("algorithm", ["mondrian", "k-member", "ff-greedy"])
def test_distances_are_those_of_the_oracle(algorithm: str, seed: int) -> None:
    frame = people(60, seed)
    texts = ["age*sex", "sex*town", "age*sex*town", "town*ill", "age"]
    words: dict[str, Any] = {"k": 4, "quasi": ["age", "sex", "town"], "sensitive": ["ill"]}
    extra: dict[str, Any] = {"suppression": 0.1, "suppressed": ["star", "withhold"][seed % 2]}
    release = shoal.anonymize(frame, algorithm=algorithm, seed=seed, **words, **extra)
    found = shoal.measure(frame, release, keep_marginals=texts)["marginals"]
    assert list(found) == texts
    for text in texts:
        columns = text.split("*")
        before = marginals.marginal(frame, columns)
        after = marginals.released_marginal(frame, release.frame, columns)
        assert sum(after.values()) == 1
        expected = float(marginals.total_variation(before, after))
        assert found[text]["total_variation"] == pytest.approx(expected)
        assert found[text]["hellinger"] == pytest.approx(
            marginals.hellinger(before, after), abs=1e-7
        )


def test_columns_of_many_values_are_divided() -> None:
    n = 3_000
    frame = pl.DataFrame(
        {
            "income": np.arange(n),
            "town": [f"t{i % 300}" for i in range(n)],
            "sex": ["f", "m"] * (n // 2),
        }
    )
    release = shoal.anonymize(
        frame, k=5, quasi=frame.columns, kind={"town": "categorical"}, algorithm="mondrian", seed=1
    )
    found = shoal.measure(frame, release, keep_marginals="income*sex,town")["marginals"]
    assert found["income*sex"]["cells"] == BINS * 2
    assert found["town"]["cells"] == MOST_VALUES


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("age*", ParameterError, "does not name columns"),
        ("age*age", ParameterError, "each of them once"),
        ("age*sx", SchemaError, "'sx', which is not a column"),
        ("age*sex,sex*age", ParameterError, "given twice"),
    ],
)
def test_marginals_that_make_no_sense_are_refused(
    text: str, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        shoal.measure(PEOPLE, RELEASED, keep_marginals=text, **WORDS)


def test_a_table_of_too_many_cells_is_refused() -> None:
    frame = pl.DataFrame({name: np.arange(100) for name in "abcd"})
    with pytest.raises(ParameterError, match="100,000,000 cells"):
        shoal.measure(
            frame, frame.cast(pl.String), k=2, quasi=list("abcd"), keep_marginals="a*b*c*d"
        )


def test_values_that_the_original_never_had_are_refused() -> None:
    other = RELEASED.with_columns(ill=pl.lit("zz"))
    words: dict[str, Any] = {"k": 3, "quasi": ["age", "sex"], "other": ["ill"]}
    with pytest.raises(InputError, match="'ill' that the original does not"):
        shoal.measure(PEOPLE, other, keep_marginals="age*ill", **words)


def test_utility_reports_them_too() -> None:
    pytest.importorskip("sklearn")
    frame = people(60, 1)
    words: dict[str, Any] = {"quasi": ["age", "sex", "town"], "other": ["ill"]}
    release = shoal.anonymize(frame, k=4, algorithm="mondrian", seed=1, **words)
    told = shoal.utility(
        frame, release, target="ill", folds=2, queries=10, keep_marginals="age*sex"
    )
    measured = shoal.measure(frame, release, keep_marginals="age*sex")
    assert told["marginals"] == measured["marginals"]


def test_equal_records_have_nothing_to_exchange() -> None:
    frame = pl.DataFrame({"age": [30] * 9, "sex": ["f"] * 9})
    release = shoal.anonymize(
        frame, k=3, quasi=["age", "sex"], keep_marginals=["age*sex"], algorithm="mondrian"
    )
    assert release.figures.measures["gcp"] == 0
