"""What can be done cell by cell, and why the rest cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.algorithms import Family, Form
from shoal.engines.notations import CELLWISE
from shoal.errors import ParameterError, option, raise_together
from shoal.hierarchies import Recipe, is_recipe
from shoal.hierarchies.recipe import Way
from shoal.pipeline.compatibility import choose

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shoal.algorithms import Algorithm
    from shoal.options import Job

# Recipes that look at each value alone, not at how often it occurs or beside which others.
_BY_VALUE = (Way.RANGES, Way.CUTS, Way.STARS, Way.DATES)
_LISTED = (Way.SETS, Way.TEXTS)
_MEASURE = "gcp"


def choose_for_cells(job: Job) -> Job:
    """Return a job as its algorithm understands it, if it can be done cell by cell.

    Raises
    ------
    ParameterError
        If options are wrong, the algorithm does not divide records into classes, or an option needs
        the whole table in one place; every reason is given.
    """
    job, chosen = choose(job)
    raise_together(list(_obstacles(job, chosen)))
    return job


def _obstacles(job: Job, chosen: Algorithm) -> Iterator[ParameterError]:
    by_classes = chosen.traits.form is Form.CLASSES and chosen.family in (
        Family.AUTO,
        Family.CLUSTER,
        Family.EXACT,
    )
    if not by_classes:
        yield ParameterError(
            f"{job.algorithm} chooses one recoding for the whole table, or one for each record, "
            "but this engine solves cells one by one.",
            remedy="Choose an algorithm that divides records into classes, or `engine='local'`.",
        )
    if job.time is not None:
        yield ParameterError(
            "`time` cannot be divided among cells: the result would depend on the machine.",
            remedy="Set `steps`, or leave both out.",
        )
    if job.cut_sample is not None and job.engine != "spark":
        yield ParameterError(
            "`cut_sample` is for `engine='spark'`: other engines cut by exact counts.",
            remedy="Leave `cut_sample` out.",
        )
    if job.measure != _MEASURE:
        yield ParameterError(
            f"{job.measure} is measured against the whole table, which no cell sees.",
            remedy="Leave `measure` out, or choose `engine='local'`.",
        )
    for name, is_set in (
        ("utility", job.utility),
        ("bound_seconds", job.bound_seconds is not None),
        ("keep_order", job.keep_order),
        ("suppress_for", job.suppress_for == "released"),
        ("personal_k", bool(job.personal_k)),
        ("keep_marginals", bool(job.keep_marginals)),
        ("top", bool(job.top)),
        ("bottom", bool(job.bottom)),
        ("min_level", bool(job.min_level)),
        ("max_level", bool(job.max_level)),
    ):
        if is_set:
            yield ParameterError(
                f"{option(name)} needs the whole table in memory.",
                remedy=f"Leave {option(name)} out, or choose `engine='local'`.",
            )
    for name, is_set in (
        ("aggregate", bool(job.aggregate)),
        ("notation='midpoint'", job.notation not in CELLWISE),
    ):
        if is_set:
            yield ParameterError(
                f"{option(name)} shows one value in place of a range, and engines other than "
                f"`local` verify a release by the ranges that its cells show.",
                remedy="Choose `notation='min_max'`, whose bounds give the midpoint, or "
                "`engine='local'`.",
            )
    yield from _obstacles_of_hierarchies(job)


def _obstacles_of_hierarchies(job: Job) -> Iterator[ParameterError]:
    for column, tree in job.hierarchy.items():
        way = Recipe.parse(tree).way if is_recipe(tree) else None
        if way is None or way in _LISTED:
            continue
        if way not in _BY_VALUE:
            yield ParameterError(
                f"The hierarchy {tree} of column {column!r} depends on how often values occur "
                "together in the whole table, which no cell sees.",
                remedy="Build a file with `shoal hierarchy build` and name the file.",
            )
        elif job.suppression or job.missing == "drop":
            yield ParameterError(
                f"The hierarchy {tree} of column {column!r} is built from all values, including "
                "those of suppressed records, and its groups could reveal them.",
                remedy="Build a file with `shoal hierarchy build` and name the file.",
            )
