"""Releases over hierarchies that were made from their columns pass both doors of the verifier."""

from __future__ import annotations

import datetime
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import InputError

ages = st.one_of(st.none(), st.integers(-20, 99), st.sampled_from([0.5, 36.6]))
dates = st.one_of(st.none(), st.dates(datetime.date(1959, 12, 28), datetime.date(2030, 1, 5)))
codes = st.one_of(st.none(), st.text(alphabet="01*", min_size=2, max_size=3))
jobs = st.one_of(st.none(), st.sampled_from(["cook", "nurse", "clerk", "{a|b}", "[a..b]", "a|b"]))
rows = st.lists(st.tuples(ages, dates, codes, jobs), min_size=6, max_size=30)
WORDS = {
    "age": ["auto", "ranges:0.5,10,40", "quantiles:4,2", "cuts:18,36.6,65/36.6"],
    "born": ["auto", "dates:month,year", "ranges:7,28"],
    "code": ["stars", "auto:counts"],
    "job": ["auto", "auto:cooccurrence"],
}


@settings(max_examples=15, deadline=None)
@given(rows, st.fixed_dictionaries({name: st.sampled_from(ways) for name, ways in WORDS.items()}))
def test_both_doors(records: list[tuple[object, ...]], recipes: dict[str, str]) -> None:
    schema = {"age": pl.Float64, "born": pl.Date, "code": pl.String, "job": pl.String}
    table = pl.DataFrame(records, schema=schema, orient="row")
    recipes = {name: recipes[name] for name in recipes if table[name].null_count() < len(table)}
    words: dict[str, Any] = {
        "k": 2,
        "quasi": list(schema),
        "hierarchy": recipes,
        # Half of these texts are digits, so that the values themselves do not tell what they are.
        "kind": {name: "categorical" for name in ("code",) if name in recipes},
    }
    release = shoal.anonymize(table, **words)
    assert release.verdict.passed
    assert shoal.verify(table, release.frame, **words).passed
    losses = shoal.measure(table, release.frame, **words)["measures"]
    assert losses["gcp"] == pytest.approx(release.figures.measures["gcp"])


def test_a_column_without_values_is_refused() -> None:
    table = pl.DataFrame({"a": ["x", "y"], "b": [None, None]}, schema={"a": str, "b": str})
    with pytest.raises(InputError, match="no value"):
        shoal.anonymize(table, k=2, quasi=["a", "b"], hierarchy={"b": "auto"})
