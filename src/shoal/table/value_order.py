"""The order of a column's values, where a model needs one for a column that is not recoded."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from shoal.table.cells import distinct_cells, numbers, texts
from shoal.table.kind_detection import detect
from shoal.table.schema import Attribute, Kind, Reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    from numpy.typing import NDArray

_SAID = {
    Reading.NUMBER: "of size",
    Reading.DATE: "of time",
    Reading.DATETIME: "of time",
    Reading.RANK: "of their categories",
    Reading.TEXT: "of their texts, since nothing else is known (`order` sets another)",
}


@dataclass(frozen=True, slots=True, eq=False)
class OrderedValues:
    """The rank of each row's value; equal values share one, a missing value has the last.

    Parameters
    ----------
    basis
        What orders them, as it follows "in order" in a sentence.
    """

    ranks: NDArray[np.int64] = field(repr=False)
    basis: str


def order_values(series: pl.Series, order: Sequence[str] = ()) -> OrderedValues:
    """Rank the values of a column: by the given order, else as numbers or dates, else as texts.

    Raises
    ------
    ValueReadError
        If a value is not in the given order; rows are named by number.
    """
    distinct = distinct_cells(series)
    reading = Reading.RANK
    if not order:
        found = detect(series, distinct.cells)
        reading = Reading.TEXT if found.mixed else found.reading
        order = found.order
    if reading is Reading.TEXT:
        keys = texts(distinct.cells).rank("dense").to_numpy().astype(np.float64)
    else:
        attribute = Attribute(series.name, Kind.NUMERIC, reading, order=tuple(order))
        keys = numbers(distinct, attribute, open_values=True)
    values, places = np.unique(keys, return_inverse=True)
    ranks = np.append(places, len(values)).astype(np.int64)
    return OrderedValues(ranks[distinct.codes], _SAID[reading])
