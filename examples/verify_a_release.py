"""Verify a release that somebody else made, from the two tables alone."""

from __future__ import annotations

from typing import Any

import polars as pl

import shoal

original = pl.DataFrame(
    {
        "age": [35, 36, 37, 61, 62, 66],
        "sex": ["F", "F", "F", "M", "M", "M"],
        "disease": ["flu", "cold", "flu", "gout", "flu", "cold"],
    }
)
released = pl.DataFrame(
    {
        "age": ["[61..66]", "[35..37]", "[61..66]", "[35..37]", "[35..37]", "[61..66]"],
        "sex": ["M", "F", "M", "F", "F", "M"],
        "disease": ["flu", "cold", "gout", "flu", "flu", "cold"],
    }
)
words: dict[str, Any] = {"k": 3, "quasi": ["age", "sex"], "sensitive": ["disease"]}

good = shoal.verify(original, released, **words)
print(good)

# A cell that is too narrow for its class: no assignment of originals can explain it.
narrow = released.with_columns(age=pl.col("age").replace("[61..66]", "[61..65]"))
bad = shoal.verify(original, narrow, **words)
print(bad)

print(f"the release: {good.passed}; the tampered one: {bad.passed}")
