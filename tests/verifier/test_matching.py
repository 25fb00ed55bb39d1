"""The search for a match: complete where it accepts, and with a proof where it refuses."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np
import polars as pl

from shoal.table import Attribute, Kind, Reading, Schema
from shoal.verifier import Verdict, verify
from tests.verifier.writer import TREE, TREE_GROUPS

AGE = Attribute("age", Kind.NUMERIC, Reading.NUMBER)


def matches(verdict: Verdict) -> bool:
    return next(check.passed for check in verdict.checks if check.name == "records match originals")


def test_overlapping_classes_that_a_greedy_assignment_gets_wrong() -> None:
    # [1..3] covers everything; whoever gives it 1 or 2 first starves the narrower classes.
    original = pl.DataFrame({"age": [1, 2, 2, 3, 3, 1]})
    released = pl.DataFrame({"age": ["[1..3]", "[1..2]", "[1..2]", "[1..3]", "[1..1]", "[1..1]"]})
    assert verify(original, released, Schema((AGE,)), 2)


def test_records_that_are_covered_one_by_one_but_not_together() -> None:
    # Each cell covers an original and each original is covered, but three cells share two.
    original = pl.DataFrame({"age": [1, 2, 5, 6]})
    released = pl.DataFrame({"age": ["[1..2]", "[1..2]", "[0..3]", "[0..9]"]})
    verdict = verify(original, released, Schema((AGE,)), 2)
    assert not matches(verdict)
    detail = next(c.detail for c in verdict.checks if c.name == "records match originals")
    assert "rows 1, 2, 3 (3 in all) can be made from only 2 originals" in detail


@dataclass(frozen=True)
class Closed:
    """A cell as its text and the values it stands for."""

    text: str | None
    values: frozenset[object]


AGES: list[int | None] = [1, 2, 3, None]
TOWNS: list[str | None] = ["a", "b", "c", None]
ILLS: list[str | None] = ["flu", "cough", "burn", None]
AGE_CELLS = [
    Closed("*", frozenset(AGES)),
    Closed(None, frozenset([None])),
    *[
        Closed(f"[{a}..{b}]", frozenset(range(a, b + 1)))
        for a in (1, 2, 3)
        for b in (1, 2, 3)
        if a <= b
    ],
    Closed("2", frozenset([2])),
]
TOWN_CELLS = [
    Closed("*", frozenset(TOWNS)),
    Closed("{a|b}", frozenset("ab")),
    Closed("{b|c|}", frozenset(["b", "c", None])),
    Closed("b", frozenset("b")),
    Closed(None, frozenset([None])),
]
ILL_CELLS = [
    Closed("*", frozenset(ILLS)),
    *[Closed(name, frozenset(leaves)) for name, leaves in TREE_GROUPS.items()],
    Closed("flu", frozenset(["flu"])),
    Closed(None, frozenset([None])),
]
MIXED = Schema(
    (AGE, Attribute("town", Kind.CATEGORICAL), Attribute("ill", Kind.HIERARCHICAL, hierarchy=TREE)),
    sensitive=("pay",),
)


def test_verification_from_files_agrees_with_trying_all_assignments() -> None:
    generator = np.random.default_rng(7)
    answers = {True: 0, False: 0}
    for _ in range(600):
        n = int(generator.integers(2, 7))
        withheld = int(generator.integers(0, 2))
        originals = [
            (
                AGES[generator.integers(4)],
                TOWNS[generator.integers(4)],
                ILLS[generator.integers(4)],
                int(generator.integers(2)),
            )
            for _ in range(n)
        ]
        released = []
        for place in generator.permutation(n)[: n - withheld]:
            age, town, ill, pay = originals[place]
            wide = [
                [cell for cell in cells if value in cell.values or generator.random() < 0.07]
                for value, cells in ((age, AGE_CELLS), (town, TOWN_CELLS), (ill, ILL_CELLS))
            ]
            cells = [options[generator.integers(len(options))] for options in wide]
            released.append((cells, pay if generator.random() < 0.97 else 1 - pay))
        fits = [
            [
                pay == other[3]
                and all(v in cell.values for cell, v in zip(cells, other, strict=False))
                for other in originals
            ]
            for cells, pay in released
        ]
        possible = any(
            all(fits[row][chosen] for row, chosen in enumerate(choice))
            for choice in permutations(range(n), len(released))
        )
        verdict = verify(
            pl.DataFrame(
                originals,
                schema={"age": pl.Int64, "town": pl.String, "ill": pl.String, "pay": pl.Int64},
                orient="row",
            ),
            pl.DataFrame(
                [(*(cell.text for cell in cells), pay) for cells, pay in released],
                schema={"age": pl.String, "town": pl.String, "ill": pl.String, "pay": pl.Int64},
                orient="row",
            ),
            MIXED,
            2,
            suppression=1.0,
        )
        assert matches(verdict) is possible
        answers[possible] += 1
    assert min(answers.values()) > 100


def test_a_larger_table_of_overlapping_classes() -> None:
    generator = np.random.default_rng(2)
    n = 3000
    ages = generator.integers(0, 40, n)
    pay = generator.integers(0, 2, n)
    original = pl.DataFrame({"age": ages, "pay": pay})
    centre = np.sort(ages)
    low = np.maximum(0, centre // 4 * 4 - 3 * (np.arange(n) % 3))
    order = np.argsort(ages, kind="stable")
    cells = [f"[{a}..{b}]" for a, b in zip(low, centre // 4 * 4 + 3, strict=True)]
    released = pl.DataFrame({"age": cells, "pay": pay[order]})
    schema = Schema((AGE,), sensitive=("pay",))
    shuffled = released.sample(fraction=1, shuffle=True, seed=5)
    assert verify(original, shuffled, schema, 2)
    assert verify(original, released, schema, 2, witness=order)
    youngest = int(np.flatnonzero(ages == ages.min())[0])
    spoiled = original.with_columns(
        pl.when(pl.int_range(n) == youngest).then(39).otherwise("age").alias("age")
    )
    assert not matches(verify(spoiled, shuffled, schema, 2))
