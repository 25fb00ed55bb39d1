"""Answers that the verifier once got wrong, each in the smallest table that shows it."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from itertools import permutations
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.pipeline.anatomy import verify_anatomized
from shoal.table import Attribute, Kind, Reading, Schema
from shoal.verifier import Verdict, verify
from shoal.verifier.group_membership import Answer, Sums, find_membership

PLACE = Schema((Attribute("q", Kind.CATEGORICAL),), sensitive=("s",))
NUMBER = Attribute("q", Kind.NUMERIC, Reading.NUMBER)
MOMENT = Attribute("q", Kind.NUMERIC, Reading.DATETIME)


def failed(verdict: Verdict) -> list[str]:
    return [check.name for check in verdict.checks if not check.passed]


class TestFreeformWithWithheldRecords:
    original = pl.DataFrame({"q": [*"ABXY"], "s": ["1", "2", "HIV", "4"]})
    released = pl.DataFrame({"q": ["{A|B|Y}", "{A|B|Y}", "{X|Y}"], "s": ["1", "2", "HIV"]})
    words: ClassVar[dict[str, Any]] = {"form": "freeform", "suppression": 0.25}

    def test_a_released_person_whom_one_record_covers_is_not_taken_for_withheld(self) -> None:
        assert not verify(self.original, self.released, PLACE, 2, **self.words)

    def test_a_row_map_without_matches_says_who_is_released(self) -> None:
        witness = np.array([0, 1, 2])
        verdict = verify(self.original, self.released, PLACE, 2, witness=witness, **self.words)
        assert failed(verdict) == ["2 counterparts of each original"]

    @pytest.mark.parametrize("guarantee", ["(1,k)", "(k,k)", "concealment"])
    def test_guarantees_that_count(self, guarantee: str) -> None:
        words = {**self.words, "form": guarantee}
        assert not verify(self.original, self.released, PLACE, 2, **words)
        witness = np.array([0, 1, 2])
        assert not verify(self.original, self.released, PLACE, 2, witness=witness, **words)

    def test_whoever_is_covered_too_rarely_may_be_the_one_withheld(self) -> None:
        # X is covered once and so must be withheld; the match that a search finds first uses it.
        released = pl.DataFrame({"q": ["{A|B}", "{A|B}", "{A|B|X|Y}"], "s": ["1", "2", "HIV"]})
        everybody = self.original.with_columns(s=pl.Series(["1", "2", "HIV", "HIV"]))
        assert not verify(everybody, released, PLACE, 2, **self.words)
        released = pl.DataFrame({"q": ["{A|B|Y}", "{A|B|Y}", "{A|B|X|Y}"], "s": ["1", "2", "HIV"]})
        assert verify(everybody, released, PLACE, 2, **self.words)

    def test_two_files_may_not_be_enough(self) -> None:
        # Which two of the four were released decides; the files allow both.
        original = pl.DataFrame({"q": [*"AABB"], "s": ["1", "1", "1", "1"]})
        released = pl.DataFrame({"q": ["{A|B}", "{A|B}"], "s": ["1", "1"]})
        words: dict[str, Any] = {"form": "freeform", "suppression": 0.5}
        verdict = verify(original, released, PLACE, 2, **words)
        assert verdict
        assert verify(original, released, PLACE, 2, witness=np.array([1, 2]), **words)


def people(**columns: list[Any]) -> pl.DataFrame:
    return pl.DataFrame(columns)


class TestGroupsOfTwoTables:
    original = people(age=[30, 40, 50, 60], d=["flu", "gout", "hiv", "cold"])
    first = people(age=[30, 40, 50, 60], group=[1, 1, 2, 2])
    words: ClassVar[dict[str, Any]] = {"l": 2, "quasi": ["age"], "sensitive": ["d"]}

    def verdict(self, groups: list[int], rows: list[int] | None = None) -> Verdict:
        values = people(group=groups, d=["hiv", "cold", "flu", "gout"], count=[1] * 4)
        witness = None if rows is None else np.array(rows)
        return verify_anatomized(self.original, self.first, values, rows=witness, **self.words)

    def test_values_listed_for_the_wrong_group_are_refused(self) -> None:
        assert failed(self.verdict([1, 1, 2, 2])) == ["groups hold their originals"]
        assert failed(self.verdict([1, 1, 2, 2], [0, 1, 2, 3])) == ["groups hold their originals"]
        assert self.verdict([2, 2, 1, 1])
        assert self.verdict([2, 2, 1, 1], [0, 1, 2, 3])

    def test_counts_are_whole_numbers(self) -> None:
        values = people(group=[2, 2, 1, 1], d=["hiv", "cold", "flu", "gout"], count=[1.9] * 4)
        verdict = verify_anatomized(self.original, self.first, values, **self.words)
        assert "both tables have the same groups" in failed(verdict)

    def test_membership_is_what_trying_all_places_finds(self) -> None:
        rng = np.random.default_rng(5)
        answers = {Answer.FOUND: 0, Answer.IMPOSSIBLE: 0}
        for _ in range(400):
            n = int(rng.integers(2, 7))
            looks, values = rng.integers(0, 3, n), rng.integers(0, 3, n)
            group = rng.integers(0, 3, n)
            listed = rng.permutation(values) if rng.random() < 0.7 else values
            place = rng.permutation(n)
            shown, held = looks[place], group
            possible = any(
                all(looks[order[i]] == shown[i] for i in range(n))
                and sorted(zip(held, values[list(order)], strict=True))
                == sorted(zip(group, listed, strict=True))
                for order in permutations(range(n))
            )
            found = find_membership(
                Sums.of(looks, values), Sums.of(shown, held), Sums.of(group, listed)
            )
            assert (found is Answer.FOUND) == possible
            answers[found] += 1
        assert min(answers.values()) > 50


class TestDigits:
    @pytest.mark.parametrize(
        ("attribute", "values", "cells", "passes"),
        [
            (NUMBER, ["0.1", "0.10000000000000001"], ["0.1", "0.1"], False),
            (NUMBER, ["0.1", "0.10000000000000001"], ["[0.1..0.10000000000000001]"] * 2, True),
            (NUMBER, ["0.1", "0.10"], ["0.1", "0.1"], True),
            (NUMBER, ["1e-400", "0"], ["0", "0"], False),
            (NUMBER, ["1e-400", "0"], ["[0..1e-399]"] * 2, True),
            (NUMBER, [Decimal("1.00000000000000000001"), Decimal(1)], ["1", "1"], False),
            (
                MOMENT,
                ["2024-01-01 00:00:00.1234567"] * 2,
                ["2024-01-01 00:00:00.123456"] * 2,
                False,
            ),
            (MOMENT, ["2024-01-01 00:00:00.123456"] * 2, ["2024-01-01 00:00:00.1234560"] * 2, True),
        ],
    )
    def test_a_cell_covers_a_value_to_its_last_digit(
        self, attribute: Attribute, values: list[Any], cells: list[str], passes: bool
    ) -> None:
        original, released = pl.DataFrame({"q": values}), pl.DataFrame({"q": cells})
        for witness in (np.arange(2), None):
            verdict = verify(original, released, Schema((attribute,)), 2, witness=witness)
            assert verdict.passed is passes, str(verdict)

    def test_nanoseconds(self) -> None:
        times = pl.Series("q", ["2024-01-01 00:00:00.000000001", "2024-01-01 00:00:00.000000002"])
        original = times.str.to_datetime("%Y-%m-%d %H:%M:%S%.f", time_unit="ns").to_frame()
        for cell, passes in (
            ("2024-01-01 00:00:00.000000001", False),
            ("[2024-01-01 00:00:00.000000001..2024-01-01 00:00:00.000000002]", True),
        ):
            released = pl.DataFrame({"q": [cell] * 2})
            assert verify(original, released, Schema((MOMENT,)), 2).passed is passes

    @pytest.mark.parametrize("notation", ["text", "min_max"])
    def test_releases_keep_all_digits(self, notation: str) -> None:
        values = ["0.1", "0.10000000000000001", "0.3", "0.30000000000000000001", "5", "1e3"]
        frame = pl.DataFrame({"q": values, "s": [*"abcdef"]})
        words: dict[str, Any] = {"k": 2, "quasi": ["q"], "sensitive": ["s"]}
        words |= {"kind": {"q": "numeric"}, "notation": notation}
        release = shoal.anonymize(frame, seed=1, **words)
        assert shoal.verify(frame, release.frame, **words)
        measured = shoal.measure(frame, release.frame, **words)["measures"]["gcp"]
        assert measured == pytest.approx(release.facts["measures"]["gcp"])


MIDNIGHT = datetime(2024, 1, 1)
CHANGED: list[tuple[pl.DataType | type[pl.DataType], Any, str, bool]] = [
    (pl.Decimal(10, 2), Decimal("1.23"), "1.2349", False),
    (pl.Decimal(10, 2), Decimal("1.20"), "1.2", True),
    (pl.Datetime("ms"), MIDNIGHT, "2024-01-01 00:00:00.000400", False),
    (pl.Datetime("ms"), MIDNIGHT, "2024-01-01T00:00:00.000000", True),
    (pl.Float32, 0.1, "0.10000000149011613", False),
    (pl.Float32, 0.1, "0.1", True),
    (pl.Float64, 0.1, "0.10000000000000001", False),
    (pl.Float64, 1.5, "1.50", True),
    (pl.Int64, 7, "7", True),
    (pl.Int64, 7, "7.2", False),
]


@pytest.mark.parametrize(("dtype", "value", "text", "passes"), CHANGED)
def test_a_typed_sensitive_value_is_unchanged_to_its_last_digit(
    dtype: pl.DataType, value: Any, text: str, passes: bool
) -> None:
    original = pl.DataFrame({"q": [1, 1], "s": pl.Series([value] * 2, dtype=dtype)})
    released = pl.DataFrame({"q": ["1", "1"], "s": [text] * 2})
    for witness in (np.arange(2), None):
        verdict = verify(original, released, Schema((NUMBER,), ("s",)), 2, witness=witness)
        assert verdict.passed is passes, str(verdict)


def test_our_own_freeform_releases_with_starred_records_pass() -> None:
    frame = pl.DataFrame({"q": [*"aaabcdefg"]})
    words: dict[str, Any] = {"k": 2, "quasi": ["q"], "suppress_only": ["q"], "form": "freeform"}
    words |= {"suppression": 0.34}
    for seed in range(5):
        release = shoal.anonymize(frame, seed=seed, **words)
        assert shoal.verify(frame, release.frame, **words)
        assert shoal.verify(frame, release.frame, rows=release.custody.rows, **words)


def test_persons_of_a_starred_class_are_refused_for_the_right_reason() -> None:
    original = pl.DataFrame({"q": [*"bcac"], "p": ["2", "2", "1", "1"]})
    released = pl.DataFrame({"q": ["c", "*", "*", "c"]})
    schema = Schema((Attribute("q", Kind.SUPPRESS_ONLY),), identifiers=("p",), person="p")
    verdict = verify(original, released, schema, 2)
    assert failed(verdict) == ["classes of at least 2"]
    assert "give the custody file" in str(verdict)
    assert verify(original, released, schema, 2, witness=np.array([1, 0, 2, 3]))


def test_a_deeply_nested_cell_is_unreadable() -> None:
    original = pl.DataFrame({"q": [*"AB"], "s": ["1", "2"]})
    released = pl.DataFrame({"q": ["[" * 100_000] * 2, "s": ["1", "2"]})
    assert not verify(original, released, PLACE, 2)
    listed = pl.DataFrame({"q": ['["A"]', "[" * 100_000], "s": ["1", "2"]})
    assert not verify(original, listed, PLACE, 2)


@pytest.mark.parametrize(
    ("text", "passed"),
    [
        ("2024-01-03 00:00:00", True),
        ("2024-01-03T00:00:00", True),
        ("2024-01-03 00:00:00.000", True),
        ("2024-01-0300:00:00", False),
        ("2024-01-03  00:00:00", False),
    ],
)
def test_a_time_is_unchanged_only_as_times_are_written(text: str, passed: bool) -> None:
    days = [datetime(2024, 1, day) for day in (3, 1, 2, 2)]
    original = pl.DataFrame({"q": ["a", "a", "b", "b"], "s": days})
    shown = [text, *(f"2024-01-0{day} 00:00:00" for day in (1, 2, 2))]
    release = original.with_columns(s=pl.Series(shown))
    assert shoal.verify(original, release, k=2, quasi=["q"], sensitive=["s"]).passed is passed
