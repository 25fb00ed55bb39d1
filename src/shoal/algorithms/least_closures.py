"""What single records lose at least: the cheapest closure with enough records, from below.

The attributes in which the records of a class are not all alike are the changed ones. All members
equal a record in the others, so that its class lies in the group of records that do. The closure of
each changed attribute holds enough records of that group; the cheapest closure of this attribute
alone that does bounds its loss, and the sum over the changed attributes that of the class. The
least sum over all sets of changed attributes is what the record loses at least in any class.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.required_values import required_values
from shoal.encoding.closures import Spans
from shoal.encoding.domain import IntervalDomain, SetDomain, SuppressDomain, TreeDomain
from shoal.models import PersonalK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from shoal.algorithms.problem import Problem
    from shoal.algorithms.required_values import RequiredValues
    from shoal.algorithms.run import Run
    from shoal.encoding.domain import Domain

# Sets of changed attributes that are tried at most where no time limits them.
MOST_SETS = 20_000
# Different ks that are distinguished; others count as the next smaller one.
MOST_KS = 6
# More than any rounding of the sums below.
_ROUNDING = 1e-9


def bound_by_closures(problem: Problem, run: Run, *, most: int = MOST_SETS) -> float:
    """Return a loss per record that no release in classes goes below.

    Every class has at least k records, as many as a personal k requires, and the values that models
    require. Suppressed records lose 1, which is no less than they would lose in a class. Sets of
    changed attributes are tried in ascending order of what they cost at least; where time or
    ``most`` ends that, sets not yet tried cost no less than the next. Time O(2^m · n log n) at
    most, memory O(n·m).
    """
    search = _Search(problem)
    for tried, (changed, cost) in enumerate(_by_cost(search.least_costs)):
        late = run.remaining() <= 0 or tried >= most
        if late or cost >= float(search.least.max()):
            search.least = np.minimum(search.least, cost)
            break
        search.try_changed(changed, cost)
    total = float(np.minimum(search.least, 1.0) @ problem.counts)
    return max(0.0, total / problem.n - _ROUNDING)


def _by_cost(costs: NDArray[np.float64]) -> Iterator[tuple[tuple[int, ...], float]]:
    """Yield all sets of attributes with the sum of their costs, ascending."""
    order = np.argsort(costs, kind="stable").tolist()
    heap: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    while heap:
        cost, places = heapq.heappop(heap)
        yield tuple(order[place] for place in places), cost
        # Each set comes from one other: by adding the next attribute, or by moving the last on.
        last = places[-1] + 1 if places else 0
        if last == len(order):
            continue
        more = float(costs[order[last]])
        heapq.heappush(heap, (cost + more, (*places, last)))
        if places:
            less = float(costs[order[last - 1]])
            heapq.heappush(heap, (max(cost, cost - less + more), (*places[:-1], last)))


class _Search:
    """Rows, and the least loss found for each so far."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.codes = [codes.astype(np.int64) for codes in problem.codes]
        self.counts = problem.counts.astype(np.int64)
        self.ks, self.required = _requirements(problem)
        self.least = np.full(problem.rows, np.inf)
        columns = zip(self.codes, problem.domains, problem.weights, strict=True)
        self.unchanged = [weight * _loss(domain, one, one) for one, domain, weight in columns]
        rng = np.random.default_rng(0)
        # Rows are distinguished by sums of random numbers. Should two agree by chance, groups are
        # larger than they are, and the bound lower.
        self.names = [
            rng.integers(2**63, size=domain.size, dtype=np.int64)[codes]
            for codes, domain in zip(self.codes, problem.domains, strict=True)
        ]
        with np.errstate(over="ignore"):
            self.name = np.sum(self.names, axis=0, dtype=np.int64)

    @property
    def least_costs(self) -> NDArray[np.float64]:
        """What each attribute costs at least if it is changed; infinite if it cannot be."""
        return np.array(
            [
                weight * _least_change(domain)
                for domain, weight in zip(self.problem.domains, self.problem.weights, strict=True)
            ]
        )

    def try_changed(self, changed: tuple[int, ...], cost: float) -> None:
        """Lower what rows lose at least to what they do when these attributes change."""
        name = self.name.copy()
        with np.errstate(over="ignore"):
            for attribute in changed:
                name -= self.names[attribute]
        _, group = np.unique(name, return_inverse=True)
        sizes = np.bincount(group, self.counts)
        open_rows = (self.least > cost) & (sizes[group] >= self.ks)
        for required, codes in self.required:
            open_rows &= _weights(group, codes, required) >= required.wanted - _ROUNDING
        if not open_rows.any():
            return
        rows = np.flatnonzero(np.bincount(group, open_rows)[group] > 0)
        _, group = np.unique(group[rows], return_inverse=True)
        is_open = open_rows[rows]
        lost = np.zeros(len(rows))
        for attribute, unchanged in enumerate(self.unchanged):
            if attribute not in changed:
                lost += unchanged[rows]
        for k in np.unique(self.ks[rows[is_open]]).tolist():
            of_k = is_open & (self.ks[rows] == k)
            sums = lost.copy()
            for attribute in changed:
                histogram = _Histogram.of(group, self.codes[attribute][rows], self.counts[rows])
                domain = self.problem.domains[attribute]
                costs = np.maximum(histogram.costs(domain, k), _least_change(domain))
                sums += self.problem.weights[attribute] * costs[histogram.entry_of_row]
            found = np.maximum(sums, cost)[of_k]
            self.least[rows[of_k]] = np.minimum(self.least[rows[of_k]], found)


def _requirements(
    problem: Problem,
) -> tuple[NDArray[np.int64], list[tuple[RequiredValues, NDArray[np.int64]]]]:
    """Return the k of each row, and what models require, with the values of their columns."""
    ks = np.full(problem.rows, problem.k, dtype=np.int64)
    required = []
    for model, codes in zip(problem.models, problem.protected, strict=True):
        if isinstance(model, PersonalK):
            ks = np.maximum(ks, model.ks[codes])
            continue
        needed = required_values(model, int(codes.max(initial=0)) + 1)
        if needed is not None and needed.wanted > 0:
            required.append((needed, codes.astype(np.int64)))
    different = np.unique(ks)
    if len(different) > MOST_KS:
        kept = different[np.arange(MOST_KS) * len(different) // MOST_KS]
        ks = kept[np.searchsorted(kept, ks, side="right") - 1]
    return ks, required


def _weights(
    group: NDArray[np.int64], codes: NDArray[np.int64], required: RequiredValues
) -> NDArray[np.float64]:
    """Return for each row the weight of all different values in its group."""
    values = len(required.weights)
    pairs = np.unique(group * values + codes)
    sums = np.bincount(pairs // values, required.weights[pairs % values])
    return np.asarray(sums[group], dtype=np.float64)


def _loss(
    domain: Domain, first: NDArray[np.integer], last: NDArray[np.integer]
) -> NDArray[np.float64]:
    """Return what closures from one code to another lose; sets by their ends alone."""
    if isinstance(domain, IntervalDomain | TreeDomain):
        return domain.loss(Spans(first.astype(np.int32), last.astype(np.int32)))
    if isinstance(domain, SetDomain):
        return domain.loss_of(np.where(first == last, 1, 2))
    return np.asarray(first != last, dtype=np.float64)


def _least_change(domain: Domain) -> float:
    if domain.size < 2:
        return np.inf
    code = np.arange(domain.size - 1)
    return float(_loss(domain, code, code + 1).min())


@dataclass(frozen=True, slots=True, eq=False)
class _Histogram:
    """How often groups hold values: entries by group, then by value.

    Parameters
    ----------
    group, value, count
        Of each entry.
    entry_of_row
        The entry that each row counts in.
    """

    group: NDArray[np.int64]
    value: NDArray[np.int64]
    count: NDArray[np.int64]
    entry_of_row: NDArray[np.int64]

    @classmethod
    def of(
        cls, group: NDArray[np.int64], codes: NDArray[np.int64], counts: NDArray[np.int64]
    ) -> _Histogram:
        values = int(codes.max(initial=0)) + 1
        pairs, entry = np.unique(group * values + codes, return_inverse=True)
        count = np.bincount(entry, counts).astype(np.int64)
        return cls(pairs // values, pairs % values, count, entry)

    def costs(self, domain: Domain, k: int) -> NDArray[np.float64]:
        """Return what a closure loses at least that holds an entry's value and k of its group."""
        if isinstance(domain, IntervalDomain | TreeDomain):
            return self._spans(domain, k)
        if isinstance(domain, SetDomain):
            return domain.loss_of(1 + self._values_beside(k))
        if isinstance(domain, SuppressDomain):
            return (self.count < k).astype(np.float64)
        return np.zeros(len(self.count))

    def _values_beside(self, k: int) -> NDArray[np.int64]:
        """Return how many values a set holds at least beside an entry's: the commonest first."""
        order = np.lexsort((-self.count, self.group))
        group, count = self.group[order], self.count[order]
        start = np.searchsorted(group, group, side="left")
        rank = np.arange(len(order)) - start
        before = np.concatenate([[0], np.cumsum(count)])
        most = np.searchsorted(group, group, side="right") - start
        # The first so many values of the group, which may or may not be joined by the own one.
        joined = np.searchsorted(before, before[start] + k - count, side="left") - start
        alone = np.searchsorted(before, before[start] + k, side="left") - start - 1
        needed = np.where(joined <= rank, np.maximum(joined, 0), np.minimum(alone, most - 1))
        found = np.empty(len(order), dtype=np.int64)
        found[order] = np.maximum(needed, 0)
        return found

    def _spans(self, domain: Domain, k: int) -> NDArray[np.float64]:
        """Return the loss of the cheapest span with an entry's value and k of its group."""
        entries = np.arange(len(self.count))
        start = np.searchsorted(self.group, self.group, side="left")
        end = np.searchsorted(self.group, self.group, side="right")
        before = np.concatenate([[0], np.cumsum(self.count)])
        # From each entry on, the last entry of the shortest span with k; it never falls.
        last = np.searchsorted(before, before[:-1] + k, side="left") - 1
        enough = last < end
        lost = np.full(len(entries), np.inf)
        lost[enough] = _loss(domain, self.value[enough], self.value[last[enough]])
        # A shortest span that ends before an entry is drawn out to it: the nearest such is best.
        ending = np.searchsorted(last, entries, side="left") - 1
        drawn = ending >= start
        costs = np.full(len(entries), np.inf)
        costs[drawn] = _loss(domain, self.value[ending[drawn]], self.value[entries[drawn]])
        costs = np.minimum(costs, _least_between(lost, np.maximum(ending + 1, start), entries))
        # Groups with fewer than k are not needed.
        return np.where(np.isfinite(costs), costs, 0.0)


def _least_between(
    values: NDArray[np.float64], first: NDArray[np.int64], last: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the least value from one place to another; infinite where there is none between."""
    length = last - first + 1
    found = np.full(len(first), np.inf)
    table, width = values, 1
    while True:
        here = (length >= width) & (length < 2 * width)
        found[here] = np.minimum(table[first[here]], table[last[here] - width + 1])
        if not (length >= 2 * width).any():
            return found
        table = np.minimum(table[:-width], table[width:])
        width *= 2
