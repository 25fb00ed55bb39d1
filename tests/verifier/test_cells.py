from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.table import Kind
from shoal.verifier.cells import (
    Everything,
    Exact,
    Interval,
    Members,
    Unreadable,
    read_bounds,
    read_json_cell,
    read_list_cell,
    read_text_cell,
)
from tests.verifier.writer import end, exact, member


@pytest.mark.parametrize(
    ("cell", "kind", "closure"),
    [
        (None, Kind.NUMERIC, Exact(None)),
        ("", Kind.CATEGORICAL, Exact(None)),
        ("*", Kind.NUMERIC, Everything()),
        ("*", Kind.HIERARCHICAL, Everything()),
        ("37", Kind.NUMERIC, Exact("37")),
        ("[35..37]", Kind.NUMERIC, Interval("35", "37")),
        ("[-1.5..2.25]", Kind.NUMERIC, Interval("-1.5", "2.25")),
        ("[.5..1]", Kind.NUMERIC, Interval(".5", "1")),
        (r"[1..\.5]", Kind.NUMERIC, Interval("1", ".5")),
        (r"[5\...6]", Kind.NUMERIC, Interval("5.", "6")),
        ("[2020-01-01..2020-12-31]", Kind.NUMERIC, Interval("2020-01-01", "2020-12-31")),
        (r"[a\.\.b..[c]]", Kind.NUMERIC, Interval("a..b", "[c]")),
        ("[no dots]", Kind.NUMERIC, Exact("[no dots]")),
        ("{F|M}", Kind.CATEGORICAL, Members(frozenset({"F", "M"}))),
        ("{F|}", Kind.CATEGORICAL, Members(frozenset({"F", None}))),
        ("{}", Kind.CATEGORICAL, Members(frozenset({None}))),
        (r"{a\|b|\{|\}|\\}", Kind.CATEGORICAL, Members(frozenset({"a|b", "{", "}", "\\"}))),
        ("{", Kind.CATEGORICAL, Exact("{")),
        (r"\*", Kind.CATEGORICAL, Exact("*")),
        (r"\{F|M}", Kind.CATEGORICAL, Exact("{F|M}")),
        (r"\\x", Kind.CATEGORICAL, Exact("\\x")),
        (r"\[1..2]", Kind.SUPPRESS_ONLY, Exact("[1..2]")),
        ("[20..30]", Kind.HIERARCHICAL, Exact("[20..30]")),
        (r"\[20..30]", Kind.HIERARCHICAL, Exact("[20..30]")),
        ("{a|b}", Kind.HIERARCHICAL, Exact("{a|b}")),
    ],
)
def test_text_cells_are_read(cell: str | None, kind: Kind, closure: object) -> None:
    assert read_text_cell(cell, kind) == closure


@pytest.mark.parametrize(
    ("cell", "kind"),
    [
        ("\\", Kind.CATEGORICAL),
        ("[1..2]", Kind.CATEGORICAL),
        ("[1..2]", Kind.SUPPRESS_ONLY),
        ("{1|2}", Kind.NUMERIC),
        ("{a|b}", Kind.SUPPRESS_ONLY),
        ("[1...2]", Kind.NUMERIC),
        ("[1..2..3]", Kind.NUMERIC),
        ("[..2]", Kind.NUMERIC),
        ("[1..]", Kind.NUMERIC),
        (r"[1\..2]", Kind.NUMERIC),
        ("[1..2\\]", Kind.NUMERIC),
        ("{a{b}", Kind.CATEGORICAL),
        ("{a}b}", Kind.CATEGORICAL),
        ("{a\\}", Kind.CATEGORICAL),
    ],
)
def test_text_cells_outside_the_grammar_are_unreadable(cell: str, kind: Kind) -> None:
    assert isinstance(read_text_cell(cell, kind), Unreadable)


def test_bounds_and_lists_are_read() -> None:
    assert read_bounds(None, None) == Everything()
    assert read_bounds("1", "1") == Interval("1", "1")
    assert read_bounds("1", None) == Interval("1", "")
    assert read_bounds(None, "1") == Interval("", "1")
    assert read_json_cell(None) == Everything()
    assert read_json_cell('["a", null]') == Members(frozenset({"a", None}))
    assert read_list_cell(["a", None]) == Members(frozenset({"a", None}))
    assert read_list_cell(None) == Everything()
    for broken in ("a", '"a"', "[1]", "[]", '["a"', '{"a": 1}', "[[]]"):
        assert isinstance(read_json_cell(broken), Unreadable), broken


NASTY = st.text(alphabet="ab.|{}[]\\*", min_size=1, max_size=7)


@given(NASTY, st.sampled_from([Kind.NUMERIC, Kind.CATEGORICAL, Kind.SUPPRESS_ONLY]))
def test_an_escaped_value_is_read_back(value: str, kind: Kind) -> None:
    assert read_text_cell(exact(value), kind) == Exact(value)


@given(NASTY, NASTY)
def test_interval_ends_are_read_back(low: str, high: str) -> None:
    assert read_text_cell(f"[{end(low)}..{end(high)}]", Kind.NUMERIC) == Interval(low, high)


@given(st.sets(st.one_of(st.none(), NASTY), min_size=1, max_size=4))
def test_set_members_are_read_back(values: set[str | None]) -> None:
    cell = "{" + "|".join(member(value) for value in values) + "}"
    assert read_text_cell(cell, Kind.CATEGORICAL) == Members(frozenset(values))


@given(st.text(alphabet="ab.|{}[]\\*", max_size=9), st.sampled_from(list(Kind)))
def test_no_text_raises(cell: str, kind: Kind) -> None:
    assert read_text_cell(cell, kind) is not None
