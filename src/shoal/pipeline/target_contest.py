"""Candidates for a release from which a target is predicted, and the one that predicts it best.

No measure of loss shows how well a classifier will do. So several releases are made, each under
another measure, classifiers learn the target from each of them, and the one with the smallest error
on original records is kept.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.algorithm import make_algorithm
from shoal.algorithms.run import PortfolioStep
from shoal.analysis import Shown
from shoal.analysis.classifiers import draw_folds, errors_from_release
from shoal.encoding import encode_values
from shoal.errors import InfeasibleError, ParameterError
from shoal.pipeline.candidates import solve_candidate
from shoal.pipeline.compatibility import AUTO
from shoal.pipeline.revealed_target import count_homogeneous

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from shoal.algorithms import Algorithm, Problem, Run, Solution
    from shoal.encoding import EncodedTable, Recoding
    from shoal.options import Job
    from shoal.pipeline.progress import Stages
    from shoal.table import Table

    MakeProblem = Callable[[Job], Problem]

# Algorithm and measure of each candidate; recoding takes the measure of the papers it is from.
CANDIDATES = (
    (AUTO, "gcp"),
    (AUTO, "wmi"),
    (AUTO, "pmi"),
    ("annealing", "cm"),
    ("iyengar", "cm"),
)
FOLDS = 3
# Classifiers that compare candidates learn from no more records than this.
MOST_RECORDS = 10_000
# What is drawn decides which candidate is kept. It is the same in every run, so that a seed gives
# the same release again.
_SEED = 3


@dataclass(frozen=True, slots=True)
class Candidate:
    """One release that was tried.

    Parameters
    ----------
    algorithm, measure
        How it was found.
    error
        Share of original records whose target is predicted wrong by what learned from it, mean of
        all classifiers over all folds; ``None`` if there is no such release.
    errors
        The same of each classifier.
    homogeneous
        Classes whose records all have the same target, and classes in all.
    seconds
        Wall seconds for finding and judging it.
    problem
        Why there is no release, where there is none.
    """

    algorithm: str
    measure: str
    error: float | None
    errors: Mapping[str, float]
    homogeneous: tuple[int, int]
    seconds: float
    problem: str = ""

    @property
    def name(self) -> str:
        """Algorithm and measure."""
        return f"{self.algorithm} under {self.measure}"


@dataclass(frozen=True, slots=True, eq=False)
class Winner:
    """The candidate that is kept, and all that were tried."""

    job: Job
    chosen: Algorithm
    problem: Problem
    solution: Solution
    notes: tuple[str, ...]
    steps: int
    place: int
    candidates: tuple[Candidate, ...] = ()

    @property
    def kept(self) -> Candidate:
        """What is known of the candidate that is kept."""
        return self.candidates[self.place]


def solve_for_target(  # noqa: PLR0917 (a contest gathers what every stage left behind)
    job: Job, table: Table, encoded: EncodedTable, make: MakeProblem, run: Run, stages: Stages
) -> Winner:
    """Return the candidate whose release predicts the target best on original records.

    A budget of time is shared by the candidates; steps are for each run of `auto`, and so is its
    default. So without a budget of time the one that is kept is the release that its algorithm and
    measure give by themselves.

    Raises
    ------
    InfeasibleError
        If no candidate gives a release.
    """
    assert job.target is not None
    labels = encode_values(table.frame[job.target])[0]
    judge = _Judge(encoded, labels, table.persons, job.threads or 1)
    tried: list[Candidate] = []
    found: list[Winner] = []
    names = [pair for pair in CANDIDATES if _is_able(job, pair[0])]
    fault: InfeasibleError | ParameterError | None = None
    for place, (name, measure) in enumerate(names):
        if run.control.stopping and found:
            break
        began = time.monotonic()
        parameters = {"form": job.form} if name == AUTO and job.form else {}
        chosen = make_algorithm(name, {**parameters, **(job.param if name == AUTO else {})})
        # A step of another algorithm is something else: it takes what it takes by itself.
        steps = job.steps if name == AUTO else None
        tried_job = job.model_copy(update={"measure": measure, "algorithm": name, "steps": steps})
        problem = make(tried_job)
        within = run.within(replace(run.budget, steps=steps))
        try:
            solution, own = solve_candidate(
                chosen, problem, within, stages, place=place, candidates=len(names)
            )
        except (InfeasibleError, ParameterError) as raised:
            fault = raised
            tried.append(_failed(name, measure, began, raised.what))
            continue
        recoding = solution.recode(problem, np.random.default_rng([run.seed, 1]))
        errors = judge.errors(recoding)
        error = float(np.mean(list(errors.values())))
        seconds = time.monotonic() - began
        candidate = Candidate(name, measure, error, errors, judge.homogeneous(recoding), seconds)
        run.trace.append(PortfolioStep(candidate.name, seconds, None, 0.0))
        notes, spent = tuple(own.notes), own.control.steps
        found.append(Winner(tried_job, chosen, problem, solution, notes, spent, len(tried)))
        tried.append(candidate)
    if not found:
        assert fault is not None
        raise fault
    best = min(found, key=lambda one: tried[one.place].error or 0.0)
    run.note(*best.notes)
    run.control.steps = best.steps
    return replace(best, candidates=tuple(tried))


def note_on_candidates(winner: Winner, target: str) -> str:
    """Return which candidates were tried, and which is kept."""
    listed = "; ".join(
        f"{one.name}: {100 * one.error:.2f} %"
        if one.error is not None
        else f"{one.name}: {one.problem}"
        for one in winner.candidates
    )
    return (
        f"Releases tried for the target {target!r}, and the error on original records of "
        f"classifiers that learned from them: {listed}. Kept: {winner.kept.name}."
    )


def _is_able(job: Job, name: str) -> bool:
    """Return whether an algorithm can do what the job requires besides the measure."""
    if name == AUTO:
        return True
    traits = make_algorithm(name).traits
    beyond = bool(job.models or job.person or job.personal_k)
    levels = bool(job.min_level or job.max_level)
    return job.form is None and (traits.models or not beyond) and not levels and not job.param


def _failed(name: str, measure: str, began: float, why: str) -> Candidate:
    return Candidate(name, measure, None, {}, (0, 0), time.monotonic() - began, why)


class _Judge:
    """Measures how well the target is learned from a recoding; the same folds for every one."""

    def __init__(
        self,
        encoded: EncodedTable,
        labels: NDArray[np.unsignedinteger],
        people: NDArray[np.integer] | None,
        threads: int,
    ) -> None:
        rng = np.random.default_rng(_SEED)
        records = np.arange(encoded.n)
        if encoded.n > MOST_RECORDS:
            records = np.sort(rng.choice(encoded.n, MOST_RECORDS, replace=False))
        self._domains = encoded.domains
        self._records = records
        self._of_all = labels
        self._labels = labels[records]
        self._original = Shown.exact(encoded.domains, encoded.codes).take(records)
        who = None if people is None else people[records]
        self._folds = draw_folds(self._labels, FOLDS, rng, who)
        self._threads = threads

    def errors(self, recoding: Recoding) -> dict[str, float]:
        """Return the error of each classifier on original records."""
        release = Shown.recoded(self._domains, recoding).take(self._records)
        return errors_from_release(
            self._original, release, self._labels, self._folds, threads=self._threads
        )

    def homogeneous(self, recoding: Recoding) -> tuple[int, int]:
        """Return how many classes hold one value of the target, and how many there are."""
        return count_homogeneous(recoding, self._of_all)
