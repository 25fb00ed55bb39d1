"""A release on Spark, from a frame to a frame: the only place where its stages meet."""

from __future__ import annotations

import secrets
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from pyspark.sql import functions as F  # noqa: N812 (as in every Spark program)
from pyspark.sql.types import (
    BooleanType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from shoal.engines.codebook import Codebook, counted_columns
from shoal.engines.cutting import cell_target, grow_tree, join_for_models
from shoal.engines.exposed_units import RELEASED, examine_units
from shoal.engines.outcome import CellwiseRelease, Solved, facts_of, figures_of
from shoal.engines.solving import ROW, Plan
from shoal.engines.spark import work
from shoal.engines.spark.counting import CodesOnSpark, count_cells, encoded
from shoal.engines.spark.errors import let_go, told_plainly
from shoal.engines.spark.session import require_package
from shoal.engines.spark.source import (
    cell,
    collected,
    is_complete,
    needed_columns,
    number_records,
    require_one_number_each,
    types_of,
)
from shoal.engines.spark.verification import verify_on_spark
from shoal.engines.suppressed import fault_of_starred
from shoal.errors import InputError, ParameterError, VerificationError
from shoal.exposure import Exposure, examine_columns
from shoal.pipeline.progress import Progress, Stages
from shoal.pipeline.unchanged import with_exposure

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    from pyspark.sql import DataFrame

    from shoal.engines.cut_tree import CutTree
    from shoal.options import Job
    from shoal.pipeline.run import Hierarchies

_SAMPLED = 200_000
_SEED = 1  # the figures tell nothing about the secret seed of a release
_PARTITIONS = 1 << 13


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
    if job.notation != "text":
        raise ParameterError(
            f"`notation='{job.notation}'` is not written on Spark.",
            remedy="Leave `notation` out, or choose `engine='disk'`.",
        )
    require_package(frame.sparkSession)
    seed = secrets.randbits(128) if job.seed is None else job.seed
    with told_plainly(), ExitStack() as held:
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
                told = _told(solved)
            return _finish(source, types, solved, plan, told, stages)
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
                "No record is left: the table is empty, or every record misses a quasi-identifier.",
                remedy="Give records, or keep these with `missing='value'`.",
            )
        codebook = Codebook.of(types, dictionaries, job, hierarchy)
    with stages.stage("examine"):
        _examine_source(kept, codebook)
    with stages.stage("cut"):
        job = codebook.job
        codes = encoded(kept, codebook).persist()
        try:
            tree = _grow(CodesOnSpark(codes, codebook), codebook, stages)
        finally:
            let_go(codes.unpersist)
    return Plan(codebook, tree, seed)


def _grow(counts: CodesOnSpark, codebook: Codebook, stages: Stages) -> CutTree:
    job = codebook.job
    target = cell_target(job.cell_records, job.k)
    levels = max(1.0, np.log2(max(codebook.n / target, 2)) + 1)
    done = 0

    def tell(_: CutTree) -> None:
        nonlocal done
        done += 1
        stages.tell(Progress("cut", min(done / levels, 1.0)))

    tree = grow_tree(
        counts,
        codebook.domains,
        codebook.weights,
        n=codebook.n,
        k=job.k,
        target=target,
        tell=tell,
    )
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
    made = StructType(
        [
            *(
                StructField(
                    name, StringType() if name in codebook.schema.quasi_names else types[name]
                )
                for name in codebook.released_order
            ),
            StructField(ROW, LongType()),
            StructField(work.UNIT, IntegerType()),
            StructField(work.STARRED, BooleanType()),
            StructField(work.SUPPRESSED, BooleanType()),
            StructField(work.KEY, LongType()),
            StructField(work.TOLD, StringType()),
        ]
    )
    # Told outright, for Spark would put small partitions together, and solving takes long.
    partitions = min(2 * len(plan.tree.units), _PARTITIONS)
    records = kept.mapInArrow(work.find_units(plan), given).repartition(partitions, work.UNIT)
    return records.groupBy(work.UNIT).applyInArrow(work.solve_units(plan), made)


def _told(solved: DataFrame) -> list[Solved]:
    """Return what is known of each unit; this solves them all."""
    rows = solved.where(F.col(work.TOLD).isNotNull()).select(work.TOLD).collect()
    return sorted((Solved.from_json(row[0]) for row in rows), key=lambda one: one.unit)


def _finish(  # noqa: PLR0917 (all that a run came to)
    source: DataFrame,
    types: dict[str, pl.DataType],
    solved: DataFrame,
    plan: Plan,
    told: Sequence[Solved],
    stages: Stages,
) -> SparkRelease:
    """Verify, and put together what came of the run."""
    codebook = plan.codebook
    job = codebook.job
    suppressed = sum(one.suppressed for one in told)
    with stages.stage("examine"):
        exposure, sampled = _examine_sample(source, solved, plan)
    fault = _fault_of_starred(solved, codebook) if suppressed else None
    shown = solved if fault is None else solved.where(~F.col(work.SUPPRESSED))
    columns = [cell(name) for name in codebook.released_order]
    with stages.stage("verify"):
        verdict = verify_on_spark(
            source, types, shown.select(*columns, ROW), schema=codebook.schema, job=job
        )
        if not verdict.passed:
            raise VerificationError(
                f"The verifier refused the release, so there is none:\n{verdict}",
                remedy="This is a bug in Shoal; please report it with the job file.",
            )
        verdict = with_exposure(verdict, exposure)
    notes = [*codebook.notes, *exposure.notes()]
    if fault is not None and job.suppressed == "star":
        notes.append(f"{suppressed:,} suppressed records are withheld, not starred: {fault}")
    if exposure.columns and sampled < verdict.released:
        notes.append(f"Unchanged columns were examined in a sample of {sampled:,} records.")
    figures = figures_of(plan, told, exposure)
    shuffled = shown.orderBy(work.KEY, ROW)
    return SparkRelease(
        frame=shuffled.select(*columns),
        facts=facts_of(plan, told, verdict, exposure, figures, stages, None),
        verdict=verdict,
        figures=figures,
        job=job,
        cells=len(plan.tree.cells),
        notes=tuple(notes),
        rows=shuffled.select(ROW),
        seed=plan.seed,
    )


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
    cells = solved.where(F.col(work.UNIT).isin(chosen)).select(
        ROW, *(cell(name).alias(f"__shoal_cell_{n}") for n, name in enumerate(schema.quasi_names))
    )
    sample = collected(source.join(cells, on=ROW, how="inner")).rename(
        {f"__shoal_cell_{n}": RELEASED + name for n, name in enumerate(schema.quasi_names)}
    )
    return examine_units(sample, schema, codebook.job), sample.height
