"""Lowest and highest levels of hierarchies: kept by every kind of search, checked by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import InfeasibleError, ParameterError, SchemaError
from tests.tables import PLACES

# b and d have one leaf each: "ba" and "b" are the same people, but not the same level.
LEVELS = [set(PLACES.names(level)) for level in range(4)]


def people(n: int = 140) -> pl.DataFrame:
    rng = np.random.default_rng(8)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 60, n),
            "place": rng.choice(PLACES.leaves, n),
            "ill": rng.choice(["flu", "gout", "mumps"], n),
        }
    )


def words(**more: Any) -> dict[str, Any]:
    return {
        "k": 4,
        "quasi": ["age", "place"],
        "sensitive": ["ill"],
        "hierarchy": {"place": PLACES},
        **more,
    }


ALGORITHMS = ["auto", "k-member", "mondrian", "refine", "flash", "datafly", "kgen"]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(("lowest", "highest"), [(1, 1), (1, 3), (0, 2), (2, 2), (3, 3)])
def test_no_cell_is_outside_the_levels(algorithm: str, lowest: int, highest: int) -> None:
    frame = people()
    asked = words(min_level={"place": lowest}, max_level={"place": highest})
    more: dict[str, Any] = {"steps": 300} if algorithm in {"auto", "refine", "kgen"} else {}
    release = shoal.anonymize(frame, algorithm=algorithm, seed=2, **more, **asked)
    allowed = set().union(*LEVELS[lowest : highest + 1])
    assert set(release.frame["place"]) <= allowed
    verdict = shoal.verify(frame, release)
    assert verdict.passed
    assert f"levels of 'place' from {lowest} to {highest}" in [one.name for one in verdict.checks]


def test_the_loss_counts_what_the_lowest_level_costs() -> None:
    frame = people()
    release = shoal.anonymize(frame, algorithm="mondrian", seed=2, **words(min_level={"place": 1}))
    told = shoal.measure(frame, release.frame, **words())["measures"]["gcp"]
    assert release.figures.measures["gcp"] == pytest.approx(told)


def test_equal_records_lose_what_the_lowest_level_costs_in_exact_search_too() -> None:
    # Best are the first three and the last two. Were a class of the two equal ones free, it would
    # seem better with the other three together.
    frame = pl.DataFrame(
        {"place": ["aa"] * 5, "x": [50, 50, 40, 60, 60], "y": [50, 50, 50, 90, 10]}
    )
    release = shoal.anonymize(
        frame,
        k=2,
        quasi=["place", "x", "y"],
        hierarchy={"place": PLACES},
        min_level={"place": 1},
        value_range={"x": (0, 100), "y": (0, 100)},
        weight={"place": 10},
        algorithm="optimal",
        steps=50_000,
        seed=1,
    )
    # Two leaves of seven are below `a`; three records span 0.1 of x, and two 0.8 of y.
    assert release.figures.loss == pytest.approx((10 / 6 + (3 * 0.1 + 2 * 0.8) / 5) / 12)


def test_models_hold_within_the_levels() -> None:
    frame = people()
    asked = words(max_level={"place": 1}, models=["distinct-l-diversity:3"])
    release = shoal.anonymize(frame, algorithm="k-member", seed=2, **asked)
    assert release.verdict.passed
    assert "west" not in set(release.frame["place"])


def test_a_node_of_too_few_is_suppressed_or_refused() -> None:
    rare = pl.DataFrame({"age": [30, 31], "place": ["da", "da"], "ill": ["flu", "gout"]})
    frame = pl.concat([people().filter(pl.col("place") != "da"), rare])
    asked = words(max_level={"place": 1})
    with pytest.raises(InfeasibleError, match="2 records are in groups of fewer than 4"):
        shoal.anonymize(frame, algorithm="mondrian", **asked)
    with pytest.raises(InfeasibleError, match="2 records would have to be suppressed"):
        shoal.anonymize(frame, algorithm="flash", **asked)
    for algorithm in ("mondrian", "flash"):
        release = shoal.anonymize(
            frame, algorithm=algorithm, suppression=0.1, suppressed="withhold", **asked
        )
        assert release.verdict.withheld >= 2
        assert not {"d", "da", "east"} & set(release.frame["place"])


def test_starred_records_may_show_a_star() -> None:
    rare = pl.DataFrame({"age": [30] * 4, "place": ["da", "ba", "ca", "cb"], "ill": ["flu"] * 4})
    frame = pl.concat([rare, pl.DataFrame({"age": [40] * 36, "place": ["aa"] * 36, "ill": "gout"})])
    asked = words(max_level={"place": 1}, suppression=0.1)
    release = shoal.anonymize(frame, algorithm="mondrian", **asked)
    assert release.verdict.starred == 4
    assert release.verdict.passed


@pytest.mark.parametrize(
    ("cell", "lowest", "highest", "passes"),
    [
        ("ba", 1, 3, False),  # the same people as b, but a leaf
        ("b", 1, 3, True),
        ("b", 2, 3, False),
        ("west", 0, 1, False),
        ("west", 2, 2, True),
        ("*", 0, 2, False),
        ("*", 3, 3, True),
    ],
)
def test_the_verifier_looks_at_every_cell(
    cell: str, lowest: int, highest: int, passes: bool
) -> None:
    frame = pl.DataFrame({"age": [1] * 4, "place": ["ba"] * 4, "ill": ["flu"] * 4})
    released = frame.with_columns(place=pl.lit(cell))
    asked = words(min_level={"place": lowest}, max_level={"place": highest})
    verdict = shoal.verify(frame, released, **asked)
    failed = [check.name for check in verdict.checks if not check.passed]
    assert failed == ([] if passes else [f"levels of 'place' from {lowest} to {highest}"])


def test_a_missing_cell_is_at_no_level() -> None:
    frame = people().with_columns(
        place=pl.when(pl.int_range(pl.len()) % 9 == 0).then(None).otherwise(pl.col("place"))
    )
    asked = words(min_level={"place": 1}, max_level={"place": 2})
    release = shoal.anonymize(frame, algorithm="mondrian", seed=1, **asked)
    assert release.frame["place"].null_count() > 0
    assert release.verdict.passed


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"min_level": {"age": 1}}, "has no hierarchy"),
        ({"max_level": {"place": 4}}, "levels 0 to 3"),
        ({"min_level": {"place": 2}, "max_level": {"place": 1}}, "levels 2 to 1"),
        ({"min_level": {"nowhere": 1}}, "no such column"),
    ],
)
def test_levels_that_there_are_not_are_refused(more: dict[str, Any], said: str) -> None:
    with pytest.raises(SchemaError, match=said):
        shoal.anonymize(people(), **words(**more))


def test_forms_without_levels_refuse_limits() -> None:
    with pytest.raises(ParameterError, match="levels cannot be limited"):
        shoal.anonymize(people(), algorithm="ff-greedy", **words(min_level={"place": 1}))
