"""Sim1, the annealing paper's algorithm as printed: one chain, one proposal a turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.recoding.search import Meter, default_budget, temperatures

if TYPE_CHECKING:
    from shoal._core import kernels
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

# A turn enters another attribute, which costs a pass over the table.
LESS_THAN_DEFAULT = 20


def anneal_as_printed(
    problem: Problem, search: kernels.RecodingSearch, run: Run, *, heat: float, hastings: bool
) -> None:
    """Walk one chain until the budget is spent; the search keeps the best state of it.

    A record that is suppressed counts 1, as in the paper's penalty, and so does each one beyond
    the limit once more, since a state beyond it cannot be released.
    """
    if run.budget.steps == default_budget(problem).steps and run.budget.seconds is None:
        run = run.within(run.budget.share(1 / LESS_THAN_DEFAULT))
    attributes = len(problem.domains)
    for place, domain in enumerate(problem.domains):
        # Every value is a group of its own; a hierarchy and suppress-only values allow that, too.
        search.set_groups(place, np.arange(domain.size, dtype=np.int32))
    warm = temperatures(search, attributes, heat, 1.0)
    meter = Meter(run)
    while meter.spent < 1:
        for place in range(attributes):
            search.walk(
                place,
                1,
                temperature=warm[place] * max(0.0, 1 - meter.spent),
                uncollapse=0.0,
                pressure=1.0,
                hastings=hastings,
            )
            meter.spend(1, search.best_loss)
