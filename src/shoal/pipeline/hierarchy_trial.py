"""What a hierarchy would cost and gain for columns of many categories, tried on a sample."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms import Problem, Run, make_algorithm
from shoal.encoding import encode
from shoal.errors import ShoalError
from shoal.hierarchies import Recipe, Way
from shoal.measures import Released, losses
from shoal.pipeline.detail import details
from shoal.table import Kind, Table
from shoal.table.column_hints import read_hints
from shoal.table.cooccurrence import CooccurrenceContext
from shoal.table.hierarchy_building import make_hierarchy
from shoal.table.kind_detection import is_readable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shoal.encoding import Domain
    from shoal.pipeline.detail import Detail

SAMPLE = 3_000
# Each trial takes a fraction of a second; a table may have hundreds of such columns.
MOST_TRIALS = 5
_ALGORITHM = "k-member"
# What is drawn decides a note, never a release, so it need not be secret.
_SEED = 1


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What a release of the sample keeps of a column, and loses, in it and in all."""

    detail: Detail
    loss: float
    gcp: float


def hierarchy_notes(table: Table, many: Sequence[Domain], k: int) -> Iterator[str]:
    """Yield for each column of many categories what sets and a hierarchy keep of it.

    The figures are those of original records: they are for the custodian alone.

    Parameters
    ----------
    many
        The domains of such columns in the whole table.
    """
    sample = _sample(table)
    names = [domain.attribute.name for domain in many[:MOST_TRIALS]]
    in_sets = _outcomes(sample, names, k)
    for domain in many[:MOST_TRIALS]:
        name = domain.attribute.name
        with_tree = with_automatic_hierarchy(sample, name)
        if with_tree is None:
            continue
        in_tree = _outcomes(with_tree, [name], k)[name]
        yield (
            f"Column {name!r} has {domain.size:,} categories, released as sets. In a trial on "
            f"{sample.n:,} records ({_ALGORITHM}), {_described(in_sets[name])}. With the "
            f"hierarchy auto for it (`hierarchy`), {_described(in_tree)}. A set of scattered "
            "values loses little by the measure; a group of a hierarchy may lose more, but has a "
            "meaning."
        )
    for domain in many[MOST_TRIALS:]:
        yield (
            f"Column {domain.attribute.name!r} has {domain.size:,} categories, released as sets; "
            "with a hierarchy (`hierarchy`) its groups would have a meaning."
        )


def _sample(table: Table) -> Table:
    schema = replace(table.schema, person=None, identifiers=(), sensitive=(), other=())
    frame = table.frame.select(schema.quasi_names)
    if table.n > SAMPLE:
        rows = np.random.default_rng(_SEED).choice(table.n, size=SAMPLE, replace=False)
        frame = frame[np.sort(rows)]
    return Table.of(frame, schema)


def with_automatic_hierarchy(sample: Table, name: str) -> Table | None:
    """Return the sample with a hierarchy made for a column; ``None`` if none can be made."""
    series = sample.frame[name]
    others = [sample.frame[one] for one in sample.schema.quasi_names]
    context = CooccurrenceContext(tuple(other for other in others if is_readable(other.dtype)))
    try:
        tree = make_hierarchy(
            series, Recipe(Way.AUTO), context, read_hints(series, kind="categorical")
        )
    except ShoalError:
        return None
    quasi = tuple(
        replace(one, kind=Kind.HIERARCHICAL, hierarchy=tree) if one.name == name else one
        for one in sample.schema.quasi
    )
    return replace(sample, schema=replace(sample.schema, quasi=quasi))


def _outcomes(sample: Table, names: Sequence[str], k: int) -> dict[str, _Outcome]:
    encoded = encode(sample)
    problem = Problem.of(encoded, min(k, sample.n))
    run = Run(seed=_SEED)
    recoding = make_algorithm(_ALGORITHM).solve(problem, run).recode(problem, run.generator())
    shown = Released(encoded.domains, encoded.weights, encoded.codes, recoding, encoded.n, k)
    lost = dict(zip(sample.schema.quasi_names, losses(shown), strict=True))
    gcp = float(np.dot(encoded.weights, list(lost.values())))
    kept = details(shown)
    return {name: _Outcome(kept[name], lost[name], gcp) for name in names}


def _described(outcome: _Outcome) -> str:
    """Return the figures of an outcome as part of a sentence."""
    detail = outcome.detail
    parts = [f"{100 * detail.exact:.1f} % of its cells stay exact"]
    if detail.levels is not None:
        parts += [
            f"{100 * share:.1f} % show level {level}"
            for level, share in list(enumerate(detail.levels))[1:-1]
            if share >= 0.0005
        ]
    elif detail.typical_width is not None:
        parts.append(f"a generalized cell typically lists {detail.typical_width:,.0f} categories")
    if detail.nothing >= 0.0005:
        parts.append(f"{100 * detail.nothing:.1f} % show nothing")
    listed = f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]
    return f"{listed}; it loses {100 * outcome.loss:.2f} %, all columns {outcome.gcp:.4f} (gcp)"
