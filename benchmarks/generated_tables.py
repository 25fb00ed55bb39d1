"""Tables that nobody tuned an algorithm for: drawn at random, from a seed alone.

Odd seeds are for development; even ones are held back for the study itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from benchmarks.lattice_tables import tree_of
from shoal.algorithms import Problem
from shoal.encoding import encode
from shoal.models import parse_models, protect
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.hierarchies import Hierarchy

MOST_RECORDS = 500_000
MOST_ATTRIBUTES = 60
MOST_VALUES = 20_000
# Cells of a table: a table of many records has fewer attributes.
MOST_CELLS = 4_000_000
KINDS = ("interval", "set", "flat tree", "deep tree")
SHAPES = ("uniform", "zipf", "clustered", "correlated", "dependent")
SENSITIVE = "secret"


@dataclass(frozen=True, slots=True)
class GeneratedTable:
    """A table, and what is asked of it.

    Parameters
    ----------
    seed
        Everything follows from it and from ``most``.
    most
        Records at most.
    """

    seed: int
    most: int = MOST_RECORDS

    def draw(self) -> Drawn:
        """Return the table."""
        rng = np.random.default_rng([19, self.seed])
        n = _log_uniform(rng, 200, self.most)
        m = min(_log_uniform(rng, 2, MOST_ATTRIBUTES), max(2, MOST_CELLS // n))
        mixed = rng.random() < 0.6
        kind_of_all = str(rng.choice(KINDS))
        group = rng.integers(0, int(rng.integers(2, 60)), n)
        columns: dict[str, pl.Series] = {}
        kinds: dict[str, str] = {}
        trees: dict[str, Hierarchy] = {}
        last: NDArray[np.int64] = rng.integers(0, 10, n)
        for place in range(m):
            kind = str(rng.choice(KINDS)) if mixed else kind_of_all
            shape = str(rng.choice(SHAPES))
            trees_only = kind.endswith("tree")
            values = _log_uniform(rng, 2, min(n, 500 if trees_only else MOST_VALUES))
            codes = _codes(rng, shape, values, group, last)
            last = codes
            name = f"q{place:02}"
            if kind == "interval":
                columns[name] = pl.Series(codes)
                kinds[name] = "numeric"
            else:
                columns[name] = pl.Series([f"v{code}" for code in codes.tolist()])
            if kind == "set":
                kinds[name] = "categorical"
            if trees_only:
                levels = 3 if kind == "flat tree" else int(rng.integers(4, 7))
                trees[name] = tree_of(values, levels)
        frame = pl.DataFrame(columns)
        if rng.random() < 0.3:  # records that repeat others
            frame = frame[rng.integers(0, max(2, n // int(rng.integers(2, 20))), n).tolist()]
        quasi = frame.columns
        secret = rng.choice(6, n, p=np.array([8, 4, 3, 2, 2, 1]) / 20)
        frame = frame.with_columns(pl.Series(SENSITIVE, [f"s{code}" for code in secret.tolist()]))
        k = _log_uniform(rng, 2, max(2, n // 4))
        words: dict[str, Any] = {"k": k, "quasi": quasi, "sensitive": [SENSITIVE], "kind": kinds}
        if rng.random() < 0.2:
            words["model"] = ["distinct-l-diversity:2"]
        suppression = float(rng.choice([0.0, 0.0, 0.0, 0.01, 0.05]))
        return Drawn(frame, trees, words, suppression)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A drawn table with the options that declare it."""

    frame: pl.DataFrame
    trees: dict[str, Hierarchy]
    words: dict[str, Any]
    suppression: float

    def problem(self) -> Problem:
        """Return it as a problem."""
        words = {**self.words, "suppression": self.suppression}
        return problem_of(self.frame, words, self.trees)


def postcode_words() -> dict[str, Any]:
    """Return a table with a set of 13,294 postcodes, three amounts and four other attributes."""
    rng = np.random.default_rng(5)
    n, postcodes = 63_441, 13_294
    post = rng.zipf(1.3, n) % postcodes
    wealth = rng.random(postcodes)[post]

    def amounts(spread: float, step: int) -> NDArray[np.int64]:
        drawn = np.exp(8 + 1.5 * wealth + rng.normal(0, spread, n))
        return np.rint(drawn / step).astype(np.int64) * step

    frame = pl.DataFrame(
        {
            "postcode": [f"p{code}" for code in post.tolist()],
            "salary": amounts(0.8, 10),
            "savings": amounts(1.2, 100),
            "benefits": np.where(rng.random(n) < 0.4, 0, amounts(1.0, 100)),
            "age": np.clip(rng.normal(42, 17, n), 17, 90).astype(np.int64),
            "state": [f"s{code % 52}" for code in post.tolist()],
            "sex": rng.choice(["f", "m"], n),
            "class": rng.choice(["low", "middle", "high"], n, p=[0.5, 0.35, 0.15]),
        }
    )
    numeric = {"salary", "savings", "benefits", "age"}
    kind = {name: "numeric" if name in numeric else "categorical" for name in frame.columns}
    return {"frame": frame, "quasi": frame.columns, "kind": kind}


def problem_of(
    frame: pl.DataFrame, words: dict[str, Any], trees: dict[str, Hierarchy] | None = None
) -> Problem:
    """Return a frame as a problem, by the words of a job."""
    job = Job.from_dict(words)
    table = Table.of(frame, schema_of(frame, job, dict(trees or {})))
    protections = [protect(one, table) for one in parse_models(job.models, job.sensitive)]
    return Problem.of(
        encode(table),
        job.k,
        suppression=job.suppression,
        models=tuple(one.model for one in protections),
        protected=tuple(one.codes for one in protections),
    )


def _log_uniform(rng: np.random.Generator, low: int, high: int) -> int:
    return round(float(np.exp(rng.uniform(np.log(low), np.log(high)))))


def _codes(
    rng: np.random.Generator,
    shape: str,
    values: int,
    group: NDArray[np.int64],
    last: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return a value for each record, by the kind of its distribution."""
    n = len(group)
    if shape == "uniform":
        return rng.integers(0, values, n)
    if shape == "zipf":
        chances = 1 / np.arange(1, values + 1)
        drawn = rng.choice(values, n, p=chances / chances.sum())
        return np.asarray(rng.permutation(values)[drawn])
    if shape == "clustered":
        centre = rng.integers(0, values, int(group.max()) + 1)[group]
        strayed = np.rint(centre + rng.laplace(0, values / 15, n))
        return np.asarray(np.clip(strayed, 0, values - 1), dtype=np.int64)
    scaled = last * (values / (int(last.max()) + 1))
    if shape == "correlated":
        scaled = scaled + rng.normal(0, values / 8, n)
    return np.asarray(np.clip(np.rint(scaled), 0, values - 1), dtype=np.int64)
