"""What starts will take and promise: by slices of the table where time counts, else by its size."""

from __future__ import annotations

import time
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.algorithm import solve_partition
from shoal.algorithms.auto.calibration import Cost, calibrate, loss_beside
from shoal.algorithms.auto.policy import (
    CELLS,
    CURVE,
    UNITED_CELLS,
    has_usual_values,
    nominal_seconds,
)
from shoal.algorithms.constants import (
    BUSIER,
    BUSY,
    CELL_ROWS,
    CELLS_SHARE,
    CHEAP_SHARE,
    FEWEST_DIVIDED,
    LEAST_CELLS,
    LEAST_CLASSES,
    LEAST_SLICES,
    LEAST_STEPPED_CELLS,
    MOST_CELLS_SHARE,
    SHALLOW_IN_LARGE,
    SHALLOWEST,
    SHORTEST_SLICED,
    SLICE_CLASSES,
    SLICE_ROWS,
    STEPPED_CELL_ROWS,
    STEPS_A_SECOND,
    SURELY_LATE,
    USUAL_START,
    WHOLE_SHARE,
    WORTH_ITS_TIME,
    WORTH_LITTLE,
    WORTH_MOST_TIME,
)
from shoal.models import ClassHistograms

if TYPE_CHECKING:
    from shoal.algorithms.partition import Partition
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

# What divides each cell.
INSIDE = {CELLS: "k-member", UNITED_CELLS: "agglomerative"}
_LEAST_ROWS = {CELLS: CELL_ROWS, UNITED_CELLS: STEPPED_CELL_ROWS}
_LEAST_CELLS = {CELLS: LEAST_CELLS, UNITED_CELLS: LEAST_STEPPED_CELLS}


class Prospects:
    """Estimates of starts on a table, whose records may not be suppressed, within a run."""

    def __init__(self, problem: Problem, run: Run) -> None:
        self.problem = problem
        self.run = run
        self.cut: Partition | None = None  # by `mondrian`
        self._costs: dict[str, Cost] = {}
        self._losses: dict[str, float | None] = {}
        self._began = run.budget.clock(), time.process_time()

    @property
    def slowness(self) -> float:
        """Seconds of the clock that a second of work has taken so far: many on a busy machine."""
        passed = self.run.budget.clock() - self._began[0]
        worked = time.process_time() - self._began[1]
        return max(1.0, passed / max(worked, 1e-6))

    @property
    def is_search_shallow(self) -> bool:
        """Whether a search of all the time there is changes little."""
        return self.depth < SHALLOWEST

    @property
    def depth(self) -> float:
        """Steps for each row that a search of all the time there is would have."""
        steps = STEPS_A_SECOND / self.slowness * self.run.budget.seconds_left
        return steps / self.problem.rows

    def seconds(self, name: str) -> float:
        """Return how many seconds a start will take."""
        if name in INSIDE:
            return self._seconds_in_cells(name)
        nominal = nominal_seconds(name, self.problem)
        left = self.run.budget.seconds_left
        # What surely fits or surely does not needs no slices: on a busy machine they would take
        # longer than they are worth.
        if left == inf or self._surely_fits(name):
            return nominal
        if name == CURVE:
            return self.slowness * nominal  # its first piece tells more than a slice
        if self.problem.rows < LEAST_SLICES * SLICE_ROWS:
            return self.slowness * nominal  # there are too few rows for slices
        is_late = self.slowness * nominal > SURELY_LATE * left or not self._can_be_sliced
        if is_late and name != USUAL_START:
            return inf
        return self._cost(name).seconds(self.problem.rows)

    def pays(self, name: str) -> bool:
        """Return whether a start takes little time, or loses less than `mondrian`."""
        left = self.run.budget.seconds_left
        if left == inf or self._surely_fits(name):
            return True
        if self._cost(name).seconds(self.problem.rows) < CHEAP_SHARE * left:
            return True
        loss = self._loss(name)
        return loss is None or loss < WORTH_LITTLE

    def promise(self, name: str) -> float:
        """Return what share of the loss of `mondrian` a start promises; 0 if nobody asked."""
        return self._losses.get(INSIDE.get(name, name)) or 0.0

    def pays_most_time(self, name: str) -> bool:
        """Return whether a start is known to lose so little that it may take most of the time."""
        loss = self._loss(name)
        is_search_short = self.depth < SHALLOW_IN_LARGE
        limit = WORTH_ITS_TIME if is_search_short else WORTH_MOST_TIME
        return loss is not None and loss < limit

    def leads(self, name: str, other: str, share: float = 1.0) -> bool:
        """Return whether a start is known to lose less than a share of what another loses."""
        if self.run.budget.seconds_left == inf:
            return False
        loss, its = self._loss(name), self._loss(other)
        return loss is not None and its is not None and loss < share * its

    def divides(self, name: str) -> bool:
        """Return whether cells save time, and could be done in the time there is."""
        if self.run.budget.seconds is None or not self._can_be_sliced:
            return True
        left = self.run.budget.seconds_left
        return not self.is_linear(INSIDE[name]) and self._seconds_in_cells(name) < left

    def is_linear(self, name: str) -> bool:
        """Return whether a start takes time in proportion to the rows, as far as slices tell."""
        if self.run.budget.seconds is None or not self._can_be_sliced:
            return False
        if self.problem.k > SLICE_ROWS // SLICE_CLASSES:
            return False  # slices had smaller classes
        cost, rows = self._cost(name), self.problem.rows
        return rows * cost.row > MOST_CELLS_SHARE * cost.seconds(rows)

    def share_broken(self, name: str) -> float:
        """Return what share of the classes of a start that ignores models breaks one."""
        problem = self.problem
        plain = replace(problem, models=(), protected=())
        alone = self.run.child(control=self.run.control.child())
        found = solve_partition(name, plain, alone)
        broken = np.zeros(found.number, dtype=np.bool_)
        for model, values in zip(problem.models, problem.protected, strict=True):
            histograms = ClassHistograms.of(
                found.classes, values[found.rows], found.counts, found.number
            )
            broken |= ~model.holds(histograms)
        return float(broken.mean())

    def rows_of_cell(self, name: str) -> int:
        """Return how large cells are to be so that all of them take their share of the time."""
        rows = self.problem.rows
        target = CELLS_SHARE * self.run.budget.seconds_left
        # Cells of a Mondrian cut have up to twice the requested rows. The clock is looked
        # at between cells, so there must be many.
        size = self._cost(INSIDE[name]).rows_of_cell(rows, target) // 2
        return max(_LEAST_ROWS[name], min(size, rows // _LEAST_CELLS[name]))

    def _seconds_in_cells(self, name: str) -> float:
        if self.run.budget.seconds is None or not self._can_be_sliced:
            return inf
        rows, n = self.problem.rows, self.problem.n
        least = LEAST_CLASSES * self.problem.k * rows // n
        if n < FEWEST_DIVIDED * self.problem.k:
            return inf
        if name == UNITED_CELLS and rows < _LEAST_CELLS[name] * least:
            return inf  # cells would be too large
        cost = self._cost(INSIDE[name])
        return rows * (cost.row + cost.pair * max(2 * _LEAST_ROWS[name], min(least, rows // 2)))

    def _surely_fits(self, name: str) -> bool:
        if name != USUAL_START or not has_usual_values(self.problem):
            return False
        nominal = max(BUSY, BUSIER * self.slowness) * nominal_seconds(name, self.problem)
        return nominal < WHOLE_SHARE * self.run.budget.seconds_left

    @property
    def _can_be_sliced(self) -> bool:
        return self.run.budget.seconds_left > SHORTEST_SLICED * self.slowness

    def _loss(self, name: str) -> float | None:
        if name not in self._losses and self.cut is not None:
            left = self.run.budget.seconds_left
            self._losses[name] = loss_beside(name, self.problem, self.cut, self.run, left)
        return self._losses.get(name)

    def _cost(self, name: str) -> Cost:
        if name not in self._costs:
            left = self.run.budget.seconds_left
            self._costs[name] = calibrate(name, self.problem, self.run, left)
        return self._costs[name]
