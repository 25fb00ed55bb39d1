"""Linear and integer programs, gathered in blocks of variables and rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csc_array

    Places = NDArray[np.int64]
    Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class LinearProgram:
    """Minimize cost·v + offset over low ≤ v ≤ high and row_low ≤ matrix·v ≤ row_high."""

    cost: Numbers
    low: Numbers
    high: Numbers
    integer: NDArray[np.bool_]
    matrix: csr_array | csc_array
    row_low: Numbers
    row_high: Numbers
    offset: float = 0.0


@dataclass(slots=True)
class ProgramBuilder:
    """A program under construction: variables and rows come in blocks.

    The rows of a block are equally long.
    """

    offset: float = 0.0
    variables: int = 0
    _cost: list[Numbers] = field(default_factory=list)
    _low: list[Numbers] = field(default_factory=list)
    _high: list[Numbers] = field(default_factory=list)
    _integer: list[NDArray[np.bool_]] = field(default_factory=list)
    _row_low: list[Numbers] = field(default_factory=list)
    _row_high: list[Numbers] = field(default_factory=list)
    _row_places: list[Places] = field(default_factory=list)
    _row_values: list[Numbers] = field(default_factory=list)

    def add(
        self,
        count: int,
        low: Numbers | float,
        high: Numbers | float,
        cost: Numbers | float,
        *,
        integer: bool = False,
    ) -> Places:
        """Add variables and return their places."""
        places = np.arange(self.variables, self.variables + count)
        self.variables += count
        for kept, given in ((self._low, low), (self._high, high), (self._cost, cost)):
            kept.append(_spread(given, count))
        self._integer.append(np.full(count, integer))
        return places

    def constrain(
        self,
        places: tuple[Places, ...],
        values: tuple[Numbers | float, ...],
        low: Numbers | float,
        high: Numbers | float,
    ) -> None:
        """Add rows: low ≤ Σ values · variables ≤ high, a place and a value for each term."""
        count = len(places[0])
        self._row_places.append(np.column_stack(places))
        self._row_values.append(np.column_stack([_spread(value, count) for value in values]))
        self._row_low.append(_spread(low, count))
        self._row_high.append(_spread(high, count))

    def build(self) -> LinearProgram:
        """Return the program."""
        widths = np.concatenate([np.full(len(rows), rows.shape[1]) for rows in self._row_places])
        places = np.concatenate([rows.ravel() for rows in self._row_places])
        values = np.concatenate([rows.ravel() for rows in self._row_values])
        starts = np.concatenate(([0], np.cumsum(widths)))
        return LinearProgram(
            cost=np.concatenate(self._cost),
            low=np.concatenate(self._low),
            high=np.concatenate(self._high),
            integer=np.concatenate(self._integer),
            matrix=csr_array((values, places, starts), shape=(len(widths), self.variables)),
            row_low=np.concatenate(self._row_low),
            row_high=np.concatenate(self._row_high),
            offset=self.offset,
        )


def _spread(given: Numbers | float, count: int) -> Numbers:
    return np.broadcast_to(np.asarray(given, dtype=np.float64), count)
