"""Meeting conditions on a release as a whole: the smallest class size with which they hold.

Such a condition does not determine which class has to change. Larger classes help every one of
them, so classes are made larger until they hold: by bisection between the requested k and a class
size that is enough whatever the table.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, isqrt, log2
from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms import Form
from shoal.algorithms.levels import Levels
from shoal.algorithms.partition import Partition
from shoal.algorithms.solution import without_proof
from shoal.encoding import FoldedRows, decode
from shoal.encoding.recoding import SUPPRESSED
from shoal.errors import InfeasibleError, ParameterError
from shoal.models import ReleasedClasses
from shoal.pipeline.progress import solve
from shoal.table.cells import texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import polars as pl

    from shoal.algorithms import Algorithm, Problem, Run, Solution
    from shoal.encoding import EncodedTable, Recoding
    from shoal.hierarchies import Hierarchy
    from shoal.models import ReleaseModel
    from shoal.options import Job
    from shoal.pipeline.progress import Stages
    from shoal.table import Schema

# Of these a release of classes that overlap gives no chance to be in it.
ONE_CLASS_EACH = "delta-presence"


def unmet_conditions(
    job: Job, models: Sequence[ReleaseModel], chosen: Algorithm
) -> Iterator[ParameterError]:
    """Yield why conditions on a whole release cannot be kept: options that lack or contradict."""
    for model in models:
        for name in model.needs:
            if getattr(job, name) is None:
                yield ParameterError(f"{model} needs `{name}`.", remedy=f"Set `{name}`.")
        if "population" in model.needs and (job.aggregate or job.top or job.bottom):
            yield ParameterError(
                f"{model} compares cells with the population's, so that they can neither be "
                f"statistics of classes nor coded at the top or bottom.",
                remedy="Leave `aggregate`, `top` and `bottom` out.",
            )
        if job.person is not None:
            yield ParameterError(
                f"{model} counts records, but with `person` people have several.",
                remedy="Leave one of the two out.",
            )
        one_class_each = str(model).startswith(ONE_CLASS_EACH)
        if one_class_each and (chosen.traits.form is not Form.FULL_DOMAIN or job.suppression):
            yield ParameterError(
                f"{model} is defined where every person is covered by one class: in full-domain "
                f"releases without suppression.",
                remedy="Set `form='full-domain'`, and leave `suppression` out.",
            )


@dataclass(frozen=True, slots=True)
class Conditions:
    """Conditions on a whole release, and what they look at beside it.

    Parameters
    ----------
    population
        The table of all people, where one is given.
    fraction
        The sampling fraction, where one is given.
    """

    models: tuple[ReleaseModel, ...]
    encoded: EncodedTable
    schema: Schema
    population: pl.DataFrame | None = None
    fraction: float | None = None

    def hold(self, recoding: Recoding) -> bool:
        """Return whether a release meets all, be its suppressed records starred or withheld."""
        shown = recoding.without_empty_units()
        people, absent = self._people(shown)
        withheld = self._classes(shown.sizes, people, absent)
        if not shown.suppressed:
            return all(model.holds(withheld) for model in self.models)
        everybody = None
        if people is not None and self.population is not None:
            everybody = np.append(people, self.population.height)
        starred = self._classes(np.append(shown.sizes, shown.suppressed), everybody, 0)
        return all(model.holds(one) for model in self.models for one in (withheld, starred))

    def _classes(
        self, sizes: np.ndarray, people: np.ndarray | None, absent: int
    ) -> ReleasedClasses:
        uniqueness = None
        if self.fraction is not None and any("sampling_fraction" in m.needs for m in self.models):
            # Imported here: estimates are rare, and load much.
            from shoal.risks.population import SizeCounts, estimated_uniqueness

            held, number = np.unique(sizes, return_counts=True)
            uniqueness = estimated_uniqueness(SizeCounts(held, number, self.fraction)).dankar
        return ReleasedClasses(sizes, people, absent, uniqueness)

    def about_unlisted_people(self) -> str:
        """Return how many people no class can cover, as a sentence; nothing if there are none."""
        if self.population is None:
            return ""
        unlisted = self.population.height - self._listed_people(self.population).height
        if not unlisted:
            return ""
        return (
            f" {unlisted:,} of {self.population.height:,} people of the population have a value "
            "that a hierarchy lacks, and count as covered by no class."
        )

    def _listed_people(self, people: pl.DataFrame) -> pl.DataFrame:
        """Return the people whose values all hierarchies list."""
        for one in self.schema.quasi:
            if one.hierarchy is not None and one.name in people.columns:
                people = people.filter(_listed(people[one.name], one.hierarchy))
        return people

    def _people(self, recoding: Recoding) -> tuple[np.ndarray | None, int]:
        """Return whom of the population each class covers, and how many are covered by none."""
        if self.population is None or not any("population" in m.needs for m in self.models):
            return None, 0
        from shoal.risks.covers import Column, Records
        from shoal.risks.matching import count_matches

        units = len(recoding.sizes)
        first = np.full(units, -1, np.int64)
        rows = np.flatnonzero(recoding.unit != SUPPRESSED)
        first[recoding.unit[rows]] = rows
        cells = decode(recoding, self.encoded.domains, first, "text")
        columns = [
            Column(one.name, one.hierarchy, one.order, one.date_format) for one in self.schema.quasi
        ]
        # Who has a value that a hierarchy lacks is taken to be covered by no class.
        people = Records(self._listed_people(self.population), exact=True)
        found = count_matches(Records(cells), people, columns, most_pairs=2**62)
        return found.counts, max(0, self.population.height - int(found.counts.sum()))


def _listed(column: pl.Series, tree: Hierarchy) -> pl.Series:
    shown = texts(column).fill_null("")
    return (shown == "") | shown.is_in(list(tree.position))


def solve_under(
    conditions: Conditions,
    chosen: Algorithm,
    problem: Problem,
    run: Run,
    stages: Stages,
    *,
    k: int,
) -> Solution:
    """Return a solution with the smallest classes found under which the conditions hold.

    Parameters
    ----------
    k
        The requested k; 1 allows a release of the table as it is.

    Raises
    ------
    InfeasibleError
        If they hold with no size of classes.
    """
    enough = max(model.enough(problem.n) for model in conditions.models)
    tries = ceil(log2(max(enough - k, 1))) + 2
    rng = np.random.default_rng([run.seed, 3])

    def attempt(size: int, number: int) -> Solution | None:
        if size < 2:
            made: Solution = _as_it_is(problem, chosen)
        else:
            share = run.within(run.budget.share(1 / max(tries - number, 1)))
            with run.part(min(number / tries, 1.0), min((number + 1) / tries, 1.0)):
                made = solve(chosen, replace(problem, k=size), share, stages, keep=True)
        return made if conditions.hold(made.recode(problem, rng)) else None

    low = k if k >= 2 or not problem.models else 2
    found = attempt(low, 0)
    if found is not None:
        return found
    high, number, best = max(enough, low + 1), 1, None
    while high - low > 1:
        middle = min(max(isqrt(low * high), low + 1), high - 1)
        made = attempt(middle, number)
        number += 1
        if made is None:
            low = middle
        else:
            high, best = middle, made
    if best is None and high <= problem.n:
        best = attempt(high, number)
    listed = ", ".join(map(str, conditions.models))
    if best is None:
        raise InfeasibleError(
            f"No class size was found with which {listed} holds."
            + conditions.about_unlisted_people(),
            remedy="Relax the model, or choose another `form`.",
        )
    run.note(f"Classes were made of at least {high:,} records, so that {listed} holds.")
    # What was proved of larger classes does not hold for those of the requested size.
    return without_proof(best)


def _as_it_is(problem: Problem, chosen: Algorithm) -> Solution:
    """Return the table as it is: equal records in one class."""
    if chosen.traits.form is Form.FULL_DOMAIN:
        return Levels.of(replace(problem, k=1), [0] * len(problem.domains))
    same = FoldedRows.of(list(problem.codes))
    rows = np.arange(problem.rows, dtype=np.int32)
    return Partition.of(rows, same.row_of, problem.counts)
