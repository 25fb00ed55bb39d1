"""Records that do not look the same but could be: wildcards and overlapping generalizations."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.hierarchies import Hierarchy
from shoal.risks import Column, Question, assess
from shoal.risks.covers import Records
from shoal.risks.matching import count_matches, overlaps_itself
from tests.reference import risk as reference
from tests.tables import MIXED, mixed_table

AGES = range(20, 26)
JOBS = ("cook", "nurse", "a|b")
TREE = Hierarchy.from_rows([["aa", "a", "*"], ["ab", "a", "*"], ["ba", "b", "*"], ["bb", "b", "*"]])
EVERYTHING: frozenset[object] = frozenset([None, *AGES, *JOBS, *TREE.leaves])

# What each cell of a column says, as a text and as the values it covers.
AGE: dict[str, frozenset[object]] = {str(age): frozenset([age]) for age in AGES}
AGE |= {
    f"[{low}..{high}]": frozenset(range(low, high + 1))
    for low, high in itertools.combinations(AGES, 2)
}
JOB: dict[str, frozenset[object]] = {
    "cook": frozenset(["cook"]),
    "nurse": frozenset(["nurse"]),
    "a|b": frozenset(["a|b"]),
}
JOB |= {"{cook|nurse}": frozenset(["cook", "nurse"]), "{a\\|b|}": frozenset(["a|b", None])}
PLACE: dict[str, frozenset[object]] = {leaf: frozenset([leaf]) for leaf in TREE.leaves}
PLACE |= {"a": frozenset(["aa", "ab"]), "b": frozenset(["ba", "bb"])}
MISSING: frozenset[object] = frozenset([None])
CELLS = [{**column, "*": EVERYTHING, "": MISSING} for column in (AGE, JOB, PLACE)]
COLUMNS = [Column("age"), Column("job"), Column("place", TREE)]


def frame(rows: list[tuple[str, str, str]]) -> pl.DataFrame:
    return pl.DataFrame(
        rows, schema=dict.fromkeys(("age", "job", "place"), pl.String), orient="row"
    )


records = st.lists(
    st.tuples(*(st.sampled_from(sorted(column)) for column in CELLS)), min_size=1, max_size=12
)


@given(records, records)
def test_compatible_records_by_definition(
    left: list[tuple[str, str, str]], right: list[tuple[str, str, str]]
) -> None:
    covered = [
        [[CELLS[place][cell] for place, cell in enumerate(row)] for row in rows]
        for rows in (left, right)
    ]
    found = count_matches(Records(frame(left)), Records(frame(right)), COLUMNS)
    assert found.complete
    assert found.counts.tolist() == reference.matches(covered[0], covered[1])


def test_wildcards_by_hand() -> None:
    """As ARX and sdcMicro count them: * goes with every value."""
    table = pl.DataFrame({"age": ["30", "30", "*", "40"], "sex": ["F", "*", "F", "M"]})
    found = shoal.risk(table, quasi=["age", "sex"])
    # Row 1 fits rows 1 to 3, row 2 those too, row 3 as well; row 4 fits itself alone.
    assert found["matching_average"] == pytest.approx((3 * 1 / 3 + 1) / 4)
    assert found["matching_highest"] == 1.0
    assert found["prosecutor_average"] == 1.0


def test_an_original_has_nothing_to_match() -> None:
    table = mixed_table(30, 1)
    columns = [Column(name) for name in ("age", "job")]
    assert not overlaps_itself(table.with_columns(pl.col("job").replace("a|b", "b")), columns)
    assert "matching_average" not in shoal.risk(table, quasi=["age"]).table["name"]


@pytest.mark.parametrize("notation", ["text", "min_max"])
@pytest.mark.parametrize("algorithm", ["k-member", "ff-greedy"])
def test_everybody_of_the_original_matches_at_least_k(algorithm: str, notation: Any) -> None:
    """Linkage by exact values finds k or more, and a class never more than what matches it."""
    original = mixed_table(120, 3, missing=0.05)
    release = shoal.anonymize(
        original, k=4, algorithm=algorithm, notation=notation, seed=2, **MIXED
    )
    found = shoal.risk(
        release.table, quasi=MIXED["quasi"], hierarchy=MIXED["hierarchy"], original=original
    )
    assert found["linkage_highest"] is not None
    assert 0 < found["linkage_highest"] <= 1 / 4
    assert found["matching_average"] is not None
    assert found["matching_average"] <= (found["prosecutor_average"] or 0)


def test_a_large_table_is_estimated_from_a_sample() -> None:
    rng = np.random.default_rng(3)
    low = rng.integers(0, 50, 3000)
    cells = [f"[{start}..{start + 9}]" for start in low.tolist()]
    table = pl.DataFrame({"age": cells, "sex": rng.choice(["F", "M", "*"], 3000)})
    columns = [Column("age"), Column("sex")]
    every = count_matches(Records(table), Records(table), columns)
    some = count_matches(Records(table), Records(table), columns, most_pairs=100 * 150)
    assert not some.complete
    assert 0 < len(some.records) < 3000
    assert some.counts.tolist() == every.counts[some.records].tolist()


def test_dates_ranks_and_formats_are_read() -> None:
    release = pl.DataFrame(
        {
            "born": ["[01.02.2000..01.03.2000]", "15.02.2000", "01.04.2000"],
            "grade": ["[low..mid]", "mid", "high"],
        }
    )
    columns = [
        Column("born", date_format="%d.%m.%Y"),
        Column("grade", order=("low", "mid", "high")),
    ]
    assert count_matches(Records(release), Records(release), columns).counts.tolist() == [2, 2, 1]


def test_cells_of_no_known_order_match_only_themselves() -> None:
    release = pl.DataFrame({"grade": ["[low..mid]", "mid", "[low..mid]"]})
    found = count_matches(Records(release), Records(release), [Column("grade")])
    assert found.counts.tolist() == [2, 1, 2]


def test_an_original_means_what_it_says() -> None:
    original = pl.DataFrame({"code": ["*", "{x}", "\\z", "x"]})
    release = pl.DataFrame({"code": ["\\*", "\\{x}", "\\\\z", "{x|y}"]})
    found = count_matches(Records(original, exact=True), Records(release), [Column("code")])
    assert found.counts.tolist() == [1, 1, 1, 1]


def test_a_missing_number_is_no_member_of_those_that_say_nothing() -> None:
    table = pl.DataFrame(
        {"age_min": [None] * 4, "age_max": [None] * 4, "age_missing": [True, False, False, False]},
        schema={"age_min": pl.Int64, "age_max": pl.Int64, "age_missing": pl.Boolean},
    )
    assert shoal.risk(table, quasi=["age"])["smallest_class"] == 1


def test_figures_of_some_records_are_marked_as_estimates() -> None:
    """Fewer pairs than there are: a mean of records drawn, its margin, and a note with both."""
    rng = np.random.default_rng(1)
    ages = rng.integers(20, 80, 400)
    original = pl.DataFrame({"age": ages})
    low = ages // 3 * 3
    release = pl.DataFrame({"age": [f"[{one}..{one + 3}]" for one in low]})
    all_of_them = assess(release, [Column("age")], original=original)
    some = Question(most_pairs=20 * 15)
    drawn = assess(release, [Column("age")], original=original, question=some)
    for name in ("linkage_average", "matching_average"):
        true = next(one for one in all_of_them.figures if one.name == name)
        estimate = next(one for one in drawn.figures if one.name == name)
        assert true.margin is None
        assert "≈" not in true.shown
        assert estimate.shown.startswith("≈")
        assert estimate.value is not None
        assert estimate.margin is not None
        assert true.value is not None
        # Four standard errors: the draw is fixed, and this holds for 99.99 % of draws.
        assert abs(estimate.value - true.value) < 2.1 * estimate.margin
    assert drawn["linkage_highest"] is None
    assert sum("is an estimate" in note for note in drawn.notes) == 2
    assert not any("is an estimate" in note for note in all_of_them.notes)
