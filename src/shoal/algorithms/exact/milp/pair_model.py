"""The mixed integer program of Liang & Samavi (section 2.2): a variable for each pair of records.

A binary for each pair of records says that they are equivalent; the bounds of their cells are then
equal. Numbers have a lower and an upper bound per cell, as printed; a category is a vector of
binary attributes (section 2.5). Hierarchies, suppression and missing numbers, which the paper does
not know, follow the same pattern: equivalent records share the variables for what a cell shows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.exact.linear_program import ProgramBuilder
from shoal.encoding.domain import IntervalDomain, SetDomain, SuppressDomain, TreeDomain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.partition import Partition
    from shoal.algorithms.problem import Problem

    Codes = NDArray[np.int64]
    Numbers = NDArray[np.float64]

# A whole number beyond this is read as continuous: the solver's tolerance is finer than its unit.
_LARGEST_INTEGER = 10_000.0


def size_of_model(problem: Problem) -> int:
    """Return about how many constraints the model of a problem has."""
    width = 0
    for codes, domain in zip(problem.codes, problem.domains, strict=True):
        if isinstance(domain, SetDomain):
            width += len(np.unique(codes)) * (1 + domain.binary)
        elif isinstance(domain, TreeDomain):
            width += len(domain.ancestors) - 1
        else:
            width += 2
    return problem.n * (problem.n - 1) * max(width, 1)


@dataclass(slots=True)
class PairModel:
    """The program of a problem, and values to start from.

    Variables come first for pairs of records i < l, in the order of :func:`numpy.triu_indices`.
    """

    records: int
    first: Codes
    second: Codes
    integral: bool
    program: ProgramBuilder = field(default_factory=ProgramBuilder)
    _start: list[Numbers] = field(default_factory=list)

    @property
    def start(self) -> Numbers:
        """The values of all variables at the partition it starts from."""
        return np.concatenate(self._start)

    @classmethod
    def of(cls, problem: Problem, start: Partition, *, integral: bool = True) -> PairModel:
        """Return the model of a problem, with the partition as its first solution."""
        n = problem.n
        model = cls(n, *np.triu_indices(n, 1), integral)
        record_rows, owner = _expand(start)
        same = (owner[model.first] == owner[model.second]).astype(np.float64)
        pairs = model.add(same, 0.0, 1.0, 0.0, integer=True)
        model._hide_among(problem.k, pairs)
        for codes, domain, weight in zip(
            problem.codes, problem.domains, problem.weights, strict=True
        ):
            cells = codes[record_rows].astype(np.int64)
            if len(np.unique(cells)) == 1:
                continue
            if isinstance(domain, IntervalDomain):
                _add_interval(model, cells, owner, domain, weight)
            elif isinstance(domain, SetDomain):
                _add_set(model, cells, owner, domain, weight)
            elif isinstance(domain, TreeDomain):
                nodes = domain.ancestors[:, cells].astype(np.int64)
                _add_path(model, nodes, owner, domain.node_loss[nodes], weight)
            elif isinstance(domain, SuppressDomain):
                nodes = np.vstack((cells, np.full(n, -1)))
                losses = np.vstack((np.zeros(n), np.ones(n)))
                _add_path(model, nodes, owner, losses, weight)
            else:  # pragma: no cover (a domain of another kind has no place in the model yet)
                raise TypeError(f"no model of {type(domain).__name__}")
        return model

    def add(
        self,
        start: Numbers,
        low: Numbers | float,
        high: Numbers | float,
        cost: Numbers | float,
        *,
        integer: bool = False,
    ) -> Codes:
        """Add variables, with values to start from, and return their places."""
        self._start.append(start)
        return self.program.add(len(start), low, high, cost, integer=integer)

    def equal_if_alike(self, variables: Codes, slack: Numbers | float) -> None:
        """Let a variable a record agree between equivalent ones; slack bounds how far it can not.

        Constraints (22) to (25): a_i - a_l ≤ M (1 - x_il) and a_i - a_l ≥ -M (1 - x_il).
        """
        pairs = np.arange(len(self.first))
        ends = (variables[self.first], variables[self.second], pairs)
        self.program.constrain(ends, (1.0, -1.0, slack), -np.inf, slack)
        self.program.constrain(ends, (1.0, -1.0, -np.asarray(slack)), -np.asarray(slack), np.inf)

    def at_least_if_alike(self, variables: Codes, pairs: Codes) -> None:
        """Let a variable be 1 where the pair is equivalent."""
        self.program.constrain((variables, pairs), (1.0, -1.0), 0.0, np.inf)

    def _hide_among(self, k: int, pairs: Codes) -> None:
        """Constraint (26): every record is equivalent to k - 1 others."""
        of_record = np.zeros((self.records, self.records), dtype=np.int64)
        of_record[self.first, self.second] = pairs
        of_record[self.second, self.first] = pairs
        others = of_record[~np.eye(self.records, dtype=np.bool_)].reshape(self.records, -1)
        self.program.constrain(tuple(others.T), (1.0,) * (self.records - 1), k - 1.0, np.inf)


def _expand(partition: Partition) -> tuple[Codes, Codes]:
    """Return the row and the class of every record, entry by entry."""
    return (
        np.repeat(partition.rows, partition.counts).astype(np.int64),
        np.repeat(partition.classes, partition.counts).astype(np.int64),
    )


def _lowest(values: Numbers, owner: Codes) -> Numbers:
    found = np.full(int(owner.max()) + 1, np.inf)
    np.minimum.at(found, owner, values)
    return found[owner]


def _highest(values: Numbers, owner: Codes) -> Numbers:
    return -_lowest(-values, owner)


def _add_interval(
    model: PairModel,
    cells: Codes,
    owner: Codes,
    domain: IntervalDomain,
    weight: float,
) -> None:
    """Add bounds y ≤ x ≤ z of every cell; a missing number among others costs everything."""
    known = cells != domain.missing
    present = np.flatnonzero(known)
    values, unit, whole = _in_units(domain, cells[present])
    whole &= model.integral
    mixed = len(present) < len(cells)
    share = 0.0 if mixed else weight / unit
    among = owner[present]
    low = model.add(_lowest(values, among), 0.0, values, -share, integer=whole)
    high = model.add(_highest(values, among), values, unit, share, integer=whole)
    one, other, pairs = _pairs_within(model, known)
    for bound, slack in (
        (low, np.maximum(values[one], values[other])),  # (29), (30) with L = 0
        (high, unit - np.minimum(values[one], values[other])),  # (31), (32)
    ):
        ends = (bound[one], bound[other], pairs)
        model.program.constrain(ends, (1.0, -1.0, slack), -np.inf, slack)
        model.program.constrain(ends, (1.0, -1.0, -slack), -slack, np.inf)
    if mixed:
        width = np.zeros(len(cells))
        width[present] = (_highest(values, among) - _lowest(values, among)) / unit
        shown = _highest(known.astype(float), owner) - _lowest(known.astype(float), owner)
        lost = model.add(np.maximum(_highest(width, owner), shown), 0.0, 1.0, weight)
        model.program.constrain((lost[present], high, low), (unit, -1.0, 1.0), 0.0, np.inf)
        model.equal_if_alike(lost, 1.0)
        apart = np.flatnonzero(known[model.first] != known[model.second])
        model.at_least_if_alike(lost[model.first[apart]], apart)
        model.at_least_if_alike(lost[model.second[apart]], apart)


def _in_units(domain: IntervalDomain, cells: Codes) -> tuple[Numbers, float, bool]:
    """Return values above the lowest permissible one, the permissible range, and if both are whole.

    Values that are not small whole numbers are scaled to [0, 1].
    """
    low, high = domain.attribute.value_range or (domain.numbers[0], domain.numbers[-1])
    values, unit = domain.numbers[cells] - low, float(high - low)
    if 1.0 <= unit <= _LARGEST_INTEGER and not (np.append(values, unit) % 1.0).any():
        return values, unit, True
    return domain.positions[cells], 1.0, False


def _pairs_within(model: PairModel, chosen: NDArray[np.bool_]) -> tuple[Codes, Codes, Codes]:
    """Return both ends of each pair of chosen records, as places among those, and the pair."""
    place = np.cumsum(chosen) - 1
    pairs = np.flatnonzero(chosen[model.first] & chosen[model.second])
    return place[model.first[pairs]], place[model.second[pairs]], pairs


def _add_set(
    model: PairModel, cells: Codes, owner: Codes, domain: SetDomain, weight: float
) -> None:
    """Add the bounds of a vector of binary attributes; the upper ones are the values that show.

    As binary attributes of their own (section 2.5) values lose the width between their bounds;
    under the other losses a cell loses the number of values that it shows.
    """
    step = weight * domain.step
    if not domain.binary:
        model.program.offset -= step * len(cells)
    for value in np.unique(cells):
        own = (cells == value).astype(np.float64)
        model.equal_if_alike(model.add(_highest(own, owner), own, 1.0, step), 1.0)
        if domain.binary:
            model.equal_if_alike(model.add(_lowest(own, owner), 0.0, own, -step), 1.0)


def _add_path(model: PairModel, nodes: Codes, owner: Codes, losses: Numbers, weight: float) -> None:
    """Add for every cell how far it climbs its path of nodes, from the leaf to the root.

    The variable of a record at a level is 1 if what it shows lies above that node. Equivalent
    records climb beyond every node that is not on both paths, and equally far on those that are.
    """
    for level in range(len(nodes) - 1):
        here = nodes[level]
        inside = _common(here, owner)
        gain = weight * (losses[level + 1] - losses[level])
        beyond = model.add((~inside).astype(np.float64), 0.0, 1.0, gain)
        alike = here[model.first] == here[model.second]
        pairs = np.flatnonzero(alike)
        ends = (beyond[model.first[pairs]], beyond[model.second[pairs]], pairs)
        model.program.constrain(ends, (1.0, -1.0, 1.0), -np.inf, 1.0)
        model.program.constrain(ends, (1.0, -1.0, -1.0), -1.0, np.inf)
        apart = np.flatnonzero(~alike)
        model.at_least_if_alike(beyond[model.first[apart]], apart)
        model.at_least_if_alike(beyond[model.second[apart]], apart)


def _common(nodes: Codes, owner: Codes) -> NDArray[np.bool_]:
    """Return which records share their node with their whole class."""
    values = nodes.astype(np.float64)
    return np.asarray(_lowest(values, owner) == _highest(values, owner))
