"""Conditions on a release as a whole: what its groups are, whom of a population they cover."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.errors import InputError
from shoal.table.cells import texts
from shoal.verifier.coverage import coverage_of
from shoal.verifier.grouping import group_rows
from shoal.verifier.judges.judge import JudgedRelease
from shoal.verifier.verdict import Check

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from shoal.hierarchies import Hierarchy
    from shoal.verifier.grouping import Groups
    from shoal.verifier.models import ReleaseClaim
    from shoal.verifier.released import ReleasedColumn
    from shoal.verifier.witness import Tables

_PAIRS_AT_ONCE = 2**24


def require_given(
    claims: Sequence[ReleaseClaim],
    population: pl.DataFrame | None,
    fraction: float | None,
    aggregates: Mapping[str, str],
) -> None:
    """Refuse conditions about a population that is not given, or that no cell covers."""
    given = {"population": population is not None, "sampling_fraction": fraction is not None}
    for claim in claims:
        needed = claim.judge.needs
        if needed and not given[needed]:
            raise InputError(f"{claim} needs `{needed}`.", remedy=f"Give `{needed}`, too.")
        if needed == "population" and aggregates:
            raise InputError(
                f"{claim} depends on whom cells cover, and a statistic of a class covers nobody.",
                remedy="Leave the aggregates out.",
            )


def check_release(
    claims: Sequence[ReleaseClaim],
    tables: Tables,
    groups: Groups,
    columns: Sequence[ReleasedColumn],
    *,
    population: pl.DataFrame | None,
    fraction: float | None,
) -> list[Check]:
    """Check every condition on the release as a whole."""
    if not claims:
        return []
    people = covered = None
    if population is not None and any(claim.judge.needs == "population" for claim in claims):
        people, covered = _cover(tables, groups, columns, population)
    release = JudgedRelease(groups.sizes, people, covered, fraction)
    checks = []
    for claim in claims:
        holds, detail = claim.judge.decide(claim.numbers, release)
        checks.append(Check(str(claim), passed=holds, detail=detail))
    return checks


def _cover(
    tables: Tables, groups: Groups, columns: Sequence[ReleasedColumn], population: pl.DataFrame
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return whom of the population each group covers, and by how many groups each is covered.

    People whose value a hierarchy lacks are taken to be covered by none, which is never too good.

    Raises
    ------
    InputError
        If the population lacks a quasi-identifier.
    """
    attributes = tables.schema.quasi
    absent = [one.name for one in attributes if one.name not in population.columns]
    if absent or population.is_empty():
        raise InputError(
            f"The population lacks the columns {', '.join(map(repr, absent))}."
            if absent
            else "The population has no rows.",
            remedy="Give a table of all people, with every quasi-identifier.",
        )
    listed = np.ones(len(population), bool)
    for attribute in attributes:
        if attribute.hierarchy is not None:
            listed &= _is_listed(population[attribute.name], attribute.hierarchy)
    unlisted = int(np.count_nonzero(~listed))
    population = population.filter(pl.Series(listed))
    if population.is_empty():
        return np.zeros(len(groups), np.int64), np.zeros(unlisted, np.int64)
    coverages = [
        coverage_of(attribute, population[attribute.name], column)
        for attribute, column in zip(attributes, columns, strict=True)
    ]
    alike = group_rows([coverage.values for coverage in coverages])
    persons = alike.sizes
    cells = [coverage.cells[groups.first] for coverage in coverages]
    values = [coverage.values[alike.first] for coverage in coverages]
    people = np.zeros(len(groups), np.int64)
    covered = np.zeros(len(alike), np.int64)
    step = max(1, _PAIRS_AT_ONCE // len(alike))
    for first in range(0, len(groups), step):
        chosen = slice(first, first + step)
        fits = np.ones((len(people[chosen]), len(alike)), bool)
        for coverage, cell, value in zip(coverages, cells, values, strict=True):
            left = np.repeat(cell[chosen], len(alike))
            right = np.tile(value, len(fits))
            fits &= coverage.covers(right, left).reshape(fits.shape)
        people[chosen] = fits @ persons
        covered += fits.sum(axis=0)
    return people, np.concatenate((np.repeat(covered, persons), np.zeros(unlisted, np.int64)))


def _is_listed(column: pl.Series, tree: Hierarchy) -> NDArray[np.bool_]:
    """Return whose value a hierarchy lists; a missing one needs no list."""
    shown = texts(column)
    return (shown.is_in([*tree.leaves]) | shown.is_null()).fill_null(value=True).to_numpy()
