"""From closures to cells: the released quasi-identifiers as a frame."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from shoal.encoding import notation
from shoal.encoding.closures import Sets, Spans
from shoal.encoding.domain import IntervalDomain, SetDomain
from shoal.table import Reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.encoding.domain import Domain
    from shoal.encoding.recoding import ColumnRecoding, Recoding

Notation = Literal["text", "min_max"]


def decode(
    recoding: Recoding,
    domains: Sequence[Domain],
    records: NDArray[np.int64],
    style: Notation = "text",
) -> pl.DataFrame:
    """Return the released cells of the given records, in that order.

    A record without a unit shows ``*`` everywhere. Cells are written once for each distinct
    closure and then gathered, so the cost hardly depends on the number of records.
    """
    unit = recoding.unit[records]
    columns: list[pl.Series] = []
    for domain, column in zip(domains, recoding.columns, strict=True):
        # The place after the last closure holds the star of suppressed records, unit -1.
        place = np.append(column.index, np.int32(len(column.closures)))[unit]
        columns += [series.gather(place) for series in _cells(domain, column, style)]
    return pl.DataFrame(columns)


def released_names(domain: Domain, style: Notation = "text") -> list[str]:
    """Return the columns that an attribute becomes in a release."""
    name = domain.attribute.name
    if style == "min_max" and isinstance(domain, IntervalDomain):
        return [f"{name}_min", f"{name}_max"]
    return [name]


def _cells(domain: Domain, column: ColumnRecoding, style: Notation) -> list[pl.Series]:
    closures = column.closures
    names = released_names(domain, style)
    if style == "min_max" and isinstance(domain, IntervalDomain):
        assert isinstance(closures, Spans)
        silent = domain.star(closures)
        if domain.missing is not None:
            silent = silent | (closures.first == domain.missing)
        return [
            _ends(domain, name, ends, silent, outward)
            for name, ends, outward in zip(
                names, (closures.first, closures.last), (-np.inf, np.inf), strict=True
            )
        ]
    if style == "min_max" and isinstance(domain, SetDomain):
        assert isinstance(closures, Sets)
        cuts = closures.offsets.tolist()
        codes = closures.members.tolist()
        lists = [
            [domain.texts[code] or None for code in codes[start:end]]
            for start, end in pairwise(cuts)
        ]
        return [pl.Series(names[0], [*lists, None], dtype=pl.List(pl.String))]
    cells = pl.Series(names[0], [*domain.write(closures), notation.STAR], dtype=pl.String)
    # An exact missing value is the empty field.
    return [cells.set(cells == "", None)]


def _ends(
    domain: IntervalDomain,
    name: str,
    ends: NDArray[np.int32],
    silent: NDArray[np.bool_],
    outward: float,
) -> pl.Series:
    if domain.attribute.reading is Reading.NUMBER:
        # Codes of missing values and of * lie beyond the numbers; those cells say nothing.
        held = _held(domain, outward)
        numbers = np.append(held, 0.0)[np.minimum(ends, len(held))]
        whole = bool((held == np.round(held)).all())
        values = pl.Series(name, numbers).cast(pl.Int64 if whole else pl.Float64)
    else:
        texts = [*domain.texts, ""]
        texts = [texts[end] for end in ends.tolist()]
        values = pl.Series(name, texts, dtype=pl.String)
    values = values.set(pl.Series(silent), None) if silent.any() else values
    return values.extend_constant(None, 1)


def _held(domain: IntervalDomain, outward: float) -> NDArray[np.float64]:
    """Return the numbers as floats; one with more digits than a float shows is moved outward."""
    held = domain.numbers.copy()
    for place, (text, number) in enumerate(zip(domain.texts, held.tolist(), strict=False)):
        excess = Decimal(text).compare(Decimal(repr(number)))
        if excess and (excess > 0) == (outward > 0):
            held[place] = np.nextafter(number, outward)
    return held
