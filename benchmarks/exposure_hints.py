"""Hints that add up, against an attacker who knows how the columns came about.

Tables are generated, so that the chance of each value given a quasi-identifier is known exactly. An
attacker who knows it weighs each candidate of a class by it. How much that raises the chance to
pick the right record is what the exposure check estimates without knowing it.
"""

from __future__ import annotations

from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from scipy.stats import norm

import shoal
from benchmarks.pages import PageTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from benchmarks.pages import Parts

RECORDS = (1_500,)
KS = (3, 5, 10, 25)
COLUMNS = (6, 18)
STRENGTHS = (0.0, 0.4, 0.8, 1.2, 2.0)
_QUASI = "abcdef"
_CODES = 3  # from -3 to 3


def on_hints() -> list[dict[str, Any]]:
    """Return the factor that the check estimates, the true one, and whether the run stops."""
    rows = []
    for n, k, columns, strength in product(RECORDS, KS, COLUMNS, STRENGTHS):
        rows.append(_measured(n, k, columns, strength))
        print(rows[-1])
    return rows


def _measured(n: int, k: int, columns: int, strength: float) -> dict[str, Any]:
    rng = np.random.default_rng([n, k, columns, int(100 * strength)])
    quasi = np.stack([rng.integers(0, 60, n) for _ in _QUASI])
    standard = (quasi - quasi.mean(axis=1)[:, None]) / quasi.std(axis=1)[:, None]
    about = [number % len(quasi) for number in range(columns)]
    hints = np.stack([
        np.clip(np.rint(strength * standard[place] + rng.normal(size=n)), -_CODES, _CODES)
        for place in about
    ]).astype(np.int64)  # fmt: skip
    names = [f"h{number}" for number in range(columns)]
    frame = pl.DataFrame(
        {**dict(zip(_QUASI, quasi, strict=True)), **dict(zip(names, hints, strict=True))}
    )
    release = shoal.anonymize(
        frame, k=k, quasi=[*_QUASI], other=names, accept=names, algorithm="mondrian", seed=1,
        kind=dict.fromkeys(_QUASI, "numeric"),
    )  # fmt: skip
    assert release.figures.exposure is not None
    joint = release.figures.exposure["other_columns_together"]
    classes = release.table.select(
        pl.struct(*_QUASI).rank("dense").alias("class")
    )["class"].to_numpy()  # fmt: skip
    alone = [one["stops"] for one in release.figures.exposure["columns"]]
    return {
        "n": n,
        "k": k,
        "columns": columns,
        "strength": strength,
        "estimated": joint["candidates"] / joint["effective_k"],
        "true": _true_factor(standard, hints, about, strength, release.custody.rows, classes),
        "alone": sum(alone),
        "stops": any(alone) or bool(joint["findings"]),
    }


def _true_factor(
    standard: NDArray[np.float64],
    hints: NDArray[np.int64],
    about: list[int],
    strength: float,
    rows: NDArray[np.int64],
    classes: NDArray[np.int64],
) -> float:
    """Return how much the hints raise the chance of an attacker who knows how they were drawn."""
    shares = [np.bincount(one + _CODES, minlength=2 * _CODES + 1) / len(one) for one in hints]
    chances, blind = [], []
    for number in np.unique(classes):
        members = rows[classes == number]
        weight = np.zeros((len(members), len(members)))  # of each record, for each person
        for place, codes, share in zip(about, hints, shares, strict=True):
            shown = codes[members]
            middle = strength * standard[place][members][:, None]
            low = np.where(shown == -_CODES, -np.inf, shown - 0.5)
            high = np.where(shown == _CODES, np.inf, shown + 0.5)
            likely = norm.cdf(high - middle) - norm.cdf(low - middle)
            weight += np.log(np.maximum(likely, 1e-300)) - np.log(share[shown + _CODES])
        weight = np.exp(weight - weight.max(axis=1)[:, None])
        chances += (np.diagonal(weight) / weight.sum(axis=1)).tolist()
        blind += [1 / len(members)] * len(members)
    return float(np.mean(chances) / np.mean(blind))


def hints_table(parts: Parts) -> PageTable:
    """Return for ranges of the true factor what was estimated, and how many runs stop."""
    rows = []
    ends = (1.0, 1.2, 1.5, 1.8, 2.0, 2.2, 3.0, np.inf)
    for low, high in pairwise(ends):
        some = [row for row in parts["hints"] if low <= max(row["true"], 1.0) < high]
        if not some:
            continue
        ratios = [row["estimated"] / row["true"] for row in some]
        rows.append(
            [f"{low:.1f} to {high:.1f}" if high < np.inf else f"{low:.1f} or more", str(len(some)),
             f"{min(ratios):.2f} to {max(ratios):.2f}", str(sum(row["alone"] > 0 for row in some)),
             str(sum(row["stops"] for row in some))]
        )  # fmt: skip
    header = ("true factor", "tables", "estimated / true", "a column stops the run alone",
              "the run stops")  # fmt: skip
    return PageTable(header, rows, ["hints"])
