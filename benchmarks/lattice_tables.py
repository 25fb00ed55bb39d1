"""Tables with large lattices: nominal attributes with hierarchies, and answers that go together."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
import polars as pl

from shoal.algorithms import Problem
from shoal.encoding import encode
from shoal.hierarchies import Hierarchy
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Table

Attributes = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class LatticeTable:
    """How to draw a table, and what to ask of it.

    Parameters
    ----------
    attributes
        Values and levels of each attribute; the lowest level shows values, the highest ``*``.
    groups
        Kinds of people; each kind has a favourite value in every attribute.
    spread
        How far values stray from the favourite, as a share of the attribute's values.
    """

    name: str
    records: int
    attributes: Attributes
    k: int
    suppression: float
    groups: int = 12
    spread: float = 0.15
    seed: int = 1

    @property
    def nodes(self) -> int:
        """Number of nodes of the lattice."""
        return prod(levels for _, levels in self.attributes)

    def draw(self) -> tuple[pl.DataFrame, dict[str, Hierarchy]]:
        """Return the records, and the hierarchy of each column."""
        rng = np.random.default_rng(self.seed)
        # Kinds of people differ in number as in a survey: a few large ones, many small.
        sizes = 1 / np.arange(1, self.groups + 1)
        kind = rng.choice(self.groups, self.records, p=sizes / sizes.sum())
        columns, trees = {}, {}
        for place, (values, levels) in enumerate(self.attributes):
            favourite = rng.integers(0, values, self.groups)[kind]
            strayed = rng.laplace(0.0, self.spread * values * rng.uniform(0.5, 1.5), self.records)
            codes = np.clip(np.rint(favourite + strayed), 0, values - 1).astype(np.int64)
            name = f"q{place:02}"
            columns[name] = pl.Series([f"v{code}" for code in codes.tolist()])
            trees[name] = tree_of(values, levels)
        return pl.DataFrame(columns), trees

    def problem(self) -> Problem:
        """Return the table as a problem."""
        frame, trees = self.draw()
        job = Job.from_dict({"k": self.k, "quasi": frame.columns})
        encoded = encode(Table.of(frame, schema_of(frame, job, dict(trees))))
        return Problem.of(encoded, self.k, suppression=self.suppression)


def tree_of(values: int, levels: int) -> Hierarchy:
    """Return a hierarchy in which every level but the last has about equally many times fewer."""
    # Whole, so that each group lies in one of the next level.
    factor = max(2, round(values ** (1 / (levels - 1))))
    rows = []
    for value in range(values):
        groups = [f"l{level}.{value // factor**level}" for level in range(1, levels - 1)]
        rows.append([f"v{value}", *groups, "*"])
    return Hierarchy.from_rows(rows)


ANSWERS: Attributes = ((6, 3),) * 10
PEOPLE: Attributes = ((4, 2), (7, 3), (12, 3), (25, 4), (51, 4), (100, 5))
"""With ten answers, 85 million nodes."""
TABLES = (
    LatticeTable("survey", 73_489, (*PEOPLE, *ANSWERS), 5, 1.0),
    LatticeTable("survey, 2 %", 73_489, (*PEOPLE, *ANSWERS), 5, 0.02),
    LatticeTable("survey, loose", 73_489, (*PEOPLE, *ANSWERS), 10, 0.05, spread=0.3, seed=2),
    LatticeTable("ten deep", 20_000, ((30, 4),) * 10, 5, 1.0, seed=3),
    LatticeTable("mixed depths", 30_000, (*PEOPLE, *((8, 3),) * 9), 5, 0.01, groups=40, seed=4),
    LatticeTable("deep, no suppression", 50_000, ((40, 5),) * 12, 3, 0.0, spread=0.02, seed=5),
    LatticeTable("nineteen", 40_000, ((9, 3),) * 19, 5, 1.0, groups=30, seed=6),
    LatticeTable("twenty, tight", 10_000, ((12, 3),) * 20, 10, 0.05, groups=5, spread=0.05, seed=7),
    LatticeTable("twenty-five", 20_000, ((6, 3),) * 25, 5, 1.0, groups=8, spread=0.1, seed=8),
    LatticeTable("forty yes or no", 30_000, ((2, 2),) * 40, 5, 1.0, groups=20, spread=0.1, seed=9),
)  # fmt: skip
