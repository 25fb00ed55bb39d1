"""Every planted fault must be caught through both doors, by the check that is there for it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from shoal.verifier import Verdict, verify
from tests.verifier.writer import SCHEMA, Made, write_release

if TYPE_CHECKING:
    from collections.abc import Callable

ORIGINAL = pl.DataFrame(
    {
        "name": [f"person {number}" for number in range(12)],
        "age": ["20", "22", "21", "24", "30", "33", "31", "35", "60", "60", "60", None],
        "grade": ["low", "[1..2]", "low", "a..b.", *["top"] * 4, "*", "\\x", "*", "\\x"],
        "town": ["A", "B", "A", "B", "C", "C", "C", "C", "D|E", "{", None, "D|E"],
        "ill": ["flu", "cough", "flu", "flu", "burn", "rash", "cut", "cut", *["flu"] * 3, "burn"],
        "code": ["x", "x", "x", "x", "*", "*", "*", "*", "y", None, "y", "y"],
        "pay": ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"],
        "note": ["n", "m"] * 6,
    }
)
CLASSES = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
K = 4


def both_doors(made: Made, k: int = K, suppression: float = 0.0) -> list[Verdict]:
    return [
        verify(ORIGINAL, made.frame, SCHEMA, k, suppression=suppression, witness=witness)
        for witness in (made.witness, None)
    ]


def failed(verdict: Verdict) -> set[str]:
    return {check.name for check in verdict.checks if not check.passed}


def set_cell(made: Made, original_row: int, column: str, cell: str | None) -> Made:
    place = int(np.flatnonzero(made.witness == original_row)[0])
    cells = made.frame[column].to_list()
    cells[place] = cell
    return replace(made, frame=made.frame.with_columns(pl.Series(column, cells, pl.String)))


def set_class(made: Made, members: list[int], column: str, cell: str | None) -> Made:
    for row in members:
        made = set_cell(made, row, column, cell)
    return made


def good() -> Made:
    return write_release(ORIGINAL, SCHEMA, CLASSES, seed=3)


def test_the_hand_made_release_is_as_expected_and_accepted() -> None:
    made = good()
    row = made.frame.row(int(np.flatnonzero(made.witness == 0)[0]), named=True)
    assert row == {
        "age": "[20..24]",
        "grade": r"[low..a\.\.b\.]",
        "town": "{A|B}",
        "ill": "lung",
        "code": "x",
        "pay": "1",
        "note": "n",
    }
    row = made.frame.row(int(np.flatnonzero(made.witness == 11)[0]), named=True)
    assert row["age"] == row["ill"] == row["code"] == "*"
    assert row["grade"] == r"[\\x..*]"
    assert row["town"] == r"{D\|E|\{|}"
    for verdict in both_doors(made):
        assert verdict, str(verdict)
        assert (verdict.n, verdict.released, verdict.classes) == (12, 12, 3)
        assert (verdict.smallest_class, verdict.starred, verdict.withheld) == (4, 0, 0)


def test_bounds_notation_is_accepted() -> None:
    made = write_release(ORIGINAL, SCHEMA, CLASSES, seed=3, bounds=True)
    assert {"age_min", "age_max", "grade_min", "grade_max"} <= set(made.frame.columns)
    for verdict in both_doors(made):
        assert verdict, str(verdict)


def test_lists_in_bounds_notation_are_accepted() -> None:
    made = write_release(ORIGINAL, SCHEMA, CLASSES, seed=3, bounds=True)
    lists = made.frame["town"].str.json_decode(pl.List(pl.String))
    for verdict in both_doors(replace(made, frame=made.frame.with_columns(lists))):
        assert verdict, str(verdict)


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        ("age", "[20..23]"),
        ("age", "[21..24]"),
        ("grade", "[low..[1\\.\\.2]]"),
        ("town", "{A|C}"),
        ("town", "A"),
        ("ill", "flu"),
        ("ill", "skin"),
        ("code", "y"),
        ("code", None),
    ],
)
def test_a_cell_too_narrow_is_caught(column: str, cell: str | None) -> None:
    made = set_class(good(), CLASSES[0], column, cell)
    by_witness, by_files = both_doors(made)
    assert failed(by_witness) == {"cells cover originals"}
    assert failed(by_files) == {"records match originals"}


def test_a_cell_of_one_row_too_narrow_is_caught() -> None:
    made = set_cell(good(), 3, "age", "[20..23]")
    by_witness, by_files = both_doors(made)
    assert failed(by_witness) == {"classes of at least 4", "cells cover originals"}
    assert failed(by_files) == {"classes of at least 4", "records match originals"}


@pytest.mark.parametrize("column", ["age_min", "age_max"])
def test_bounds_too_narrow_are_caught(column: str) -> None:
    made = write_release(ORIGINAL, SCHEMA, CLASSES, bounds=True)
    made = set_class(made, CLASSES[1], column, "32")
    by_witness, by_files = both_doors(made)
    assert failed(by_witness) == {"cells cover originals"}
    assert failed(by_files) == {"records match originals"}


def test_a_value_outside_every_cell_is_caught() -> None:
    made = good()
    outside = ORIGINAL.with_columns(pl.Series("age", ["99", *ORIGINAL["age"].to_list()[1:]]))
    for witness in (made.witness, None):
        verdict = verify(outside, made.frame, SCHEMA, K, witness=witness)
        assert failed(verdict) <= {"cells cover originals", "records match originals"}
        assert not verdict


@pytest.mark.parametrize("column", ["pay", "note"])
def test_a_changed_value_is_caught_and_not_shown(column: str) -> None:
    made = set_cell(good(), 5, column, "secret")
    by_witness, by_files = both_doors(made)
    assert failed(by_witness) == {"other values unchanged"}
    assert failed(by_files) == {"records match originals"}
    assert "secret" not in str(by_witness) + str(by_files)


def test_sensitive_values_swapped_between_classes_are_caught() -> None:
    made = set_cell(set_cell(good(), 0, "pay", "5"), 4, "pay", "1")
    by_witness, by_files = both_doors(made)
    assert failed(by_witness) == {"other values unchanged"}
    assert failed(by_files) == {"records match originals"}


def test_sensitive_values_swapped_within_a_class_are_a_fault_of_the_row_map_alone() -> None:
    made = set_cell(set_cell(good(), 0, "pay", "3"), 2, "pay", "1")
    by_witness, by_files = both_doors(made)
    assert failed(by_witness) == {"other values unchanged"}
    assert by_files


def test_a_class_of_one_too_few_is_caught() -> None:
    for verdict in both_doors(write_release(ORIGINAL, SCHEMA, CLASSES), k=5):
        assert failed(verdict) == {"classes of at least 5"}
        assert verdict.smallest_class == 4


def test_a_missing_row_is_caught() -> None:
    made = good()
    short = Made(made.frame.head(11), made.witness[:11])
    for verdict in both_doors(short, k=3):
        assert failed(verdict) == {"every record accounted for"}
        assert verdict.withheld == 1


def test_a_duplicated_row_is_caught() -> None:
    made = good()
    doubled = Made(
        pl.concat([made.frame, made.frame.head(1)]), np.append(made.witness, made.witness[0])
    )
    by_witness, by_files = both_doors(doubled)
    assert failed(by_witness) == {"every record accounted for", "row map is one-to-one"}
    assert failed(by_files) == {"every record accounted for", "records match originals"}


def test_a_row_duplicated_in_place_of_another_is_caught() -> None:
    made = good()
    frame = pl.concat([made.frame.head(11), made.frame.head(1)])
    witness = np.append(made.witness[:11], made.witness[0])
    by_witness, by_files = both_doors(Made(frame, witness), k=3)
    assert failed(by_witness) == {"row map is one-to-one"}
    assert failed(by_files) == {"records match originals"}


@pytest.mark.parametrize("column", ["name", "left over"])
def test_columns_that_must_not_be_there_are_caught(column: str) -> None:
    made = good()
    frame = made.frame.with_columns(pl.Series(column, ["person 1"] * 12))
    for verdict in both_doors(replace(made, frame=frame)):
        assert failed(verdict) == {"identifiers absent"}
        assert repr(column) in str(verdict)
        assert "person 1" not in str(verdict)


@pytest.mark.parametrize("column", ["age", "town", "pay"])
def test_columns_that_lack_are_caught(column: str) -> None:
    made = good()
    for verdict in both_doors(replace(made, frame=made.frame.drop(column))):
        assert "columns present" in failed(verdict)


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        ("age", "[20...24]"),
        ("age", "[24..20]"),
        ("age", "young"),
        ("age", "[20..old]"),
        ("age", "nan"),
        ("age", "[-inf..inf]"),
        ("grade", "[low..highest]"),
        ("town", "{A{B}"),
        ("town", "[A..B]"),
        ("ill", "heart"),
        ("ill", "{flu|cough}"),
        ("code", "{x|y}"),
    ],
)
def test_unreadable_cells_are_a_failed_verdict(column: str, cell: str) -> None:
    for verdict in both_doors(set_class(good(), CLASSES[0], column, cell)):
        assert "cells readable" in failed(verdict)
        assert repr(column) in str(verdict)


@pytest.mark.parametrize("cell", ["x", "[]", '["A"', "[1]"])
def test_unreadable_lists_are_a_failed_verdict(cell: str) -> None:
    made = write_release(ORIGINAL, SCHEMA, CLASSES, bounds=True)
    for verdict in both_doors(set_class(made, CLASSES[0], "town", cell)):
        assert "cells readable" in failed(verdict)


WITNESS_FAULTS: list[Callable[[np.ndarray], np.ndarray]] = [
    lambda witness: witness[:-1],
    lambda witness: np.append(witness, 0),
    lambda witness: np.where(np.arange(12) == 3, 12, witness),
    lambda witness: np.where(np.arange(12) == 3, -1, witness),
    lambda witness: np.where(np.arange(12) == 3, witness[4], witness),
    lambda witness: witness.astype(float),
    lambda witness: witness.reshape(3, 4),
]


@pytest.mark.parametrize("fault", WITNESS_FAULTS)
def test_a_broken_row_map_is_caught(fault: Callable[[np.ndarray], np.ndarray]) -> None:
    made = good()
    verdict = verify(ORIGINAL, made.frame, SCHEMA, K, witness=fault(made.witness))
    assert failed(verdict) == {"row map is one-to-one"}


def test_a_row_map_between_wrong_rows_is_caught() -> None:
    made = good()
    verdict = verify(ORIGINAL, made.frame, SCHEMA, K, witness=np.roll(made.witness, 1))
    assert {"cells cover originals", "other values unchanged"} & failed(verdict)
