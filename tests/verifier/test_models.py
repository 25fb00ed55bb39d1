"""Privacy models as the verifier checks them: figures by definition, faults through both doors."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import exp, inf
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import ParameterError, SchemaError
from shoal.table import Attribute, Kind, Schema
from shoal.verifier import Verdict, verify
from shoal.verifier.models import read_claims
from tests.reference import models as oracle
from tests.tables import PLACES

if TYPE_CHECKING:
    from collections.abc import Callable

SCHEMA = Schema(
    quasi=(Attribute("town", Kind.CATEGORICAL),),
    sensitive=("ill",),
    sensitive_hierarchies={"ill": PLACES},
)
DISTANCES: dict[str, Callable[[list[str]], oracle.Distance]] = {
    "t-closeness": lambda _: oracle.equal_distance,
    "ordered-t-closeness": lambda table: oracle.ordered_distance(sorted(set(table))),
    "hierarchical-t-closeness": lambda _: oracle.tree_distance(PLACES),
}
DIVERSITIES: dict[str, Callable[[list[str]], float]] = {
    "frequency-l-diversity": lambda values: float(1 / oracle.largest_share(values)),
    "distinct-l-diversity": lambda values: float(len(set(values))),
    "entropy-l-diversity": lambda values: exp(oracle.entropy(values)),
}
LIMITS: dict[str, Callable[[list[str], list[str]], float]] = {
    "delta-disclosure": oracle.disclosure,
    "beta-likeness": oracle.likeness,
    "enhanced-beta-likeness": oracle.enhanced_likeness,
}


def figure(name: str, values: list[str], table: list[str]) -> float:
    """Return what a class reaches of a model, by definition."""
    if name in DIVERSITIES:
        return DIVERSITIES[name](values)
    if name in LIMITS:
        return LIMITS[name](values, table)
    return oracle.transport(values, table, DISTANCES[name](table))


def tables(towns: str, ills: list[str | None]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return a table whose towns are exact classes, and its release: the same."""
    frame = pl.DataFrame({"town": [*towns], "ill": ills}, schema_overrides={"ill": pl.String})
    return frame, frame


def both_doors(
    towns: str, ills: list[str | None], word: str, k: int = 2, schema: Schema = SCHEMA
) -> Verdict:
    original, released = tables(towns, ills)
    verdicts = [
        verify(original, released, schema, k, models=[word], witness=witness)
        for witness in (np.arange(len(original)), None)
    ]
    answers = [
        [(check.passed, check.detail) for check in one.checks if check.name.startswith(word[:9])]
        for one in verdicts
    ]
    assert answers[0] == answers[1]
    return verdicts[1]


def answer(verdict: Verdict, word: str) -> tuple[bool, float]:
    """Return what the verifier says of a model, and the figure of the weakest class."""
    check = next(one for one in verdict.checks if one.name == f"{word}@ill")
    told = check.detail.rpartition(" in the weakest class")[0].rpartition(" is ")[2]
    return check.passed, float(told)


@pytest.mark.parametrize("name", [*DIVERSITIES, *DISTANCES, *LIMITS])
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_figures_are_as_defined(name: str, data: st.DataObject) -> None:
    towns = data.draw(st.text("xyz", min_size=4, max_size=12))
    ills = [data.draw(st.sampled_from(PLACES.leaves)) for _ in towns]
    classes = [
        [ill for ill, town in zip(ills, towns, strict=True) if town == one]
        for one in sorted(set(towns))
    ]
    figures = [figure(name, one, ills) for one in classes]
    limited = name not in DIVERSITIES
    weakest = max(figures) if limited else min(figures)
    number = data.draw(st.integers(0, 10)) / 10 if limited else data.draw(st.integers(1, 3))
    word = f"{name}:{number:g}"
    passed, told = answer(both_doors(towns, list(ills), word), word)
    assert told == pytest.approx(weakest, rel=1e-4, abs=1e-8)
    if abs(weakest - number) > 1e-6:
        assert passed == (weakest <= number if limited else weakest >= number)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from("abcd"), min_size=2, max_size=14),
    st.integers(1, 40),
    st.integers(1, 4),
)
def test_recursive_diversity_is_as_defined(ills: list[str], tenths: int, rank: int) -> None:
    word = f"recursive-l-diversity:{tenths / 10:g},{rank}"
    passed, told = answer(both_doors("x" * len(ills), list(ills), word), word)
    assert passed == oracle.recursive_holds(ills, Fraction(tenths, 10), rank)
    assert told == inf or told > 0


FAULTS = [
    # In town x one value has three of four records; town y mixes four.
    ("frequency-l-diversity:1.33", "frequency-l-diversity:1.34"),
    ("distinct-l-diversity:2", "distinct-l-diversity:3"),
    ("entropy-l-diversity:1.75", "entropy-l-diversity:1.76"),
    ("recursive-l-diversity:3.1,2", "recursive-l-diversity:3,2"),
    ("t-closeness:0.25", "t-closeness:0.24"),
    ("ordered-t-closeness:0.25", "ordered-t-closeness:0.24"),
    ("hierarchical-t-closeness:0.25", "hierarchical-t-closeness:0.24"),
    ("delta-disclosure:0.694", "delta-disclosure:0.693"),
    ("beta-likeness:0.5", "beta-likeness:0.49"),
    ("enhanced-beta-likeness:0.5", "enhanced-beta-likeness:0.49"),
]
TOWNS = "xxxxyyyy"
ILLS: list[str | None] = ["aa", "aa", "aa", "da", "aa", "da", "da", "da"]


@pytest.mark.parametrize(("met", "broken"), FAULTS)
def test_a_class_that_falls_short_is_caught_through_both_doors(met: str, broken: str) -> None:
    assert both_doors(TOWNS, ILLS, met).passed
    verdict = both_doors(TOWNS, ILLS, broken)
    failed = [check for check in verdict.checks if not check.passed]
    assert [check.name for check in failed] == [f"{broken}@ill"]
    assert "rows 1, 2, 3, 4" in failed[0].detail
    assert "aa" not in failed[0].detail


def test_values_moved_between_classes_are_caught_even_where_the_model_still_holds() -> None:
    original, released = tables("xxyy", ["a", "b", "a", "c"])
    moved = released.with_columns(ill=pl.Series(["a", "c", "a", "b"]))
    schema = replace(SCHEMA, sensitive_hierarchies={})
    for witness in (np.arange(4), None):
        verdict = verify(
            original, moved, schema, 2, models=["distinct-l-diversity:2"], witness=witness
        )
        assert not verdict.passed


def test_starred_records_meet_every_model_as_a_class_of_their_own() -> None:
    original = pl.DataFrame({"town": [*"xxxyyyyyyy"], "ill": ["a", "b", "c", *"aaaaaaa"]})
    starred = original.with_columns(town=pl.Series(["x"] * 3 + ["*"] * 7))
    schema = replace(SCHEMA, sensitive_hierarchies={})
    # Seven starred records are a class of their own for k = 3, but not one of two values.
    assert verify(original, starred, schema, 3).passed
    for witness in (np.arange(10), None):
        given: dict[str, Any] = {"models": ["distinct-l-diversity:2"], "witness": witness}
        refused = verify(original, starred, schema, 3, suppression=0.7, **given)
        assert [one.name for one in refused.checks if not one.passed] == [
            "distinct-l-diversity:2@ill"
        ]


def test_the_table_that_a_class_is_compared_with_is_the_original() -> None:
    original = pl.DataFrame({"town": [*"xxyy"], "ill": [*"abbb"]})
    schema = replace(SCHEMA, sensitive_hierarchies={})
    words: dict[str, Any] = {"suppression": 0.5, "witness": np.array([0, 1])}
    # Released are a and b, one each; in the original they stand 1 : 3.
    kept = original[:2]
    assert not verify(original, kept, schema, 2, models=["t-closeness:0.24"], **words).passed
    assert verify(original, kept, schema, 2, models=["t-closeness:0.25"], **words).passed


@pytest.mark.parametrize(
    "word",
    [
        "t-closeness",
        "closeness:1",
        "t-closeness:0.1,2",
        "recursive-l-diversity:3",
        "t-closeness:x",
        "t-closeness:0.1@town",
    ],
)
def test_words_that_cannot_be_read_are_refused(word: str) -> None:
    with pytest.raises(ParameterError):
        read_claims([word], SCHEMA)


def test_hierarchical_distance_needs_a_tree() -> None:
    bare = replace(SCHEMA, sensitive_hierarchies={})
    with pytest.raises(SchemaError, match=r"hierarchy=\{'ill': 'FILE'\}"):
        both_doors("xx", ["aa", "ab"], "hierarchical-t-closeness:1", schema=bare)


def test_a_missing_value_hangs_at_the_root_of_its_tree() -> None:
    ills: list[str | None] = ["aa", "ab", None, None]
    passed, told = answer(
        both_doors("xxyy", ills, "hierarchical-t-closeness:1"), "hierarchical-t-closeness:1"
    )
    assert passed
    # Half of the shares lie on the missing value and have to go all the way up.
    assert told == pytest.approx(0.5)
