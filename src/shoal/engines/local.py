"""The cut rule in memory: the reference that the other engines must equal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.engines.codebook import Codebook, Dictionary, counted_columns
from shoal.engines.counting import CodesInMemory
from shoal.engines.cutting import (
    Histogram,
    cell_target,
    grow_tree,
    histogram_of_persons,
    join_for_models,
)
from shoal.engines.solving import ROW, Plan, solve_unit
from shoal.table.cells import texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from shoal.engines.solving import SolvedUnit
    from shoal.options import Job
    from shoal.pipeline.run import Hierarchies


def plan_in_memory(
    source: pl.DataFrame, job: Job, *, seed: int, hierarchy: Hierarchies | None = None
) -> tuple[Plan, pl.DataFrame]:
    """Return the plan of a table, and the records that it is about, with their row numbers."""
    numbered = source.with_columns(pl.Series(ROW, np.arange(source.height, dtype=np.int64)))
    if job.missing == "drop":
        shown = [texts(source[name]).is_not_null() for name in job.quasi if name in source.columns]
        numbered = numbered.filter(pl.all_horizontal(shown)) if shown else numbered
    dictionaries = {
        name: Dictionary.count(numbered[name])
        for name in counted_columns(job)
        if name in source.columns
    }
    codebook = Codebook.of(dict(source.schema), dictionaries, job, hierarchy)
    codes = codebook.encode(numbered)
    job = codebook.job
    target = cell_target(job.cell_records, job.k)
    tree = grow_tree(
        CodesInMemory(codes),
        codebook.domains,
        codebook.weights,
        n=codebook.n,
        k=job.k,
        target=target,
    )
    cell = tree.assign(codes)
    held = [
        Histogram.of(cell, values) if coding is not None else _persons(cell, values, job.k)
        for values, coding in zip(
            codebook.encode_for_models(numbered), codebook.model_codings, strict=True
        )
    ]
    tree = join_for_models(tree, codebook.models, held, target=target)
    return Plan(codebook, tree, seed), numbered


def _persons(cell: NDArray[np.int32], persons: NDArray[np.uint32], k: int) -> Histogram:
    pairs = Histogram.of(cell, persons)
    return histogram_of_persons(np.bincount(pairs.cell), k)


def solve_in_memory(plan: Plan, numbered: pl.DataFrame) -> Iterator[SolvedUnit]:
    """Yield the release of each unit, in order."""
    tree = plan.tree
    unit = tree.unit_of_cell[tree.assign(plan.codebook.encode(numbered))]
    order = np.argsort(unit, kind="stable")
    bounds = np.searchsorted(unit[order], np.arange(len(tree.units) + 1))
    for number in range(len(tree.units)):
        members = order[bounds[number] : bounds[number + 1]]
        yield solve_unit(numbered[members].select(*plan.codebook.kept_columns, ROW), plan, number)
