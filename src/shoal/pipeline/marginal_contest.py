"""Candidates for a release that keeps marginal tables, and the one of them that is kept.

How far a marginal table is from that of the original is not a sum over classes: what one class
counts too much in a cell, another may count too little. So no algorithm minimizes it. Releases in
classes are found as without the option and then improved by exchanges of records between classes,
which look at the tables themselves. In other forms the columns of the tables weigh more and more in
further releases: a table is kept the better, the less its columns are generalized. The release with
the smallest sum of loss and weighted mean distance is kept. The one without the option is among
them, so that the sum never rises.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from shoal.algorithms import Form, Partition
from shoal.algorithms.run import PortfolioStep
from shoal.algorithms.solution import without_proof
from shoal.analysis import Shown
from shoal.analysis.marginals import MarginalTables, read_marginals
from shoal.encoding import encode_values
from shoal.errors import InfeasibleError
from shoal.measures import Released
from shoal.measures.gcp import gcp
from shoal.pipeline.candidates import solve_candidate
from shoal.pipeline.figures import in_classes
from shoal.pipeline.marginal_exchange import (
    MOST_CELLS,
    MarginalExchange,
    cells_of,
    is_searchable,
)
from shoal.pipeline.marginals import columns_beside
from shoal.pipeline.progress import watched

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.algorithms import Algorithm, Problem, Run, Solution
    from shoal.encoding import EncodedTable, Recoding
    from shoal.options import Job
    from shoal.pipeline.progress import Stages
    from shoal.table import Table

PLAIN = "without the option"
EXCHANGES = "after exchanges"
# Factors on the weights of the columns of marginal tables, where records form no classes of their
# own choice.
FACTORS = (2, 4, 8, 16)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One release that was tried.

    Parameters
    ----------
    name
        How it was found.
    loss
        Its loss (GCP), under the weights of the job.
    distances
        Total variation of each marginal table.
    score
        Loss plus weighted mean of the distances, by which candidates are compared.
    seconds
        Wall seconds for finding and judging it.
    kept
        Whether it is the one that is kept.
    """

    name: str
    loss: float
    distances: Mapping[str, float]
    score: float
    seconds: float
    kept: bool = False


def solve_for_marginals(  # noqa: PLR0917 (a contest gathers what every stage left behind)
    job: Job,
    table: Table,
    encoded: EncodedTable,
    chosen: Algorithm,
    problem: Problem,
    run: Run,
    stages: Stages,
) -> tuple[Solution, tuple[Candidate, ...]]:
    """Return the solution with the smallest sum of loss and weighted mean distance, and all tried.

    Raises
    ------
    InfeasibleError
        If no candidate gives a release.
    """
    contest = _Contest(job, table, encoded, problem, run)
    limited = any(domain.attribute.max_level is not None for domain in problem.domains)
    exchanges = chosen.traits.form is Form.CLASSES and is_searchable(contest.tables) and not limited
    cells = cells_of(contest.tables)
    if chosen.traits.form is Form.CLASSES and cells > MOST_CELLS:
        run.note(
            f"The marginal tables have {cells:,} cells, more than the {MOST_CELLS:,} up to which "
            f"records are exchanged between classes for their sake; instead, releases with heavier "
            f"weights on their columns were tried."
        )
    candidates = 2 if exchanges else 1 + len(FACTORS)
    attempt = partial(solve_candidate, chosen, candidates=candidates)
    began = time.monotonic()
    plain, own = attempt(problem, run, stages, place=0)
    contest.enter(PLAIN, plain, own, began)
    if exchanges and isinstance(plain, Partition) and not run.control.stopping:
        began = time.monotonic()
        seconds = None if run.budget.seconds is None else run.budget.seconds / candidates
        own = run.child(run.budget.fresh(seconds=seconds))
        search = MarginalExchange(problem, contest.tables, contest.unchanged, job.marginal_weight)
        with run.part(1 / candidates, 1.0):
            found = watched("solve", partial(search.improve, plain, own), own, stages, keep=True)
        contest.enter(EXCHANGES, _with_bound(found, plain.lower_bound), own, began)
    for place, factor in enumerate(() if exchanges else FACTORS, start=1):
        if run.control.stopping:
            break
        began = time.monotonic()
        weighted = replace(problem, weights=contest.weights(factor))
        try:
            solution, own = attempt(weighted, run, stages, place=place)
        except InfeasibleError:
            continue  # a search that ends by time may find nothing
        solution = _with_bound(solution, plain.lower_bound)
        contest.enter(f"weights × {factor}", solution, own, began)
    return contest.result()


def notes_on_marginals(candidates: Sequence[Candidate]) -> list[str]:
    """Return which candidates were tried, and what their tables and their loss are."""
    listed = "; ".join(
        f"{one.name}: {np.mean(list(one.distances.values())):.4f} at a loss of {one.loss:.4f}"
        for one in candidates
    )
    kept = next(one for one in candidates if one.kept)
    note = (
        f"Releases tried for `keep_marginals`, and the mean distance of their marginal tables from "
        f"the original's (total variation): {listed}. Kept: {kept.name}."
    )
    return [note]


def _with_bound(solution: Solution, bound: float | None) -> Solution:
    """Return a solution that was found in another way, with the bound that holds for all."""
    return cast("Solution", replace(cast("Any", without_proof(solution)), lower_bound=bound))


class _Contest:
    """Judges candidates by loss and marginal tables, and keeps the best of them."""

    def __init__(
        self, job: Job, table: Table, encoded: EncodedTable, problem: Problem, run: Run
    ) -> None:
        self._job = job
        self._encoded = encoded
        self._problem = problem
        self._run = run
        marginals = read_marginals(job.keep_marginals, table.schema)
        # Suppressed records count as starred ones, which show such columns.
        self.unchanged = {
            name: encode_values(table.frame[name])[0] for name in columns_beside(marginals, table)
        }
        exact = Shown.exact(encoded.domains, encoded.codes)
        self.tables = MarginalTables(exact, marginals, self.unchanged)
        named = {name for columns in marginals for name in columns}
        self._named = [domain.attribute.name in named for domain in encoded.domains]
        self._found: list[tuple[Candidate, Solution, Run]] = []

    def weights(self, factor: int) -> tuple[float, ...]:
        """Return the weights of the attributes, those of marginal tables times a factor."""
        weights = np.where(self._named, factor, 1) * np.asarray(self._encoded.weights)
        return tuple((weights / weights.sum()).tolist())

    def enter(self, name: str, solution: Solution, own: Run, began: float) -> None:
        """Judge a candidate."""
        recoding = solution.recode(self._problem, np.random.default_rng([self._run.seed, 1]))
        loss = self._loss(recoding)
        shown = Shown.recoded(self._encoded.domains, recoding)
        far = self.tables.distances(shown, self.unchanged)
        distances = {marginal: one.total_variation for marginal, one in far.items()}
        score = loss + self._job.marginal_weight * float(np.mean(list(distances.values())))
        seconds = time.monotonic() - began
        self._run.trace.append(PortfolioStep(name, seconds, loss, 0.0))
        self._found.append((Candidate(name, loss, distances, score, seconds), solution, own))

    def result(self) -> tuple[Solution, tuple[Candidate, ...]]:
        """Return the best solution, and all candidates."""
        best, solution, own = min(self._found, key=lambda one: one[0].score)
        self._run.note(*own.notes)
        self._run.control.steps = own.control.steps
        return solution, tuple(replace(one, kept=one is best) for one, _, _ in self._found)

    def _loss(self, recoding: Recoding) -> float:
        encoded = self._encoded
        return gcp(
            Released(
                encoded.domains,
                encoded.weights,
                encoded.codes,
                recoding,
                encoded.n,
                self._job.k,
                None,
                in_classes(self._job),
            )
        )
