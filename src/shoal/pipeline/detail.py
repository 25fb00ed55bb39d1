"""How much detail the cells of a release keep, in units that people use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from shoal.encoding.closures import Sets, Spans
from shoal.encoding.domain import IntervalDomain, SetDomain, TreeDomain
from shoal.measures.precision import levels_of_closures
from shoal.table import Reading

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from shoal.encoding.closures import Closures
    from shoal.encoding.domain import Domain
    from shoal.measures import Released

Share = Annotated[float, Field(ge=0, le=1)]
_UNITS = {
    Reading.NUMBER: "numbers",
    Reading.DATE: "days",
    Reading.DATETIME: "seconds",
    Reading.RANK: "categories",
}
_SECONDS_A_DAY = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """How much detail the cells of one quasi-identifier keep.

    The four shares are of all records and add up to 1; a withheld record shows nothing.
    """

    exact: Annotated[Share, Field(description="share of records whose cell is an exact value")]
    missing: Annotated[
        Share, Field(description="share of records whose cell is missing, and shown to be")
    ] = 0.0
    generalized: Annotated[
        Share, Field(description="share of records whose cell covers several values, but not all")
    ]
    nothing: Annotated[
        Share, Field(description="share of records that show `*` here or are withheld")
    ]
    unit: Annotated[
        str | None,
        Field(
            description="unit of the widths: numbers, days, seconds, categories (of an order) or "
            "values (of a set); none for hierarchies and suppress-only columns"
        ),
    ] = None
    typical_width: Annotated[
        float | None,
        Field(
            description="median width of the generalized cells: high end minus low end, or the "
            "number of values in a set"
        ),
    ] = None
    largest_width: Annotated[
        float | None, Field(description="width of the widest generalized cell")
    ] = None
    levels: Annotated[
        tuple[Share, ...] | None,
        Field(
            description="of a hierarchy: share of records on each level, exact values and missing "
            "cells first, `*` and withheld records last"
        ),
    ] = None


def details(released: Released, columns: Collection[str] | None = None) -> dict[str, Detail]:
    """Return the detail of all or some quasi-identifiers.

    All of it can be seen in the release, unless they show a statistic of their class.
    """
    found = {}
    for place, domain in enumerate(released.domains):
        if columns is not None and domain.attribute.name not in columns:
            continue
        column = released.recoding.columns[place]
        shown, sizes = ~released.blank, released.sizes.astype(np.float64)
        counted = np.bincount(column.index[shown], sizes, minlength=len(column.closures))
        records = np.asarray(counted, np.float64)
        found[domain.attribute.name] = _detail(domain, column.closures, records, released.n)
    return found


def _detail(domain: Domain, closures: Closures, records: NDArray[np.float64], n: int) -> Detail:
    exact = closures.first == closures.last if isinstance(closures, Spans) else closures.counts == 1
    star = domain.star(closures) & ~exact
    some = ~exact & ~star
    absent = exact & _is_missing(domain, closures)
    shares = [float(records[part].sum()) / n for part in (exact & ~absent, absent, some)]
    unit, widths = _widths(domain, closures)
    held = some & (records > 0) & ~np.isnan(widths)
    levels = None
    if isinstance(domain, TreeDomain):
        level, top = levels_of_closures(domain, closures)
        of_level = np.bincount(level, records, minlength=top + 1)
        of_level[top] += n - records.sum()
        levels = tuple((of_level / n).tolist())
    return Detail(
        exact=shares[0],
        missing=shares[1],
        generalized=shares[2],
        nothing=max(0.0, 1.0 - sum(shares)),
        unit=unit,
        typical_width=_median(widths[held], records[held]) if held.any() else None,
        largest_width=float(widths[held].max()) if held.any() else None,
        levels=levels,
    )


def _is_missing(domain: Domain, closures: Closures) -> NDArray[np.bool_]:
    """Return which of the closures of a single value are the missing one."""
    if domain.missing is None:
        return np.zeros(len(closures), dtype=np.bool_)
    if isinstance(closures, Spans):
        return np.asarray(closures.first == domain.missing)
    first = closures.members[np.minimum(closures.offsets[:-1], len(closures.members) - 1)]
    return np.asarray(first == domain.missing)


def _widths(domain: Domain, closures: Closures) -> tuple[str | None, NDArray[np.float64]]:
    """Return the width of each closure and its unit; NaN where a closure has none."""
    if isinstance(domain, SetDomain) and isinstance(closures, Sets):
        return "values", closures.counts.astype(np.float64)
    if not isinstance(domain, IntervalDomain) or not isinstance(closures, Spans):
        return None, np.full(len(closures), np.nan)
    numbers = np.append(domain.numbers, (np.nan, np.nan))  # of a missing value and of `*`
    width = numbers[closures.last] - numbers[closures.first]
    reading = domain.attribute.reading
    if reading is Reading.RANK:
        width = width + 1
    elif reading is Reading.DATETIME and np.nanmax(width, initial=0.0) >= _SECONDS_A_DAY:
        return "days", width / _SECONDS_A_DAY
    return _UNITS[reading], width


def _median(widths: NDArray[np.float64], records: NDArray[np.float64]) -> float:
    order = np.argsort(widths, kind="stable")
    reached = np.cumsum(records[order])
    return float(widths[order][np.searchsorted(reached, reached[-1] / 2)])
