"""What the verifier says of freeform releases under a personal k, against a linear program."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import InputError
from shoal.table import Attribute, Kind, Schema
from shoal.verifier import Verdict, verify
from tests.reference.covers import Graph, conceals, perfect_matchings
from tests.reference.personal_covers import chances_exist

SCHEMA = Schema(
    quasi=(Attribute("town", Kind.CATEGORICAL),), sensitive=("pay",), personal_k=("own",)
)


def check(graph: Graph, ks: list[int], form: str = "freeform", **more: Any) -> Verdict:
    """Verify the release in which record j covers graph[j]; the common k is 2."""
    own = next(perfect_matchings(graph))
    n = len(graph)
    source = pl.DataFrame(
        {"town": [f"t{i}" for i in range(n)], "pay": [str(i) for i in range(n)], "own": ks}
    )
    cells = ["{" + "|".join(f"t{i}" for i in sorted(one)) + "}" for one in graph]
    cells = [cell if "|" in cell else cell.strip("{}") for cell in cells]
    release = pl.DataFrame({"town": cells, "pay": [str(i) for i in own]})
    return verify(source, release, SCHEMA, 2, form=form, **more)


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_says_what_a_linear_program_says(data: st.DataObject) -> None:
    n = data.draw(st.integers(3, 6))
    graph = data.draw(st.lists(st.sets(st.integers(0, n - 1), min_size=2), min_size=n, max_size=n))
    ks = data.draw(st.lists(st.integers(1, n), min_size=n, max_size=n))
    if next(perfect_matchings(graph), None) is None:
        return
    assert check(graph, ks).passed == chances_exist(graph, [max(2, k) for k in ks])


def test_a_demanding_record_among_others_that_keep_the_common_k() -> None:
    # Original 0 is a quarter of each of four records, which share the others in halves and less.
    graph: Graph = [{0, 1, 2, 3}] * 4
    assert check(graph, [4, 2, 2, 2]).passed
    graph = [{0, 1, 2}, {0, 1, 2}, {0, 2, 3}, {0, 1, 3}]
    assert chances_exist(graph, [4, 2, 2, 2])
    verdict = check(graph, [4, 2, 2, 2])
    assert verdict.passed
    assert "4 perfect matchings" in str(verdict)
    assert verdict.smallest_class == 2
    # Everybody is covered by two, and original 0 by four; still chances do not fit.
    graph = [{0, 1}, {0, 1}, {0, 2, 3}, {0, 2, 3}]
    assert not chances_exist(graph, [4, 2, 2, 2])
    verdict = check(graph, [4, 2, 2, 2])
    assert [one.name for one in verdict.checks if not one.passed] == [
        "4 perfect matchings, no pair too often"
    ]


def test_too_few_covers_of_a_demanding_record_are_named() -> None:
    graph: Graph = [{0, 1}, {0, 1}, {2, 3}, {2, 3}]
    assert check(graph, [2, 2, 2, 2]).passed
    verdict = check(graph, [2, 3, 2, 2])
    assert not verdict.passed
    assert "fewer released records than they require, one of them by 2: original row 2" in str(
        verdict
    )


def test_ks_without_a_common_multiple_that_a_flow_carries() -> None:
    # The least common multiple of the first primes beyond 30 exceeds 2**31.
    primes = [31, 37, 41, 43, 47, 53]
    n = 64
    everybody: Graph = [set(range(n))] * n
    assert check(everybody, [*primes, *[2] * (n - len(primes))]).passed


PARTS = np.array([[0, 1, -1], [0, 1, -1], [2, 3, 4], [2, 3, 4], [2, 3, 4]])
COVERED: Graph = [{0, 1}, {0, 1}, {2, 3, 4}, {2, 3, 4}, {2, 3, 4}]


@pytest.mark.parametrize(
    ("matches", "ks", "told"),
    [
        (PARTS, [2, 2, 2, 3, 2], None),
        (PARTS, [2, 3, 2, 3, 2], "fewer matches than one of them requires"),
        (PARTS[:, :1], [2, 2, 2, 3, 2], "have shape"),
        (np.where(PARTS == 4, 5, PARTS), [2, 2, 2, 3, 2], "no row of the original"),
        (np.where(PARTS == 4, -1, PARTS), [2, 2, 2, 3, 2], "its own original is not among"),
        (
            np.vstack([PARTS[:4], [[4, 2, 2]]]),
            [2, 2, 2, 3, 2],
            "matched with an original twice",
        ),
        (
            np.vstack([PARTS[:2], [[2, 3, -1]], PARTS[3:]]),
            [2, 2, 2, 2, 3],
            "matched more often than a record that it is matched with",
        ),
    ],
)
def test_given_matches_of_several_ks(matches: np.ndarray, ks: list[int], told: str | None) -> None:
    verdict = check(COVERED, ks, witness=np.arange(5), matches=matches)
    assert verdict.passed == (told is None)
    assert told is None or told in str(verdict)


def test_a_form_that_guarantees_originals_nothing_is_refused() -> None:
    frame = pl.DataFrame({"town": ["a", "b"], "pay": ["1", "2"], "own": [2, 2]})
    with pytest.raises(InputError, match="guarantees nothing"):
        verify(frame, frame.drop("own"), SCHEMA, 2, form="(k,1)")


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_weaker_forms_count_the_counterparts_of_each_original(data: st.DataObject) -> None:
    n = data.draw(st.integers(3, 5))
    graph = data.draw(st.lists(st.sets(st.integers(0, n - 1), min_size=2), min_size=n, max_size=n))
    ks = data.draw(st.lists(st.integers(1, n), min_size=n, max_size=n))
    form = data.draw(st.sampled_from(["(1,k)", "(k,k)", "concealment"]))
    if next(perfect_matchings(graph), None) is None:
        return
    assert check(graph, ks, form).passed == conceals(graph, 2, [max(2, k) for k in ks], form)
