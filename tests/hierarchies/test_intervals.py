"""Ranges, cut points, quantiles and halves: they nest, and their names tell the truth."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import ParameterError
from shoal.hierarchies import (
    DayScale,
    Hierarchy,
    NumberScale,
    RankScale,
    alphabetical_halves,
    cut_levels,
    halved_levels,
    quantile_levels,
    range_levels,
)
from shoal.hierarchies.scale import decimal, exact
from tests.hierarchies.trees import assert_nested, groups

NUMBER = r"-?\d+(?:\.\d+)?"


def holds(name: str, number: Fraction) -> bool:
    """Tell from its name alone whether a group holds a number; read by rules of its own."""
    if name == "*":
        return True
    if found := re.fullmatch(rf"\[({NUMBER})\.\.({NUMBER})([\])])", name):
        low, high = Fraction(found[1]), Fraction(found[2])
        return low <= number and (number <= high if found[3] == "]" else number < high)
    if re.fullmatch(NUMBER, name):
        return number == Fraction(name)
    if found := re.fullmatch(rf"<({NUMBER})", name):
        return number < Fraction(found[1])
    found = re.fullmatch(rf">=({NUMBER})", name)
    assert found, name
    return number >= Fraction(found[1])


def assert_true_names(tree: Hierarchy, number: dict[str, Fraction]) -> None:
    """Check that each group's name holds its leaves, and of all others none."""
    assert_nested(tree, number)
    for level in range(1, tree.height + 1):
        for name, below in groups(tree, level).items():
            assert {leaf for leaf, value in number.items() if holds(name, value)} == below


floats = st.floats(-1e6, 1e6, allow_nan=False).map(lambda value: round(value, 3) + 0.0)
tables = st.dictionaries(
    st.one_of(st.integers(-10_000, 10_000).map(float), floats), st.integers(1, 50), min_size=1
)
whole_tables = st.dictionaries(
    st.integers(-200, 200).map(float), st.integers(1, 50), min_size=1, max_size=60
)


def told(table: dict[float, int]) -> tuple[list[str], list[Fraction], NumberScale]:
    values = exact(table)
    return list(map(str, table)), values, NumberScale(all(v.denominator == 1 for v in values))


@settings(max_examples=50)
@given(tables, st.sampled_from(["0.1", "0.25", "1", "5", "7.5"]), st.lists(st.integers(2, 5)))
def test_ranges(table: dict[float, int], width: str, times: list[int]) -> None:
    leaves, values, scale = told(table)
    widths = [Fraction(width)]
    for more in times[:3]:
        widths.append(widths[-1] * more)
    scale = NumberScale(scale.whole and widths[0].denominator == 1)
    tree = range_levels(leaves, values, widths, scale)
    assert tree.height == len(widths) + 1
    assert_true_names(tree, dict(zip(leaves, values, strict=True)))


@settings(max_examples=50)
@given(tables, st.sets(st.integers(-9_000, 9_000), min_size=1, max_size=6), st.data())
def test_cuts(table: dict[float, int], points: set[int], data: st.DataObject) -> None:
    leaves, values, scale = told(table)
    coarse = data.draw(st.sets(st.sampled_from(sorted(points)), min_size=1))
    levels = [[Fraction(point) for point in level] for level in (points, coarse)]
    tree = cut_levels(leaves, values, levels, scale)
    assert tree.height == 3
    assert_true_names(tree, dict(zip(leaves, values, strict=True)))


@settings(max_examples=50)
@given(whole_tables, st.sampled_from([[2], [4], [8, 4, 2], [9, 3], [12, 6, 2]]))
def test_quantiles(table: dict[float, int], parts: list[int]) -> None:
    leaves, values, scale = told(table)
    counts = list(table.values())
    tree = quantile_levels(leaves, values, counts, parts, scale)
    number = dict(zip(leaves, values, strict=True))
    assert_true_names(tree, number)
    assert tree.height == (len(parts) + 1 if len(table) > 1 else 1)
    if tree.height == 1:
        return
    # No other boundary between values comes nearer to any of the quantiles that were asked for.
    finest = groups(tree, 1).values()
    ends = sorted(max(number[leaf] for leaf in below) for below in finest)[:-1]
    held = dict(zip(values, counts, strict=True))
    total = sum(counts)

    def reached(end: Fraction) -> int:
        return sum(count for value, count in held.items() if value <= end)

    for part in range(1, parts[0]):
        goal = Fraction(total * part, parts[0])
        best = min(abs(reached(end) - goal) for end in sorted(held)[:-1])
        assert min(abs(reached(end) - goal) for end in ends) == best


def test_quantiles_of_equal_records_are_equal() -> None:
    leaves = [str(number) for number in range(100)]
    tree = quantile_levels(leaves, exact(range(100)), [3] * 100, [10, 5], NumberScale(whole=True))
    assert sorted(map(len, groups(tree, 1).values())) == [10] * 10
    assert sorted(map(len, groups(tree, 2).values())) == [20] * 5
    assert set(groups(tree, 2)) == {"<20", "[20..39]", "[40..59]", "[60..79]", ">=80"}


def test_a_frequent_value_is_never_parted() -> None:
    tree = quantile_levels(
        ["1", "2", "3"], exact([1, 2, 3]), [1, 100, 1], [4], NumberScale(whole=True)
    )
    assert groups(tree, 1) == {"<2": {"1"}, "2": {"2"}, ">=3": {"3"}}
    assert_nested(tree, ["1", "2", "3"])


@settings(max_examples=50)
@given(whole_tables)
def test_halves(table: dict[float, int]) -> None:
    leaves, values, scale = told(table)
    tree = halved_levels(leaves, values, list(table.values()), scale)
    assert_true_names(tree, dict(zip(leaves, values, strict=True)))
    sizes = [len(groups(tree, level)) for level in range(tree.height + 1)]
    assert all(fine > coarse for fine, coarse in pairwise(sizes) if fine > 1)
    assert sizes[1] <= 32


def test_halves_of_equal_records() -> None:
    leaves = [str(number) for number in range(64)]
    tree = halved_levels(leaves, exact(range(64)), [1] * 64, NumberScale(whole=True))
    sizes = [len(groups(tree, level)) for level in range(tree.height + 1)]
    assert sizes == [64, 32, 16, 8, 4, 2, 1]
    assert {len(below) for below in groups(tree, 3).values()} == {8}


@given(st.dictionaries(st.text(min_size=1, max_size=6), st.integers(1, 9), min_size=1))
def test_alphabetical_halves(table: dict[str, int]) -> None:
    table.pop("*", None)
    if not table:
        return
    tree = alphabetical_halves(list(table), list(table.values()))
    assert_nested(tree, table)
    places = {leaf: place for place, leaf in enumerate(sorted(table))}
    for level in range(tree.height + 1):
        for below in groups(tree, level).values():
            spots = sorted(places[leaf] for leaf in below)
            assert spots == list(range(spots[0], spots[-1] + 1))


@pytest.mark.parametrize(
    ("widths", "message"),
    [
        ([5, 12], "width 12 do not consist of whole ranges of width 5"),
        ([10, 5], "width 5 do not consist"),
        ([5, 5], "width 5"),
        ([0], "positive"),
        ([-5], "positive"),
        ([], "positive"),
    ],
)
def test_widths_that_do_not_nest(widths: list[int], message: str) -> None:
    with pytest.raises(ParameterError, match=message) as caught:
        range_levels(["1"], exact([1]), [Fraction(width) for width in widths], NumberScale())
    assert caught.value.remedy


def test_cuts_and_parts_that_do_not_nest() -> None:
    def cuts(*levels: list[int]) -> None:
        cut_levels(["1"], exact([1]), [list(map(Fraction, one)) for one in levels], NumberScale())

    with pytest.raises(ParameterError, match="cut point 20 of a coarser level"):
        cuts([18, 65], [20])
    with pytest.raises(ParameterError, match="No cut point given"):
        cuts([])
    for parts in ([8, 3], [4, 4], [1], [], [2, 4]):
        with pytest.raises(ParameterError):
            quantile_levels(["1", "2"], exact([1, 2]), [1, 1], parts, NumberScale())
    with pytest.raises(ParameterError, match="whole numbers"):
        range_levels(["a", "b"], exact([0, 1]), [Fraction(3, 2)], RankScale(["a", "b"]))


@given(st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6), st.integers(0, 3))
def test_the_roundest_number_between(one: int, another: int, digits: int) -> None:
    low, high = sorted(Fraction(number, 10**digits) for number in (one, another))
    if low == high:
        return
    found = NumberScale().between(low, high)
    assert low < found <= high
    assert len(decimal(found).strip("-0").replace(".", "")) <= max(
        1, len(decimal(high).strip("-0").replace(".", ""))
    )


@pytest.mark.parametrize(
    ("low", "high", "round_one"),
    [(23, 27, "25"), (-3, 8, "0"), (18_321, 31_002, "30000"), (28, 29, "29"), (-27, -23, "-25")],
)
def test_round_numbers(low: int, high: int, round_one: str) -> None:
    assert decimal(NumberScale().between(Fraction(low), Fraction(high))) == round_one


def test_days_are_cut_where_the_calendar_is() -> None:
    scale = DayScale()

    def between(low: str, high: str) -> str:
        return scale.name(scale.between(scale.read(low), scale.read(high)), None)

    assert between("1988-05-01", "1993-02-03") == ">=1990-01-01"
    assert between("1991-05-01", "1993-02-03") == ">=1993-01-01"
    assert between("2023-12-31", "2024-02-29") == ">=2024-01-01"
    assert between("2024-04-15", "2024-09-29") == ">=2024-07-01"
    assert between("2024-02-10", "2024-03-29") == ">=2024-03-01"
    assert between("2024-02-10", "2024-02-29") == ">=2024-02-29"
    assert between("1965-02-10", "1969-12-31") == ">=1969-01-01"


def test_weeks_begin_on_monday() -> None:
    scale = DayScale()
    day = scale.read("2024-02-29")  # a Thursday
    tree = range_levels(["2024-02-29"], [day], [Fraction(7), Fraction(28)], scale)
    assert tree.rows()[0][1] == "[2024-02-26..2024-03-03]"
    before = scale.read("1969-12-28")  # a Sunday
    tree = range_levels(["x"], [before], [Fraction(7)], scale)
    assert tree.rows()[0][1] == "[1969-12-22..1969-12-28]"


def test_ordered_categories_by_ranges_and_cuts() -> None:
    order = ["none", "low", "mid", "high", "top"]
    scale = RankScale(order)
    ranges = range_levels(order, exact(range(5)), [Fraction(2), Fraction(4)], scale)
    assert {row[0]: row[1:] for row in ranges.rows()} == {
        "none": ("[none..low]", "[none..high]", "*"),
        "low": ("[none..low]", "[none..high]", "*"),
        "mid": ("[mid..high]", "[none..high]", "*"),
        "high": ("[mid..high]", "[none..high]", "*"),
        "top": ("top", "top", "*"),
    }
    cuts = cut_levels(order, exact(range(5)), [[scale.read("mid")]], scale)
    assert set(groups(cuts, 1)) == {"[none..low]", "[mid..top]"}
    dotted = ["a", "b..c", "a..b", "c"]
    pairs = range_levels(dotted, exact(range(4)), [Fraction(2)], RankScale(dotted))
    assert set(groups(pairs, 1)) == {r"[a..b\.\.c]", r"[a\.\.b..c]"}
    with pytest.raises(ParameterError, match="not one of the categories"):
        scale.read("middle")


@given(st.floats(-1e15, 1e15, allow_nan=False))
def test_numbers_are_exact_and_spelled_without_exponent(number: float) -> None:
    spelled = decimal(exact([number])[0])
    assert float(spelled) == number
    assert "e" not in spelled.lower()
