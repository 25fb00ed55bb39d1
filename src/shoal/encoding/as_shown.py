"""Domains as a release shows them: what they hold is in the release, and nothing else.

A loss is a share of a domain: of the range of a column, of its number of categories. Over the
domain of the original it reveals how far withheld records lie from the others; over what the
release shows it reveals nothing that the release does not.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.encoding.closures import Sets, Spans
from shoal.encoding.domain import MISSING_POSITION, IntervalDomain, SetDomain, TreeDomain
from shoal.encoding.recoding import ColumnRecoding, Recoding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.encoding.closures import Closures
    from shoal.encoding.domain import Domain


def as_shown(domains: Sequence[Domain], recoding: Recoding) -> tuple[tuple[Domain, ...], Recoding]:
    """Return domains of the values that released cells show, and the recoding in their codes.

    Numbers keep a permissible range that was declared; otherwise their range is that of the ends
    shown. Hierarchies stay as they are: they are not made from the records.
    """
    recoding = recoding.without_empty_units()
    shown: list[Domain] = []
    columns: list[ColumnRecoding] = []
    for domain, column in zip(domains, recoding.columns, strict=True):
        smaller, closures = _smaller(domain, column.closures)
        shown.append(smaller)
        columns.append(ColumnRecoding(closures, column.index))
    return tuple(shown), Recoding(recoding.unit, tuple(columns), recoding.sizes)


def in_levels(domain: TreeDomain) -> TreeDomain:
    """Return a hierarchy made from a column, its losses counted in levels.

    The release shows on which level a cell is, and not how many values there are below it.
    """
    height = len(domain.ancestors) - 1
    loss = np.zeros(len(domain.node_names))
    # A node that stays on several levels has that of the lowest.
    for level in range(height, -1, -1):
        loss[domain.ancestors[level]] = level / max(height, 1)
    return replace(domain, node_loss=loss)


def _smaller(domain: Domain, closures: Closures) -> tuple[Domain, Closures]:
    if isinstance(domain, IntervalDomain) and isinstance(closures, Spans):
        return _ends_shown(domain, closures)
    if isinstance(domain, SetDomain) and isinstance(closures, Sets):
        codes = np.flatnonzero(np.bincount(closures.members))
        members = np.searchsorted(codes, closures.members).astype(np.int32)
        missing = len(codes) - 1 if domain.missing is not None and domain.missing in codes else None
        texts = [domain.texts[code] for code in codes.tolist()]
        return replace(domain, texts=texts, missing=missing), Sets(closures.offsets, members)
    return domain, closures


def _ends_shown(domain: IntervalDomain, spans: Spans) -> tuple[IntervalDomain, Spans]:
    star = domain.star(spans)
    codes = np.flatnonzero(np.bincount(np.concatenate((spans.first[~star], spans.last[~star]))))
    numbers = domain.numbers[codes[codes < len(domain.numbers)]]
    positions = np.zeros(len(numbers))
    if len(numbers):
        low, high = domain.attribute.value_range or (numbers[0], numbers[-1])
        positions = (numbers - low) / (high - low) if high > low else positions
    missing = None
    if len(codes) > len(numbers):  # the missing value comes last
        missing = len(numbers)
        positions = np.append(positions, MISSING_POSITION)
    smaller = replace(
        domain,
        texts=[domain.texts[code] for code in codes.tolist()],
        numbers=numbers,
        positions=positions,
        missing=missing,
        present=np.ones(len(codes), dtype=np.bool_),
    )
    first = np.where(star, 0, np.searchsorted(codes, spans.first))
    last = np.where(star, len(codes), np.searchsorted(codes, spans.last))
    return smaller, Spans(first.astype(np.int32), last.astype(np.int32))
