"""No cell is made from the values of records that are not released.

A class covers its own members. But a group of a global recoding, or a node of a hierarchy that was
made from the column, may owe its name to a suppressed record: ``[Bishop..cook]`` where the only
bishop is withheld. Here every closure shrinks to what released records hold, and such hierarchies
are written down again from their values.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.encoding import SUPPRESSED, ColumnRecoding, Recoding
from shoal.encoding.closures import Sets, Spans
from shoal.encoding.domain import IntervalDomain, SetDomain, TreeDomain
from shoal.hierarchies import Recipe, is_recipe
from shoal.table.column_hints import read_hints
from shoal.table.hierarchy_building import pin_recipe

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.encoding import Domain, EncodedTable
    from shoal.options import Job
    from shoal.table import Table


def pinned_hierarchies(
    table: Table, encoded: EncodedTable, recoding: Recoding, job: Job
) -> dict[str, str]:
    """Return recipes for automatic hierarchies that owe nothing to records not released.

    Where every record is released there is nothing to hide, and the recipes stay as they are.
    """
    released = recoding.unit != SUPPRESSED
    if released.all() and not table.withheld:
        return {}
    recoding = recoding.without_empty_units()
    found = {}
    parts = zip(encoded.domains, encoded.codes, recoding.columns, strict=True)
    for domain, codes, column in parts:
        name = domain.attribute.name
        given = job.hierarchy.get(name)
        if given is None or not is_recipe(given) or not isinstance(domain, TreeDomain):
            continue
        hints = read_hints(
            table.frame[name],
            kind=job.kind.get(name),
            order=job.order.get(name, ()),
            date_format=job.date_format.get(name),
        )
        present = np.unique(codes[released])
        if domain.missing is not None:
            present = present[present != domain.missing]
        assert isinstance(column.closures, Spans)
        spans = column.closures
        shown = [
            frozenset(domain.texts[code] for code in present[low:high].tolist())
            for low, high, star in zip(
                np.searchsorted(present, spans.first),
                np.searchsorted(present, spans.last, side="right"),
                domain.star(spans),
                strict=True,
            )
            if not star
        ]
        kept = [domain.texts[code] for code in present.tolist()]
        recipe = pin_recipe(table.frame[name], Recipe.parse(given), hints, shown, kept)
        if str(recipe) != given:
            found[name] = str(recipe)
    return found


def without_withheld(recoding: Recoding, old: EncodedTable, new: EncodedTable) -> Recoding:
    """Return the recoding in the domains of ``new``, each closure shrunk to released values."""
    recoding = recoding.without_empty_units()
    released = recoding.unit != SUPPRESSED
    columns = []
    for before, after, codes, column in zip(
        old.domains, new.domains, old.codes, recoding.columns, strict=True
    ):
        present = np.unique(codes[released])
        closures = column.closures
        if isinstance(closures, Sets) and isinstance(before, SetDomain):
            columns.append(ColumnRecoding(_smaller_sets(closures, present), column.index))
        elif isinstance(closures, Spans) and isinstance(before, IntervalDomain):
            columns.append(ColumnRecoding(_smaller_spans(before, closures, present), column.index))
        elif after is not before and isinstance(before, TreeDomain):
            columns.append(_in_tree(before, after, column, present))
        else:
            columns.append(column)
    return replace(Recoding.of(recoding.unit, columns), matches=recoding.matches)


def _smaller_sets(sets: Sets, present: NDArray[np.integer]) -> Sets:
    kept = np.isin(sets.members, present)
    owner = np.repeat(np.arange(len(sets)), sets.counts)[kept]
    counts = np.bincount(owner, minlength=len(sets))
    return Sets(np.concatenate(([0], np.cumsum(counts))), sets.members[kept])


def _smaller_spans(domain: IntervalDomain, spans: Spans, present: NDArray[np.integer]) -> Spans:
    """Return intervals from the first to the last released value inside; ``*`` stays."""
    star = domain.star(spans)
    low = np.searchsorted(present, spans.first)
    high = np.searchsorted(present, spans.last, side="right") - 1
    first = np.where(star, spans.first, present[np.minimum(low, len(present) - 1)])
    last = np.where(star, spans.last, present[np.maximum(high, 0)])
    return Spans(first.astype(np.int32), last.astype(np.int32))


def _in_tree(
    before: TreeDomain, after: Domain, column: ColumnRecoding, present: NDArray[np.integer]
) -> ColumnRecoding:
    """Return closures as nodes of a tree over the same values."""
    assert isinstance(after, TreeDomain)
    spans = column.closures
    assert isinstance(spans, Spans)
    code_of = {text: code for code, text in enumerate(after.texts)}
    star = before.star(spans)
    runs: list[int] = []
    starts: list[int] = []
    for first, last, everything in zip(spans.first, spans.last, star, strict=True):
        starts.append(len(runs))
        inside = present[(present >= first) & (present <= last)]
        if everything:
            runs += [0, after.size - 1]
        else:
            runs += [code_of[before.texts[code]] for code in inside.tolist()]
    closures, index = after.close(np.array(runs), np.array(starts, dtype=np.int64))
    return ColumnRecoding(closures, index[column.index])
