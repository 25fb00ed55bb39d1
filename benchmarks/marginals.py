"""Marginal tables: how near a release with `keep_marginals` stays to them, and what that costs.

Every release is made twice, without the option and with it, under the same seed and the same steps
for each candidate. Distances are total variation, mean of the chosen tables. One thread, seed 1.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

import shoal
from benchmarks.data import find_data
from benchmarks.timing import print_table
from shoal.example import hospital, postcode_hierarchy

if TYPE_CHECKING:
    from collections.abc import Callable

    Made = Callable[[], tuple[pl.DataFrame, dict[str, Any], list[str]] | None]

STEPS = 300_000


def adult() -> tuple[pl.DataFrame, dict[str, Any], list[str]] | None:
    """Return Adult with eight quasi-identifiers, where the table is here."""
    path = find_data("adult30k")
    if path is None:
        return None
    frame = pl.read_csv(path)
    quasi = [name for name in frame.columns if name != "salary-class"]
    words = {"quasi": quasi, "sensitive": ["salary-class"]}
    return frame, words, ["age*sex", "education*occupation"]


def admissions() -> tuple[pl.DataFrame, dict[str, Any], list[str]]:
    """Return the hospital of the examples."""
    words: dict[str, Any] = {
        "quasi": ["birth_date", "sex", "postcode"],
        "other": ["ward"],
        "hierarchy": {"postcode": postcode_hierarchy()},
        "accept": ["ward"],
    }
    return hospital(rows=10_000), words, ["birth_date*sex", "birth_date*ward"]


def measure(made: Made, ks: tuple[int, ...], algorithms: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return loss and distance without and with the option, for each k and algorithm."""
    found = made()
    if found is None:
        return []
    frame, words, marginals = found
    figures: list[dict[str, Any]] = []
    for k in ks:
        for algorithm in algorithms:
            options = {**words, "k": k, "rest": "drop", "seed": 1, "algorithm": algorithm}
            if algorithm in {"auto", "refine"}:
                options["steps"] = STEPS
            plain = shoal.anonymize(frame, **options)
            kept = shoal.anonymize(frame, keep_marginals=marginals, **options)
            before, after = (_distance(frame, one, marginals) for one in (plain, kept))
            losses = [one.figures.measures["gcp"] for one in (plain, kept)]
            figures.append(
                {
                    "k": k,
                    "algorithm": algorithm,
                    "loss without": round(losses[0], 4),
                    "with": round(losses[1], 4),
                    "distance without": round(before, 4),
                    "with it": round(after, 4),
                    "lower by": f"{1 - after / before:.0%}",
                }
            )
            print_table(tuple(figures[-1]), [tuple(figures[-1].values())])
    return figures


def weights(made: Made, k: int) -> list[dict[str, Any]]:
    """Return what more weight for the columns of the tables does instead of exchanges."""
    found = made()
    if found is None:
        return []
    frame, words, marginals = found
    named = {column for marginal in marginals for column in marginal.split("*")}
    options = {**words, "k": k, "rest": "drop", "seed": 1, "algorithm": "mondrian"}
    figures: list[dict[str, Any]] = []
    for factor in (1, 2, 4, 8, 16, 64):
        release = shoal.anonymize(frame, weight=dict.fromkeys(named, float(factor)), **options)
        loss = float(np.mean(list(release.figures.per_attribute.values())))
        far = _distance(frame, release, marginals)
        figures.append({"weight": str(factor), "loss": round(loss, 4), "distance": round(far, 4)})
    release = shoal.anonymize(frame, keep_marginals=marginals, **options)
    loss, far = release.figures.measures["gcp"], _distance(frame, release, marginals)
    figures.append({"weight": "exchanges", "loss": round(loss, 4), "distance": round(far, 4)})
    print_table(tuple(figures[0]), [tuple(row.values()) for row in figures])
    return figures


def _distance(
    frame: pl.DataFrame, release: shoal.Release[pl.DataFrame], marginals: list[str]
) -> float:
    found = shoal.measure(frame, release, keep_marginals=marginals)["marginals"]
    return float(np.mean([one["total_variation"] for one in found.values()]))


PARTS = {
    **{f"adult-{k}": partial(measure, adult, (k,), ("mondrian", "auto")) for k in (5, 10, 50)},
    "weights": partial(weights, adult, 10),
    **{f"hospital-{k}": partial(measure, admissions, (k,), ("mondrian", "auto")) for k in (5, 20)},
}


def run() -> None:
    """Run every part."""
    for part in PARTS.values():
        part()
