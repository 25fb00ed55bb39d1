"""Tables of people of any size, quick to make and the same each time."""

from __future__ import annotations

import numpy as np
import polars as pl

QUASI = ["age", "sex", "job", "town"]


def people(n: int, seed: int = 1) -> pl.DataFrame:
    """Return a table whose jobs depend on age and whose towns are unevenly large."""
    rng = np.random.default_rng(seed)
    age = np.clip(rng.normal(42, 16, n), 16, 90).astype(int)
    jobs = np.array([f"job {i:02}" for i in range(40)])
    towns = np.array([f"town {i:02}" for i in range(60)])
    trade = np.clip(age // 6 + rng.integers(0, 28, n), 0, 39)
    place = np.minimum(rng.geometric(0.06, n) - 1, 59)
    return pl.DataFrame(
        {
            "name": np.arange(n),
            "age": age,
            "sex": np.where(rng.random(n) < 0.52, "F", "M"),
            "job": jobs[trade],
            "town": towns[place],
            "ill": rng.choice(["none", "flu", "gout", "cold"], n, p=[0.4, 0.3, 0.2, 0.1]),
        }
    )
