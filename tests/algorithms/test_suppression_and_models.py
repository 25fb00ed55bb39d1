"""Suppressed records that look like a class: the models hold for what a reader sees."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import shoal
from shoal.algorithms import Problem
from shoal.encoding import encode
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Table

# Classes that show * everywhere are common here, and suppressed records look the same.
STARS = (
    list("zywwyxwyzzxzx"),
    ["2", "1", None, "3", "1", None, None, None, None, "3", "1", "3", "3"],
    list("rqpqqqrqqqqrq"),
)
MISSING = (list("xxwzwyy"), ["3", None, "3", "1", None, "2", "3"], list("pqpqprq"))


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (
            STARS,
            {
                "kind": {"a": "suppress-only", "b": "suppress-only"},
                "model": ["entropy-l-diversity:1.5"],
                "suppression": 0.3,
                "algorithm": "sorted",
            },
        ),
        (
            MISSING,
            {
                "kind": {"a": "suppress-only", "b": "numeric"},
                "model": ["frequency-l-diversity:1.6"],
                "suppression": 0.2,
                "algorithm": "greedy",
                "notation": "min_max",
            },
        ),
    ],
)
def test_suppressed_records_do_not_spoil_a_class_that_looks_like_them(
    columns: tuple[list[Any], ...], words: dict[str, Any]
) -> None:
    frame = pl.DataFrame(dict(zip("abs", columns, strict=True)))
    words = {"k": 2, "quasi": ["a", "b"], "sensitive": ["s"], **words}
    release = shoal.anonymize(frame, **words)
    assert release.verdict.passed
    assert shoal.verify(frame, release.table, **words).passed


@pytest.mark.parametrize(
    ("share", "records"), [(0.29, 29), (1 / 3, 33), (0.28999999999999, 28), (0.019, 1)]
)
def test_a_share_is_never_rounded_up(share: float, records: int) -> None:
    frame = pl.DataFrame({"a": range(100)})
    table = Table.of(frame, schema_of(frame, Job.from_dict({"k": 2, "quasi": ["a"]})))
    assert Problem.of(encode(table), 2, suppression=share).suppression_limit == records
