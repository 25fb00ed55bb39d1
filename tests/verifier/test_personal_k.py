from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

from shoal.errors import InputError
from shoal.table import Attribute, Kind, Reading, Schema
from shoal.verifier import verify

if TYPE_CHECKING:
    from numpy.typing import NDArray

AGE = Attribute("age", Kind.NUMERIC, Reading.NUMBER)
ORIGINAL = pl.DataFrame(
    {"age": [1, 1, 2, 2, 8, 9], "own": ["", "4", "", "", "2", ""], "ward": list("aabbcc")}
)
APART = pl.DataFrame({"age": ["[1..2]"] * 4 + ["[8..9]"] * 2})


def schema(*rules: str, sensitive: tuple[str, ...] = ()) -> Schema:
    return Schema((AGE,), sensitive=sensitive, personal_k=rules)


@pytest.mark.parametrize("witness", [np.arange(6), None])
def test_classes_as_large_as_asked_pass(witness: NDArray[np.int64] | None) -> None:
    verdict = verify(ORIGINAL, APART, schema("own"), 2, witness=witness)
    assert verdict, str(verdict)
    assert "up to 4" in str(verdict)
    assert verdict.question.models == ("personal k by own",)


def test_rules_that_ask_no_record_for_more_name_the_common_k() -> None:
    verdict = verify(ORIGINAL, APART, schema("ward=d:4"), 2, witness=np.arange(6))
    assert verdict, str(verdict)
    assert "as large as its records require, up to 2" in str(verdict)


@pytest.mark.parametrize("rules", [("ward=c:3",), ("own", "ward=c:3"), ("ward=a:5",)])
@pytest.mark.parametrize("witness", [np.arange(6), None])
def test_a_class_smaller_than_asked_is_refused(
    rules: tuple[str, ...], witness: NDArray[np.int64] | None
) -> None:
    verdict = verify(ORIGINAL, APART, schema(*rules), 2, witness=witness)
    assert [check.name for check in verdict.checks if not check.passed] == ["personal k"]


def test_what_only_the_row_map_shows() -> None:
    # Both classes cover the record that asks for four; it stands in the larger one.
    released = pl.DataFrame({"age": ["[1..9]"] * 4 + ["[0..9]"] * 2})
    assert verify(ORIGINAL, released, schema("own"), 2, witness=np.arange(6))
    verdict = verify(ORIGINAL, released, schema("own"), 2)
    assert not verdict
    assert "give the custody file" in str(verdict)


def test_sensitive_values_narrow_where_a_record_can_stand() -> None:
    released = pl.DataFrame({"age": ["[1..9]"] * 4 + ["[0..9]"] * 2, "ward": list("aabbcc")})
    assert verify(ORIGINAL, released, schema("own", sensitive=("ward",)), 2)


def test_starred_records_are_a_class_of_their_own() -> None:
    released = pl.DataFrame({"age": ["*", "*", "[2..9]", "[2..9]", "[2..9]", "[2..9]"]})
    asked: dict[str, Any] = {"suppression": 0.5, "witness": np.arange(6)}
    assert not verify(ORIGINAL, released, schema("own"), 2, **asked)
    assert verify(ORIGINAL, released, schema("ward=b:4"), 2, **asked)


def test_a_column_of_ks_without_a_role_must_not_be_released() -> None:
    released = APART.with_columns(own=ORIGINAL["own"])
    verdict = verify(ORIGINAL, released, schema("own"), 2, witness=np.arange(6))
    assert "undeclared columns: 'own'" in str(verdict)
    assert not verdict


@pytest.mark.parametrize("rule", ["ward", "nobody", "ward=a", "wrd=a:3", "ward=a:x"])
def test_what_is_no_rule_is_refused(rule: str) -> None:
    with pytest.raises(InputError):
        verify(ORIGINAL, APART, schema(rule), 2, witness=np.arange(6))
