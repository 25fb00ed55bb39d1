"""Tables as the MILP paper has them: every quasi-identifier a number, categories by their codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from benchmarks.data import find_data
from benchmarks.tables import census_like
from shoal.algorithms import Problem
from shoal.encoding import encode
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

EIGHT = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass",
         "occupation")  # fmt: skip
FOUR = ("sex", "age", "race", "marital-status")
# Variance and range of the 35 attributes of the paper's Table 10, in its order.
WIDE = (
    (0.0045, 1, 3), (1.44, 2, 16), (58.7, 0, 90), (56.4, 0, 90), (0.825, 1, 12), (0.242, 1, 2),
    (100.4, 16, 90), (1.25, 1, 4), (1.17, 1, 6), (100.3, 1889, 1963), (0.149, 0, 2),
    (20.6, 0, 90), (4.68, 0, 13), (0.394, 1, 7), (4472.0, 1, 465), (0.638, 0, 5), (30.5, 1, 96),
    (8.22, 1, 23), (0.0687, 1, 2), (11.5, 13, 29), (168.0, 0, 52), (140.9, 1, 99), (156.7, 0, 99),
    (26.3, 0, 52), (98_538_555.0, 0, 75_000), (2_669_021.0, 0, 75_000), (81.0, 4, 79),
    (0.460, 1, 4), (95.0, 1, 80), (39.7, 11, 70), (0.709, 0, 7), (240.0, 0, 99), (0.131, 0, 3),
    (0.690, 0, 6), (0.0339, 1, 2),
)  # fmt: skip


def problem_of(
    frame: pl.DataFrame,
    k: int,
    quasi: Sequence[str] | None = None,
    weight: dict[str, float] | None = None,
) -> Problem:
    """Return the problem of a frame of numbers."""
    words = {"quasi": list(quasi or frame.columns), "rest": "drop", "weight": weight or {}}
    return Problem.of(
        encode(Table.of(frame, schema_of(frame, Job.from_dict({"k": k, **words})))), k
    )


def adult_codes() -> pl.DataFrame | None:
    """Return the 30,162 records of adult30k in random order, categories by their codes."""
    path = find_data("adult30k")
    if path is None:
        return None
    frame = pl.read_csv(path).select(EIGHT)
    coded = frame.select(
        pl.col(name) if frame[name].dtype.is_numeric() else pl.col(name).rank("dense")
        for name in EIGHT
    )
    return coded.sample(fraction=1.0, shuffle=True, seed=1)


def adult_numbers(columns: Sequence[str]) -> pl.DataFrame | None:
    """Return numbers of the 45,222 records of adult in random order, capital gains among them."""
    path = find_data("adult")
    if path is None:
        return None
    return pl.read_csv(path).select(columns).sample(fraction=1.0, shuffle=True, seed=1)


def fars_codes(columns: Sequence[str]) -> pl.DataFrame | None:
    """Return persons of fatal crashes in random order; unknown ages left out.

    The table has no month of the crash, which depends little on the persons in it: ``MONTH`` is
    drawn, each of twelve equally likely.
    """
    path = find_data("fars")
    if path is None:
        return None
    frame = pl.read_csv(path).filter(pl.col("AGE") < 99)
    months = np.random.default_rng(1).integers(1, 13, frame.height)
    frame = frame.with_columns(MONTH=pl.Series(months)).select(columns)
    return frame.sample(fraction=1.0, shuffle=True, seed=1)


def census_codes(records: int) -> pl.DataFrame:
    """Return a synthetic census of eight attributes."""
    codes = census_like(records).codes
    return pl.DataFrame(
        dict(zip(EIGHT, (column.astype(np.int64) for column in codes), strict=True))
    )


def wide_census(records: int, attributes: int, seed: int = 1) -> pl.DataFrame:
    """Draw a synthetic census with ranges and about the variances of the paper's Table 10.

    Half of the variance of an attribute is that between a dozen groups of people.
    """
    draw = np.random.default_rng(seed)
    group = draw.integers(0, 12, records)
    columns = {}
    for place, (variance, low, high) in enumerate(WIDE[:attributes]):
        share = np.sqrt(variance / 2)
        centre = draw.normal((low + high) / 3, share, 12)[group]
        values = np.clip(np.rint(centre + draw.normal(0, share, records)), low, high)
        columns[f"a{place}"] = values.astype(np.int64)
    return pl.DataFrame(columns)
