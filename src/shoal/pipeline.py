"""From a table to a verified release: the only place where the stages meet."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shoal.algorithms import Form, Partition, Problem, Run, make_algorithm
from shoal.algorithms.cluster.refine import SMALL
from shoal.algorithms.lower_bound import find_lower_bound, require_boundable
from shoal.algorithms.solution import promise_of
from shoal.analysis import Settings, Shown
from shoal.comparison import job_of_utility, records_of_rows, require_target, study_release
from shoal.config import Job, make_job
from shoal.encoding import SUPPRESSED, decode, encode, encode_values, released_names
from shoal.encoding.parse import codes_in, parse_release
from shoal.errors import ParameterError, SchemaError, VerificationError
from shoal.facts import (
    facts_of,
    gap_of,
    in_classes,
    measured,
    private_name,
    private_of_release,
)
from shoal.hierarchy import Hierarchy, Recipe, as_file, is_recipe
from shoal.io import CallerFrame, without_leftovers
from shoal.measures import Released, find_measure
from shoal.privacy import DistinctPersons, Protection, parse_models, protect
from shoal.progress import Stages, solve, watched
from shoal.release import Custody, Release
from shoal.table import Table, declare
from shoal.table import inspect as inspect_table
from shoal.table.company import Company
from shoal.table.detect import is_readable
from shoal.table.hierarchies import make_hierarchy
from shoal.table.infer import MANY_CATEGORIES
from shoal.table.kinds import tell
from shoal.table.leaves import require_column
from shoal.table.values import distinct_cells
from shoal.verifier import verify as verify_tables
from shoal.verifier.crowd import CLASSES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from shoal.algorithms import Algorithm, Solution
    from shoal.encoding import EncodedTable, Recoding
    from shoal.progress import Watcher
    from shoal.table import Inspection, Schema
    from shoal.verifier import Verdict

    Hierarchies = Mapping[str, Hierarchy | Recipe | str | Path]

DEFAULT_BOUND_SECONDS = 60.0


def anonymize(
    frame: Any, *, hierarchy: Hierarchies | None = None, watch: Watcher | None = None, **words: Any
) -> Release:
    """Return a k-anonymous, verified release of a frame.

    Parameters
    ----------
    frame
        pandas, polars or pyarrow table, or anything with the Arrow C stream. It is not changed;
        the release comes back in the same type.
    hierarchy
        For each hierarchical column its tree, the file that holds it, or how to make it: ``auto``,
        ``ranges:5,10,20``, ``quantiles:4``, ``cuts:18,65``, ``stars``, ``dates``;
        ``groups:FILE`` is a grouping table.
    watch
        Called with a :class:`shoal.Progress` from time to time.
    **words
        The words of a job: ``k``, ``quasi``, ``sensitive``, ``algorithm``, … as in
        :class:`shoal.config.Job` and ``shoal anonymize --help``.

    Raises
    ------
    InputError
        If the input or the words cannot be taken.
    InfeasibleError
        If no release can meet the goal.
    VerificationError
        If the verifier refuses the release; that is a bug, and no release comes back.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> people = pl.DataFrame({"age": [35, 36, 37, 61, 62, 66], "sex": list("FFFMMM"),
    ...                        "disease": ["flu", "cold", "flu", "gout", "flu", "cold"]})
    >>> release = shoal.anonymize(people, k=3, quasi=["age", "sex"], sensitive=["disease"])
    >>> sorted(release.frame["age"].unique())
    ['[35..37]', '[61..66]']
    >>> release.verdict.passed
    True
    """
    caller = CallerFrame.of(frame)
    given = hierarchy or {}
    trees = {column: tree for column, tree in given.items() if isinstance(tree, Hierarchy)}
    # What can be written down is part of the job, so that the facts tell how to do it again.
    named = {
        column: tree if isinstance(tree, str) else _named(tree)
        for column, tree in given.items()
        if not isinstance(tree, Hierarchy)
    }
    job = make_job({**words, "hierarchy": named})
    return run_job(caller.polars, job, hierarchy=trees, watch=watch, caller=caller)


def run_job(
    source: pl.DataFrame,
    job: Job,
    *,
    hierarchy: Hierarchies | None = None,
    watch: Watcher | None = None,
    caller: CallerFrame | None = None,
) -> Release:
    """Return the verified release that a job describes; see :func:`anonymize`."""
    stages = Stages(watch)
    chosen = make_algorithm(job.algorithm, job.param)
    _require_able(job, chosen)
    lacking = _without_levels(source, job, chosen, hierarchy)
    job = job.model_copy(update={"hierarchy": {**job.hierarchy, **dict.fromkeys(lacking, "auto")}})
    with stages.stage("encode"):
        schema = schema_of(source, job, hierarchy)
        private_name(schema, job)
        if job.utility:
            require_target(schema, job)
        table = Table.of(source, schema)
        encoded = encode(table)
        run = _run(job)
        problem, about_models = _problem(table, encoded, job, run)
    run.started = time.monotonic()  # the budget of time is for solving
    run.notes += [*table.notes, *about_models, *_advice(job, chosen, encoded)]
    with stages.stage("solve"):
        solution = solve(chosen, problem, run, stages)
    proved = _lower_bound(problem, solution, job, stages)
    with stages.stage("recode"):
        rng = np.random.default_rng([run.seed, 1])
        recoding = solution.recode(problem, rng)
        job = _with_promise(job, promise_of(solution))
        records = _released_records(recoding, job, rng)
        released = _assemble(table, encoded, recoding, records, job)
    with stages.stage("verify"):
        rows = table.rows[records]
        matches = None
        if recoding.matches is not None:
            # Suppressed records match nobody; -1 stays -1.
            matches = np.append(table.rows, -1)[recoding.matches[records]]
        verdict = verify_tables(
            source,
            released,
            schema,
            job.k,
            models=job.model,
            suppression=job.suppression,
            witness=rows,
            form=job.form or CLASSES,
            matches=matches,
        )
        if not verdict.passed:
            raise VerificationError(
                f"The verifier refused the release, so nothing was written:\n{verdict}",
                remedy="This is a bug in Shoal; please report it with the job file.",
            )
    facts = facts_of(
        job, chosen, solution, table, encoded, recoding, run, verdict, stages.seconds, proved
    )
    if job.utility:
        shown = Shown.recoded(encoded.domains, recoding).take(records)
        settings = Settings(threads=job.threads)
        with stages.stage("utility"):
            facts["utility"] = study_release(
                table, encoded.codes, shown, released, job, settings, stages, records=records
            )
        facts["seconds"] = dict(stages.seconds)
    frame = released
    if caller is not None:
        names = [name for d in encoded.domains for name in released_names(d, job.notation)]
        frame = caller.give_back(released.select(names), rows, schema.untouched, released.columns)
    return Release(frame, facts, verdict, released, Custody(rows, run.seed, matches))


def schema_of(source: pl.DataFrame, job: Job, hierarchy: Hierarchies | None = None) -> Schema:
    """Return the schema that a job declares for a table."""
    return declare(
        source,
        quasi=job.quasi,
        sensitive=job.sensitive,
        identifier=job.identifier,
        other=job.other,
        rest=job.rest,
        kind=job.kind,
        hierarchy={**job.hierarchy, **(hierarchy or {})},
        weight=job.weight,
        bounds=job.bounds,
        order=job.order,
        date_format=job.date_format,
        suppress_only=job.suppress_only,
        set_loss=job.set_loss,
        missing=job.missing,
        person=job.person,
    )


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
        Frames of any type that :func:`anonymize` takes.
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
        form=job.form or CLASSES,
        matches=matches,
    )


def measure(
    original: Any, released: Any, *, hierarchy: Hierarchies | None = None, **words: Any
) -> dict[str, Any]:
    """Return every measure of a release, and the loss of each attribute.

    Parameters
    ----------
    original, released
        Frames of any type that :func:`anonymize` takes.
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
        As for :func:`anonymize`.
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
        Frames of any type that :func:`anonymize` takes.
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
        A frame of any type that :func:`anonymize` takes.
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


def _named(tree: Recipe | Path) -> str:
    return str(tree) if isinstance(tree, Recipe) else as_file(tree)


def _with_promise(job: Job, promise: str) -> Job:
    """Return the job with what the release promises, where that is not classes."""
    if job.form not in (None, promise):
        raise ParameterError(
            f"{job.algorithm} publishes {promise}, not {job.form}.",
            remedy="Leave the form out: the algorithm decides it.",
        )
    return job if promise == CLASSES else job.model_copy(update={"form": promise})


def _require_able(job: Job, chosen: Algorithm) -> None:
    find_measure(job.measure)
    freeform = chosen.traits.form == Form.FREEFORM
    if job.form is not None and freeform == (job.form == CLASSES):
        _with_promise(job, Form.FREEFORM if freeform else CLASSES)
    if job.person is not None and freeform:
        raise ParameterError(
            f"{job.algorithm} counts records: that k counts persons is not defined where records "
            f"form no classes.",
            remedy="Choose an algorithm that forms classes; `shoal algorithms` lists them.",
        )
    if find_measure(job.measure).higher_is_better:
        raise ParameterError(
            f"{job.measure} is no loss: more of it is better, and algorithms minimise.",
            remedy="Minimise pmi instead; every measure is reported anyway.",
        )
    able = chosen.traits.measures
    if job.measure.partition(":")[0] not in able:
        raise ParameterError(
            f"{job.algorithm} minimises {' or '.join(able)}, not {job.measure}.",
            remedy="Leave --measure out; every measure is reported anyway.",
        )
    if job.bound is not None:
        require_boundable(job.measure, chosen.traits)
    if job.set_loss == "binary" and chosen.traits.form is not Form.CLASSES:
        raise ParameterError(
            f"{job.algorithm} cannot take categories as binary columns: only algorithms that "
            f"publish classes can.",
            remedy="Leave --set-loss out, or choose share or paper.",
        )
    if job.set_loss == "binary" and job.measure != "gcp":
        raise ParameterError(
            f"{job.measure} is a measure of attributes as they are, not of binary columns.",
            remedy="Leave --measure or --set-loss out.",
        )
    if (job.model or job.person) and not chosen.traits.models:
        asked = job.model[0] if job.model else "k persons in each class"
        raise ParameterError(
            f"{job.algorithm} cannot keep {asked}: {chosen.traits.without_models}.",
            remedy="Choose another algorithm; `shoal algorithms` lists them.",
        )


def _lower_bound(problem: Problem, solution: Solution, job: Job, stages: Stages) -> float | None:
    """Return the bound that the job asks for; the seed of the release has no part in it."""
    if job.bound is None:
        return None
    run = Run(seed=0, threads=job.threads, seconds=job.bound)
    with stages.stage("bound"):
        found = watched("bound", lambda: find_lower_bound(problem, solution, run), run, stages)
    return found.loss


def _problem(table: Table, encoded: EncodedTable, job: Job, run: Run) -> tuple[Problem, list[str]]:
    """Return the problem, and what the user should know about its models."""
    protections = [protect(one, table) for one in parse_models(job.model, job.sensitive)]
    if job.person is not None:
        assert table.persons is not None
        protections.append(Protection(DistinctPersons(job.person, job.k), table.persons))
    problem = Problem.of(
        encoded,
        job.k,
        models=tuple(one.model for one in protections),
        protected=tuple(one.codes for one in protections),
        suppression=job.suppression,
        measure=job.measure,
        private=_private_codes(table, job),
        rng=np.random.default_rng([run.seed, 2]),
    )
    return problem, list(dict.fromkeys(note for one in protections for note in one.notes))


def _private_codes(table: Table, job: Job) -> NDArray[np.unsignedinteger] | None:
    name = private_name(table.schema, job)
    return None if name is None else encode_values(table.frame[name])[0]


def _without_levels(
    source: pl.DataFrame, job: Job, chosen: Algorithm, hierarchy: Hierarchies | None
) -> list[str]:
    """Return the columns that need a hierarchy, since one level is chosen for all their values.

    They get automatic ones, as part of the job: whoever verifies or measures the release by it
    reads the same groups. What the user says of a column's form goes before that.
    """
    if chosen.traits.form is not Form.FULL_DOMAIN:
        return []
    said = {*job.hierarchy, *(hierarchy or {}), *job.suppress_only, *job.bounds}
    said |= {name for name, kind in job.kind.items() if kind in {"suppress-only", "hierarchical"}}
    return [
        name
        for name in job.quasi
        if name not in said and name in source.columns and _has_values(source[name])
    ]


def _has_values(series: pl.Series) -> bool:
    return is_readable(series.dtype) and len(distinct_cells(series).cells) > 0


def _run(job: Job) -> Run:
    run = Run(threads=job.threads, seconds=job.time, steps=job.steps)
    if job.seed is not None:
        run.seed = job.seed
        run.notes.append(
            "The seed was given: whoever learns it can undo the shuffling. Keep it secret."
        )
    return run


def _advice(job: Job, chosen: Algorithm, encoded: EncodedTable) -> Iterator[str]:
    if not chosen.traits.anytime and (job.time is not None or job.steps is not None):
        yield f"{chosen.name} runs once and to its end; time and steps do not apply to it."
    for column in (a for a, tree in job.hierarchy.items() if is_recipe(tree)):
        tree = next(d.attribute.hierarchy for d in encoded.domains if d.attribute.name == column)
        assert tree is not None
        groups = " → ".join(str(len(set(tree.names(level)))) for level in range(tree.height + 1))
        yield (
            f"Column {column!r}: its hierarchy was made ({job.hierarchy[column]}); from values to "
            f"* it has {groups} groups."
        )
    for domain in encoded.domains:
        if domain.attribute.kind == "categorical" and domain.size > MANY_CATEGORIES:
            yield (
                f"Column {domain.attribute.name!r} has {domain.size} categories; a hierarchy "
                f"(--hierarchy) or a numeric reading (--kind) would keep more of its detail."
            )
        missing_number = domain.attribute.kind == "numeric" and domain.missing is not None
        if job.notation == "bounds" and missing_number:
            yield (
                f"Column {domain.attribute.name!r} has missing cells; bounds cannot tell them from "
                f"any number, so the file loses more than is measured here. Text notation can."
            )
    if job.keep_order:
        yield "Rows keep the order of the source, which may itself tell whose record is whose."


def _released_records(recoding: Recoding, job: Job, rng: np.random.Generator) -> NDArray[np.int64]:
    records = np.arange(len(recoding.unit), dtype=np.int64)
    if job.suppressed == "withhold":
        records = records[recoding.unit != SUPPRESSED]
    return records if job.keep_order else rng.permutation(records)


def _assemble(
    table: Table,
    encoded: EncodedTable,
    recoding: Recoding,
    records: NDArray[np.int64],
    job: Job,
) -> pl.DataFrame:
    cells = decode(recoding, encoded.domains, records, job.notation)
    becomes = {d.attribute.name: released_names(d, job.notation) for d in encoded.domains}
    columns: list[pl.Series] = []
    for name in table.frame.columns:
        if name in becomes:
            columns += [cells[released] for released in becomes[name]]
        else:
            columns.append(without_leftovers(table.frame[name].gather(records)))
    names = [column.name for column in columns]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise SchemaError(
            f"The bounds notation needs a column {min(twice)!r}, but the table has one already.",
            remedy="Rename it, or use --notation text.",
        )
    return pl.DataFrame(columns)
