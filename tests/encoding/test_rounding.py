"""Interval ends rounded outward to multiples: what is shown, what it costs, what is refused."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import SchemaError

RNG = np.random.default_rng(3)
PEOPLE = pl.DataFrame(
    {"age": RNG.integers(18, 90, 80), "height": RNG.integers(1500, 2000, 80) / 1000}
)
OPTIONS: dict[str, Any] = {"k": 5, "quasi": ["age", "height"], "seed": 1, "algorithm": "mondrian"}


@pytest.mark.parametrize("notation", ["text", "min_max"])
def test_ends_are_multiples_and_the_release_is_true(
    notation: Literal["text", "min_max"],
) -> None:
    steps = {"age": 5, "height": 0.1}
    release = shoal.anonymize(PEOPLE, round_to=steps, notation=notation, **OPTIONS)
    assert shoal.verify(PEOPLE, release).passed
    for name, step in steps.items():
        if notation == "min_max":
            ends = [*release.frame[f"{name}_min"], *release.frame[f"{name}_max"]]
        else:
            cells = [cell for cell in release.frame[name] if cell.startswith("[")]
            ends = [float(end) for cell in cells for end in cell[1:-1].split("..")]
        multiples = np.array(ends) / step
        exact = np.isclose(multiples, np.round(multiples))
        if notation == "text":
            assert exact.all()
        assert exact.mean() > 0.9


def test_rounding_costs_detail_and_the_loss_counts_it() -> None:
    plain = shoal.anonymize(PEOPLE, **OPTIONS)
    rounded = shoal.anonymize(PEOPLE, round_to={"age": 10}, **OPTIONS)
    losses = [
        shoal.measure(PEOPLE, one.frame, k=5, quasi=["age", "height"]) for one in (plain, rounded)
    ]
    before, after = (one["per_attribute"]["age"] for one in losses)
    assert after > before
    assert losses[0]["per_attribute"]["height"] == losses[1]["per_attribute"]["height"]


def test_only_numbers_are_rounded() -> None:
    frame = PEOPLE.with_columns(sex=pl.Series(["f", "m"] * 40))
    with pytest.raises(SchemaError, match="not read as numbers"):
        shoal.anonymize(frame, k=5, quasi=["age", "sex"], rest="drop", round_to={"sex": 5})
