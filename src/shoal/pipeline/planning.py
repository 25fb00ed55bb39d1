"""What a release would cost, before it is made."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shoal.algorithms.level_limits import kept_apart
from shoal.encoding import FoldedRows, encode, encode_values
from shoal.errors import InfeasibleError, ParameterError, raise_together
from shoal.models import parse_models, protect, split_models
from shoal.models.persons import DistinctPersons
from shoal.models.protection import Protection
from shoal.pipeline.plan_advice import Advice, advise, loss_of, saved_by_suppression
from shoal.pipeline.whole_release import ONE_CLASS_EACH, Conditions
from shoal.risks import percent
from shoal.risks.classes import Classes
from shoal.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from shoal.encoding import EncodedTable
    from shoal.models import ReleaseModel

_SAMPLE = 3_000
_SAMPLES = 3
# What is drawn decides a forecast, never a release, so it need not be secret.
_SEED = 1
_DIGITS = 10_000  # of a largest l
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
    with_suppression
        The loss to expect of the records that stay if 1 % of them may be suppressed, from a
        sample; ``None`` where nothing can be suppressed.
    under_models
        The loss of ``mondrian`` on the whole table under the privacy models; ``None`` without
        models, and where none of its releases meets them.
    """

    k: int
    low: float
    high: float
    reached: float
    with_suppression: float | None = None
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
        Records, different ones on the quasi-identifiers, and the smallest class as it is, in
        persons where these are counted.
    largest_k
        The largest k that any release without suppression can have: all records, or persons, in
        one class; under ``max_level``, in the smallest group of records that may share a class.
    largest_l
        For each sensitive attribute the largest l of frequency l-diversity that any release
        without suppression can have: records over those with the most frequent value, in the
        group where that is least.
    largest_distinct_l
        The same for distinct l-diversity: the number of its values.
    models
        The privacy models that forecasts are made under.
    forecasts
        The loss to expect at several k.
    advice
        What would lower the loss, the most effective first.
    notes
        What looks odd in the table, and sentences about the models.
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
    *,
    budget: float,
    models: Sequence[str] = (),
    undecided: Mapping[str, str] | None = None,
    population: pl.DataFrame | None = None,
    fraction: float | None = None,
    notes: Sequence[str] = (),
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
    population, fraction
        The people that the table is a sample of, and its share of them, for the models that need
        one of them.
    notes
        What looks odd in the table.

    Raises
    ------
    ParameterError
        If a model needs the population or the sampling fraction, and it is missing.
    """
    started = time.perf_counter()
    encoded = encode(table)
    people = None if table.persons is None else pl.Series(table.persons)
    classes = Classes.of(table.frame, list(table.schema.quasi_names), people)
    groups = _groups(table, encoded)
    largest = int(groups.members.min())
    feasible = [k for k in ks if 2 <= k <= largest] or [2] * (largest >= 2)
    of_classes, whole = split_models(models)
    protections = [protect(one, table) for one in parse_models(of_classes, table.schema.sensitive)]
    _require_needs(table, whole, {"population": population, "sampling_fraction": fraction})
    foreseen = [one for one in whole if not str(one).startswith(ONE_CLASS_EACH)]
    conditions = None
    if foreseen:
        conditions = Conditions(tuple(foreseen), encoded, table.schema, population, fraction)
    samples = _samples(table)
    forecasts = tuple(
        _forecast(
            k,
            encoded,
            samples,
            _under_models(table, encoded, k, protections, conditions),
        )
        for k in feasible
    )
    middle = min(feasible[len(feasible) // 2], samples[0].n) if feasible else 0
    spent = time.perf_counter() - started
    schema = table.schema
    largest_l = {name: groups.largest_l(table.frame[name]) for name in schema.sensitive}
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
        largest_l={name: frequency for name, (frequency, _) in largest_l.items()},
        largest_distinct_l={name: distinct for name, (_, distinct) in largest_l.items()},
        models=(*of_classes, *map(str, foreseen)),
        forecasts=forecasts,
        advice=advise(samples[0], middle) if middle else (),
        seconds=round(budget + 2 * spent / max(len(feasible), 1), 1),
        megabytes=round(estimated_megabytes(table.n, table.frame.width), 1),
        notes=(
            *notes,
            *_about_levels(groups, ks),
            *_about_models(forecasts, (*of_classes, *map(str, foreseen)), whole),
        ),
    )


def estimated_megabytes(records: int, columns: int) -> float:
    """Return about how much memory a run takes."""
    return (_BYTES_AT_LEAST + records * (columns + 4) * _BYTES_PER_CELL) / 1e6


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """Groups of records that may share a class.

    Parameters
    ----------
    of_record
        The group of each record.
    records
        Number of records in each group.
    members
        Number of people in each group where people are counted, otherwise of records.
    """

    of_record: NDArray[np.integer]
    records: NDArray[np.int64]
    members: NDArray[np.int64]

    def largest_l(self, values: pl.Series) -> tuple[float, int]:
        """Return the largest l of frequency and of distinct l-diversity that all groups allow."""
        held = FoldedRows.of([self.of_record.astype(np.uint32), encode_values(values)[0]])
        group = self.of_record[held.first]
        most = np.zeros(len(self.records), dtype=np.int64)
        np.maximum.at(most, group, held.counts)
        # Rounded down: more than the least ratio is not feasible.
        frequency = int((_DIGITS * self.records // most).min()) / _DIGITS
        return frequency, int(np.bincount(group).min())


def _groups(table: Table, encoded: EncodedTable) -> _Groups:
    """Return the groups that the highest levels keep apart: one of all records without limits."""
    apart = kept_apart(encoded.domains, encoded.codes)
    group = np.zeros(table.n, dtype=np.uint32) if apart is None else apart.row_of
    records = np.bincount(group).astype(np.int64)
    if table.persons is None:
        return _Groups(group, records, records)
    pairs = FoldedRows.of([group.astype(np.uint32), table.persons.astype(np.uint32)])
    return _Groups(group, records, np.bincount(group[pairs.first]).astype(np.int64))


def _about_levels(groups: _Groups, ks: Sequence[int]) -> list[str]:
    """Return how many records would have to be suppressed under ``max_level`` at each k."""
    if len(groups.members) < 2:
        return []
    notes = []
    for k in ks:
        short = int(groups.records[groups.members < k].sum())
        if short:
            share = percent(short / int(groups.records.sum()))
            notes.append(
                f"At k = {k:,}, `max_level` leaves {short:,} records ({share}) in groups that are "
                "too small: raise it, or allow that many to be suppressed (`suppression`)."
            )
    return notes


def _require_needs(
    table: Table, models: Sequence[ReleaseModel], given: Mapping[str, object]
) -> None:
    lacking = [
        ParameterError(f"{model} needs `{name}`.", remedy=f"Set `{name}`.")
        for model in models
        for name in model.needs
        if name in given and given[name] is None
    ]
    if table.persons is not None:
        lacking += [
            ParameterError(
                f"{model} counts records, but with `person` people have several.",
                remedy="Leave one of the two out.",
            )
            for model in models
        ]
    raise_together(lacking)


def _about_models(
    forecasts: Sequence[Forecast], models: Sequence[str], whole: Sequence[ReleaseModel]
) -> list[str]:
    notes = []
    failed = [f"{one.k:,}" for one in forecasts if one.under_models is None]
    if models and failed:
        notes.append(
            f"At k = {', '.join(failed)} no release of mondrian meets {', '.join(models)}. Allow "
            "suppression (`suppression`), or relax the models."
        )
    return notes + [
        f"No forecast under {model}: it is defined for full-domain releases, and mondrian makes "
        "none."
        for model in whole
        if str(model).startswith(ONE_CLASS_EACH)
    ]


def _samples(table: Table) -> list[Table]:
    """Return samples of a table; records stand for persons in them."""
    # Groups of a sample are smaller than those of the table: limits on levels hold for the latter.
    quasi = tuple(
        replace(one, max_level=None) if one.max_level is not None else one
        for one in table.schema.quasi
    )
    schema = replace(table.schema, quasi=quasi, person=None, identifiers=(), sensitive=(), other=())
    frame = table.frame.select(schema.quasi_names)
    if table.n <= _SAMPLE:
        return [Table.of(frame, schema)]
    rng = np.random.default_rng(_SEED)
    drawn = [np.sort(rng.choice(table.n, size=_SAMPLE, replace=False)) for _ in range(_SAMPLES)]
    return [Table.of(frame[rows], schema) for rows in drawn]


def _forecast(
    k: int, encoded: EncodedTable, samples: Sequence[Table], under_models: float | None
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
    spared = saved_by_suppression(samples[0], k)
    return Forecast(
        k,
        low=reached * max(0.0, middle - margin),
        high=reached * min(1.0, middle + margin),
        reached=reached,
        with_suppression=None if spared is None else reached * min(1.0, middle) * (1 - spared),
        under_models=under_models,
    )


def _under_models(
    table: Table,
    encoded: EncodedTable,
    k: int,
    protections: Sequence[Protection],
    conditions: Conditions | None,
) -> float | None:
    """Return what mondrian loses under the models; ``None`` without models or a release."""
    if not protections and conditions is None:
        return None
    persons = []
    if table.persons is not None and table.schema.person is not None:
        persons = [Protection(DistinctPersons(table.schema.person, k), table.persons)]
    try:
        return loss_of(encoded, "mondrian", k, [*protections, *persons], conditions)
    except InfeasibleError:
        return None
