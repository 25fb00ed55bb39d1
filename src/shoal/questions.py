"""What can be asked of tables without making a release: the other verbs, for Python.

The verdict on a release, its measures, its use to analysts, the least loss there can be, what a
table seems to hold, and a hierarchy made from a column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.algorithms import Partition, Problem, Run, make_algorithm
from shoal.algorithms.cluster.refine import SMALL
from shoal.algorithms.lower_bound import find_lower_bound, require_boundable
from shoal.analysis import Settings, Shown
from shoal.comparison import job_of_utility, records_of_rows, study_release
from shoal.config import make_job
from shoal.encoding import encode
from shoal.encoding.parse import codes_in, parse_release
from shoal.facts import gap_of, in_classes, measured, private_name, private_of_release
from shoal.hierarchy import Hierarchy, Recipe
from shoal.io import CallerFrame
from shoal.measures import Released, find_measure
from shoal.pipeline import schema_of
from shoal.progress import Stages, solve, watched
from shoal.table import Table
from shoal.table import inspect as inspect_table
from shoal.table.company import Company
from shoal.table.hierarchies import make_hierarchy
from shoal.table.kinds import tell
from shoal.table.leaves import require_column
from shoal.verifier import verify as verify_tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.pipeline import Hierarchies
    from shoal.progress import Watcher
    from shoal.table import Inspection
    from shoal.verifier import Verdict

DEFAULT_BOUND_SECONDS = 60.0


def verify(
    original: Any,
    released: Any,
    *,
    hierarchy: Hierarchies | None = None,
    rows: NDArray[np.int64] | None = None,
    matches: NDArray[np.int64] | None = None,
    **words: Any,
) -> Verdict:
    """Return the verifier's word on a release, from the two tables alone.

    Parameters
    ----------
    original, released
        Frames of any type that :func:`shoal.anonymize` takes.
    rows
        For each released row its row in the original, where the custodian knows it; it turns the
        search for an assignment into a check.
    matches
        For each released row of a freeform release the k rows of the original that it is matched
        with, where the custodian knows them.
    **words
        The words of the job that made the release; those that do not concern it are ignored.
    """
    source = CallerFrame.of(original).polars
    job = make_job(words)
    return verify_tables(
        source,
        CallerFrame.of(released).polars,
        schema_of(source, job, hierarchy),
        job.k,
        models=job.model,
        suppression=job.suppression,
        witness=rows,
        form=job.promise,
        matches=matches,
    )


def measure(
    original: Any, released: Any, *, hierarchy: Hierarchies | None = None, **words: Any
) -> dict[str, Any]:
    """Return every measure of a release, and the loss of each attribute.

    Parameters
    ----------
    original, released
        Frames of any type that :func:`shoal.anonymize` takes.
    **words
        The words of the job that made the release.
    """
    source = CallerFrame.of(original).polars
    job = make_job(words)
    find_measure(job.measure)
    table = Table.of(source, schema_of(source, job, hierarchy))
    encoded = encode(table)
    shown = CallerFrame.of(released).polars
    recoding, domains = parse_release(shown, encoded.domains)
    codes = tuple(map(codes_in, domains, encoded.codes, encoded.domains))
    private = None
    name = private_name(table.schema, job)
    if name is not None and (name in shown.columns or job.target is not None):
        private = private_of_release(name, table.frame, shown)
    return measured(
        Released(
            domains, encoded.weights, codes, recoding, encoded.n, job.k, private, in_classes(job)
        ),
        job,
    )


def bound(
    frame: Any,
    *,
    hierarchy: Hierarchies | None = None,
    watch: Watcher | None = None,
    **words: Any,
) -> dict[str, Any]:
    """Return a loss that no release of a frame in classes of at least k can go below.

    A good division is searched for in a quarter of the time, and the bound proved in the rest;
    docs/bounds.md says what exactly is proved.

    Parameters
    ----------
    frame
        As for :func:`shoal.anonymize`.
    **words
        The words of a job; ``bound`` are the seconds, 60 unless given.

    Returns
    -------
    dict
        ``lower_bound``; ``loss`` of the best division found, and its ``gap``, the share of that
        loss that may be avoidable; ``converged``, whether more time would not raise the bound;
        ``n``, ``k``, ``measure`` and ``seconds``.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> people = pl.DataFrame({"age": [35, 36, 37, 61, 62, 66], "sex": list("FFFMMM")})
    >>> told = shoal.bound(people, k=3, quasi=["age", "sex"])
    >>> round(told["lower_bound"], 4), round(told["gap"], 4)
    (0.0565, 0.0)
    """
    source = CallerFrame.of(frame).polars
    job = make_job(words)
    find_measure(job.measure)
    require_boundable(job.measure)
    stages = Stages(watch)
    limit = DEFAULT_BOUND_SECONDS if job.bound is None else job.bound
    with stages.stage("encode"):
        encoded = encode(Table.of(source, schema_of(source, job, hierarchy)))
        problem = Problem.of(encoded, job.k, suppression=job.suppression)
    # A small table is searched through long before its time is up.
    quick = problem.n <= SMALL and limit >= 4
    run = Run(seed=0, threads=job.threads, seconds=None if quick else limit / 4)
    with stages.stage("solve"):
        solution = solve(make_algorithm("refine"), problem, run, stages)
    assert isinstance(solution, Partition)
    run = Run(seed=0, threads=job.threads, seconds=limit * 3 / 4)
    with stages.stage("bound"):
        found = watched("bound", lambda: find_lower_bound(problem, solution, run), run, stages)
    recoding = solution.recode(problem, run.generator())
    shown = Released(encoded.domains, encoded.weights, encoded.codes, recoding, encoded.n, job.k)
    loss = measured(shown, job)["measures"][job.measure]
    return {
        "n": encoded.n,
        "k": job.k,
        "measure": job.measure,
        "lower_bound": found.loss,
        "loss": loss,
        "gap": gap_of(loss, found.loss),
        "converged": found.converged,
        "seconds": stages.seconds,
    }


def utility(
    original: Any,
    released: Any,
    *,
    target: str,
    hierarchy: Hierarchies | None = None,
    rows: NDArray[np.int64] | None = None,
    folds: int = 10,
    queries: int = 1000,
    support: float = 0.02,
    confidence: float = 0.6,
    rules: bool = False,
    watch: Watcher | None = None,
    **words: Any,
) -> dict[str, Any]:
    """Return what analysts get out of a release, beside the original.

    Classifiers learn the target from the quasi-identifiers of the release and are tested on
    original and on released records, against ones that learned from the original and against
    the majority rule; association rules and random counting queries are compared. Needs
    scikit-learn: ``pip install 'shoal[utility]'``.

    Parameters
    ----------
    original, released
        Frames of any type that :func:`shoal.anonymize` takes.
    target
        The column to predict; released unchanged.
    rows
        For each released row its row in the original (``release.custody.rows``). Without it a
        classifier may be tested on people whose released records it learned from.
    folds
        Parts of the cross-validation.
    queries
        Number of counting queries.
    support, confidence
        Least share of records, and least share of hits, of an association rule.
    rules
        Whether the strongest rules are told; they name values of the target.
    watch
        Called with a :class:`shoal.Progress` from time to time.
    **words
        The words of the job that made the release; columns not named are ignored.

    Returns
    -------
    dict
        ``learning``, ``rules``, ``queries`` and ``notes``, ready for JSON.
    """
    source = CallerFrame.of(original).polars
    shown = CallerFrame.of(released).polars
    job = job_of_utility(target, words)
    settings = Settings(folds, queries, support, confidence, job.threads, rules)
    table = Table.of(source, schema_of(source, job, hierarchy))
    encoded = encode(table)
    recoding, domains = parse_release(shown, encoded.domains)
    codes = tuple(map(codes_in, domains, encoded.codes, encoded.domains))
    records = records_of_rows(rows, table, source.height, shown.height)
    if rows is None and job.keep_order and shown.height == table.n:
        records = np.arange(table.n)
    stages = Stages(watch)
    with stages.stage("utility"):
        return study_release(
            table,
            codes,
            Shown.recoded(domains, recoding),
            shown,
            job,
            settings,
            stages,
            records=records,
        )


def inspect(frame: Any) -> Inspection:
    """Return what each column seems to be, and how exposed its people are now."""
    return inspect_table(CallerFrame.of(frame).polars)


def build_hierarchy(
    frame: Any,
    column: str,
    recipe: str | Recipe,
    *,
    beside: Sequence[str] = (),
    kind: str | None = None,
    order: Sequence[str] = (),
    date_format: str | None = None,
) -> Hierarchy:
    """Return a hierarchy that is made from a column of a frame.

    Parameters
    ----------
    frame
        A frame of any type that :func:`shoal.anonymize` takes.
    column
        The column.
    recipe
        How to make it: ``auto``, ``ranges:5,10,20``, ``quantiles:4``, ``cuts:18,65``, ``stars`` or
        ``dates``.
    beside
        Columns that tell ``auto`` which unordered categories are alike: other quasi-identifiers,
        never sensitive columns.
    kind
        How the values are read, where they do not tell: ``numeric``, ``categorical``, ``date``,
        ``datetime`` or ``ordered``.
    order
        The column's categories, lowest first, if they are ordered.
    date_format
        ``strptime`` format of its dates, if they are not written as ISO 8601.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> people = pl.DataFrame({"age": [21, 34, 38]})
    >>> shoal.build_hierarchy(people, "age", "ranges:5,10").rows()[0]
    ('21', '[20..24]', '[20..29]', '*')
    """
    source = CallerFrame.of(frame).polars
    columns = [require_column(source, name) for name in (column, *beside)]
    parsed = Recipe.parse(recipe) if isinstance(recipe, str) else recipe
    told = tell(columns[0], kind=kind, order=order, date_format=date_format)
    return make_hierarchy(columns[0], parsed, Company(tuple(columns[1:])), told)
