"""What the verifier says of freeform releases: planted faults, and an oracle that tries all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import InputError
from shoal.table import Attribute, Kind, Schema
from shoal.verifier import Verdict, verify
from tests.reference.covers import (
    Graph,
    has_disjoint_matchings,
    perfect_matchings,
    possible_counterparts,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCHEMA = Schema(quasi=(Attribute("town", Kind.CATEGORICAL),), sensitive=("pay",))


def original(n: int) -> pl.DataFrame:
    return pl.DataFrame({"town": [f"t{i}" for i in range(n)], "pay": [str(i) for i in range(n)]})


def released(graph: Graph, own: tuple[int, ...]) -> pl.DataFrame:
    """Return the release in which record j covers graph[j] and carries the pay of own[j]."""
    cells = [
        "{" + "|".join(f"t{i}" for i in sorted(covered)) + "}"
        if len(covered) > 1
        else f"t{min(covered)}"
        for covered in graph
    ]
    return pl.DataFrame({"town": cells, "pay": [str(i) for i in own]})


def check(graph: Graph, k: int, form: str = "freeform") -> Verdict:
    own = next(perfect_matchings(graph))
    return verify(original(len(graph)), released(graph, own), SCHEMA, k, form=form)


def failed(verdict: Verdict) -> list[str]:
    return [check.name for check in verdict.checks if not check.passed]


# Loops on four nodes and 1-2, 1-3, 1-4 in both directions (Figure 3 of the paper).
FIGURE_3: Graph = [{0, 1, 2, 3}, {0, 1}, {0, 2}, {0, 3}]


def test_the_concealment_of_figure_3_is_no_freeform_anonymity() -> None:
    # Four matchings, odds 3:1, no two of them disjoint: by hand in the paper, by trial here.
    assert len(list(perfect_matchings(FIGURE_3))) == 4
    assert not has_disjoint_matchings(FIGURE_3, 2)
    assert min(possible_counterparts(FIGURE_3)) == 2
    assert check(FIGURE_3, 2, "concealment").passed
    assert check(FIGURE_3, 2, "(k,k)").passed
    verdict = check(FIGURE_3, 2)
    assert failed(verdict) == ["2 disjoint perfect matchings"]
    assert "likelier than others" in str(verdict)


def test_a_record_covered_by_too_few_is_named() -> None:
    ring: Graph = [{i, (i + 1) % 6, (i + 2) % 6} for i in range(6)]
    assert check(ring, 3).passed
    ring[4] = {4, 5}  # original 0 is now covered by 0 and 5 alone
    verdict = check(ring, 3)
    assert failed(verdict) == ["3 counterparts of each original"]
    assert "one of them by 2: original row 1" in str(verdict)


def test_a_cover_without_perfect_matchings_is_caught() -> None:
    # Originals 0, 1, 2 are covered by released 0 and 1 (and 3) only in a way that leaves the
    # second matching short, though every original has two covers.
    graph: Graph = [{0, 1, 2}, {0, 1, 2}, {2, 3, 4}, {3, 4}, {3, 4}]
    covers = [sum(i in covered for covered in graph) for i in range(5)]
    assert min(covers) >= 2
    assert not has_disjoint_matchings(graph, 2)
    assert failed(check(graph, 2)) == ["2 disjoint perfect matchings"]


def test_accidental_covers_are_told_and_not_counted_on() -> None:
    ring: Graph = [{i, (i + 1) % 5} for i in range(5)]
    ring[0] |= {2, 3}
    verdict = check(ring, 2)
    assert verdict.passed
    assert verdict.smallest_class == 2
    assert "up to 3; more than 2 are not counted on" in str(verdict)


def test_classes_are_freeform_releases_too() -> None:
    graph: Graph = [{0, 1, 2}] * 3 + [{3, 4, 5, 6}] * 4
    assert check(graph, 3).passed
    assert check(graph, 3, "classes").passed
    assert not check(graph, 4).passed


graphs = st.integers(2, 5).flatmap(
    lambda n: st.lists(st.sets(st.integers(0, n - 1), min_size=1), min_size=n, max_size=n)
)


@settings(max_examples=100, deadline=None)
@given(graphs, st.integers(2, 4))
def test_says_what_trying_everything_says(graph: Graph, k: int) -> None:
    if next(perfect_matchings(graph), None) is None:
        return
    verdict = check(graph, k)
    assert verdict.passed == has_disjoint_matchings(graph, k)
    counts = [sum(i in covered for covered in graph) for i in range(len(graph))]
    assert check(graph, k, "(1,k)").passed == (min(counts) >= k)
    assert check(graph, k, "(k,1)").passed == (min(map(len, graph)) >= k)
    assert check(graph, k, "(k,k)").passed == (min(*counts, *map(len, graph)) >= k)
    assert check(graph, k, "concealment").passed == (min(possible_counterparts(graph)) >= k)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_equal_records_are_folded_without_a_difference(data: st.DataObject) -> None:
    """Towns repeat: groups of equal originals and equal cells, against unfolded trying."""
    n = data.draw(st.integers(2, 5))
    town = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    cells = data.draw(st.lists(st.sets(st.integers(0, 2), min_size=1), min_size=n, max_size=n))
    k = data.draw(st.integers(2, 3))
    graph: Graph = [{i for i in range(n) if town[i] in cell} for cell in cells]
    own = next(perfect_matchings(graph), None)
    if own is None:
        return
    source = pl.DataFrame({"town": [f"t{t}" for t in town], "pay": [str(i) for i in range(n)]})
    texts = [
        "{" + "|".join(f"t{t}" for t in sorted(cell)) + "}" if len(cell) > 1 else f"t{min(cell)}"
        for cell in cells
    ]
    release = pl.DataFrame({"town": texts, "pay": [str(i) for i in own]})
    verdict = verify(source, release, SCHEMA, k, form="freeform")
    assert verdict.passed == has_disjoint_matchings(graph, k)
    conceals = verify(source, release, SCHEMA, k, form="concealment")
    assert conceals.passed == (min(possible_counterparts(graph)) >= k)


RING: Graph = [{i, (i + 1) % 6, (i + 2) % 6} for i in range(6)]
OWN = tuple((i + 1) % 6 for i in range(6))
MATCHES = np.array([[i, (i + 1) % 6, (i + 2) % 6] for i in range(6)])


def check_matches(matches: NDArray[np.int64], own: tuple[int, ...] = OWN) -> Verdict:
    return verify(
        original(6),
        released(RING, OWN),
        SCHEMA,
        3,
        form="freeform",
        witness=np.array(own),
        matches=matches,
    )


def test_given_matches_are_checked_one_by_one() -> None:
    verdict = check_matches(MATCHES)
    assert verdict.passed
    assert verdict.smallest_class == 3
    assert "checked one by one" in verdict.proof


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (lambda m: m[:, :2], "have shape"),
        (lambda m: m.astype(float), "have shape"),
        (lambda m: np.where(m == 5, 6, m), "no row of the original"),
        (lambda m: np.vstack([[0, 1, 1], m[1:]]), "an original twice"),
        (lambda m: np.vstack([[0, 2, 3], m[1:]]), "its own original is not among"),
        (lambda m: np.vstack([[0, 1, 3], m[1:]]), "more than 3 times"),
    ],
)
def test_faults_of_given_matches_are_caught(fault: object, told: str) -> None:
    verdict = check_matches(fault(MATCHES))  # type: ignore[operator]
    assert failed(verdict) == ["3 matches of each record"]
    assert told in str(verdict)


def test_matches_that_cells_do_not_cover_are_caught() -> None:
    # Released 0 and 3 trade originals 0 and 5: still regular, but their cells cover neither.
    matches = MATCHES.copy()
    matches[0] = [5, 1, 2]
    matches[3] = [3, 4, 0]
    verdict = check_matches(matches)
    assert failed(verdict) == ["cells cover all matches"]
    assert "release rows 1, 4" in str(verdict)


def test_withheld_and_starred_records() -> None:
    graph: Graph = [{i, (i + 1) % 5} for i in range(5)]
    frame = released(graph, tuple((i + 1) % 5 for i in range(5)))
    source = original(6)
    assert verify(source, frame, SCHEMA, 2, form="freeform", suppression=0.2).passed
    assert not verify(source, frame, SCHEMA, 3, form="freeform", suppression=0.2).passed
    assert not verify(source, frame, SCHEMA, 2, form="freeform").passed
    # One starred record does not hide: whoever is covered by no other is that one.
    starred = pl.concat([frame, pl.DataFrame({"town": ["*"], "pay": ["5"]})])
    assert not verify(source, starred, SCHEMA, 2, form="freeform", suppression=0.2).passed
    # Two hide each other.
    two = pl.concat([frame, pl.DataFrame({"town": ["*", "*"], "pay": ["6", "5"]})])
    assert verify(original(7), two, SCHEMA, 2, form="freeform").passed
    matches = np.array([*([i, (i + 1) % 5] for i in range(5)), [-1, -1], [-1, -1]])
    witness = np.array([*((i + 1) % 5 for i in range(5)), 6, 5])
    given: dict[str, Any] = {"form": "freeform", "witness": witness}
    assert verify(original(7), two, SCHEMA, 2, matches=matches, **given).passed
    alone = {**given, "witness": witness[:6]}
    verdict = verify(original(7), two[:6], SCHEMA, 2, matches=matches[:6], **alone, suppression=0.2)
    assert failed(verdict) == ["2 matches of each record"]
    assert "no matches, and fewer than 2 such rows" in str(verdict)
    telling = two.with_columns(town=pl.Series([*two["town"][:5], "t6", "t5"]))
    verdict = verify(original(7), telling, SCHEMA, 2, matches=matches, **given)
    assert "no matches, though cells say something" in str(verdict)


def test_undefined_guarantees_are_refused() -> None:
    frame, release = original(6), released(RING, OWN)
    with pytest.raises(InputError, match="condition on classes"):
        verify(frame, release, SCHEMA, 3, form="freeform", models=["distinct-l-diversity:2"])
    with pytest.raises(InputError, match="no form"):
        verify(frame, release, SCHEMA, 3, form="anything")
