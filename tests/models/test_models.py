"""Every model against its definition, and what follows from it."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import InfeasibleError
from shoal.models import ClassHistograms, parse_models, protect
from shoal.table import Table, declare
from tests.reference import models as oracle
from tests.tables import PLACES

if TYPE_CHECKING:
    from shoal.models import Model

VALUES = list(PLACES.leaves)
LIMITS = st.integers(10, 400).map(lambda hundredths: Fraction(hundredths, 100))


def protection(values: list[str | None], word: str, **words: Any) -> tuple[Model, np.ndarray]:
    frame = pl.DataFrame({"q": [1] * len(values), "s": values}, schema_overrides={"s": pl.String})
    schema = declare(frame, quasi=["q"], sensitive=["s"], **words)
    made = protect(parse_models([word], ["s"])[0], Table.of(frame, schema))
    return made.model, made.codes


def which_hold(values: list[str | None], classes: list[int], word: str, **words: Any) -> list[bool]:
    model, codes = protection(values, word, **words)
    owner = np.unique(classes, return_inverse=True)[1]
    ones = np.ones(len(codes), dtype=np.int64)
    held = model.holds(ClassHistograms.of(owner, codes, ones, int(owner.max()) + 1))
    return [bool(one) for one in held]


@st.composite
def divided(draw: st.DrawFn) -> tuple[list[str], list[int]]:
    """Return the values of a table and the class of each record."""
    values = draw(st.lists(st.sampled_from(VALUES), min_size=1, max_size=24))
    classes = draw(st.lists(st.integers(0, 3), min_size=len(values), max_size=len(values)))
    return values, classes


def parts(values: list[str], classes: list[int]) -> list[list[str]]:
    return [
        [value for value, other in zip(values, classes, strict=True) if other == one]
        for one in sorted(set(classes))
    ]


def decimal(number: Fraction) -> str:
    return f"{float(number):.2f}"


@settings(max_examples=100, deadline=None)
@given(divided(), LIMITS.filter(lambda limit: limit >= 1))
def test_diversity_is_as_defined(table: tuple[list[str], list[int]], limit: Fraction) -> None:
    values, classes = table
    inside = parts(values, classes)
    assert which_hold(list(values), classes, f"frequency-l-diversity:{decimal(limit)}") == [
        oracle.largest_share(one) <= 1 / limit for one in inside
    ]
    whole = int(limit)
    assert which_hold(list(values), classes, f"distinct-l-diversity:{whole}") == [
        len(set(one)) >= whole for one in inside
    ]
    assert which_hold(list(values), classes, f"entropy-l-diversity:{decimal(limit)}") == [
        oracle.entropy(one) >= np.log(float(limit)) - 1e-9 for one in inside
    ]


@settings(max_examples=100, deadline=None)
@given(divided(), LIMITS, st.integers(1, 4))
def test_recursive_diversity_is_as_defined(
    table: tuple[list[str], list[int]], c: Fraction, rank: int
) -> None:
    values, classes = table
    assert which_hold(list(values), classes, f"recursive-l-diversity:{decimal(c)},{rank}") == [
        oracle.recursive_holds(one, c, rank) for one in parts(values, classes)
    ]


@settings(max_examples=40, deadline=None)
@given(divided(), st.integers(0, 100))
def test_closeness_is_as_defined(table: tuple[list[str], list[int]], hundredths: int) -> None:
    values, classes = table
    t = hundredths / 100
    order = sorted(set(values))
    for word, distance, words in (
        ("t-closeness", oracle.equal_distance, {}),
        ("ordered-t-closeness", oracle.ordered_distance(order), {}),
        ("hierarchical-t-closeness", oracle.tree_distance(PLACES), {"hierarchy": {"s": PLACES}}),
    ):
        far = [oracle.transport(one, values, distance) for one in parts(values, classes)]
        assume(all(abs(one - t) > 1e-7 for one in far))
        held = which_hold(list(values), classes, f"{word}:{t:.2f}", **words)
        assert held == [one <= t for one in far]


@settings(max_examples=60, deadline=None)
@given(divided(), st.integers(1, 300))
def test_limits_on_shares_are_as_defined(
    table: tuple[list[str], list[int]], hundredths: int
) -> None:
    values, classes = table
    limit = hundredths / 100
    for name, figure in (
        ("delta-disclosure", oracle.disclosure),
        ("beta-likeness", oracle.likeness),
        ("enhanced-beta-likeness", oracle.enhanced_likeness),
    ):
        reached = [figure(one, values) for one in parts(values, classes)]
        assume(all(abs(one - limit) > 1e-7 or name == "beta-likeness" for one in reached))
        held = which_hold(list(values), classes, f"{name}:{limit:.2f}")
        assert held == [one <= limit + 1e-12 for one in reached]


def test_delta_disclosure_by_hand() -> None:
    # a has 1/2 of the table, b 1/4, c 1/4. Class 0 has a 1/3, b 1/3, c 1/3: ln(2/3) = -0.405,
    # ln(4/3) = 0.288. Class 1 has a 4/5, c 1/5, and lacks b: no δ is large enough.
    values = [*"aabbcc", *"aaaac"]
    table = [*values, "b"]
    assert table.count("a") / 12 == 0.5
    classes = [0] * 6 + [1] * 5 + [2]
    assert which_hold(table, classes, "delta-disclosure:0.41")[:2] == [True, False]
    assert which_hold(table, classes, "delta-disclosure:0.40")[:2] == [False, False]
    assert which_hold(table, classes, "delta-disclosure:900")[:2] == [True, False]


def test_likeness_by_hand() -> None:
    # The table has a 6/12, b 3/12, c 3/12. Class 0: b gains (1/2 - 1/4) / (1/4) = 1.
    table, classes = [*"aabb", *"aaaac", *"bcc"], [0] * 4 + [1] * 5 + [2] * 3
    # Class 1: a 4/5 gains 0.6; c 1/5 loses. Class 2: b 1/3 gains 1/3, c 2/3 gains 5/3.
    assert which_hold(table, classes, "beta-likeness:1") == [True, True, False]
    assert which_hold(table, classes, "beta-likeness:0.99") == [False, True, False]
    assert which_hold(table, classes, "beta-likeness:1.67") == [True, True, True]
    # -ln 1/2 = 0.693 ≥ 0.6, and -ln 1/4 = 1.386: b's gain of 1 passes, c's 1.667 never does.
    assert which_hold(table, classes, "enhanced-beta-likeness:9") == [True, True, False]
    assert which_hold(table, classes, "enhanced-beta-likeness:0.6") == [False, True, False]


WORDS = [
    "frequency-l-diversity:1.5",
    "distinct-l-diversity:2",
    "entropy-l-diversity:1.7",
    "recursive-l-diversity:2,2",
    "t-closeness:0.6",
    "ordered-t-closeness:0.4",
    "hierarchical-t-closeness:0.5",
    "delta-disclosure:0.8",
    "beta-likeness:0.5",
    "enhanced-beta-likeness:0.7",
]


@pytest.mark.parametrize("word", WORDS)
@settings(max_examples=40, deadline=None)
@given(table=divided())
def test_models_are_monotone(word: str, table: tuple[list[str], list[int]]) -> None:
    values, classes = table
    words: dict[str, Any] = {"hierarchy": {"s": PLACES}}
    assert protection(list(values), word, **words)[0].monotone
    held = which_hold(list(values), classes, word, **words)
    sound = [one for one, good in zip(sorted(set(classes)), held, strict=True) if good]
    # Class -1 is the union of all that meet the model, so it comes first.
    united = [-1 if one in sound else one for one in classes]
    assert which_hold(list(values), united, word, **words)[0] or not sound


@pytest.mark.parametrize("word", WORDS)
@settings(max_examples=40, deadline=None)
@given(values=st.lists(st.sampled_from(VALUES), min_size=1, max_size=12))
def test_feasible_means_that_the_whole_table_meets_it(word: str, values: list[str]) -> None:
    words: dict[str, Any] = {"hierarchy": {"s": PLACES}}
    model, codes = protection(list(values), word, **words)
    holds = which_hold(list(values), [0] * len(values), word, **words)[0]
    try:
        model.require_feasible(np.bincount(codes))
    except InfeasibleError as error:
        assert not holds
        largest = error.feasible
    else:
        assert holds
        return
    assert largest is not None
    name = word.partition(":")[0]
    said = str(error_text(model, codes)).rpartition("largest feasible l is ")[2].rstrip(".")
    if name != "recursive-l-diversity":
        # What the remedy names can be asked for, and hardly more can.
        assert which_hold(list(values), [0] * len(values), f"{name}:{said}")[0]
        assert not which_hold(list(values), [0] * len(values), f"{name}:{int(largest) + 1}")[0]


def error_text(model: Model, codes: Any) -> str:
    with pytest.raises(InfeasibleError) as caught:
        model.require_feasible(np.bincount(codes))
    return caught.value.remedy


def test_recursive_names_the_largest_l_and_the_smallest_c() -> None:
    model, codes = protection([*"aaaaaabbc"], "recursive-l-diversity:1,3")
    with pytest.raises(InfeasibleError) as caught:
        model.require_feasible(np.bincount(codes))
    # 6 < 1 · 9 holds for l = 1; for l = 2 the rest is 3, for l = 3 it is 1.
    assert caught.value.feasible == 1
    assert "largest feasible l is 1" in caught.value.remedy
    assert "c must be above 6.0000" in caught.value.remedy


def test_exact_shares_are_not_lost_to_rounding() -> None:
    assert which_hold([*"a" * 10, "b"], [0] * 11, "frequency-l-diversity:1.1") == [True]
    assert which_hold([*"a" * 10, "b"], [0] * 11, "frequency-l-diversity:1.11") == [False]
    # 3 < 1.5 · 2 is false: the definition is strict.
    assert which_hold([*"aaabb"], [0] * 5, "recursive-l-diversity:1.5,2") == [False]
    assert which_hold([*"aabbcc"], [0] * 6, "entropy-l-diversity:3") == [True]


def test_missing_cells_are_a_value_of_their_own() -> None:
    assert which_hold(["a", None], [0, 0], "distinct-l-diversity:2") == [True]
    tree = {"hierarchy": {"s": PLACES}}
    values: list[str | None] = ["aa", "aa", None, None]
    # Class 0 lacks the missing half, which hangs at the root: half of the shares go all the way.
    assert which_hold(values, [0, 0, 1, 1], "hierarchical-t-closeness:0.49", **tree) == [False] * 2
    assert which_hold(values, [0, 0, 1, 1], "hierarchical-t-closeness:0.5", **tree) == [True] * 2


@pytest.mark.parametrize(
    ("values", "words", "near"),
    [
        (["2", "10", "9"], {}, "2"),  # as numbers 2 < 9 < 10, as texts 10 < 2 < 9
        (["2020-01-05", "2021-01-01", "2020-12-31"], {}, "2020-01-05"),
        (["low", "high", "mid"], {"order": {"s": ["low", "mid", "high"]}}, "low"),
        (["b", "c", "a"], {}, "a"),
    ],
)
def test_ordered_distance_follows_the_order_of_values(
    values: list[str], words: dict[str, Any], near: str
) -> None:
    # The lowest value alone is (0 + 1 + 2) / 2 / 3 = 0.5 from the table, the middle one 1/3.
    model, codes = protection(list(values), "ordered-t-closeness:0.4", **words)
    assert codes.tolist()[values.index(near)] == 0
    middle = codes.tolist().index(1)
    held = which_hold(list(values), [0, 1, 2], "ordered-t-closeness:0.4", **words)
    assert held == [place == middle for place in range(3)]
    assert str(model) == "ordered-t-closeness:0.4@s"


@pytest.mark.parametrize("word", WORDS)
def test_a_model_s_text_asks_for_it(word: str) -> None:
    model, _ = protection(["aa", "ab"], word, hierarchy={"s": PLACES})
    assert str(model) == f"{word}@s"
    assert parse_models([str(model)], ["s"]) == parse_models([word], ["s"])


@pytest.mark.parametrize(
    ("values", "alike"),
    [
        (["flu", "Flu", "flu ", "gout"], 2),
        (["1", "1.0", "2", "01"], 2),
        (["caf\u00e9", "cafe\u0301", "tea", "milk"], 1),
        (["flu", "gout", "cold", "acne"], 0),
    ],
)
def test_values_that_may_mean_the_same_are_told(values: list[str], alike: int) -> None:
    frame = pl.DataFrame({"age": [1, 1, 1, 1], "illness": values})
    models = ["distinct-l-diversity:2", "t-closeness:0.9"]
    words: dict[str, Any] = {
        "k": 2,
        "quasi": ["age"],
        "sensitive": ["illness"],
        "model": models,
    }
    said = [note for note in shoal.anonymize(frame, **words).custody.notes if "differ" in note]
    assert [note.split()[0] for note in said] == ([str(alike)] if alike else [])
    assert not any(value in note for note in said for value in values if len(value) > 2)
