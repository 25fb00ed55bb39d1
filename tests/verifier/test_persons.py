from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from shoal.table import Attribute, Kind, Reading, Schema
from shoal.verifier import verify

AGE = Attribute("age", Kind.NUMERIC, Reading.NUMBER)


def schema(*sensitive: str) -> Schema:
    return Schema((AGE,), sensitive=sensitive, identifiers=("who",), person="who")


def test_rows_of_one_person_are_counted_once_by_the_row_map() -> None:
    original = pl.DataFrame({"who": ["a", "a", "b", "c", "d", "e"], "age": [1, 1, 2, 8, 9, 9]})
    released = pl.DataFrame({"age": ["[1..2]"] * 3 + ["[8..9]"] * 3})
    witness = np.arange(6)
    verdict = verify(original, released, schema(), 2, witness=witness)
    assert verdict
    assert verdict.smallest_class == 2
    refused = verify(original, released, schema(), 3, witness=witness)
    assert not refused
    assert "fewer than 3 persons" in str(refused)


def test_persons_are_shown_from_the_files_when_no_match_could_be_worse() -> None:
    # The class [1..2] takes all of a and b, whatever the match.
    original = pl.DataFrame({"who": ["a", "a", "b", "c", "d", "e"], "age": [1, 1, 2, 8, 9, 9]})
    released = pl.DataFrame({"age": ["[1..2]"] * 3 + ["[8..9]"] * 3})
    verdict = verify(original, released, schema(), 2)
    assert verdict, str(verdict)
    assert verdict.smallest_class == 2


def test_persons_that_only_the_row_map_can_show() -> None:
    # Both classes cover everybody: each could hold the four rows of one person.
    original = pl.DataFrame({"who": list("aabb") + list("abab"), "age": [5] * 8})
    released = pl.DataFrame({"age": ["[4..6]"] * 4 + ["[5..6]"] * 4})
    assert verify(original, released, schema(), 2, witness=np.arange(8))
    verdict = verify(original, released, schema(), 2)
    assert not verdict
    assert "cannot be shown from the two files alone; give the custody file" in str(verdict)
    # One person is what was proved, not what a class holds.
    assert "the smallest of at least 1;" in str(verdict)
    assert "(2 of 2 classes could hold fewer, as few as 1: release rows" in str(verdict)


def test_a_class_of_few_records_is_told_from_one_that_could_hold_few_persons() -> None:
    original = pl.DataFrame({"who": [*"aabb", "c"], "age": [5, 5, 5, 5, 9]})
    released = pl.DataFrame({"age": ["[4..6]"] * 4 + ["9"]})
    verdict = verify(original, released, schema(), 3)
    assert not verdict
    assert "1 of 2 classes holds fewer than 3 records, and so fewer persons, the smallest 1: " in (
        str(verdict)
    )
    assert "(1 of 2 classes could hold fewer, as few as 2: release rows 1, 2, 3, 4)" in str(verdict)


def test_sensitive_values_narrow_what_a_person_can_give() -> None:
    # Person a has four rows that the first class covers, but only two with its sensitive values.
    original = pl.DataFrame(
        {"who": list("aabbaadd"), "age": [5] * 8, "pay": [1, 1, 1, 1, 2, 2, 2, 2]}
    )
    released = pl.DataFrame({"age": ["[4..6]"] * 4 + ["[5..6]"] * 4, "pay": [1] * 4 + [2] * 4})
    assert verify(original, released, schema("pay"), 2)


@pytest.mark.parametrize(("k", "passes"), [(3, True), (4, False)])
def test_rows_without_a_person_count_as_one(k: int, passes: bool) -> None:
    original = pl.DataFrame({"who": ["a", "b", None, None], "age": [1, 1, 2, 2]})
    released = pl.DataFrame({"age": ["[1..2]"] * 4})
    for witness in (np.arange(4), None):
        verdict = verify(original, released, schema(), k, witness=witness)
        assert verdict.smallest_class == 3
        assert bool(verdict) is passes


def test_the_proved_number_of_persons_never_exceeds_the_true_one() -> None:
    generator = np.random.default_rng(5)
    proved = 0
    for _ in range(150):
        n = int(generator.integers(6, 16))
        original = pl.DataFrame(
            {
                "who": generator.integers(0, 6, n),
                "age": generator.integers(0, 9, n),
                "pay": generator.integers(0, 2, n),
            }
        ).sort("age")
        half = n // 2
        ages = original["age"].to_numpy()
        low, high = (f"[{part[0]}..{part[-1]}]" for part in (ages[:half], ages[half:]))
        released = pl.DataFrame({"age": [low] * half + [high] * (n - half), "pay": original["pay"]})
        by_witness = verify(original, released, schema("pay"), 3, witness=np.arange(n))
        by_files = verify(original, released, schema("pay"), 3)
        assert by_files.smallest_class <= by_witness.smallest_class
        assert by_witness or not by_files
        proved += bool(by_files)
    assert proved > 10


def test_a_person_column_in_the_release_is_refused() -> None:
    original = pl.DataFrame({"who": ["a", "b"], "age": [1, 1]})
    verdict = verify(original, original.cast(pl.String), schema(), 2)
    assert not verdict
    assert [check.name for check in verdict.checks if not check.passed] == ["identifiers absent"]
