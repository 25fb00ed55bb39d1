"""Faults that are planted into good hierarchies are found and named, and no others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import HierarchyError
from shoal.hierarchies import Fault, Hierarchy, find_faults, find_missing

GOOD = [[f"v{n:02}", f"a{n // 2}", f"b{n // 8}", "*"] for n in range(32)]


def kinds(rows: list[list[str]]) -> dict[str, Fault]:
    return {fault.kind: fault for fault in find_faults(rows)}


def test_a_good_hierarchy_has_no_faults() -> None:
    assert find_faults(GOOD) == []


@given(st.sets(st.integers(0, 31), min_size=1, max_size=20))
def test_planted_duplicates(places: set[int]) -> None:
    rows = GOOD + [GOOD[place] for place in places]
    faults = kinds(rows)
    assert set(faults) == {"duplicate"}
    assert set(faults["duplicate"].values) == {f"v{place:02}" for place in places}
    named = faults["duplicate"].what.count("'v")
    assert named == min(10, len(places))
    assert ("more" in faults["duplicate"].what.removeprefix("listed more")) == (len(places) > 10)


@given(st.sets(st.integers(0, 15), min_size=1, max_size=15))
def test_planted_groups_that_do_not_nest(places: set[int]) -> None:
    # The first of two members of a group moves to a group of its own on the next level.
    rows = [
        [leaf, low, "moved" if n % 2 == 0 and n // 2 in places else high, root]
        for n, (leaf, low, high, root) in enumerate(GOOD)
    ]
    faults = kinds(rows)
    assert set(faults) == {"non-nested"}
    assert set(faults["non-nested"].values) == {f"a{place}" for place in places}
    assert "level 1" in faults["non-nested"].what


@given(st.sets(st.integers(0, 31), min_size=1))
def test_planted_missing_values(places: set[int]) -> None:
    rows = [row for n, row in enumerate(GOOD) if n not in places]
    leaves = [row[0] for row in rows]
    (fault,) = find_missing(leaves, [row[0] for row in GOOD], "code")
    assert fault.kind == "missing"
    assert set(fault.values) == {f"v{place:02}" for place in places}
    assert "'code'" in fault.what
    assert f"lacks {len(places)} " in fault.what


def test_all_faults_are_told_at_once() -> None:
    rows = [list(row) for row in GOOD]
    rows[0][2] = "b9"  # its group a0 now lies in two
    rows.append(["v05", "a2", "b0", "*"])
    rows[7][1] = ""
    rows[31][3] = "all"
    assert set(kinds(rows)) >= {"duplicate", "non-nested", "unnamed", "root"}
    with pytest.raises(HierarchyError) as caught:
        Hierarchy.from_rows(rows, where="tree.csv")
    assert caught.value.what.startswith("tree.csv: ")
    for part in ("'v05'", "'a0'", "row 8", "must be *"):
        assert part in caught.value.what


def test_a_name_with_two_meanings() -> None:
    rows = [["a", "b", "*"], ["b", "g", "*"], ["c", "g", "*"]]
    assert kinds(rows)["ambiguous"].values == ("b",)


def test_uneven_and_empty() -> None:
    assert set(kinds([])) == {"empty"}
    assert "uneven" in kinds([["a", "*"], ["b"], ["c", "g", "*"]])
    assert "root" in kinds([["a"]])
