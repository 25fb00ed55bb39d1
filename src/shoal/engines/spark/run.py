"""A release on Spark, from a frame to a frame: the only place where its stages meet."""

from __future__ import annotations

import secrets
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from pyspark.sql import functions as F  # noqa: N812 (as in every Spark program)
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    DoubleType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from shoal.encoding import released_types
from shoal.engines.ability import choose_for_cells
from shoal.engines.codebook import Codebook, counted_columns
from shoal.engines.cutting import cell_target, grow_tree, join_for_models, levels_done
from shoal.engines.exposed_units import RELEASED, examine_units
from shoal.engines.notations import columns_of, fractional_bounds
from shoal.engines.outcome import CellwiseRelease, Solved, facts_of, figures_of
from shoal.engines.sampled_cuts import grow_from_sample, recounted
from shoal.engines.solving import ROW, Plan
from shoal.engines.spark import work
from shoal.engines.spark.counting import CodesOnSpark, count_cells, encoded
from shoal.engines.spark.errors import let_go, spark_errors_as_shoal_errors
from shoal.engines.spark.session import require_package
from shoal.engines.spark.source import (
    cell,
    collected,
    is_complete,
    needed_columns,
    number_records,
    require_one_number_each,
    sampled_records,
    types_of,
)
from shoal.engines.spark.verification import verify_on_spark
from shoal.engines.suppressed import fault_of_starred
from shoal.errors import InputError, VerificationError
from shoal.exposure import Exposure, examine_columns
from shoal.pipeline.progress import Progress, Stages
from shoal.pipeline.unchanged import with_exposure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame

    from shoal.engines.cut_tree import CutTree
    from shoal.options import Job
    from shoal.pipeline.run import Hierarchies

_SAMPLED = 200_000
_SEED = 1  # the figures tell nothing about the secret seed of a release
_PARTITIONS = 1 << 13
# CPU seconds that solving a record takes, about, of a table with eight quasi-identifiers.
SECONDS_PER_RECORD = 3e-5
_SPARK_TYPES: dict[pl.DataType, DataType] = {
    pl.String(): StringType(),
    pl.Int64(): LongType(),
    pl.Float64(): DoubleType(),
    pl.List(pl.String): ArrayType(StringType()),
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SparkRelease(CellwiseRelease):
    """A verified release on Spark.

    Parameters
    ----------
    frame
        The released records, in random order.
    rows
        The row numbers of the originals, in the order of ``frame``: not to be published. They mean
        something to others only where a column of row numbers was named.
    """

    frame: DataFrame
    rows: DataFrame = field(repr=False)


def release_on_spark(
    frame: DataFrame,
    job: Job,
    *,
    hierarchy: Hierarchies | None = None,
    stages: Stages | None = None,
    row: str | None = None,
) -> SparkRelease:
    """Return the verified release of a frame.

    Parameters
    ----------
    frame
        The table, on Spark.
    job, hierarchy
        As for :func:`shoal.anonymize`.
    stages
        What watches the run.
    row
        A column of different whole numbers that numbers the records.

    Raises
    ------
    InputError
        If the frame, the options or the cluster cannot be used.
    InfeasibleError
        If no release can meet the goal, or a cell cannot be cut.
    VerificationError
        If the verifier refuses the release; that is a bug, and no frame comes back.
    """
    stages = stages or Stages()
    choose_for_cells(job)  # refused before the work, not after the counting
    workers = require_package(frame.sparkSession)
    seed = secrets.randbits(128) if job.seed is None else job.seed
    with spark_errors_as_shoal_errors(), ExitStack() as held:
        with stages.stage("read"):
            types = types_of(frame)
            source = number_records(frame, needed_columns(frame, job), seed=seed, row=row)
            source = source.persist()
            held.callback(let_go, source.unpersist)
            if row is not None:
                require_one_number_each(source, row)
        quasi = [name for name in job.quasi if name in types]
        kept = source.where(is_complete(source, quasi)) if job.missing == "drop" else source
        plan = _plan(kept, types, job, hierarchy, seed, stages)
        solved = _solve(kept, plan).persist()
        try:
            with stages.stage("solve"):
                # Spark reports nothing about its tasks to a program behind Spark Connect.
                seconds = SECONDS_PER_RECORD * plan.codebook.n / workers
                stages.report(Progress("solve", 0.0, expected=seconds))
                units = _solved_units(solved)
            return _finish(source, types, solved, plan, units, stages)
        except BaseException:
            let_go(solved.unpersist)
            raise


def _plan(  # noqa: PLR0917 (all that a plan follows from)
    kept: DataFrame,
    types: dict[str, pl.DataType],
    job: Job,
    hierarchy: Hierarchies | None,
    seed: int,
    stages: Stages,
) -> Plan:
    """Count, and grow the tree on the driver."""
    with stages.stage("encode"):
        names = [name for name in counted_columns(job) if name in types]
        dictionaries = count_cells(kept, names, types)
        if any(not len(one.cells) for one in dictionaries.values()):
            raise InputError(
                "No record is left: the table is empty, or every record lacks a quasi-identifier.",
                remedy="Give records, or keep these with `missing='value'`.",
            )
        codebook = Codebook.of(types, dictionaries, job, hierarchy)
    with stages.stage("examine"):
        _examine_source(kept, codebook)
    with stages.stage("cut"):
        codes = encoded(kept, codebook).persist()
        sample = None
        if codebook.job.cut_sample is not None and codebook.job.cut_sample < codebook.n:
            share = codebook.job.cut_sample / codebook.n
            sample = encoded(sampled_records(kept, share, seed), codebook).persist()
        try:
            tree = _grow(codes, sample, codebook, stages)
        finally:
            let_go(codes.unpersist)
            if sample is not None:
                let_go(sample.unpersist)
    return Plan(codebook, tree, seed)


def _grow(
    codes: DataFrame, sample: DataFrame | None, codebook: Codebook, stages: Stages
) -> CutTree:
    """Return the cut tree, from exact counts or from those of a sample."""
    job = codebook.job
    target = cell_target(job.cell_records, job.k)
    counts = CodesOnSpark(codes, codebook)

    def report(grown: CutTree) -> None:
        stages.report(Progress("cut", levels_done(grown, target)))

    if sample is None:
        tree = grow_tree(
            counts,
            codebook.domains,
            codebook.weights,
            n=codebook.n,
            k=job.k,
            target=target,
            report=report,
        )
    else:
        tree = grow_from_sample(
            CodesOnSpark(sample, codebook),
            codebook.domains,
            codebook.weights,
            sampled=sample.count(),
            n=codebook.n,
            k=job.k,
            target=target,
            report=report,
        )
        tree = recounted(tree, counts.cell_sizes(tree), k=job.k, target=target)
    if codebook.models:
        held = counts.model_histograms(tree)
        tree = join_for_models(tree, codebook.models, held, target=target)
    return tree


def _solve(kept: DataFrame, plan: Plan) -> DataFrame:
    """Return the released records of all units, which Spark has yet to make."""
    types = {field.name: field.dataType for field in kept.schema.fields}
    codebook = plan.codebook
    given = StructType(
        [
            *(StructField(name, types[name]) for name in codebook.kept_columns),
            StructField(ROW, LongType()),
            StructField(work.UNIT, IntegerType()),
        ]
    )
    shown = {
        domain.attribute.name: released_types(domain, codebook.job.notation)
        for domain in codebook.domains
    }
    made = StructType(
        [
            *(
                StructField(one, kind)
                for name in codebook.released_order
                for one, kind in (
                    {one: _SPARK_TYPES[kind] for one, kind in shown[name].items()}
                    if name in shown
                    else {name: types[name]}
                ).items()
            ),
            StructField(ROW, LongType()),
            StructField(work.UNIT, IntegerType()),
            StructField(work.STARRED, BooleanType()),
            StructField(work.SUPPRESSED, BooleanType()),
            StructField(work.KEY, LongType()),
            StructField(work.SUMMARY, StringType()),
        ]
    )
    # Set outright, for Spark would put small partitions together, and solving takes long.
    partitions = min(2 * len(plan.tree.units), _PARTITIONS)
    records = kept.mapInArrow(work.find_units(plan), given).repartition(partitions, work.UNIT)
    return records.groupBy(work.UNIT).applyInArrow(work.solve_units(plan), made)


def _solved_units(solved: DataFrame) -> list[Solved]:
    """Return what is known of each unit; this solves them all."""
    rows = solved.where(F.col(work.SUMMARY).isNotNull()).select(work.SUMMARY).collect()
    return sorted((Solved.from_json(row[0]) for row in rows), key=lambda one: one.unit)


def _finish(  # noqa: PLR0917 (all that a run came to)
    source: DataFrame,
    types: dict[str, pl.DataType],
    solved: DataFrame,
    plan: Plan,
    units: Sequence[Solved],
    stages: Stages,
) -> SparkRelease:
    """Verify, and put together what came of the run."""
    codebook = plan.codebook
    job = codebook.job
    suppressed = sum(one.suppressed for one in units)
    with stages.stage("examine"):
        exposure, sampled = _examine_sample(source, solved, plan)
    fault = _fault_of_starred(solved, codebook) if suppressed else None
    shown = solved if fault is None else solved.where(~F.col(work.SUPPRESSED))
    shown_as = columns_of(codebook.schema.quasi, job.notation)
    columns = [cell(one) for name in codebook.released_order for one in shown_as.get(name, [name])]
    shown = _with_whole_bounds(shown, codebook)
    with stages.stage("verify"):
        verdict = verify_on_spark(
            source, types, shown.select(*columns, ROW), schema=codebook.schema, job=job
        )
        if not verdict.passed:
            raise VerificationError(
                f"The verifier rejected the release, so there is none:\n{verdict}",
                remedy="This is a bug in Shoal; please report it with the job file.",
            )
        verdict = with_exposure(verdict, exposure)
    notes = [*codebook.notes, *exposure.notes()]
    if fault is not None and job.suppressed == "star":
        notes.append(f"{suppressed:,} suppressed records are withheld, not starred: {fault}")
    if exposure.columns and sampled < verdict.released:
        notes.append(f"Unchanged columns were examined in a sample of {sampled:,} records.")
    figures = figures_of(plan, units, exposure, stages)
    shuffled = shown.orderBy(work.KEY, ROW)
    return SparkRelease(
        frame=shuffled.select(*columns),
        facts=facts_of(plan, units, verdict, exposure, figures, None),
        verdict=verdict,
        figures=figures,
        job=job,
        cells=len(plan.tree.cells),
        notes=tuple(notes),
        rows=shuffled.select(ROW),
        seed=plan.seed,
    )


def _with_whole_bounds(shown: DataFrame, codebook: Codebook) -> DataFrame:
    """Return bounds as whole numbers if they are in all released records, though not in others."""
    types = {one.name: one.dataType for one in shown.schema.fields}
    quasi, notation = codebook.schema.quasi, codebook.job.notation
    for names in fractional_bounds(quasi, notation, types, DoubleType()):
        fractions = F.lit(False)
        for name in names:
            number = cell(name)
            here = (number != F.round(number)) | (F.abs(number) >= F.lit(2.0**53))
            fractions |= F.coalesce(here, F.lit(False))
        if shown.where(fractions).isEmpty():
            for name in names:
                shown = shown.withColumn(name, cell(name).cast(LongType()))
    return shown


def _fault_of_starred(solved: DataFrame, codebook: Codebook) -> str | None:
    """Return why suppressed records must be withheld; nothing if they may be starred."""
    starred = solved.where(work.STARRED)
    return fault_of_starred(
        codebook,
        starred.count,
        lambda name: collected(
            starred.groupBy(cell(name).alias("cell")).agg(F.count(F.lit(1)).alias("n"))
        ),
    )


def _examine_source(kept: DataFrame, codebook: Codebook) -> None:
    """Refuse unchanged columns that give people away by themselves, by a sample."""
    names = codebook.schema.untouched
    if names:
        sample = collected(kept.select(*(cell(name) for name in names)).limit(_SAMPLED))
        examine_columns(sample, codebook.schema, codebook.job.accept).require_none_refused()


def _examine_sample(source: DataFrame, solved: DataFrame, plan: Plan) -> tuple[Exposure, int]:
    """Return what unchanged columns undo of whole units, and how many records those hold."""
    codebook, tree = plan.codebook, plan.tree
    schema = codebook.schema
    if not schema.untouched:
        return Exposure(()), 0
    chosen: list[int] = []
    size = 0
    for unit in np.random.default_rng(_SEED).permutation(len(tree.units)).tolist():
        chosen.append(unit)
        size += tree.records_of_unit(unit)
        if size >= _SAMPLED:
            break
    shown_as = columns_of(schema.quasi, codebook.job.notation)
    released = [name for names in shown_as.values() for name in names]
    cells = solved.where(F.col(work.UNIT).isin(chosen)).select(
        ROW, *(cell(name).alias(f"__shoal_cell_{n}") for n, name in enumerate(released))
    )
    sample = collected(source.join(cells, on=ROW, how="inner")).rename(
        {f"__shoal_cell_{n}": RELEASED + name for n, name in enumerate(released)}
    )
    return examine_units(sample, schema, codebook.job), sample.height
