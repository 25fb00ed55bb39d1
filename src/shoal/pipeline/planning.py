"""What a release would cost, before it is made."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.algorithms import Problem, Run, make_algorithm
from shoal.encoding import encode, encode_values
from shoal.errors import InfeasibleError
from shoal.measures import Released, losses
from shoal.risks.classes import Classes
from shoal.table import Kind, Reading, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.encoding import EncodedTable
    from shoal.table import Schema

_SAMPLE = 3_000
_SAMPLES = 3
# What is drawn decides a forecast, never a release, so it need not be secret.
_SEED = 1
_SUPPRESSION = 0.01
_MANY_CATEGORIES = 50
_BYTES_PER_CELL = 60
_BYTES_AT_LEAST = 150_000_000  # the program and its libraries
# Samples are thinner than the table, so that their ratios differ a little from its own.
_LEAST_MARGIN = 0.1


@dataclass(frozen=True, slots=True)
class Forecast:
    """The loss to expect at one k.

    Parameters
    ----------
    low, high
        Between them the loss of ``k-member`` is expected, from samples; a longer search loses
        less, privacy models lose more.
    reached
        The loss of ``mondrian`` on the whole table, without privacy models.
    """

    k: int
    low: float
    high: float
    reached: float


@dataclass(frozen=True, slots=True)
class Advice:
    """A change, and by how much it would lower the loss, as a share of it."""

    what: str
    effect: float


@dataclass(frozen=True, slots=True)
class Plan:
    """What a release would cost, before it is made.

    Parameters
    ----------
    n, distinct, k_now
        Records, different ones on the quasi-identifiers, and the smallest class as it is.
    largest_k
        The largest k that any release can have: all records, or persons, in one class.
    largest_l
        For each sensitive attribute the largest l of frequency l-diversity that any release can
        have: records over those with the most frequent value.
    forecasts
        The loss to expect at several k.
    advice
        What would lower the loss, the most effective first.
    seconds, megabytes
        About what a run takes with the default budget.
    """

    n: int
    distinct: int
    k_now: int
    largest_k: int
    largest_l: dict[str, float]
    forecasts: tuple[Forecast, ...]
    advice: tuple[Advice, ...]
    seconds: float
    megabytes: float

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain dictionaries, ready for JSON."""
        return asdict(self)


def make_plan(table: Table, ks: Sequence[int], budget: float) -> Plan:
    """Return the plan for a table.

    Parameters
    ----------
    ks
        Values of k to forecast; those that no release can have are left out.
    budget
        Seconds that the search will have.
    """
    started = time.perf_counter()
    encoded = encode(table)
    quasi = list(table.schema.quasi_names)
    classes = Classes.of(table.frame, quasi)
    largest = table.n if table.persons is None else len(np.unique(table.persons))
    feasible = [k for k in ks if 2 <= k <= largest] or [min(2, largest)]
    samples = _samples(table)
    forecasts = tuple(_forecast(encoded, samples, k) for k in feasible)
    middle = feasible[len(feasible) // 2]
    spent = time.perf_counter() - started
    return Plan(
        n=table.n,
        distinct=len(classes),
        k_now=int(classes.members.min()),
        largest_k=largest,
        largest_l={name: _largest_l(table, name) for name in table.schema.sensitive},
        forecasts=forecasts,
        advice=_advice(table, encoded, samples, middle),
        seconds=round(budget + 2 * spent / max(len(feasible), 1), 1),
        megabytes=round(
            (_BYTES_AT_LEAST + table.n * (len(table.frame.columns) + 4) * _BYTES_PER_CELL) / 1e6, 1
        ),
    )


def _largest_l(table: Table, name: str) -> float:
    codes, _ = encode_values(table.frame[name])
    return round(table.n / int(np.bincount(codes).max()), 2)


def _samples(table: Table) -> list[EncodedTable]:
    rng = np.random.default_rng(_SEED)
    if table.n <= _SAMPLE:
        return [encode(table)]
    found = []
    for _ in range(_SAMPLES):
        rows = np.sort(rng.choice(table.n, size=_SAMPLE, replace=False))
        found.append(encode(Table.of(table.frame[rows], _without_person(table.schema))))
    return found


def _without_person(schema: Schema) -> Schema:
    return replace(schema, person=None, identifiers=())


def _forecast(encoded: EncodedTable, samples: Sequence[EncodedTable], k: int) -> Forecast:
    """Return what k-member would lose: what mondrian loses, times how much better it is."""
    reached = _loss(encoded, "mondrian", k)
    ratios = []
    for sample in samples:
        usual = _loss(sample, "mondrian", min(k, sample.n))
        better = _loss(sample, "k-member", min(k, sample.n))
        ratios.append(better / usual if usual > 0 else 1.0)
    # The spread of few samples understates what may come: twice their deviation on both sides.
    middle, spread = float(np.mean(ratios)), float(np.std(ratios))
    margin = max(2 * spread, _LEAST_MARGIN)
    return Forecast(
        k, reached * max(0.0, middle - margin), reached * min(1.0, middle + margin), reached
    )


def _loss(encoded: EncodedTable, algorithm: str, k: int, suppression: float = 0.0) -> float:
    return float(np.dot(encoded.weights, _losses(encoded, algorithm, k, suppression)))


def _losses(
    encoded: EncodedTable, algorithm: str, k: int, suppression: float = 0.0
) -> NDArray[np.float64]:
    problem = Problem.of(encoded, k, suppression=suppression)
    run = Run(seed=_SEED)
    solution = make_algorithm(algorithm).solve(problem, run)
    recoding = solution.recode(problem, run.generator())
    shown = Released(encoded.domains, encoded.weights, encoded.codes, recoding, encoded.n, k)
    return np.array(losses(shown))


def _advice(
    table: Table, encoded: EncodedTable, samples: Sequence[EncodedTable], k: int
) -> tuple[Advice, ...]:
    sample = samples[0]
    k = min(k, sample.n)
    losses_now = _losses(encoded, "mondrian", k)
    total = float(np.dot(encoded.weights, losses_now))
    if total <= 0:
        return ()
    found = []
    for attribute, weight, loss in zip(
        table.schema.quasi, encoded.weights, losses_now.tolist(), strict=True
    ):
        share = weight * loss / total
        found.append(Advice(_about(table, attribute.name), share))
    try:
        plain = _loss(sample, "k-member", k)
        less = _loss(sample, "k-member", k, _SUPPRESSION)
    except InfeasibleError:
        plain = less = 0.0
    if plain > less:
        found.append(
            Advice("Allow 1 % of the records to be suppressed (`suppression`).", 1 - less / plain)
        )
    return tuple(sorted(found, key=lambda one: -one.effect))


def _about(table: Table, name: str) -> str:
    attribute = next(one for one in table.schema.quasi if one.name == name)
    distinct = table.frame[name].n_unique()
    told = f"Column {name!r} has this part in the loss ({distinct:,} values)."
    if attribute.reading is Reading.DATETIME:
        return f"{told} Times of day are rarely needed: read it as a date (`kind`)."
    if attribute.reading is Reading.DATE:
        return f"{told} Months or years often do: round it before."
    if attribute.kind is Kind.CATEGORICAL and distinct > _MANY_CATEGORIES:
        return f"{told} A hierarchy groups such categories by meaning (`hierarchy`)."
    return f"{told} Drop it or make it coarser if analysts do not need it."
