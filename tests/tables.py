"""Small random tables of every kind of attribute, and the words that declare them."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from shoal.hierarchies import Hierarchy

PLACES = Hierarchy.from_rows(
    [
        ["aa", "a", "west", "*"],
        ["ab", "a", "west", "*"],
        ["ba", "b", "west", "*"],
        ["ca", "c", "east", "*"],
        ["cb", "c", "east", "*"],
        ["cc", "c", "east", "*"],
        ["da", "d", "east", "*"],
    ]
)
MIXED: dict[str, Any] = {
    "quasi": ["age", "job", "place", "code", "born"],
    "sensitive": ["disease"],
    "other": ["note"],
    "hierarchy": {"place": PLACES},
    "suppress_only": ["code"],
    "weight": {"age": 2.0, "job": 0.5},
}


def mixed_table(n: int, seed: int, *, missing: float = 0.0, spread: int = 12) -> pl.DataFrame:
    """Return n people with a numeric, categorical, hierarchical, suppress-only and date column.

    Parameters
    ----------
    missing
        Share of cells of each quasi-identifier that are missing.
    spread
        How many different ages and days there are; small values make many equal rows.
    """
    rng = np.random.default_rng(seed)

    def holes(values: list[Any]) -> list[Any]:
        gone = rng.random(n) < missing
        return [None if hole else value for value, hole in zip(values, gone, strict=True)]

    days = rng.integers(0, spread, n)
    return pl.DataFrame(
        {
            "age": holes(rng.integers(20, 20 + spread, n).tolist()),
            "job": holes(rng.choice(["cook", "nurse", "smith", "a|b", "{x}"], n).tolist()),
            "place": holes(rng.choice(PLACES.leaves, n).tolist()),
            "code": holes(rng.choice(["x", "y", "*", "\\z"], n).tolist()),
            "born": holes([f"2000-01-{day + 1:02d}" for day in days.tolist()]),
            "disease": rng.choice(["flu", "gout", "mumps"], n).tolist(),
            "note": [i + 0.25 for i in range(n)],  # unique, but a quantity: no key of a record
        },
        schema_overrides={"job": pl.String, "place": pl.String, "code": pl.String},
    )
