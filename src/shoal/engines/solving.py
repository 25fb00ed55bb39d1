"""Solving a unit of work: one cell, or two neighbours whose border is searched again.

The result depends on the codes of the records, the job, the seed and the path of each cell, and on
nothing else: not on the order in which records arrive, on other cells, or on the machine.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.algorithms import Budget, Partition, Problem, Run, make_algorithm
from shoal.algorithms.auto.classes import best_partition
from shoal.algorithms.auto.policy import search_for
from shoal.encoding import SUPPRESSED, EncodedTable, FoldedRows, decode, released_names
from shoal.pipeline.compatibility import AUTO
from shoal.pipeline.starring import reads_as_starred

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.engines.codebook import Codebook
    from shoal.engines.cut_tree import Cut, CutTree

ROW = "__shoal_row"
CLASS = "__shoal_class"
# Steps of the search for each row of different codes, unless the job sets them: equal records are
# one row, so that dense tables take fewer steps for each record.
STEPS_A_ROW = 75
# Of the steps, for the border between two neighbours, and of the records, those nearest to it.
BORDER_SHARE = 0.2
BORDER_PART = 4
# Seconds that a start may take by its own estimate: cells of a cell beyond that. An estimate, not
# a clock, so that every machine comes to the same answer.
PATIENCE = 0.25


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """All that solving a unit needs beside its records; it can be pickled and sent to workers.

    Parameters
    ----------
    codebook
        The whole table: schema, domains, models, job.
    tree
        Its cells and units.
    seed
        Seed of the run; each cell derives its own from it and its path. It must stay secret.
    """

    codebook: Codebook
    tree: CutTree
    seed: int = field(repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class SolvedUnit:
    """The release of a unit.

    Parameters
    ----------
    table
        The released cells and the unchanged columns in the order of the source, then the column
        ``ROW``: the row number that came with the record, and the column ``CLASS``: the number of
        its class within the unit, -1 for suppressed records, which show ``*``. Shuffled.
    starred
        For each record whether it shows nothing: it is suppressed, or its class shows ``*`` alone.
    classes
        Number of classes.
    lost
        For each quasi-identifier the loss of all records together; a suppressed record loses 1.
    steps
        Steps that the search took.
    """

    table: pl.DataFrame
    starred: NDArray[np.bool_]
    classes: int
    lost: tuple[float, ...]
    steps: int

    @property
    def suppressed(self) -> NDArray[np.bool_]:
        """For each record whether it is suppressed."""
        return (self.table[CLASS] == SUPPRESSED).to_numpy()


def seed_of(seed: int, path: str, purpose: str) -> int:
    """Return the seed of a cell or unit: 128 bits derived from that of the run and the path."""
    text = f"{seed}/{purpose}/{path}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=16).digest(), "little")


def solve_unit(part: pl.DataFrame, plan: Plan, unit: int) -> SolvedUnit:
    """Return the release of a unit.

    Parameters
    ----------
    part
        Every record of the unit, in any order: the columns ``codebook.kept_columns`` in the types
        of the source, and ``ROW``, a number that no other record of the table has.
    plan
        What the workers share.
    unit
        Number of the unit in ``plan.tree``.

    Raises
    ------
    AssertionError
        If the part does not hold the records that the tree counted.
    """
    codebook, tree = plan.codebook, plan.tree
    path = tree.units[unit]
    codes, protected = codebook.encode(part), codebook.encode_for_models(part)
    row = part[ROW].to_numpy()
    # Records that the search cannot distinguish are in the order of their numbers, the rest in that
    # of their codes: so equal tables are equal here, in whatever order their records arrive.
    cell = tree.assign(codes)
    order = np.lexsort((row, *protected[::-1], *codes[::-1], cell))
    part, cell = part[order], cell[order]
    codes, protected = [c[order] for c in codes], [c[order] for c in protected]
    numbers = tree.cells_of_unit(unit)
    counted = [tree.records[tree.cells[number]] for number in numbers]
    bounds = np.cumsum([0, *counted])
    if not np.array_equal(cell, np.repeat(numbers, counted)):
        raise AssertionError("the unit does not hold the records that were counted")
    solved = [
        solve_cell([c[low:high] for c in codes], [c[low:high] for c in protected], plan, number)
        for number, low, high in zip(numbers, bounds[:-1], bounds[1:], strict=True)
    ]
    problem, partition, steps = solved[0]
    if len(solved) > 1:
        problem, partition, steps = _search_border(solved, plan, path)
    rng = np.random.default_rng(seed_of(plan.seed, path, "recode"))
    recoding = partition.recode(problem, rng)
    shuffled = rng.permutation(problem.n)
    cells = decode(recoding, codebook.domains, shuffled, codebook.job.notation)
    silent = np.append(reads_as_starred(recoding, codebook.domains, codebook.job), True)
    suppressed = recoding.suppressed
    lost = tuple(
        float(domain.loss(column.closures)[column.index] @ recoding.sizes) + suppressed
        for domain, column in zip(codebook.domains, recoding.columns, strict=True)
    )
    return SolvedUnit(
        _assemble(part[shuffled], cells, recoding.unit[shuffled], codebook),
        silent[recoding.unit[shuffled]],
        len(recoding.sizes),
        lost,
        steps,
    )


def solve_cell(
    codes: Sequence[NDArray[np.uint32]],
    protected: Sequence[NDArray[np.uint32]],
    plan: Plan,
    number: int,
) -> tuple[Problem, Partition, int]:
    """Return a cell as a problem, the classes that were found, and the steps that it took.

    Parameters
    ----------
    codes, protected
        Codes of the records: of each quasi-identifier, and of what each model reads.
    plan, number
        The whole, and the number of the cell in its tree.
    """
    codebook = plan.codebook
    job = codebook.job
    path = plan.tree.cells[number]
    seed = seed_of(plan.seed, path, "solve")
    narrow = tuple(
        c.astype(np.min_scalar_type(max(domain.size - 1, 0)))
        for c, domain in zip(codes, codebook.domains, strict=True)
    )
    problem = Problem.of(
        EncodedTable(narrow, codebook.domains, codebook.weights, len(codes[0])),
        job.k,
        models=codebook.models,
        protected=tuple(protected),
        # Of each cell the same share: so the limit holds for the whole table.
        suppression=job.suppression,
        rng=np.random.default_rng([seed, 2]),
    )
    run = Run(seed=seed, budget=Budget(steps=_steps(plan, problem)))
    if job.algorithm == AUTO:
        found = best_partition(problem, run, patience=PATIENCE)
    else:
        solution = make_algorithm(job.algorithm, job.param).solve(problem, run)
        assert isinstance(solution, Partition)
        found = solution
    return problem, found, run.control.steps


def _steps(plan: Plan, problem: Problem) -> int:
    """Return the steps for a part of the table: by its rows, or its share of what the job sets."""
    steps = plan.codebook.job.steps
    if steps is None:
        return STEPS_A_ROW * problem.rows
    return max(1, ceil(steps * problem.n / plan.tree.n))


def _search_border(
    solved: Sequence[tuple[Problem, Partition, int]], plan: Plan, path: str
) -> tuple[Problem, Partition, int]:
    """Return two neighbours as one problem, with classes that may reach over their border."""
    (one, first, steps), (other, second, more) = solved
    problem = replace(
        one,
        codes=tuple(np.concatenate(pair) for pair in zip(one.codes, other.codes, strict=True)),
        protected=tuple(
            np.concatenate(pair) for pair in zip(one.protected, other.protected, strict=True)
        ),
        folded=FoldedRows(
            np.concatenate((one.folded.row_of, other.folded.row_of + np.int32(one.rows))),
            np.concatenate((one.folded.first, other.folded.first + np.int32(one.n))),
            np.concatenate((one.counts, other.counts)),
        ),
        suppression_limit=one.suppression_limit + other.suppression_limit,
    )
    beyond = np.where(second.classes == SUPPRESSED, SUPPRESSED, second.classes + first.number)
    rows = np.concatenate((first.rows, second.rows + one.rows))
    classes = np.concatenate((first.classes, beyond))
    counts = np.concatenate((first.counts, second.counts))
    near = np.isin(classes, _near_border(plan.tree.cuts[path], problem, rows, classes, counts))
    if not near.any():
        return problem, Partition.of(rows, classes, counts), steps + more
    released, index = np.unique(rows[near], return_inverse=True)
    held = np.bincount(index, counts[near]).astype(np.int32)
    part = problem.part(released, held)
    budget = Budget(steps=max(1, int(BORDER_SHARE * _steps(plan, problem))))
    run = Run(seed=seed_of(plan.seed, path, "border"), budget=budget)
    start = Partition.of(index, classes[near], counts[near])
    found = search_for(part).improve(part, start, run)
    partition = Partition.of(
        np.concatenate((rows[~near], released[found.rows])),
        np.concatenate((classes[~near], found.classes + first.number + second.number)),
        np.concatenate((counts[~near], found.counts)),
    )
    return problem, partition, steps + more + run.control.steps


def _near_border(
    cut: Cut,
    problem: Problem,
    rows: NDArray[np.integer],
    classes: NDArray[np.integer],
    counts: NDArray[np.integer],
) -> NDArray[np.integer]:
    """Return the classes nearest to a cut that together hold a quarter of the records."""
    code = problem.codes[cut.attribute].astype(np.int64)[rows]
    away = np.where(code <= cut.code, cut.code - code, code - cut.code - 1)
    kept = classes != SUPPRESSED
    number = int(classes.max(initial=SUPPRESSED)) + 1
    nearest = np.full(number, np.iinfo(np.int64).max)
    np.minimum.at(nearest, classes[kept], away[kept])
    sizes = np.bincount(classes[kept], counts[kept], minlength=number)
    order = np.lexsort((np.arange(number), nearest))
    before = np.cumsum(sizes[order]) - sizes[order]
    return order[before < problem.n / BORDER_PART]


def _assemble(
    part: pl.DataFrame, cells: pl.DataFrame, classes: NDArray[np.int32], codebook: Codebook
) -> pl.DataFrame:
    """Return the released columns in the order of the source, then row number and class."""
    becomes = {
        domain.attribute.name: released_names(domain, codebook.job.notation)
        for domain in codebook.domains
    }
    columns: list[pl.Series] = []
    for name in codebook.released_order:
        columns += [cells[one] for one in becomes[name]] if name in becomes else [part[name]]
    return pl.DataFrame([*columns, part[ROW], pl.Series(CLASS, classes)])
