"""Downcoding: how many generalized cells the tight ends of their intervals give away, by k.

In a class whose interval is ``[low..high]`` somebody has the low value and somebody the high one.
``given_away`` is the share of the cells in intervals whose value is known so, though not whose it
is. Census-like table, 30,000 records, Mondrian, all columns numeric; ``rounded`` is the same with
the ends of ages rounded outward to multiples of 5. ``loss`` is the generalization loss of the ages.
"""

from __future__ import annotations

import polars as pl

import shoal
from benchmarks.timing import print_table
from benchmarks.verification import CODES, census_like

KS = (2, 3, 5, 10)
RECORDS = 30_000


def given_away(frame: pl.DataFrame, name: str, shown: pl.DataFrame, rows: pl.Series) -> float:
    """Return the share of a column's generalized cells whose value is an end of their class."""
    low, high = pl.col(f"{name}_min"), pl.col(f"{name}_max")
    cells = shown.with_columns(value=frame[name].gather(rows))
    ends = [f"{one}_{end}" for one in CODES for end in ("min", "max")]
    classes = cells.filter(low < high).group_by(ends).agg(
        records=pl.len(),
        known=(pl.col("value") == low).any().cast(pl.Int64)
        + (pl.col("value") == high).any().cast(pl.Int64),
    )  # fmt: skip
    return float(classes["known"].sum()) / max(1.0, float(classes["records"].sum()))


def run() -> list[dict[str, object]]:
    """Release the table at every k, and count what the ends of intervals tell about ages."""
    frame = census_like(RECORDS)
    figures: list[dict[str, object]] = []
    for k in KS:
        found: dict[str, object] = {"k": k}
        for way, loss, steps in (
            ("given_away", "loss_of_age", {}),
            ("rounded", "loss_when_rounded", {"age": 5.0}),
        ):
            release = shoal.anonymize(
                frame,
                k=k,
                quasi=list(CODES),
                kind=dict.fromkeys(CODES, "numeric"),
                algorithm="mondrian",
                notation="min_max",
                round_to=steps,
                seed=1,
            )
            rows = pl.Series(release.custody.rows)
            found[way] = given_away(frame, "age", release.frame, rows)
            found[loss] = release.facts.per_attribute["age"]
        figures.append(found)
    print_table(tuple(figures[0]), [tuple(figure.values()) for figure in figures])
    return figures
