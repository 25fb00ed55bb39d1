"""Information measures against slow oracles, golden figures, and through both entrances."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import InputError, ParameterError, SchemaError
from shoal.measures import find_measure, measures
from tests.reference import measures as oracle
from tests.tables import MIXED, PLACES, mixed_table

PAPER = pl.DataFrame({"x": list("aaaabbbbc"), "y": list("000101111")})


def pmi_of(cells: str) -> float:
    released = PAPER.with_columns(x=pl.Series(list(cells)))
    found = shoal.measure(PAPER, released, k=3, quasi=["x"], sensitive=["y"])
    value = found["measures"]["pmi"]
    assert isinstance(value, float)
    return value


@pytest.mark.parametrize(("cells", "printed"), [("aaa**bbb*", -0.126), ("aa*a*bbb*", 0.086)])
def test_pmi_of_the_paper_s_example(cells: str, printed: float) -> None:
    assert pmi_of(cells) - pmi_of("aaaabbbbc") == pytest.approx(printed, abs=5e-4)


# Columns: a number (interval closures), a category (sets), a place (nodes of a tree).
LEAVES = {leaf: place for place, leaf in enumerate(PLACES.leaves)}
NODES = {
    frozenset(PLACES.leaves[first : last + 1]): name
    for name, first, last in zip(
        PLACES.node_names, PLACES.node_first.tolist(), PLACES.node_last.tolist(), strict=True
    )
}


def interval(values: set[str], domain: set[str]) -> tuple[frozenset[str], str]:
    low, high = min(values, key=int), max(values, key=int)
    covers = frozenset(v for v in domain if int(low) <= int(v) <= int(high))
    return covers, low if low == high else f"[{low}..{high}]"


def category(values: set[str], domain: set[str]) -> tuple[frozenset[str], str]:
    shown = sorted(values)
    return frozenset(values), shown[0] if len(shown) == 1 else "{" + "|".join(shown) + "}"


def node(values: set[str], domain: set[str]) -> tuple[frozenset[str], str]:
    above = min((leaves for leaves in NODES if values <= leaves), key=len)
    return above & domain, NODES[above]


CLOSE = (interval, category, node)


@st.composite
def cases(draw: st.DrawFn) -> tuple[oracle.Case, pl.DataFrame, pl.DataFrame]:
    n = draw(st.integers(2, 14))
    rows: list[oracle.Row] = [
        (
            str(draw(st.integers(1, 6))),
            draw(st.sampled_from("pqrs")),
            draw(st.sampled_from(PLACES.leaves)),
        )
        for _ in range(n)
    ]
    private = [draw(st.sampled_from("xyz")) for _ in range(n)]
    # Class 0 is suppressed; the first record never is, so that there is a class.
    labels = [draw(st.integers(int(i == 0), 3)) for i in range(n)]
    domains = [{row[j] for row in rows} for j in range(3)]
    shown: list[oracle.Shown] = []
    cells: list[list[str]] = []
    for label in labels:
        members = [row for row, other in zip(rows, labels, strict=True) if other == label]
        closed = [CLOSE[j]({row[j] for row in members}, domains[j]) for j in range(3)]
        shown.append(None if label == 0 else tuple(covers for covers, _ in closed))
        cells.append(["*"] * 3 if label == 0 else [cell for _, cell in closed])
    original = pl.DataFrame(rows, schema=["age", "job", "place"], orient="row").with_columns(
        pl.col("age").cast(pl.Int64), ill=pl.Series(private)
    )
    released = pl.DataFrame(cells, schema=["age", "job", "place"], orient="row").with_columns(
        ill=pl.Series(private)
    )
    order = draw(st.permutations(range(n)))
    kept = [i for i in order if labels[i] or draw(st.booleans())]
    return oracle.Case(rows, private, shown), original, released[kept]


@settings(max_examples=150, deadline=None)
@given(cases())
def test_every_measure_equals_its_definition(
    case: tuple[oracle.Case, pl.DataFrame, pl.DataFrame],
) -> None:
    told, original, released = case
    words: dict[str, Any] = {"quasi": ["age", "job", "place"], "sensitive": ["ill"], "k": 2}
    words |= {"hierarchy": {"place": PLACES}, "measure": "wmi:0.25"}
    found = shoal.measure(original, released, **words)["measures"]
    for name, value in oracle.every(told).items():
        assert found[name] == pytest.approx(value, abs=1e-9), name


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("suppressed", ["star", "withhold"])
def test_facts_and_files_agree(missing: float, suppressed: str) -> None:
    frame = mixed_table(200, 3, missing=missing)
    words: dict[str, Any] = {**MIXED, "k": 4, "suppression": 0.1, "suppressed": suppressed}
    release = shoal.anonymize(frame, **words)
    found = shoal.measure(frame, release.frame, **words)["measures"]
    assert found == pytest.approx(release.figures.measures)
    assert found.keys() == measures().keys()


def test_ends_beyond_the_table_keep_codes_in_step() -> None:
    original = pl.DataFrame({"age": [20, 30, None, 60], "ill": list("abab")})
    words: dict[str, Any] = {"k": 2, "quasi": ["age"], "sensitive": ["ill"]}
    exact = original.with_columns(pl.col("age").cast(pl.String))
    assert shoal.measure(original, exact, **words)["measures"]["mi"] == 0.0
    wide = original.with_columns(age=pl.Series(["[10..35]", "[10..35]", None, "60"]))
    # Two of four values are told apart only by halves: one bit for half of the records.
    assert shoal.measure(original, wide, **words)["measures"]["mi"] == pytest.approx(0.5)


def test_without_a_target_its_measures_are_left_out() -> None:
    original = pl.DataFrame({"age": [1, 2]})
    released = pl.DataFrame({"age": ["[1..2]"] * 2})
    found = shoal.measure(original, released, k=2, quasi=["age"])["measures"]
    needing = {name for name, one in measures().items() if one.target}
    assert needing >= {"cm", "pmi", "wmi", "entropy_diversity"}
    assert found.keys() == measures().keys() - needing


def test_the_option_decides_the_target() -> None:
    original = pl.DataFrame({"age": [1, 2, 3, 4], "ill": list("aabb"), "job": list("abab")})
    released = original.with_columns(age=pl.Series(["[1..2]"] * 2 + ["[3..4]"] * 2))
    words: dict[str, Any] = {"k": 2, "quasi": ["age"], "sensitive": ["ill"], "other": ["job"]}
    assert shoal.measure(original, released, **words)["measures"]["cm"] == 0.0
    found = shoal.measure(original, released, target="job", **words)["measures"]
    assert found["cm"] == 0.5
    with pytest.raises(SchemaError, match="target 'age'"):
        shoal.measure(original, released, target="age", **words)


def test_classes_of_starred_records_are_no_classes() -> None:
    released = PAPER.with_columns(x=pl.Series(list("aaa**bbb*")))
    found = shoal.measure(PAPER, released, k=3, quasi=["x"], sensitive=["y"])["measures"]
    assert found["cavg"] == 1.0
    assert found["entropy_diversity"] == 0.0


def test_tables_that_do_not_belong_together_are_refused() -> None:
    original = pl.DataFrame({"age": [1, 2, 9], "ill": list("aab")})
    words: dict[str, Any] = {"k": 2, "quasi": ["age"], "sensitive": ["ill"]}
    empty, too_often, uncovered = ["[3..4]"] * 3, ["[1..9]"] * 3, ["1", "[1..2]", "2"]
    for ages, ills in ((empty, "aab"), (too_often, "abb"), (uncovered, "aab")):
        released = pl.DataFrame({"age": ages, "ill": list(ills)})
        with pytest.raises(InputError):
            shoal.measure(original, released, **words)


@pytest.mark.parametrize("word", ["wmj", "wmi:2", "wmi:x", "gcp:1"])
def test_unknown_measures_are_refused(word: str) -> None:
    with pytest.raises(ParameterError):
        find_measure(word)


def test_nearest_measure_is_named() -> None:
    with pytest.raises(ParameterError, match="Did you mean 'pmi'"):
        find_measure("pmii")


def test_kl_of_a_table_too_large_to_compare_at_once() -> None:
    frame = mixed_table(6000, 9, missing=0.02, spread=28)
    words: dict[str, Any] = {**MIXED, "k": 3, "suppression": 0.02}
    release = shoal.anonymize(frame, algorithm="mondrian", **words)
    table = release.table.select(MIXED["quasi"]).with_columns(pl.all().fill_null(""))
    units = table.group_by(MIXED["quasi"], maintain_order=True).len()
    rows = frame.select(MIXED["quasi"]).with_columns(pl.all().cast(pl.String).fill_null(""))
    folded = rows.group_by(MIXED["quasi"], maintain_order=True).len()
    assert units.height * folded.height > 2**22
    density = units["len"].to_numpy().astype(float)
    covers = np.ones((folded.height, units.height), dtype=bool)
    for name in MIXED["quasi"]:
        values = sorted(set(rows[name]))
        cells = sorted(set(units[name]))
        held = np.array([[_covers(name, cell, value) for cell in cells] for value in values])
        cell_of = np.array([cells.index(cell) for cell in units[name]])
        value_of = np.array([values.index(value) for value in folded[name]])
        covers &= held[value_of][:, cell_of]
        density /= held.sum(axis=0)[cell_of]
    p = folded["len"].to_numpy() / frame.height
    q = (covers @ density) / frame.height
    assert release.figures.measures["kl"] == pytest.approx(float(p @ np.log2(p / q)))


def _covers(name: str, cell: str, value: str) -> bool:
    if cell == "*":
        return True
    exact = cell.removeprefix("\\") == value
    if cell.startswith("[") and value:
        low, high = cell[1:-1].split("..")
        return low <= value <= high
    if cell.startswith("{"):
        inside = cell[1:-1].replace("\\{", "{").replace("\\}", "}").replace("a\\|b", "a/b")
        return value.replace("|", "/") in inside.split("|")
    if name == "place" and value in PLACES.position and cell in PLACES.node_of_name:
        node = PLACES.node_of_name[cell]
        return bool(PLACES.node_first[node] <= PLACES.position[value] <= PLACES.node_last[node])
    return exact
