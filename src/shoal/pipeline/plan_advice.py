"""Advice before a release is made: changes tried on a sample, in the order of what they save."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.algorithms import Problem, Run, make_algorithm
from shoal.encoding import encode
from shoal.encoding.domain import IntervalDomain
from shoal.errors import InfeasibleError
from shoal.measures import Released, losses
from shoal.pipeline.hierarchy_trial import with_automatic_hierarchy
from shoal.pipeline.progress import Stages, solve
from shoal.pipeline.whole_release import solve_under
from shoal.table import Attribute, Kind, Reading, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from shoal.encoding import EncodedTable
    from shoal.models.protection import Protection
    from shoal.pipeline.whole_release import Conditions

_SEED = 1
_SUPPRESSION = 0.01
_MANY_CATEGORIES = 20
_PARTS = 10
_LEAST_EFFECT = 0.005
_ALGORITHM = "k-member"
# Enough to rank changes; each is tried in a fraction of a second.
_RECORDS = 1_500


@dataclass(frozen=True, slots=True)
class Advice:
    """A change, and by how much it lowers the loss.

    Parameters
    ----------
    what
        The change, in a sentence.
    effect
        The share by which the loss of the other columns falls; with suppression, that of the
        records that stay.
    """

    what: str
    effect: float


def advise(sample: Table, k: int) -> tuple[Advice, ...]:
    """Return what would lower the loss, the most effective first.

    Every change is tried on the sample. A column that is left out or coarser loses by that itself,
    so what counts is how much the other columns gain.
    """
    sample = _few(sample)
    k = min(k, sample.n)
    encoded = encode(sample)
    lost = losses_of(encoded, _ALGORITHM, k)
    total = float(np.dot(encoded.weights, lost))
    if total <= 0:
        return ()
    found = list(_about_suppression(encoded, k, total))
    for place, attribute in enumerate(sample.schema.quasi):
        others = np.arange(len(lost)) != place
        weights = np.asarray(encoded.weights)[others]
        now = float(np.dot(weights, lost[others]))
        part = f"{100 * encoded.weights[place] * lost[place] / total:.0f} % of the loss"
        for what, changed in _changes(sample, attribute, part):
            after = losses_of(encode(changed), _ALGORITHM, k)
            after = after[others] if len(after) == len(lost) else after
            effect = 1 - float(np.dot(weights, after)) / now if now > 0 else 0.0
            if effect >= _LEAST_EFFECT:
                found.append(Advice(what, effect))
    return tuple(sorted(found, key=lambda one: -one.effect))


def loss_of(
    encoded: EncodedTable,
    algorithm: str,
    k: int,
    protections: Sequence[Protection] = (),
    conditions: Conditions | None = None,
) -> float:
    """Return the loss of a release that an algorithm makes."""
    lost = losses_of(encoded, algorithm, k, protections, conditions)
    return float(np.dot(encoded.weights, lost))


def losses_of(
    encoded: EncodedTable,
    algorithm: str,
    k: int,
    protections: Sequence[Protection] = (),
    conditions: Conditions | None = None,
) -> NDArray[np.float64]:
    """Return what each column of such a release loses.

    Raises
    ------
    InfeasibleError
        If the algorithm finds no release under the privacy models.
    """
    problem = Problem.of(
        encoded,
        k,
        models=tuple(one.model for one in protections),
        protected=tuple(one.codes for one in protections),
    )
    return np.array(losses(_released(encoded, algorithm, problem, conditions)))


def _released(
    encoded: EncodedTable, algorithm: str, problem: Problem, conditions: Conditions | None = None
) -> Released:
    run = Run(seed=_SEED)
    chosen = make_algorithm(algorithm)
    if conditions is None:
        solution = solve(chosen, problem, run, Stages())
    else:
        solution = solve_under(conditions, chosen, problem, run, Stages(), k=problem.k)
    recoding = solution.recode(problem, run.generator())
    return Released(encoded.domains, encoded.weights, encoded.codes, recoding, encoded.n, problem.k)


def saved_by_suppression(sample: Table, k: int) -> float | None:
    """Return by which share the loss of the records falls that stay if 1 % are suppressed.

    ``None`` where nothing is lost, or nothing can be suppressed.
    """
    encoded = encode(_few(sample))
    k = min(k, encoded.n)
    plain = loss_of(encoded, _ALGORITHM, k)
    return None if plain <= 0 else _saved(encoded, k, plain)


def _saved(encoded: EncodedTable, k: int, plain: float) -> float | None:
    problem = Problem.of(encoded, k, suppression=_SUPPRESSION, suppress_for="released")
    try:
        shown = _released(encoded, _ALGORITHM, problem)
    except InfeasibleError:
        return None
    gone = shown.recoding.suppressed
    lost = float(np.dot(encoded.weights, losses(shown)))  # what is suppressed counts as lost
    stays = (lost * encoded.n - gone) / max(encoded.n - gone, 1)
    return max(0.0, 1 - stays / plain)


def _few(sample: Table) -> Table:
    return Table.of(sample.frame.head(_RECORDS), sample.schema)


def _about_suppression(encoded: EncodedTable, k: int, plain: float) -> Iterator[Advice]:
    saved = _saved(encoded, k, plain)
    if saved is not None:
        yield Advice(
            "Allow 1 % of the records to be suppressed (`suppression`, `suppress_for='released'`).",
            saved,
        )


def _changes(sample: Table, attribute: Attribute, part: str) -> Iterator[tuple[str, Table]]:
    """Yield changes of a column that may help the others, and the sample after each."""
    name = attribute.name
    quasi = sample.schema.quasi
    if len(quasi) > 1:
        left = tuple(one for one in quasi if one.name != name)
        schema = replace(sample.schema, quasi=left)
        yield f"Leave {name!r} out ({part}).", Table.of(sample.frame.drop(name), schema)
    if attribute.kind is Kind.NUMERIC:
        coarse = _in_parts(sample, attribute)
        if coarse is not None:
            yield f"Coarsen {name!r} beforehand, {_coarser(attribute)} ({part}).", coarse
    elif attribute.kind is Kind.CATEGORICAL and sample.frame[name].n_unique() > _MANY_CATEGORIES:
        grouped = with_automatic_hierarchy(sample, name)
        if grouped is not None:
            yield f"Give {name!r} a hierarchy, such as auto (`hierarchy`; {part}).", grouped


def _coarser(attribute: Attribute) -> str:
    return {
        Reading.DATE: "in years or months",
        Reading.DATETIME: "as a date, in months or years",
        Reading.RANK: "in fewer categories",
    }.get(attribute.reading, "rounded to ten steps")


def _in_parts(sample: Table, attribute: Attribute) -> Table | None:
    """Return the sample with a column of numbers in ten parts of equal width, or as it is."""
    encoded = encode(sample)
    place = list(sample.schema.quasi_names).index(attribute.name)
    domain = encoded.domains[place]
    assert isinstance(domain, IntervalDomain)
    if len(domain.numbers) <= _PARTS:
        return None
    part = np.floor(np.clip(domain.positions, 0, 1) * (_PARTS - 1e-9))
    column = pl.Series(attribute.name, part[encoded.codes[place]])
    if domain.missing is not None:
        column = column.set(pl.Series(encoded.codes[place] == domain.missing), None)
    plain = Attribute(attribute.name, Kind.NUMERIC, Reading.NUMBER, attribute.weight)
    quasi = tuple(plain if one is attribute else one for one in sample.schema.quasi)
    schema = replace(sample.schema, quasi=quasi)
    return Table.of(sample.frame.with_columns(column), schema)
