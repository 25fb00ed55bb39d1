"""Dictionaries and histograms, counted by Spark: only counts reach the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from pyspark.sql import functions as F  # noqa: N812 (as in every Spark program)
from pyspark.sql.types import IntegerType, LongType, StructField, StructType

from shoal.engines.codebook import Dictionary
from shoal.engines.cutting import Histogram, histogram_of_persons
from shoal.engines.spark import work
from shoal.engines.spark.source import cell, collected

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import DataFrame

    from shoal.engines.codebook import Codebook
    from shoal.engines.cut_tree import CutTree


def count_cells(
    source: DataFrame, names: Sequence[str], types: Mapping[str, pl.DataType]
) -> dict[str, Dictionary]:
    """Return the dictionaries of some columns."""
    found = {}
    for name in names:
        counted = collected(
            source.groupBy(cell(name).alias("cell")).agg(F.count(F.lit(1)).alias("count")),
            {"cell": types[name]},
        )
        found[name] = Dictionary.of(counted["cell"].alias(name), counted["count"].to_numpy())
    return found


def encoded(source: DataFrame, codebook: Codebook) -> DataFrame:
    """Return the codes of the records: all that cuts and models read."""
    held = {field.name: field.dataType for field in source.schema.fields}
    fields = [
        StructField(f"{work.CODE}{place}", IntegerType()) for place in range(len(codebook.domains))
    ]
    for place, (model, coding) in enumerate(
        zip(codebook.models, codebook.model_codings, strict=True)
    ):
        fields.append(
            StructField(work.PERSON, held[str(model.column)])
            if coding is None
            else StructField(f"{work.VALUE}{place}", IntegerType())
        )
    return source.mapInArrow(work.encode_records(codebook), StructType(fields))


class CodesOnSpark:
    """Histograms of codes: one pass over the codes for each level of cuts.

    Parameters
    ----------
    codes
        The codes of all records.
    codebook
        What they mean.
    """

    def __init__(self, codes: DataFrame, codebook: Codebook) -> None:
        self.codes = codes
        self.codebook = codebook
        self.attributes = len(codebook.domains)

    def histograms(self, tree: CutTree, cells: Sequence[str]) -> list[Histogram]:
        """Return for each attribute how many records of each of these cells hold each code."""
        names = [f"{work.CODE}{place}" for place in range(self.attributes)]
        return self._count(tree, cells, names)

    def cell_sizes(self, tree: CutTree) -> list[int]:
        """Return for each cell how many records it holds."""
        (counted,) = self._count(tree, tree.cells, [f"{work.CODE}0"])
        sizes = np.zeros(len(tree.cells), dtype=np.int64)
        np.add.at(sizes, counted.cell, counted.count)
        return sizes.tolist()

    def model_histograms(self, tree: CutTree) -> list[Histogram]:
        """Return for each model how many records of each cell hold each value that it reads."""
        places = [place for place, one in enumerate(self.codebook.model_codings) if one is not None]
        names = [f"{work.VALUE}{place}" for place in places]
        counted = dict(zip(places, self._count(tree, tree.cells, names), strict=True))
        return [
            counted[place] if place in counted else self._persons(tree)
            for place in range(len(self.codebook.models))
        ]

    def _count(self, tree: CutTree, cells: Sequence[str], names: Sequence[str]) -> list[Histogram]:
        own = [f"{work.CODE}{place}" for place in range(self.attributes)]
        read = self.codes.select(*own, *(name for name in names if name not in own))
        parts = read.mapInArrow(
            work.count_codes(tree, cells, self.attributes, names), work.HISTOGRAM
        )
        summed = parts.groupBy("attribute", "cell", "code").agg(F.sum("count").alias("count"))
        counted = collected(summed)
        found = []
        for number in range(len(names)):
            one = counted.filter(pl.col("attribute") == number)
            found.append(
                Histogram(one["cell"].to_numpy(), one["code"].to_numpy(), one["count"].to_numpy())
            )
        return found

    def _persons(self, tree: CutTree) -> Histogram:
        person = self.codes.schema[work.PERSON]
        schema = StructType([person, StructField("cell", LongType())])
        seen = self.codes.mapInArrow(
            work.find_cells_of_persons(tree, self.attributes), schema
        ).distinct()
        counted = collected(seen.groupBy("cell").agg(F.count(F.lit(1)).alias("count")))
        counts = np.zeros(len(tree.cells), dtype=np.int64)
        counts[counted["cell"].to_numpy()] = counted["count"].to_numpy()
        return histogram_of_persons(counts, self.codebook.job.k)
