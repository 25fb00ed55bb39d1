"""What every freeform algorithm shares: suppression, partitions, and kernels by name."""

from __future__ import annotations

from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shoal._core import kernels
from shoal.algorithms.algorithm import Form, Traits
from shoal.algorithms.cover import Cover
from shoal.encoding.encode import FoldedRows
from shoal.errors import Cancelled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

    Solve = Callable[[Problem, Run], Cover]

WITHOUT_MODELS = (
    "l-diversity and t-closeness ask of a class how its sensitive values are spread, and freeform "
    "releases have no classes"
)
PAPER = "Doka, Xue, Tsoumakos, Karras, k-Anonymization by Freeform Generalization, ASIACCS 2015"
PARTITION = (
    "records of a segment of the table in lexicographic order; segments are solved apart and in "
    "parallel, 0 solves the whole table at once"
)
_SECONDS_BETWEEN_LOOKS = 0.1
_PARTS = (1, 2, 4, 8)  # of the suppression limit
_SCOUTED = 5e8  # comparisons of a closure with a record


def paper_traits(section: str, *, summary: str, cost: str) -> Traits:
    """Return the traits of an algorithm of the freeform paper."""
    return Traits(
        summary=summary,
        cost=cost,
        paper=f"{PAPER}, {section}",
        form=Form.FREEFORM,
        without_models=WITHOUT_MODELS,
    )


def lexicographic_rows(problem: Problem) -> NDArray[np.int32]:
    """Return the distinct rows in lexicographic order, attributes of few values first."""
    by_size = np.argsort([domain.size for domain in problem.domains], kind="stable")
    return np.lexsort([problem.codes[j] for j in reversed(by_size)]).astype(np.int32)


def restricted(problem: Problem, records: NDArray[np.int64]) -> Problem:
    """Return the problem of some of the records, in their order."""
    rows, inverse, counts = np.unique(
        problem.folded.row_of[records], return_inverse=True, return_counts=True
    )
    row_of = inverse.astype(np.int32)
    first = np.full(len(rows), len(records), dtype=np.int32)
    np.minimum.at(first, row_of, np.arange(len(records), dtype=np.int32))
    return replace(
        problem,
        codes=tuple(codes[rows] for codes in problem.codes),
        folded=FoldedRows(row_of, first, counts.astype(np.int32)),
        models=(),
        protected=(),
        private=None,
        suppression_limit=0,
    )


def unfolded(problem: Problem) -> Problem:
    """Return the problem with a row for every record, equal or not."""
    rows = problem.folded.row_of
    single = np.arange(problem.n, dtype=np.int32)
    return replace(
        problem,
        codes=tuple(codes[rows] for codes in problem.codes),
        folded=FoldedRows(single, single, np.ones(problem.n, dtype=np.int32)),
    )


def cover_symmetrically(problem: Problem, run: Run) -> Cover:
    """Return a cover in which one record covers another exactly when that one covers it."""
    single = unfolded(problem)
    members = kernels.cover(
        single.records(),
        problem.k,
        "symmetric",
        lexicographic_rows(single),
        threads=run.threads,
        control=run.control,
    )
    records = np.arange(problem.n, dtype=np.int64)
    return Cover(records, members.reshape(problem.n, problem.k))


def cover_by(method: str) -> Solve:
    """Return the solver that a method of the kernel is."""

    def solve(problem: Problem, run: Run) -> Cover:
        members = kernels.cover(
            problem.records(),
            problem.k,
            method,
            lexicographic_rows(problem),
            threads=run.threads,
            control=run.control,
        )
        return Cover.of_rows(problem, members)

    return solve


def complete(  # noqa: PLR0917 (what every algorithm may say of itself)
    problem: Problem,
    run: Run,
    solve: Solve,
    partition: int = 0,
    scout: Solve | None = None,
    polish: bool = True,  # noqa: FBT001
) -> Cover:
    """Return a cover with the suppression limit made use of, solved in segments if asked.

    Parameters
    ----------
    solve
        How the algorithm covers a problem.
    scout
        How the records that are worth leaving out are found, where not by assignments.
    polish
        Whether a cover that does not gain by leaving records out may be improved block by block.
    """
    run.report(0.0)

    def solve_parts(asked: Problem, run: Run) -> Cover:
        if not partition:
            return solve(asked, run)
        return in_segments(asked, run, solve, segments(asked, max(partition, asked.k)))

    if not problem.suppression_limit:
        found = solve_parts(problem, run)
    elif scout is not None:
        found = _without_outliers(problem, run, solve_parts, scout, 1)
    else:
        # Optimal assignments tell outliers best, where they are affordable.
        few = (problem.k - 1) * problem.n**2 <= _SCOUTED
        scout = cover_by("assignments") if few else solve_parts
        whole = loss_of_released(problem, solve_parts(replace(problem, suppression_limit=0), run))
        for part in _PARTS:
            found = _without_outliers(problem, run, solve_parts, scout, part)
            # A greedy algorithm may do worse on fewer records; then fewer are left out.
            if loss_of_released(problem, found) < whole:
                break
        else:
            if polish:
                found = _polished(
                    problem, run, _without_outliers(problem, run, solve_parts, scout, 1)
                )
    run.report(1.0)
    return found


def _without_outliers(problem: Problem, run: Run, solve: Solve, scout: Solve, part: int) -> Cover:
    """Return the cover of what is left when a part of the limit is made use of.

    What was proved of it holds for those records alone: others might have been left out.
    """
    records = kept_records(problem, run, scout, part)
    found = solve(restricted(problem, records), run)
    return Cover(records[found.records], found.matches)


def _polished(problem: Problem, run: Run, cover: Cover) -> Cover:
    """Return a cover after some reassignment of blocks, downhill only."""
    asked = restricted(problem, cover.records)
    plain = replace(cover, records=np.arange(asked.n))
    members = kernels.refine_cover(
        asked.records(),
        asked.k,
        rows_of(asked, plain),
        seed=0,
        steps=asked.n,
        seconds=0.0,
        block=64,
        heat=0.0,
        threads=run.threads,
        control=run.control,
    )
    return replace(Cover.of_rows(asked, members), records=cover.records)


def loss_of_released(problem: Problem, cover: Cover) -> float:
    """Return the mean loss of the records that are released."""
    asked = restricted(problem, cover.records)
    members = rows_of(asked, replace(cover, records=np.arange(asked.n)))
    return float(kernels.cover_loss(asked.records(), asked.k, members))


def kept_records(problem: Problem, run: Run, scout: Solve, part: int = 1) -> NDArray[np.int64]:
    """Return the records to be released, ascending: all that the limit does not let go.

    Suppressed are records that widen the closures of a first cover most, as many as the limit, or
    a part of it, allows. Which of several equal records goes is drawn at random.
    """
    everyone = np.arange(problem.n, dtype=np.int64)
    if not problem.suppression_limit:
        return everyone
    limit = min(-(-problem.suppression_limit // part), problem.n - problem.k)
    first = scout(replace(problem, suppression_limit=0), run)
    out = kernels.cover_outliers(
        problem.records(), problem.k, rows_of(problem, first), limit, control=run.control
    )
    return records_without(problem, out, run)


def records_without(problem: Problem, out: NDArray[np.integer], run: Run) -> NDArray[np.int64]:
    """Return all records but so many of each row, drawn from its equals; ascending."""
    mixed = run.generator().permutation(problem.n)
    order = mixed[np.argsort(problem.folded.row_of[mixed], kind="stable")]
    row = problem.folded.row_of[order]
    counts = problem.counts.astype(np.int64)
    rank = np.arange(problem.n) - (np.cumsum(counts) - counts)[row]
    return np.sort(order[rank >= out[row]]).astype(np.int64)


def rows_of(problem: Problem, cover: Cover) -> NDArray[np.int32]:
    """Return a cover of records as kernels take it: the rows of released records, by their own."""
    by_row = np.argsort(problem.folded.row_of, kind="stable")
    members = problem.folded.row_of[cover.matches[by_row]]
    return np.ascontiguousarray(members.ravel(), dtype=np.int32)


def segments(problem: Problem, size: int) -> list[NDArray[np.int64]]:
    """Cut the records, in lexicographic order, into segments; the last may be longer by half."""
    place = np.empty(problem.rows, dtype=np.int64)
    place[lexicographic_rows(problem)] = np.arange(problem.rows)
    order = np.argsort(place[problem.folded.row_of], kind="stable").astype(np.int64)
    number = max(1, (problem.n + size // 2) // size)
    if problem.n - (number - 1) * size < problem.k:
        number = max(1, number - 1)
    return [
        order[i * size : (i + 1) * size if i + 1 < number else problem.n] for i in range(number)
    ]


def in_segments(
    problem: Problem, run: Run, solve: Solve, parts: Sequence[NDArray[np.int64]]
) -> Cover:
    """Return the cover of which every part of the records has its own, solved in parallel."""
    if len(parts) == 1:
        return solve(problem, run)
    controls = [run.control.child() for _ in parts]

    def solve_part(number: int) -> Cover:
        own = run.child(run.budget, threads=1, control=controls[number])
        return solve(restricted(problem, parts[number]), own)

    with ThreadPoolExecutor(run.threads) as pool:
        futures: list[Future[Cover]] = [pool.submit(solve_part, i) for i in range(len(parts))]
        try:
            _watch(run, futures, controls)
        except BaseException:
            for future in futures:
                future.cancel()
            for control in controls:
                control.cancel()
            raise
    found = [future.result() for future in futures]
    run.control.steps = sum(control.steps for control in controls)
    matches = np.empty((problem.n, problem.k), dtype=np.int32)
    for part, cover in zip(parts, found, strict=True):
        matches[part] = part[cover.matches]
    return Cover(np.arange(problem.n, dtype=np.int64), matches)


def _watch(run: Run, futures: Sequence[Future[Cover]], controls: Sequence[kernels.Control]) -> None:
    while True:
        done, waiting = wait(futures, _SECONDS_BETWEEN_LOOKS, FIRST_EXCEPTION)
        for future in done:
            future.result()
        run.report(sum(control.progress for control in controls) / len(controls))
        if run.control.stopping:
            raise Cancelled("The run was interrupted before every segment was covered.")
        if not waiting:
            return
