"""The mixed-integer program of a cover of least loss, equations 4 to 11 of the freeform paper."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import highspy
import numpy as np

from shoal.encoding.closures import Spans
from shoal.encoding.domain import IntervalDomain, SetDomain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.problem import Problem
    from shoal.encoding.domain import Domain

_INFINITE = float("inf")


@dataclass(slots=True)
class Program:
    """Columns and rows of a linear program, gathered one by one."""

    cost: list[float] = field(default_factory=list)
    upper: list[float] = field(default_factory=list)
    lower: list[float] = field(default_factory=list)
    integral: list[bool] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    index: list[int] = field(default_factory=list)
    value: list[float] = field(default_factory=list)
    row_lower: list[float] = field(default_factory=list)
    row_upper: list[float] = field(default_factory=list)

    def column(
        self, cost: float, upper: float, *, lower: float = 0.0, integral: bool = False
    ) -> int:
        """Add a variable and return its number."""
        self.cost.append(cost)
        self.upper.append(upper)
        self.lower.append(lower)
        self.integral.append(integral)
        return len(self.cost) - 1

    def row(self, terms: list[tuple[int, float]], least: float, most: float) -> None:
        """Add a constraint on a sum of variables."""
        self.starts.append(len(self.index))
        self.index += [column for column, _ in terms]
        self.value += [value for _, value in terms]
        self.row_lower.append(least)
        self.row_upper.append(most)

    def to_highs(self) -> highspy.HighsLp:
        """Return the program as the solver takes it."""
        program = highspy.HighsLp()
        program.num_col_ = len(self.cost)
        program.num_row_ = len(self.row_lower)
        program.col_cost_ = np.array(self.cost)
        program.col_lower_ = np.array(self.lower)
        program.col_upper_ = np.array(self.upper)
        program.row_lower_ = np.array(self.row_lower)
        program.row_upper_ = np.array(self.row_upper)
        program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        program.a_matrix_.start_ = np.array([*self.starts, len(self.index)])
        program.a_matrix_.index_ = np.array(self.index)
        program.a_matrix_.value_ = np.array(self.value)
        program.integrality_ = [
            highspy.HighsVarType.kInteger if whole else highspy.HighsVarType.kContinuous
            for whole in self.integral
        ]
        return program


def cover_program(problem: Problem) -> Program:
    """Return the program whose first n x n columns say which record covers which.

    Column ``i * n + l`` is 1 when released record i covers record l. Every released record covers
    its own: names can be given so, and it makes the closure of a hierarchical attribute the
    greatest of those with each member.
    """
    n = problem.n
    program = Program()
    for released in range(n):
        for original in range(n):
            own = float(released == original)
            program.column(0.0, 1.0, lower=own, integral=True)
    for one in range(n):
        program.row([(one * n + other, 1.0) for other in range(n)], problem.k, problem.k)
        program.row([(other * n + one, 1.0) for other in range(n)], problem.k, problem.k)
    rows = problem.folded.row_of
    for codes, domain, weight in zip(problem.codes, problem.domains, problem.weights, strict=True):
        values = codes[rows].astype(np.int64)
        for released in range(n):
            if isinstance(domain, SetDomain):
                share = weight * domain.step / n
                with_each = (values != values[released]).astype(float)
                terms = _close_set(program, problem, released, values, share)
            else:
                mine = np.full(n, values[released], dtype=np.int32)
                other = values.astype(np.int32)
                with_each = domain.loss(Spans(np.minimum(mine, other), np.maximum(mine, other)))
                terms = _close_span(
                    program, problem, released, values, domain, with_each, weight / n
                )
            # Not in the paper: a closure loses no less than the mean of its members beside its
            # own. At k = 2 that makes the relaxation exact, beyond it halves the search.
            mean = [
                (released * n + original, -float(with_each[original]) / (problem.k - 1))
                for original in np.flatnonzero(with_each > 0).tolist()
            ]
            program.row([*terms, *mean], 0.0, _INFINITE)
    return program


def _close_set(
    program: Program, problem: Problem, released: int, values: NDArray[np.int64], weight: float
) -> list[tuple[int, float]]:
    """Add a variable for each value but the record's own: whether its set holds it (8, 9)."""
    terms = []
    for value in np.unique(values).tolist():
        if value == values[released]:
            continue
        held = program.column(weight, 1.0)
        terms.append((held, 1.0))
        for original in np.flatnonzero(values == value).tolist():
            program.row([(held, 1.0), (released * problem.n + original, -1.0)], 0.0, _INFINITE)
    return terms


def _close_span(  # noqa: PLR0917 (one attribute of one record)
    program: Program,
    problem: Problem,
    released: int,
    values: NDArray[np.int64],
    domain: Domain,
    with_each: NDArray[np.float64],
    weight: float,
) -> list[tuple[int, float]]:
    """Add the loss of an interval or a node: at least that of each member beside its own (4-7)."""
    loss = program.column(weight, 1.0)
    above = below = loss
    if isinstance(domain, IntervalDomain):
        above, below = program.column(0.0, 1.0), program.column(0.0, 1.0)
        program.row([(loss, 1.0), (above, -1.0), (below, -1.0)], 0.0, _INFINITE)
    for original in np.flatnonzero(with_each > 0).tolist():
        side = above if values[original] > values[released] else below
        if domain.missing in (values[original], values[released]):
            side = loss  # a missing cell beside numbers loses everything, on no side of them
        pair = [(side, 1.0), (released * problem.n + original, -float(with_each[original]))]
        program.row(pair, 0.0, _INFINITE)
    return [(loss, 1.0)]
