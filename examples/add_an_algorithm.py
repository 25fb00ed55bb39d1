"""Add an algorithm of your own: one decorated class, and every door of Shoal knows it.

In a package of yours, name the module as an entry point of the group ``shoal.algorithms``, and
``shoal anonymize --algorithm shuffled`` finds it too. It is the worst algorithm one can think of.
"""

from __future__ import annotations

import numpy as np
from pydantic import Field

import shoal
from shoal.algorithms import Family, Partition, Problem, Run, Traits, algorithm
from shoal.algorithms.cluster.completion import complete
from shoal.example import hospital

traits = Traits(summary="Shuffle and cut runs.", cost="n", paper="none", random=True)


@algorithm("shuffled", family=Family.CLUSTER, traits=traits)
class Shuffled:
    """Classes of records drawn at random."""

    size: int = Field(default=1, ge=1, le=100, description="records of a class, in multiples of k")

    def solve(self, problem: Problem, run: Run) -> Partition:
        """Return runs of a random order of the records; the last run takes the rest."""

        def divide(asked: Problem) -> Partition:
            record = run.generator().permutation(asked.n)
            length = min(self.size * asked.k, asked.n)
            classes = np.minimum(np.arange(asked.n) // length, asked.n // length - 1)
            once = np.ones(asked.n, dtype=np.int32)
            return Partition.of(asked.folded.row_of[record], classes, once)

        return complete(problem, run, divide)  # models and suppression, as for all clusterings


table = hospital(rows=1_000).select("birth_date", "sex", "diagnosis")
for name in ("shuffled", "k-member"):
    release = shoal.anonymize(
        table, k=5, quasi=["birth_date", "sex"], sensitive=["diagnosis"], algorithm=name
    )
    print(f"{name}: verified {release.verdict.passed}, gcp {release.facts['measures']['gcp']:.3f}")
