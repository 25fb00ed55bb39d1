"""How a column goes with a quasi-identifier: what each of its values says about the other's.

From all records but the two that are compared, an attacker learns how often value v of the
quasi-identifier stands beside value u of the column. That estimate is drawn towards the share that
v has in the whole table, the more so the less the column has been found to say. How strongly is
chosen once for each pair of columns: as it best predicts each record from all others. A column
that says nothing, or whose values are too rare to learn from, is found to say nothing.

Where values are rare but fall into bins, or have parts in common, what a value says is drawn
towards what its bin says: a sampling weight that two records share tells their age, and one that
stands alone tells as much as those next to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_STRENGTHS = (0.02, 0.1, 0.5, 2.0, 10.0, 50.0, 250.0)
_JUDGED = 3_000
# In natural units of information, all records together; less may be chance.
_LEAST_GAIN = 4.0
_LEAST_GAIN_EACH = 0.003
_LARGEST_TABLE = 2**22


@dataclass(frozen=True, slots=True, eq=False)
class Association:
    """What one column was found to say about one quasi-identifier.

    Parameters
    ----------
    column, attribute
        Codes of the records.
    together
        How many records hold a pair of codes.
    of_column, of_attribute
        How many records hold each code.
    strength
        How many records without any relation an estimate starts from.
    gain
        Mean information about the quasi-identifier in a value of the column, in nats, as measured
        by predicting each record from all others.
    coarser
        What the bins of the column's values say, towards which estimates are drawn; without it,
        towards the shares in the whole table.
    """

    column: NDArray[np.int64]
    attribute: NDArray[np.int64]
    together: _PairCounts
    of_column: NDArray[np.int64]
    of_attribute: NDArray[np.int64]
    strength: float
    gain: float
    coarser: Association | None = None

    def log_weights(
        self, target: NDArray[np.int64], candidate: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return how well each candidate's value goes with its target's quasi-identifier.

        Neither the target's record nor the candidate's is counted, so nobody is recognized by a
        value that an attacker could only know from that very record.
        """
        u, v = self.column[candidate], self.attribute[target]
        itself = target == candidate
        beside = (self.column[target] == u) & ~itself
        seen = self.of_column[u] - 1 - beside
        fitting = self.together.of(u, v) - (self.attribute[candidate] == v) - beside
        usual = self.of_attribute[v] / len(self.column)
        prior = 1.0 if self.coarser is None else np.exp(self.coarser.log_weights(target, candidate))
        return np.asarray(_log_lift(fitting, seen, usual, self.strength, prior))

    def of_own_record(self, records: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return how well the value of each record goes with its own quasi-identifier."""
        return np.asarray(np.exp(self.log_weights(records, records)))


def associate(
    column: NDArray[np.int64],
    attribute: NDArray[np.int64],
    rng: np.random.Generator,
    coarser: Association | None = None,
) -> Association | None:
    """Learn what a column says about a quasi-identifier; None if nothing was found.

    Parameters
    ----------
    coarser
        What is known of the bins that its values fall into.
    """
    n = len(column)
    together = _PairCounts.of_codes(column, attribute)
    of_column, of_attribute = np.bincount(column), np.bincount(attribute)
    # One record may be drawn twice, which is quicker and as good.
    judged = np.arange(n) if n <= _JUDGED else rng.integers(0, n, _JUDGED)
    u, v = column[judged], attribute[judged]
    fitting, seen = together.of(u, v) - 1, of_column[u] - 1
    usual = of_attribute[v] / n
    prior = 1.0 if coarser is None else coarser.of_own_record(judged)
    gains = [float(_log_lift(fitting, seen, usual, one, prior).mean()) for one in _STRENGTHS]
    best = int(np.argmax(gains))
    if gains[best] < max(_LEAST_GAIN / n, _LEAST_GAIN_EACH):
        return None
    return Association(
        column, attribute, together, of_column, of_attribute, _STRENGTHS[best], gains[best], coarser
    )


def _log_lift(
    fitting: NDArray[np.int64],
    seen: NDArray[np.int64],
    usual: NDArray[np.float64],
    strength: float,
    prior: NDArray[np.float64] | float = 1.0,
) -> NDArray[np.float64]:
    """Return the logarithm of how many times likelier a value is than usual."""
    return np.asarray(np.log((fitting / usual + strength * prior) / (seen + strength)))


@dataclass(frozen=True, slots=True, eq=False)
class _PairCounts:
    """How many records hold each pair of codes, as a table or, if that is large, as a list."""

    width: int
    counts: NDArray[np.int64]
    keys: NDArray[np.int64] | None

    @classmethod
    def of_codes(cls, first: NDArray[np.int64], second: NDArray[np.int64]) -> _PairCounts:
        width = int(second.max()) + 1
        pairs = first * width + second
        size = (int(first.max()) + 1) * width
        if size <= _LARGEST_TABLE:
            return cls(width, np.bincount(pairs, minlength=size), None)
        keys, counts = np.unique(pairs, return_counts=True)
        return cls(width, counts, keys)

    def values_of_first(self, size: int) -> NDArray[np.int64]:
        """Return beside how many second codes each of so many first codes stands."""
        pairs = np.flatnonzero(self.counts) if self.keys is None else self.keys
        return np.bincount(pairs // self.width, minlength=size)

    def of(self, first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
        pairs = first * self.width + second
        if self.keys is None:
            return np.asarray(self.counts[pairs])
        place = np.minimum(np.searchsorted(self.keys, pairs), len(self.keys) - 1)
        return np.asarray(np.where(self.keys[place] == pairs, self.counts[place], 0))
