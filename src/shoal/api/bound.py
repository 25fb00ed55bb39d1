"""The least loss that any release of a form must have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.algorithms import Budget, Problem, Run, make_algorithm
from shoal.algorithms.constants import REFINE_SMALL
from shoal.algorithms.lower_bound import (
    LowerBound,
    find_lower_bound,
    notes_on_bound,
    require_boundable,
)
from shoal.api.released import original_of
from shoal.encoding import encode
from shoal.errors import ParameterError
from shoal.limits.cores import threads_or_cores
from shoal.measures import Released, find_measure
from shoal.models import (
    DistinctPersons,
    Protection,
    parse_models,
    protect,
    protect_personal_k,
    split_models,
)
from shoal.options.call import read_options, takes_options
from shoal.pipeline.coding import with_codes
from shoal.pipeline.figures import gap_of, measured
from shoal.pipeline.progress import Stages, solve, watched
from shoal.pipeline.run import schema_of
from shoal.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike
    from typing import Literal

    import polars as pl

    from shoal.algorithms import Solution
    from shoal.hierarchies import Hierarchy, Recipe
    from shoal.models import Model
    from shoal.options import Job
    from shoal.options.values import Form, Limit
    from shoal.pipeline.progress import Watcher


@takes_options("bound")
def bound(
    frame: Any,
    *,
    k: int,
    quasi: Sequence[str],
    sensitive: Sequence[str] = (),
    identifier: Sequence[str] = (),
    other: Sequence[str] = (),
    rest: Literal["other", "drop"] | None = None,
    person: str | None = None,
    personal_k: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    kind: Mapping[str, str] | None = None,
    hierarchy: Mapping[str, Hierarchy | Recipe | str | PathLike[str]] | None = None,
    suppress_only: Sequence[str] = (),
    order: Mapping[str, Sequence[str]] | None = None,
    date_format: Mapping[str, str] | None = None,
    value_range: Mapping[str, tuple[Limit, Limit] | str] | None = None,
    top: Mapping[str, float] | None = None,
    bottom: Mapping[str, float] | None = None,
    weight: Mapping[str, float] | None = None,
    set_loss: Literal["share", "paper", "binary"] = "share",
    hierarchy_loss: Literal["leaves", "levels"] = "leaves",
    missing: Literal["value", "drop"] = "value",
    suppression: float = 0.0,
    models: Sequence[Model | str] = (),
    measure: str = "gcp",
    form: Form | None = None,
    bound_seconds: float = 60.0,
    threads: int | None = None,
    null_values: Sequence[str] = (),
    special_values: Sequence[str] = (),
    decimal: Literal[".", ","] = ".",
    thousands: Literal[",", ".", " ", "'", "_"] | None = None,
    watch: Watcher | None = None,
) -> dict[str, Any]:
    """Return a loss that no release of a frame in classes of at least k can go below.

    A good division is searched for in a quarter of the time, and the bound proved in the rest. A
    bound for a smaller k holds for a larger one, so a large k may be bounded by way of a smaller
    one; docs/bounds.md states exactly what is proved. With ``form="freeform"`` no freeform release
    can go below it, and the search for a good one and for the proof is that of `ff-optimal`.

    Parameters
    ----------
    frame
        As for :func:`shoal.anonymize`.
    k
        Every record looks like at least k - 1 others.
    quasi
        Quasi-identifiers: columns by which a person could be recognized; generalized.
    sensitive
        Sensitive columns: worth protecting; released unchanged.
    identifier
        Columns that name a person; removed before anything else runs.
    other
        Columns that are released unchanged.
    rest
        What happens to columns that have no role: released unchanged, or dropped.
    person
        An identifier that repeats: k then counts persons, not records.
    personal_k
        Records that need more than k: a column that holds the k of each record, dropped unless it
        has a role, or a rule such as ward=ICU:20.
    columns
        Columns of the table and their types, as a saved job holds them; a table with other columns
        is refused.
    kind
        Kind of a column, if its values do not show it: numeric, categorical, hierarchical,
        suppress-only, date, datetime or ordered.
    hierarchy
        Hierarchy of a column: a file with lines leaf,level1,…,*, or a recipe: auto, ranges:5,10,20,
        quantiles:4, cuts:18,65, stars, dates or groups:FILE.
    suppress_only
        Columns whose values are kept or replaced by *, never merged.
    order
        Categories of an ordered column, lowest first.
    date_format
        How the dates of a column are written, such as %d.%m.%Y.
    value_range
        Lowest and highest permissible value of a column; its loss is measured against them.
    top
        Top coding: numbers at or above a limit are one value, such as 90+, before anything is
        generalized.
    bottom
        Bottom coding: numbers at or below a limit are one value, such as <=18.
    weight
        How much the loss of a column counts; 1 unless set.
    set_loss
        Loss of a set of c of A categories: (c-1)/(A-1), (c-1)/A, or c/A as A binary columns.
    hierarchy_loss
        Loss of a node over c of A leaves: (c-1)/(A-1); or of level i of h: i/h.
    missing
        Treat a missing cell as a value of its own, or withhold its record.
    suppression
        Largest share of records that may be suppressed; 1 is no limit.
    models
        Privacy models beyond k, such as distinct-l-diversity:3 or t-closeness:0.2@diagnosis.
    measure
        The loss measure; gcp is the only one that is bounded.
    form
        The form of the releases that are bounded: classes or freeform; classes unless set.
    bound_seconds
        Wall seconds in total; the search ends earlier if the bound cannot rise.
    threads
        Number of threads; unless set, all cores that the process may use. The result does not
        depend on it unless `bound_seconds` ends the search.
    null_values
        Texts that stand for a missing cell: ?,NA in all columns, age=97|98 in one.
    special_values
        Codes that stand for the reason why a number is missing: weeks=N|R. They become categories
        in weeks_special, and the column keeps its numbers.
    decimal
        Decimal separator of numbers in a CSV file; with a comma, points separate thousands.
    thousands
        Thousands separator of numbers in a CSV file; it is removed when they are read.
    watch
        Called with a :class:`shoal.Progress` from time to time.

    Returns
    -------
    dict
        ``lower_bound``; ``loss`` of the best release found, and its ``gap``, the share of that
        loss that may be avoidable; ``converged``, whether more time would not raise the bound;
        ``n``, ``k``, ``measure``, ``form`` and ``seconds``; ``notes``, what the bound does not
        consider.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> people = pl.DataFrame({"age": [35, 36, 37, 61, 62, 66], "sex": list("FFFMMM")})
    >>> found = shoal.bound(people, k=3, quasi=["age", "sex"])
    >>> round(found["lower_bound"], 4), round(found["gap"], 4)
    (0.0565, 0.0)
    """
    options = read_options("bound", locals())
    job = options.job
    original = original_of(frame, job)
    source = with_codes(original, job)
    find_measure(job.measure)
    require_boundable(job.measure)
    _require_bounded_form(job)
    stages = Stages(watch)
    with stages.stage("encode"):
        table = Table.of(source, schema_of(source, job))
        encoded = encode(table)
        protections = _protections(table, original, job)
        problem = Problem.of(
            encoded,
            job.k,
            models=tuple(one.model for one in protections),
            protected=tuple(one.codes for one in protections),
            suppression=job.suppression,
        )
    bounded = _bound_covers if job.form == "freeform" else _bound_classes
    solution, found = bounded(problem, job, stages)
    run = Run(seed=0)
    recoding = solution.recode(problem, run.generator())
    shown = Released(encoded.domains, encoded.weights, encoded.codes, recoding, encoded.n, job.k)
    loss = measured(shown, job)["measures"][job.measure]
    return {
        "n": encoded.n,
        "k": job.k,
        "measure": job.measure,
        "form": job.form or "classes",
        "lower_bound": found.loss,
        "loss": loss,
        "gap": gap_of(loss, found.loss),
        "converged": found.converged,
        "seconds": stages.seconds,
        "notes": notes_on_bound(problem),
    }


def _protections(table: Table, original: pl.DataFrame, job: Job) -> list[Protection]:
    """Return what every class must meet besides k."""
    protections = [protect(one, table) for one in parse_models(job.models, job.sensitive)]
    if job.person is not None:
        assert table.persons is not None
        protections.append(Protection(DistinctPersons(job.person, job.k), table.persons))
    if job.personal_k:
        protections.append(protect_personal_k(original, table.rows, job.personal_k, job.k))
    return protections


def _require_bounded_form(job: Job) -> None:
    whole = split_models(job.models)[1]
    if whole:
        raise ParameterError(
            f"Lower bounds exist for models of classes, not for {whole[0]}, which is a condition "
            "on the release as a whole.",
            remedy="Leave it out: the bound for k alone also holds with it.",
        )
    if job.form == "freeform" and job.models:
        raise ParameterError(
            f"{job.models[0]} is defined for classes alone: freeform releases have none.",
            remedy="Leave it out, or `form`.",
        )
    if job.form not in {None, "classes", "freeform"}:
        raise ParameterError(
            "Lower bounds exist for releases in classes and for freeform ones, not for "
            f"{job.form}.",
            remedy="Leave `form` out: the bound of classes holds for full-domain releases over the "
            "same hierarchies, too.",
        )
    if job.form == "freeform" and job.person is not None:
        raise ParameterError(
            "`person` is defined for classes alone: freeform releases have none.",
            remedy="Leave it out, or `form`.",
        )


def _bound_classes(problem: Problem, job: Job, stages: Stages) -> tuple[Solution, LowerBound]:
    """Return a good division into classes, and the bound."""
    assert job.bound_seconds is not None
    limit = job.bound_seconds
    # A small table is searched through long before its time is up.
    quick = problem.n <= REFINE_SMALL and limit >= 4
    run = Run(
        seed=0,
        threads=threads_or_cores(job.threads),
        budget=Budget(seconds=None if quick else limit / 4),
    )
    with stages.stage("solve"):
        solution = solve(make_algorithm("refine"), problem, run, stages)
    run = Run(seed=0, threads=threads_or_cores(job.threads), budget=Budget(seconds=limit * 3 / 4))
    with stages.stage("bound"):
        found = watched("bound", lambda: find_lower_bound(problem, solution, run), run, stages)
    return solution, found


def _bound_covers(problem: Problem, job: Job, stages: Stages) -> tuple[Solution, LowerBound]:
    """Return a good cover, and the bound: `ff-optimal` gives both, unless records have own ks."""
    assert job.bound_seconds is not None
    limit, threads = job.bound_seconds, threads_or_cores(job.threads)
    run = Run(seed=0, threads=threads, budget=Budget(seconds=limit))
    if job.personal_k:
        quick = problem.n <= REFINE_SMALL and limit >= 4
        run = run.within(Budget(seconds=None if quick else limit / 4))
        with stages.stage("solve"):
            solution = solve(make_algorithm("ff-refine"), problem, run, stages)
        run = Run(seed=0, threads=threads, budget=Budget(seconds=limit * 3 / 4))
        with stages.stage("bound"):
            found = watched("bound", lambda: find_lower_bound(problem, solution, run), run, stages)
        return solution, found
    with stages.stage("bound"):
        solution = solve(make_algorithm("ff-optimal"), problem, run, stages, keep=True)
    proved = solution.lower_bound or 0.0
    return solution, LowerBound(proved, run.control.steps, solution.optimal, problem.k)
