"""From a table to a verified release: the only place where the stages meet."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shoal.algorithms import Budget, Problem, Run, with_default_budget
from shoal.encoding import decode_columns, encode, encode_values
from shoal.errors import ParameterError, SchemaError, VerificationError, option
from shoal.exposure import notes_on_quasi_identifiers
from shoal.io import CallerFrame, drop_unreferenced_values
from shoal.limits.cores import threads_or_cores
from shoal.measures import Released, TargetColumn
from shoal.models import parse_models, split_models
from shoal.pipeline.coding import notes_on_codes, with_codes
from shoal.pipeline.compatibility import (
    advice,
    advice_on_pmi,
    choose,
    columns_in_many_categories,
    columns_without_levels,
    obstacle_to_contest,
    require_small_lattice,
    wants_contest,
    with_guarantee,
)
from shoal.pipeline.custody import Custody
from shoal.pipeline.detail import details
from shoal.pipeline.figures import Figures, best_bound, in_classes, measured, target_name
from shoal.pipeline.pinning import pinned, require_same_columns
from shoal.pipeline.presentation import aggregates_of
from shoal.pipeline.progress import Stages, solve, watched
from shoal.pipeline.publication import facts_of
from shoal.pipeline.release import Release
from shoal.pipeline.starring import records_to_release
from shoal.pipeline.unchanged import examine_recoding, examine_table, with_exposure
from shoal.table import Kind, Table, declare
from shoal.table.oddities import all_oddities
from shoal.verifier import verify as verify_tables

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from shoal.algorithms import Algorithm, Solution
    from shoal.encoding import Aggregate, EncodedTable, Recoding
    from shoal.hierarchies import Hierarchy, Recipe
    from shoal.options import Job
    from shoal.table import Schema
    from shoal.verifier import Verdict

    Hierarchies = Mapping[str, Hierarchy | Recipe | str | Path]


def run_job(  # noqa: C901, PLR0912, PLR0915 (all stages meet here)
    source: pl.DataFrame,
    job: Job,
    *,
    stages: Stages | None = None,
    caller: CallerFrame | None = None,
    source_sha256: str | None = None,
) -> Release[Any]:
    """Return the verified release that a job describes; see :func:`shoal.anonymize`.

    Parameters
    ----------
    stages
        What watches the run, and the seconds that reading the source took.
    caller
        The frame that the source was made from; the release has its type.
    source_sha256
        Checksum of the file that the source was read from.
    """
    if job.engine != "local":
        raise ParameterError(
            f"{option('engine', job.engine)} takes a table from where it is stored, but this one "
            f"is in memory already.",
            remedy="Leave `engine` out, or give `shoal.anonymize_files` the files.",
        )
    stages = stages or Stages()
    require_same_columns(source, job)
    original = source
    if job.top or job.bottom:
        source = with_codes(source, job)
    is_contest = wants_contest(job)
    obstacle = obstacle_to_contest(job, source) if is_contest else None
    job, chosen = choose(job)
    require_small_lattice(source, job, chosen)
    whole = split_models(job.models)[1] if job.models else []
    population = None
    if whole:
        # Imported here, as below: such conditions are rare.
        from shoal.pipeline.population import read_population
        from shoal.pipeline.whole_release import Conditions

        population = read_population(job)
    job = _with_automatic_hierarchies(source, job, chosen)
    with stages.stage("encode"):
        schema = schema_of(source, job)
        target_name(schema, job)
        _aggregates(schema, job)
        job = pinned(job, original, schema)
        if job.utility:
            # Imported here, as below: analyses are rare.
            from shoal.pipeline.utility import require_target

            require_target(schema, job)
        if job.keep_marginals:
            from shoal.analysis.marginals import read_marginals

            read_marginals(job.keep_marginals, schema)
        table = Table.of(source, schema)
        distinct = None if table.withheld else table.distinct
        odd = tuple(all_oddities(source, schema.quasi, schema.untouched, distinct))
    with stages.stage("examine"):
        exposure = examine_table(table, job)
        about_quasi = notes_on_quasi_identifiers(table.frame, schema, distinct=table.distinct)
    with stages.stage("encode"):
        encoded = encode(table)
        run = _run(job)
        problem, about_models = _problem(table, encoded, job, run, original)
    run.note(*table.notes, *about_quasi, *about_models)
    run = run.within(run.budget.from_now())  # the budget of time is for solving
    solution: Solution | None = None
    candidates: tuple[Any, ...] = ()
    if obstacle is not None:
        run.note(
            f"Releases were not compared by how well they predict {job.target!r}, because "
            f"{obstacle}: {job.measure} is minimized."
        )
    if is_contest and obstacle is None:
        # Imported here, as above: few tables are made for a target.
        from shoal.pipeline.target_contest import note_on_candidates, solve_for_target

        def problem_of(candidate: Job) -> Problem:
            return _problem(table, encoded, candidate, run, original)[0]

        with stages.stage("solve"):
            winner = solve_for_target(job, table, encoded, problem_of, run, stages)
        job, chosen, problem = winner.job, winner.chosen, winner.problem
        solution, candidates = winner.solution, winner.candidates
        run.note(note_on_candidates(winner, str(job.target)))
    elif job.keep_marginals:
        from shoal.pipeline.marginal_contest import notes_on_marginals, solve_for_marginals

        with stages.stage("solve"):
            solution, candidates = solve_for_marginals(
                job, table, encoded, chosen, problem, run, stages
            )
        run.note(*notes_on_marginals(candidates))
    run.note(*advice(job, chosen, encoded))
    run = with_default_budget(chosen, problem, run)
    with stages.stage("solve"):
        if whole:
            from shoal.pipeline.whole_release import solve_under

            conditions = Conditions(
                tuple(whole), encoded, schema, population, job.sampling_fraction
            )
            solution = solve_under(conditions, chosen, problem, run, stages, k=job.k)
        elif solution is None:
            solution = solve(chosen, problem, run, stages, keep=True)
    if stages.solved is not None:
        stages.solved(problem, solution)
    proved = _lower_bound(problem, solution, job, stages)
    with stages.stage("recode"):
        rng = np.random.default_rng([run.seed, 1])
        recoding = solution.recode(problem, rng)
        job = with_guarantee(job, str(solution.guarantee))
        if recoding.suppressed or table.withheld:
            # Imported here, as below: it may rebuild hierarchies.
            from shoal.pipeline.withheld_values import pinned_hierarchies, without_withheld

            trees = pinned_hierarchies(table, encoded, recoding, job)
            job = job.model_copy(update={"hierarchy": {**job.hierarchy, **trees}})
            before = encoded
            if trees:
                schema = schema_of(source, job)
                table = Table.of(source, schema)
                encoded = encode(table)
            recoding = without_withheld(recoding, before, encoded)
        records, about_suppressed = records_to_release(recoding, problem, encoded.domains, job)
        about_target = None
        if job.target is not None and in_classes(job):
            # Imported here, as above.
            from shoal.pipeline.revealed_target import note_on_revealed_target

            about_target = note_on_revealed_target(recoding, table.frame[job.target])
        about_target = about_target or advice_on_pmi(job)
        if about_target is not None:
            run.note(about_target)
        records = records if job.keep_order else rng.permutation(records)
        aggregates = _aggregates(schema, job)
        generalized = decode_columns(
            recoding, encoded.domains, records, job.notation, aggregates, encoded.codes
        )
        released = _assemble(table, generalized, records)
    rows = table.rows[records]
    matches = None
    if recoding.matches is not None:
        # Suppressed records match nobody; -1 stays -1.
        matches = np.append(table.rows, -1)[recoding.matches[records]]
    with stages.stage("examine"):
        exposure = examine_recoding(exposure, table, recoding, records, job)
    run.note(*exposure.notes())
    with stages.stage("verify"):
        verdict = _verify(original, released, schema, job, rows, matches, aggregates, population)
        verdict = with_exposure(verdict, exposure)
    utility, marginals = None, {}
    if job.utility or job.keep_marginals:
        from shoal.analysis import Settings, Shown
        from shoal.pipeline.marginals import marginal_distances

        shown = Shown.recoded(encoded.domains, recoding).take(records)
        marginals = marginal_distances(table, encoded.codes, shown, released, job)
    if job.utility:
        from shoal.pipeline.utility import study_release

        settings = Settings(threads=job.threads or 1)
        with stages.stage("utility"):
            utility = study_release(
                table, encoded.codes, shown, released, job, settings, stages, records=records
            )
    with stages.stage("measure"):
        many = columns_in_many_categories(encoded.domains)
        if many:
            # Imported here: few tables have such columns.
            from shoal.pipeline.hierarchy_trial import hierarchy_notes

            run.note(*hierarchy_notes(table, many, job.k))
        exact = _beside_original(table, encoded, recoding, job)
        figures = Figures(
            measure=job.measure,
            optimal=solution.optimal,
            lower_bound=best_bound(solution.lower_bound, proved),
            **measured(exact, job),
            steps=run.control.steps,
            trace=tuple(asdict(step) for step in run.trace),
            search=tuple(stages.search),
            utility=utility,
            exposure=exposure.to_dict(),
            candidates=tuple(map(asdict, candidates)),
            marginals=marginals,
            detail=details(exact, aggregates),
        )
    figures = replace(figures, seconds=dict(stages.seconds))
    facts = facts_of(
        job,
        chosen=chosen,
        solution=solution,
        exact=exact,
        run=run,
        verdict=verdict,
        exposure=exposure.shown(),
        aggregated=aggregates,
    )
    frame = released
    if caller is not None:
        names = [series.name for columns in generalized.values() for series in columns]
        frame = caller.give_back(released.select(names), rows, schema.untouched, released.columns)
    coded = notes_on_codes(original, job) if job.top or job.bottom else []
    notes = (*odd, *coded, *run.notes, *about_suppressed)
    custody = Custody(rows, run.seed, matches, notes, figures, source_sha256)
    return Release(frame, facts, verdict, released, custody, job, source, schema)


def _aggregates(schema: Schema, job: Job) -> dict[str, Aggregate]:
    """Return the columns that show a statistic of their class, if the job requests any."""
    wanted = bool(job.aggregate) or job.notation == "midpoint"
    return aggregates_of(schema, job) if wanted else {}


def _with_automatic_hierarchies(source: pl.DataFrame, job: Job, chosen: Algorithm) -> Job:
    """Return the job with automatic hierarchies for columns that need one and have none."""
    lacking = columns_without_levels(source, job, chosen)
    if job.form == "hierarchy":
        plain = schema_of(source, job).quasi
        lacking = [one.name for one in plain if one.kind is Kind.CATEGORICAL]
    trees = {**job.hierarchy, **dict.fromkeys(lacking, "auto")}
    return job.model_copy(update={"hierarchy": trees})


def _verify(  # noqa: PLR0917 (two tables, and what links them)
    source: pl.DataFrame,
    released: pl.DataFrame,
    schema: Schema,
    job: Job,
    rows: NDArray[np.int64],
    matches: NDArray[np.int64] | None,
    aggregates: Mapping[str, str],
    population: pl.DataFrame | None,
) -> Verdict:
    """Return the verdict on a release, or raise if it failed."""
    verdict = verify_tables(
        source,
        released,
        schema,
        job.k,
        models=job.models,
        suppression=job.suppression,
        witness=rows,
        form=job.guarantee,
        matches=matches,
        notation=job.notation,
        aggregates=aggregates,
        population=population,
        sampling_fraction=job.sampling_fraction,
    )
    if not verdict.passed:
        raise VerificationError(
            f"The verifier rejected the release, so nothing was written:\n{verdict}",
            remedy="This is a bug in Shoal; please report it with the job file.",
        )
    return verdict


def _beside_original(table: Table, encoded: EncodedTable, recoding: Recoding, job: Job) -> Released:
    """Return the release beside its original, as exact measures need it."""
    target = None
    name = target_name(table.schema, job)
    if name is not None:
        codes, _ = encode_values(table.frame[name])
        target = TargetColumn(name, codes, codes)
    return Released(
        encoded.domains,
        encoded.weights,
        encoded.codes,
        recoding,
        encoded.n,
        job.k,
        target,
        in_classes(job),
    )


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
        round_to=job.round_to,
        min_level=job.min_level,
        max_level=job.max_level,
        weight=job.weight,
        value_range=job.value_range,
        order=job.order,
        date_format=job.date_format,
        suppress_only=job.suppress_only,
        set_loss=job.set_loss,
        hierarchy_loss=job.hierarchy_loss,
        missing=job.missing,
        person=job.person,
        personal_k=job.personal_k,
        top=job.top,
        bottom=job.bottom,
    )


def _lower_bound(problem: Problem, solution: Solution, job: Job, stages: Stages) -> float | None:
    """Return the bound that the job requests; it does not depend on the seed of the release."""
    if job.bound_seconds is None:
        return None
    # Imported here: bounds are rare.
    from shoal.algorithms.lower_bound import find_lower_bound

    threads = threads_or_cores(job.threads)
    run = Run(seed=0, threads=threads, budget=Budget(seconds=job.bound_seconds))
    with stages.stage("bound"):
        found = watched("bound", lambda: find_lower_bound(problem, solution, run), run, stages)
    return found.loss


def _problem(
    table: Table, encoded: EncodedTable, job: Job, run: Run, original: pl.DataFrame
) -> tuple[Problem, list[str]]:
    """Return the problem, and what the user should know about its models."""
    of_classes, whole = split_models(job.models)
    protections = []
    if of_classes:
        # Imported here, as below: few jobs have models, and few tables several records of a person.
        from shoal.models import protect

        protections = [protect(one, table) for one in parse_models(of_classes, job.sensitive)]
    if job.person is not None:
        from shoal.models import DistinctPersons, Protection

        assert table.persons is not None
        protections.append(Protection(DistinctPersons(job.person, job.k), table.persons))
    if job.personal_k:
        from shoal.models import protect_personal_k

        protections.append(protect_personal_k(original, table.rows, job.personal_k, job.k))
    problem = Problem.of(
        encoded,
        # The table as it is, with k = 1, is no problem to be solved.
        max(job.k, 2) if whole else job.k,
        models=tuple(one.model for one in protections),
        protected=tuple(one.codes for one in protections),
        suppression=job.suppression,
        suppress_for=job.suppress_for,
        measure=job.measure,
        target=_target_codes(table, job),
        rng=np.random.default_rng([run.seed, 2]),
    )
    return problem, list(dict.fromkeys(note for one in protections for note in one.notes))


def _target_codes(table: Table, job: Job) -> NDArray[np.unsignedinteger] | None:
    name = target_name(table.schema, job)
    return None if name is None else encode_values(table.frame[name])[0]


def _run(job: Job) -> Run:
    threads = threads_or_cores(job.threads)
    run = Run(threads=threads, budget=Budget(seconds=job.time, steps=job.steps))
    if job.seed is None:
        return run
    run.note("The seed was given: whoever learns it can undo the shuffling. Keep it secret.")
    return replace(run, seed=job.seed)


def _assemble(
    table: Table, generalized: Mapping[str, list[pl.Series]], records: NDArray[np.int64]
) -> pl.DataFrame:
    columns: list[pl.Series] = []
    for name in table.frame.columns:
        if name in generalized:
            columns += generalized[name]
        else:
            columns.append(drop_unreferenced_values(table.frame[name].gather(records)))
    names = [column.name for column in columns]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise SchemaError(
            f"The notation needs a column {min(twice)!r}, but the table has one already.",
            remedy="Rename it, or use `notation='text'` without `aggregate`.",
        )
    return pl.DataFrame(columns)
