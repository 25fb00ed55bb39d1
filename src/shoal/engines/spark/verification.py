"""Counts for the verdict on a release, made by Spark.

It reads the numbered source and the release with its row map, and nothing of the cells, codes or
classes that the release was made with. Distinct pairs and classes are judged where they are
counted; only sums reach the driver.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from pyspark.sql import functions as F  # noqa: N812 (as in every Spark program)
from pyspark.sql.types import ArrayType

from shoal.engines.notations import columns_of, silent_cell
from shoal.engines.solving import ROW
from shoal.engines.spark.errors import let_go
from shoal.engines.spark.source import cell, collected, is_complete
from shoal.engines.spark.work import batches_of, frames
from shoal.table.schema import MissingPolicy
from shoal.verifier.by_parts import ClaimTally, PairTally, Tally
from shoal.verifier.models import read_claims

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pyspark.sql import Column, DataFrame

    from shoal.options import Job
    from shoal.table.schema import Attribute, Schema
    from shoal.verifier import Verdict
    from shoal.verifier.models import Claim

_HOW = "Spark"
_ORIGINAL = "__shoal_original_"
_PAIRS = "place int, records long, unreadable long, uncovered long"
_JUDGED = "classes long, broken long, weakest double"


def verify_on_spark(
    source: DataFrame,
    types: Mapping[str, pl.DataType],
    release: DataFrame,
    *,
    schema: Schema,
    job: Job,
) -> Verdict:
    """Return the verdict on a release.

    Parameters
    ----------
    source, types
        The source with row numbers, and the types of its columns.
    release
        The release, with the row number of each record's original.
    schema, job
        What the release is held to.
    """
    shown = columns_of(schema.quasi, job.notation)
    released = [name for names in shown.values() for name in names]
    held = [name for name in release.columns if name != ROW]
    tally = Tally(schema, job.k, job.models, job.suppression, held, [*released, *schema.untouched])
    if not set(tally.expected) <= set(held):
        return tally.verdict(_HOW)
    drops = schema.missing is MissingPolicy.DROP
    complete = is_complete(source, schema.quasi_names) if drops else F.lit(True)
    counted = source.agg(
        F.count(F.lit(1)).alias("all"), F.count_if(~complete).alias("aside")
    ).collect()[0]
    tally.originals, tally.set_aside = counted["all"], counted["aside"]
    tallied = release.agg(F.count(F.lit(1)), F.count_distinct(F.col(ROW))).collect()[0]
    tally.released, tally.distinct = tallied[0], tallied[1]
    kept = source.where(complete)
    beside = _beside(kept, release, schema).persist()
    try:
        _count_matches(tally, beside, schema)
        _count_classes(tally, beside, schema, job.notation)
        _count_pairs(tally, beside, schema, job.notation)
        _judge_models(tally, kept, types, release, released)
    finally:
        let_go(beside.unpersist)
    return tally.verdict(_HOW)


def _beside(kept: DataFrame, release: DataFrame, schema: Schema) -> DataFrame:
    """Return released records beside the originals that the row map names."""
    names = [*schema.quasi_names, *schema.untouched]
    if schema.person is not None:
        names.append(schema.person)
    originals = kept.select(ROW, *(cell(name).alias(_ORIGINAL + name) for name in names))
    return release.join(originals, on=ROW, how="inner")


def _count_matches(tally: Tally, beside: DataFrame, schema: Schema) -> None:
    unchanged = schema.untouched
    differs = [
        F.count_if(~cell(name).eqNullSafe(cell(_ORIGINAL + name))).alias(f"differs_{place}")
        for place, name in enumerate(unchanged)
    ]
    counted = beside.agg(F.count(F.lit(1)).alias("matched"), *differs).collect()[0]
    tally.matched = counted["matched"]
    tally.changed = {name: counted[f"differs_{place}"] for place, name in enumerate(unchanged)}


def _count_classes(tally: Tally, beside: DataFrame, schema: Schema, notation: str) -> None:
    """Count classes of equal released cells, and the smallest in what k counts."""
    shown = columns_of(schema.quasi, notation)
    cells = [cell(name) for names in shown.values() for name in names]
    members: Column = F.count(F.lit(1))
    if schema.person is not None:
        person = cell(_ORIGINAL + schema.person)
        # Records without a person count as one, so that k is never overstated.
        members = F.count_distinct(person) + F.max(person.isNull().cast("int"))
    silent = reduce(
        lambda one, other: one & other,
        [
            cell(name).eqNullSafe(F.lit(silent_cell(one.kind, notation)))
            for one in schema.quasi
            for name in shown[one.name]
        ],
    )
    classes = beside.groupBy(*cells).agg(
        F.count(F.lit(1)).alias("records"), members.alias("members")
    )
    totals = classes.agg(
        F.count(F.lit(1)).alias("classes"),
        F.min("members").alias("smallest"),
        F.sum(F.when(silent, F.col("records"))).alias("starred"),
    ).collect()[0]
    tally.classes, tally.smallest = totals["classes"], totals["smallest"] or 0
    tally.starred = totals["starred"] or 0


def _count_pairs(tally: Tally, beside: DataFrame, schema: Schema, notation: str) -> None:
    """Look at every distinct pair of an original and a released cell, attribute by attribute."""
    shown = columns_of(schema.quasi, notation)
    parts = []
    for place, attribute in enumerate(schema.quasi):
        own = [cell(name).alias(f"cell_{n}") for n, name in enumerate(shown[attribute.name])]
        original = cell(_ORIGINAL + attribute.name).alias("original")
        pairs = beside.groupBy(original, *own).agg(F.count(F.lit(1)).alias("records"))
        look = _look_at_pairs(place, attribute, shown[attribute.name], notation)
        parts.append(pairs.mapInArrow(look, _PAIRS))
    summed = reduce(lambda one, other: one.unionByName(other), parts)
    sums = summed.groupBy("place").agg(
        F.sum("records").alias("records"),
        F.sum("unreadable").alias("unreadable"),
        F.sum("uncovered").alias("uncovered"),
    )
    found = {row["place"]: row for row in sums.collect()}
    tally.pairs = [
        PairTally(
            attribute,
            notation,
            found[place]["records"],
            found[place]["unreadable"],
            found[place]["uncovered"],
        )
        if place in found
        else PairTally(attribute, notation)
        for place, attribute in enumerate(schema.quasi)
    ]


def _look_at_pairs(
    place: int, attribute: Attribute, shown: Sequence[str], notation: str
) -> Callable[[Any], Iterator[Any]]:
    def look(batches: Any) -> Iterator[Any]:
        tally = PairTally(attribute, notation)
        for frame in frames(batches):
            tally.add(
                frame["original"].alias(attribute.name),
                frame.select(pl.col(f"cell_{n}").alias(name) for n, name in enumerate(shown)),
                frame["records"].to_numpy(),
            )
        counts = {
            "place": pl.Series([place], dtype=pl.Int32),
            "records": [tally.records],
            "unreadable": [tally.unreadable],
            "uncovered": [tally.uncovered],
        }
        yield from batches_of(pl.DataFrame(counts))

    return look


def _judge_models(
    tally: Tally,
    kept: DataFrame,
    types: Mapping[str, pl.DataType],
    release: DataFrame,
    released: Sequence[str],
) -> None:
    """Judge every class by the values it holds, each where it is counted."""
    judged = []
    schema = tally.schema
    for claim in read_claims(tally.models, schema):
        kind = types[claim.column]
        counted = collected(
            kept.groupBy(cell(claim.column).alias("cell")).agg(F.count(F.lit(1)).alias("records")),
            {"cell": kind},
        )
        values = (_as_value(counted).group_by("cell").agg(pl.col("records").sum())).sort(
            "cell", nulls_last=True
        )
        shown = [_as_text(release, name).alias(f"c{n}") for n, name in enumerate(released)]
        classes = [f"c{n}" for n in range(len(shown))]
        entries = (
            release.select(*shown, cell(claim.column).alias("cell"))
            .groupBy(*classes, "cell")
            .agg(F.count(F.lit(1)).alias("records"))
            .repartition(*classes)  # all of a class in one partition
        )
        found = entries.mapInArrow(_judge_classes(claim, values, schema, len(classes)), _JUDGED)
        totals = collected(found)
        whole = ClaimTally(claim, values["cell"], values["records"].to_numpy(), schema)
        whole.classes, whole.broken = int(totals["classes"].sum()), int(totals["broken"].sum())
        weakest = totals["weakest"].drop_nulls().to_list()
        if weakest:
            whole.weakest = max(weakest) if claim.judge.lower_is_better else min(weakest)
        judged.append(whole)
    tally.claims = judged


def _as_text(frame: DataFrame, name: str) -> Column:
    """Return a released column as texts that differ wherever its cells do."""
    listed = isinstance(frame.schema[name].dataType, ArrayType)
    return F.to_json(cell(name)) if listed else cell(name).cast("string")


def _as_value(entries: pl.DataFrame) -> pl.DataFrame:
    """Return entries in which an empty text and a missing cell are the same value."""
    if entries["cell"].dtype == pl.String:
        return entries.with_columns(pl.col("cell").replace("", None))
    return entries


def _judge_classes(
    claim: Claim, values: pl.DataFrame, schema: Schema, width: int
) -> Callable[[Any], Iterator[Any]]:
    places = values.with_row_index("place").select("cell", pl.col("place").cast(pl.Int64))

    def judge(batches: Any) -> Iterator[Any]:
        tally = ClaimTally(claim, values["cell"], values["records"].to_numpy(), schema)
        for frame in frames(batches, None):
            read = _as_value(frame.with_columns(pl.col("cell").cast(values["cell"].dtype)))
            placed = read.join(places, on="cell", how="left", nulls_equal=True)
            owner = placed.select(pl.struct(f"c{n}" for n in range(width)).rank("dense"))
            numbered = placed.with_columns(owner.to_series().cast(pl.Int64).alias("owner") - 1)
            ordered = numbered.sort("owner")
            tally.add(
                ordered["owner"].to_numpy(),
                ordered["place"].fill_null(tally.unknown).to_numpy(),
                ordered["records"].to_numpy(),
            )
        counts = pl.DataFrame(
            {
                "classes": np.array([tally.classes], dtype=np.int64),
                "broken": np.array([tally.broken], dtype=np.int64),
                "weakest": pl.Series([tally.weakest], dtype=pl.Float64),
            }
        )
        yield from batches_of(counts)

    return judge
