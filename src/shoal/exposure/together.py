"""What several unchanged columns undo together, and which of them it takes.

Columns are taken together in two ways. The weights that they give to candidates are multiplied, as
an attacker does who takes them for independent hints; and pairs, triples and sums of columns that
go with a quasi-identifier as none of them does alone are looked at as one column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.exposure.combinations import likely_combinations
from shoal.exposure.report import (
    LARGEST_FACTOR_OF_HINTS,
    LARGEST_FACTOR_OF_MANY,
    TogetherExposure,
    undoes,
)
from shoal.exposure.sums import likely_sums

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from shoal.exposure.effective_k import Attack, EffectiveK, Examined

_MOST_JOINED = 30  # columns that narrow most, of which the fewest are sought


def examine_together(
    attack: Attack, columns: Mapping[str, Examined], k: int, rng: np.random.Generator
) -> tuple[EffectiveK, tuple[TogetherExposure, ...]]:
    """Return what columns leave of the candidates together, and which of them undo the release.

    Parameters
    ----------
    columns
        The columns; those that stop a release by themselves are left out, unless accepted.
    """
    everything = _undone_by(attack, columns.values())
    if len(columns) < 2:
        return everything, ()
    found = _combinations(attack, columns, k, rng)
    strongest = min([everything, *(one.remaining for one in found)], key=lambda one: one.effective)
    hints = _hints(attack, columns, everything, k)
    return strongest, (*found, *(() if hints is None else (hints,)))


def _combinations(
    attack: Attack, columns: Mapping[str, Examined], k: int, rng: np.random.Generator
) -> list[TogetherExposure]:
    """Return pairs, triples and sums that undo the release as none of their columns does."""
    combined = [name for name, one in columns.items() if one.views]
    cells = {name: columns[name].cells for name in combined}
    views = {name: columns[name].views for name in combined}
    likely = [
        *likely_sums(cells, attack.quasi, attack.rows, rng),
        *likely_combinations(views, attack.views_of_attributes, rng),
    ]
    found: dict[tuple[str, ...], EffectiveK] = {}
    for one in sorted(likely, key=lambda one: len(one.columns)):
        if any(set(fewer) <= set(one.columns) for fewer in found):
            continue
        remaining = attack.on_views(one.views, one.attribute, exact=one.exact)
        if _undo_more([columns[name].remaining for name in one.columns], remaining, k):
            found[one.columns] = remaining
    return [_exposure(names, remaining, columns) for names, remaining in found.items()]


def _hints(
    attack: Attack, columns: Mapping[str, Examined], everything: EffectiveK, k: int
) -> TogetherExposure | None:
    """Return the fewest columns whose weights, multiplied, undo the release.

    What all others add to them must be little, so that whoever accepts these accepts nearly all.
    """
    if not _grave(everything, k):
        return None
    ranked = sorted(columns, key=lambda name: columns[name].remaining.effective)[:_MOST_JOINED]
    ranked = [name for name in ranked if columns[name].remaining.factor > 1]

    def tried(names: Sequence[str]) -> EffectiveK:
        return _undone_by(attack, [columns[name] for name in names])

    def enough(names: Sequence[str]) -> bool:
        remaining = tried(names)
        alone = [columns[name].remaining for name in names]
        return _grave(remaining, k) and _undo_more(alone, remaining, k)

    def nearly_all(names: Sequence[str]) -> bool:
        return everything.factor < LARGEST_FACTOR_OF_MANY * tried(names).factor

    chosen = ranked[:1]
    while len(chosen) < len(ranked) and not (enough(chosen) and nearly_all(chosen)):
        left = [name for name in ranked if name not in chosen]
        chosen.append(min(left, key=lambda name: tried([*chosen, name]).effective))
    if not enough(chosen):
        return None
    for name in list(chosen):
        fewer = [one for one in chosen if one != name]
        if enough(fewer) and nearly_all(fewer):
            chosen = fewer
    return _exposure(chosen, tried(chosen), columns)


def _grave(remaining: EffectiveK, k: int) -> bool:
    """Return whether hints add up to more than ordinary columns do, each of which says a little."""
    return remaining.factor >= LARGEST_FACTOR_OF_HINTS and undoes(remaining, k)


def _undone_by(attack: Attack, columns: Iterable[Examined]) -> EffectiveK:
    """Return what columns leave of the candidates if their weights are multiplied."""
    weights = np.zeros(attack.pairs)
    for one in columns:
        if one.weights is not None:
            weights += one.weights
    return attack.summed(weights)


def _undo_more(alone: Sequence[EffectiveK], remaining: EffectiveK, k: int) -> bool:
    """Return whether columns undo the release together, and much more than each alone."""
    most = max(one.factor for one in alone)
    more = len(alone) > 1 and remaining.factor >= LARGEST_FACTOR_OF_MANY * most
    return more and undoes(remaining, k)


def _exposure(
    names: Sequence[str], remaining: EffectiveK, columns: Mapping[str, Examined]
) -> TogetherExposure:
    accepted = all(columns[name].accepted for name in names)
    in_order = tuple(name for name in columns if name in names)
    return TogetherExposure(in_order, remaining, accepted=accepted)
