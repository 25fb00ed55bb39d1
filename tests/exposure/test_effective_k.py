"""Effective k against a slow oracle that follows the page, and an example worked by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from shoal.exposure.candidates import MOST_CANDIDATES, MOST_TARGETS, Candidates
from shoal.exposure.effective_k import Attack, EffectiveK, groups_known_too
from shoal.exposure.report import undoes
from shoal.exposure.views import comparable_cells

if TYPE_CHECKING:
    from collections.abc import Sequence

STRENGTHS = (0.02, 0.1, 0.5, 2.0, 10.0, 50.0, 250.0)


def weight(u: Sequence[object], v: Sequence[object], t: int, r: int, strength: float) -> float:
    """Return the weight of candidate r for person t, counting neither of the two."""
    others = [row for row in range(len(u)) if row not in (t, r)]
    fitting = sum(u[row] == u[r] and v[row] == v[t] for row in others)
    seen = sum(u[row] == u[r] for row in others)
    usual = sum(value == v[t] for value in v) / len(v)
    return (fitting / usual + strength) / (seen + strength)


def believed(u: Sequence[object], v: Sequence[object]) -> float | None:
    """Return the strength that predicts each record best from all others, if any does."""
    gains = [
        float(np.mean([np.log(weight(u, v, row, row, one)) for row in range(len(u))]))
        for one in STRENGTHS
    ]
    best = int(np.argmax(gains))
    return STRENGTHS[best] if gains[best] >= max(4 / len(u), 0.003) else None


def oracle(frame: pl.DataFrame, quasi: Sequence[str], column: str, classes: list[int]) -> float:
    """Return effective k as docs/effective-k.md defines it."""
    u = frame[column].to_list()
    strengths = {name: believed(u, frame[name].to_list()) for name in quasi}
    chances = []
    for t in range(frame.height):
        members = [r for r in range(frame.height) if classes[r] == classes[t]]
        weights = dict.fromkeys(members, 1.0)
        for name, strength in strengths.items():
            if strength is not None:
                v = frame[name].to_list()
                weights = {r: w * weight(u, v, t, r, strength) for r, w in weights.items()}
        chances.append(weights[t] / sum(weights.values()))
    return float(1 / np.mean(chances))


def table(seed: int, n: int = 90) -> tuple[pl.DataFrame, list[int]]:
    """Return a table with columns of several relations, and classes of neighbouring ages."""
    rng = np.random.default_rng(seed)
    age, sex = rng.integers(20, 35, n), rng.choice(["f", "m"], n)
    frame = pl.DataFrame(
        {
            "age": age,
            "sex": sex,
            "copy_of_code": age * 3 % 40 + 100,
            "narrows": age // 4,
            "noise": rng.integers(0, 6, n),
            "both": [f"{a // 5}{s}" for a, s in zip(age, sex, strict=True)],
            "rare": rng.integers(0, 60, n),
        }
    )
    return frame, (age // 5).tolist()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("column", ["copy_of_code", "narrows", "noise", "both", "rare"])
def test_effective_k_is_what_the_page_defines(seed: int, column: str) -> None:
    frame, classes = table(seed)
    rng = np.random.default_rng(0)
    candidates = Candidates.in_classes(np.array(classes), rng)
    attack = Attack(frame.select("age", "sex"), candidates, 5, rng)
    found, _ = attack.on(frame[column])
    assert found.effective == pytest.approx(oracle(frame, ["age", "sex"], column, classes))
    sizes = [classes.count(one) for one in classes]
    assert found.candidates == pytest.approx(1 / np.mean([1 / size for size in sizes]))


def test_the_example_of_the_page() -> None:
    # Four people in one class; elsewhere A stands beside 31 alone, B beside 35 and 38.
    age = [31, 31, 35, 38] + [31] * 400 + [35, 38] * 200
    band = ["A", "A", "B", "B"] + ["A"] * 400 + ["B", "B"] * 200
    frame = pl.DataFrame({"age": age, "band": band})
    classes = np.array([0] * 4 + [1] * 800)
    rng = np.random.default_rng(0)
    everybody = Candidates.in_classes(classes, rng)
    kept = everybody.target < 4
    four = Candidates(
        everybody.target[kept],
        everybody.candidate[kept],
        np.arange(0, 17, 4),
        everybody.stands_for[kept],
    )
    found, _ = Attack(frame.select("age"), four, 4, rng).on(frame["band"])
    assert found.candidates == pytest.approx(4)
    assert found.effective == pytest.approx(2, rel=0.01)
    assert found.factor == pytest.approx(2, rel=0.01)


def test_a_copy_leaves_those_of_equal_value() -> None:
    frame = pl.DataFrame({"age": [20, 20, 30, 40], "Age": ["20", "20", "30", "40"]})
    rng = np.random.default_rng(0)
    candidates = Candidates.in_classes(np.zeros(4, dtype=np.int64), rng)
    found, _ = Attack(frame.select("age"), candidates, 4, rng).on(frame["Age"])
    assert found.relation == "repeats"
    assert found.effective == pytest.approx(4 / (0.5 + 0.5 + 1 + 1))


def test_a_unique_column_says_nothing() -> None:
    frame, classes = table(1, 400)
    rng = np.random.default_rng(0)
    serial = pl.Series("serial", rng.permutation(400))
    attack = Attack(
        frame.select("age", "sex"), Candidates.in_classes(np.array(classes), rng), 5, rng
    )
    found, _ = attack.on(serial)
    assert found.effective == pytest.approx(found.candidates)


def test_samples_stand_for_all() -> None:
    rng = np.random.default_rng(3)
    classes = np.zeros(3 * MOST_TARGETS, dtype=np.int64)
    classes[: MOST_TARGETS // 2] = 1 + np.arange(MOST_TARGETS // 2) // 8
    drawn = Candidates.in_classes(classes, rng)
    assert len(drawn) == MOST_TARGETS
    assert np.diff(drawn.starts).max() == MOST_CANDIDATES
    counted = np.add.reduceat(drawn.stands_for, drawn.starts[:-1])
    assert counted == pytest.approx(np.bincount(classes)[classes[drawn.target[drawn.starts[:-1]]]])
    assert np.add.reduceat(drawn.own, drawn.starts[:-1]).tolist() == [1] * MOST_TARGETS


def test_candidates_of_a_freeform_release() -> None:
    matches = np.array([[0, 1], [1, 2], [2, 0], [-1, -1]])
    drawn = Candidates.in_matches(matches, np.random.default_rng(0))
    pairs = sorted(zip(drawn.target.tolist(), drawn.candidate.tolist(), strict=True))
    assert pairs == [(0, 0), (0, 2), (1, 0), (1, 1), (2, 1), (2, 2)]


def test_groups_of_those_who_know_a_column_too() -> None:
    classes = np.array([0, 0, 0, 1, 1])
    codes = comparable_cells(pl.Series("c", ["a", "a", "b", "a", None])).codes
    assert sorted(groups_known_too(classes, {"c": codes}).tolist()) == [1, 1, 1, 2]


@pytest.mark.parametrize(
    ("effective", "below_half", "below_k", "relation", "stops"),
    [
        (9.0, 0.0, 0.3, "narrows", False),
        (9.0, 0.1, 0.3, "narrows", False),  # one record in ten, but hardly likelier on average
        (8.3, 0.09, 0.3, "narrows", False),
        (8.3, 0.1, 0.3, "narrows", True),
        (6.6, 0.0, 0.3, "narrows", True),  # effective k is below k
        (9.6, 0.0, 0.3, "determines", False),
        (9.5, 0.0, 0.0, "determines", True),  # the same
        (9.9, 0.0, 0.0, "repeats", True),
        (10.0, 0.0, 0.0, "repeats", False),
    ],
)
def test_the_rule_among_k_candidates(
    effective: float, below_half: float, below_k: float, relation: str, stops: bool
) -> None:
    remaining = EffectiveK(10.0, effective, below_half, below_k, "age", relation)
    assert undoes(remaining, 10) == stops


@pytest.mark.parametrize(
    ("effective", "below_half", "below_k", "relation", "stops"),
    [
        (13.0, 0.04, 0.3, "narrows", False),  # effective k is still above k
        (13.0, 0.06, 0.3, "narrows", True),
        (14.0, 0.06, 0.3, "narrows", False),
        (19.0, 0.0, 0.009, "determines", False),
        (19.0, 0.0, 0.01, "determines", True),
        (19.5, 0.0, 0.3, "determines", False),
    ],
)
def test_the_rule_among_more_than_k(
    effective: float, below_half: float, below_k: float, relation: str, stops: bool
) -> None:
    remaining = EffectiveK(20.0, effective, below_half, below_k, "age", relation)
    assert undoes(remaining, 10) == stops
