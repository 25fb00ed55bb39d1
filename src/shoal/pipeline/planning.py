"""What a release would cost, before it is made."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.encoding import encode, encode_values
from shoal.errors import InfeasibleError
from shoal.models import parse_models, protect, split_models
from shoal.models.persons import DistinctPersons
from shoal.models.protection import Protection
from shoal.pipeline.plan_advice import Advice, advise, loss_of
from shoal.risks.classes import Classes
from shoal.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.encoding import EncodedTable
    from shoal.models import ReleaseModel

_SAMPLE = 3_000
_SAMPLES = 3
# What is drawn decides a forecast, never a release, so it need not be secret.
_SEED = 1
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
        Between them the loss of ``k-member`` without privacy models is expected, from samples; a
        longer search loses less.
    reached
        The loss of ``mondrian`` on the whole table, without privacy models.
    under_models
        The loss of ``mondrian`` on the whole table under the privacy models; ``None`` without
        models, and where none of its releases meets them.
    """

    k: int
    low: float
    high: float
    reached: float
    under_models: float | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What a release would cost, before it is made.

    Parameters
    ----------
    roles
        The columns of each role.
    undecided
        Columns that have no role yet, and the role that is suggested for each.
    n, distinct, k_now
        Records, different ones on the quasi-identifiers, and the smallest class as it is.
    largest_k
        The largest k that any release can have: all records, or persons, in one class.
    largest_l
        For each sensitive attribute the largest l of frequency l-diversity that any release can
        have: records over those with the most frequent value.
    largest_distinct_l
        The same for distinct l-diversity: the number of its values.
    models
        The privacy models that forecasts are made under.
    forecasts
        The loss to expect at several k.
    advice
        What would lower the loss, the most effective first.
    notes
        Sentences about the models.
    seconds, megabytes
        About what a run takes with the default budget.
    """

    roles: dict[str, tuple[str, ...]]
    undecided: dict[str, str]
    n: int
    distinct: int
    k_now: int
    largest_k: int
    largest_l: dict[str, float]
    largest_distinct_l: dict[str, int]
    models: tuple[str, ...]
    forecasts: tuple[Forecast, ...]
    advice: tuple[Advice, ...]
    seconds: float
    megabytes: float
    notes: tuple[str, ...] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain dictionaries, ready for JSON."""
        return asdict(self)


def make_plan(
    table: Table,
    ks: Sequence[int],
    budget: float,
    models: Sequence[str] = (),
    undecided: Mapping[str, str] | None = None,
) -> Plan:
    """Return the plan for a table.

    Parameters
    ----------
    ks
        Values of k to forecast; those that no release can have are left out.
    budget
        Seconds that the search will have.
    models
        Privacy models beyond k, as a job names them.
    undecided
        Columns that have no role yet, and the role that is suggested for each.
    """
    started = time.perf_counter()
    encoded = encode(table)
    classes = Classes.of(table.frame, list(table.schema.quasi_names))
    largest = table.n if table.persons is None else len(np.unique(table.persons))
    feasible = [k for k in ks if 2 <= k <= largest] or [min(2, largest)]
    of_classes, whole = split_models(models)
    protections = [protect(one, table) for one in parse_models(of_classes, table.schema.sensitive)]
    samples = _samples(table)
    forecasts = tuple(_forecast(table, encoded, samples, k, protections) for k in feasible)
    middle = min(feasible[len(feasible) // 2], samples[0].n)
    spent = time.perf_counter() - started
    schema = table.schema
    return Plan(
        roles={
            "quasi": schema.quasi_names,
            "sensitive": schema.sensitive,
            "identifier": schema.identifiers,
            "other": schema.other,
        },
        undecided=dict(undecided or {}),
        n=table.n,
        distinct=len(classes),
        k_now=int(classes.members.min()),
        largest_k=largest,
        largest_l={name: _largest_l(table, name) for name in schema.sensitive},
        largest_distinct_l={name: _values(table, name) for name in schema.sensitive},
        models=tuple(of_classes),
        forecasts=forecasts,
        advice=advise(samples[0], middle),
        seconds=round(budget + 2 * spent / max(len(feasible), 1), 1),
        megabytes=round(
            (_BYTES_AT_LEAST + table.n * (len(table.frame.columns) + 4) * _BYTES_PER_CELL) / 1e6, 1
        ),
        notes=tuple(_about_models(forecasts, of_classes, whole, table.n)),
    )


def _about_models(
    forecasts: Sequence[Forecast], models: Sequence[str], whole: Sequence[ReleaseModel], n: int
) -> list[str]:
    told = []
    failed = [f"{one.k:,}" for one in forecasts if one.under_models is None]
    if models and failed:
        told.append(
            f"At k = {', '.join(failed)} no release of mondrian meets {', '.join(models)}. Allow "
            "suppression (`suppression`), or ask for less."
        )
    return told + [
        f"{model} is met by larger classes, if k is not enough: classes of {model.enough(n):,} "
        f"records meet it if any do; see the forecast of that k."
        for model in whole
    ]


def _largest_l(table: Table, name: str) -> float:
    codes, _ = encode_values(table.frame[name])
    return round(table.n / int(np.bincount(codes).max()), 2)


def _values(table: Table, name: str) -> int:
    return len(encode_values(table.frame[name])[1])


def _samples(table: Table) -> list[Table]:
    """Return samples of a table; records stand for persons in them."""
    schema = replace(table.schema, person=None, identifiers=(), sensitive=(), other=())
    frame = table.frame.select(schema.quasi_names)
    if table.n <= _SAMPLE:
        return [Table.of(frame, schema)]
    rng = np.random.default_rng(_SEED)
    drawn = [np.sort(rng.choice(table.n, size=_SAMPLE, replace=False)) for _ in range(_SAMPLES)]
    return [Table.of(frame[rows], schema) for rows in drawn]


def _forecast(
    table: Table,
    encoded: EncodedTable,
    samples: Sequence[Table],
    k: int,
    protections: Sequence[Protection],
) -> Forecast:
    """Return what k-member would lose: what mondrian loses, times how much better it is."""
    reached = loss_of(encoded, "mondrian", k)
    ratios = []
    for sample in map(encode, samples):
        usual = loss_of(sample, "mondrian", min(k, sample.n))
        better = loss_of(sample, "k-member", min(k, sample.n))
        ratios.append(better / usual if usual > 0 else 1.0)
    # The spread of few samples understates what may come: twice their deviation on both sides.
    middle, spread = float(np.mean(ratios)), float(np.std(ratios))
    margin = max(2 * spread, _LEAST_MARGIN)
    under_models = None
    if protections:
        persons = []
        if table.persons is not None and table.schema.person is not None:
            persons = [Protection(DistinctPersons(table.schema.person, k), table.persons)]
        try:
            under_models = loss_of(encoded, "mondrian", k, [*protections, *persons])
        except InfeasibleError:
            under_models = None
    return Forecast(
        k,
        reached * max(0.0, middle - margin),
        reached * min(1.0, middle + margin),
        reached,
        under_models,
    )
