"""Stars, dates and grouping tables."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import HierarchyError, ParameterError
from shoal.hierarchies import date_levels, group_levels, star_levels
from tests.hierarchies.trees import assert_nested, groups

EPOCH = datetime.date(1970, 1, 1)


def test_stars_from_the_right() -> None:
    tree = star_levels(["80015", "80016", "80025", "80125", "81000", "90000"])
    assert {row[0]: row[1:] for row in tree.rows()}["80015"] == (
        "8001*",
        "800**",
        "80***",
        "8****",
        "*",
    )


def test_codes_of_different_lengths_share_their_beginning() -> None:
    rows = {row[0]: row for row in star_levels(["J45", "J45.1", "J45.2", "J46.0"]).rows()}
    assert rows["J45"] == ("J45", "J45", "J45**", "*")
    assert rows["J45.1"] == ("J45.1", "J45.*", "J45**", "*")
    assert rows["J46.0"] == ("J46.0", "J46.*", "J46**", "*")


def test_chosen_numbers_of_stars() -> None:
    tree = star_levels(["80015", "80016", "80125", "91000"], [1, 3])
    assert {row[0]: row[1:] for row in tree.rows()}["80015"] == ("8001*", "80***", "*")
    for wrong in ([0], [3, 1], [2, 2], [-1]):
        with pytest.raises(ParameterError, match="ascending"):
            star_levels(["80015"], wrong)


@given(st.sets(st.text(alphabet="01*{}", min_size=1, max_size=5), min_size=1, max_size=30))
def test_stars_nest_even_over_values_with_stars(leaves: set[str]) -> None:
    leaves.discard("*")
    if not leaves:
        return
    tree = star_levels(sorted(leaves))
    assert_nested(tree, leaves)


@given(st.sets(st.text(min_size=1, max_size=8).filter(lambda text: "*" not in text), min_size=1))
def test_stars_group_by_what_values_begin_with(leaves: set[str]) -> None:
    tree = star_levels(sorted(leaves))
    assert_nested(tree, leaves)
    for level in range(1, tree.height):
        for name, below in groups(tree, level).items():
            if len(below) > 1:
                start = name.rstrip("*")
                assert below == {leaf for leaf in leaves if leaf.startswith(start)}


def test_stars_that_leave_nothing_are_refused() -> None:
    with pytest.raises(ParameterError, match="5 characters: 9 stars"):
        star_levels(["80015", "8001"], [1, 9])


def test_a_star_is_no_value() -> None:
    with pytest.raises(HierarchyError, match="holds the value '\\*'"):
        star_levels(["80", "*"])
    with pytest.raises(HierarchyError, match="no value"):
        star_levels([])


def test_a_name_that_is_taken_is_put_into_braces() -> None:
    tree = star_levels(["80", "81", "8*", "90"])
    assert groups(tree, 1)["{8*}"] == {"80", "81", "8*"}


def built(*dates: str, steps: tuple[str, ...] = ()) -> dict[str, tuple[str, ...]]:
    days = [(datetime.date.fromisoformat(date) - EPOCH).days for date in dates]
    tree = date_levels(dates, days, steps)
    assert_nested(tree, dates)
    return {row[0]: row[1:] for row in tree.rows()}


def test_dates_around_leap_days_quarters_and_decades() -> None:
    rows = built(
        "2020-02-29",
        "2020-03-01",
        "2019-12-31",
        "2019-12-30",
        "2000-02-29",
        "1999-12-31",
        "1969-12-31",
        "1970-01-01",
        "2020-03-31",
        "2020-04-01",
        "2021-01-01",
    )
    assert rows["2020-02-29"] == ("2020-02", "2020-Q1", "2020", "2020s", "*")
    assert rows["2020-03-31"] == ("2020-03", "2020-Q1", "2020", "2020s", "*")
    assert rows["2020-04-01"] == ("2020-04", "2020-Q2", "2020", "2020s", "*")
    assert rows["2019-12-31"] == ("2019-12", "2019-Q4", "2019", "2010s", "*")
    assert rows["2000-02-29"] == ("2000-02", "2000-Q1", "2000", "2000s", "*")
    assert rows["1999-12-31"] == ("1999-12", "1999-Q4", "1999", "1990s", "*")
    assert rows["1969-12-31"] == ("1969-12", "1969-Q4", "1969", "1960s", "*")
    assert rows["1970-01-01"] == ("1970-01", "1970-Q1", "1970", "1970s", "*")


@given(st.sets(st.dates(), min_size=1, max_size=40))
def test_every_date_lies_in_the_groups_of_the_calendar(dates: set[datetime.date]) -> None:
    rows = built(*sorted(date.isoformat() for date in dates), steps=("month", "quarter", "year"))
    for date in dates:
        calendar = {
            f"{date.year:04}-{date.month:02}",
            f"{date.year:04}-Q{(date.month - 1) // 3 + 1}",
            f"{date.year:04}",
            "*",
        }
        assert set(rows[date.isoformat()]) <= calendar


def test_chosen_levels_of_dates() -> None:
    rows = built("2020-02-29", "2020-03-01", "1999-01-01", steps=("year",))
    assert rows["2020-02-29"] == ("2020", "*")
    for wrong in (("year", "month"), ("week",), ("year", "year")):
        with pytest.raises(ParameterError, match="levels of dates"):
            date_levels(["x"], [0], wrong)


def test_a_day_that_is_itself_a_value_among_times() -> None:
    tree = date_levels(["2021-03-05", "2021-03-05 10:00", "2022-01-01"], [18691, 18691, 18993])
    assert_nested(tree, ["2021-03-05", "2021-03-05 10:00", "2022-01-01"])
    assert groups(tree, 1)["{2021-03-05}"] == {"2021-03-05", "2021-03-05 10:00"}


def test_a_table_of_places() -> None:
    table = [
        ["Linz", "Upper Austria", "Austria"],
        ["Wels", "Upper Austria", "Austria"],
        ["Graz", "Styria", "Austria"],
        ["Bonn", "North Rhine", "Germany"],
        ["Linz", "Upper Austria", "Austria"],
    ]
    tree = group_levels(table)
    assert_nested(tree, ["Linz", "Wels", "Graz", "Bonn"])
    assert groups(tree, 2) == {"Austria": {"Linz", "Wels", "Graz"}, "Germany": {"Bonn"}}
    assert group_levels([[*row, "*"] for row in table]).rows() == tree.rows()


def test_faults_of_a_table_are_named() -> None:
    with pytest.raises(HierarchyError, match="more than once: 'Linz'"):
        group_levels([["Linz", "Austria"], ["Linz", "Germany"]])
    with pytest.raises(HierarchyError, match=r"level 1 lie in more than one .*'Washington'"):
        group_levels([["a", "Washington", "Oregon"], ["b", "Washington", "Utah"]])
    with pytest.raises(HierarchyError, match="no groups"):
        group_levels([["Linz"]])
    with pytest.raises(HierarchyError, match="empty"):
        group_levels([])
