"""Exchanges of records between classes that bring marginal tables nearer to the original's.

The idea: what a release counts in a marginal table depends on the closures of its classes and on
their sizes, so a record that moves to another class, or changes places with one of it, changes the
table. In rounds, many such exchanges between near classes are drawn at random, and loss and tables
after each of them are worked out exactly. Those that lower loss + weight · mean distance are made
together, the best first and each class in one at most; where they lower it less together than
apart, fewer of them. So no round makes it worse. Sizes stay at k or more and models are kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, prod
from typing import TYPE_CHECKING

import numpy as np

from shoal._core import kernels
from shoal.algorithms import Partition
from shoal.encoding import SUPPRESSED
from shoal.models import ClassHistograms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from shoal.algorithms import Problem, Run
    from shoal.analysis.marginals import MarginalTable, MarginalTables

    Floats = NDArray[np.float64]

# Rounds follow from the number of records alone, so that no clock decides.
EXCHANGES_A_RECORD = 30
MOST_ROUNDS = 300
MOST_AT_ONCE = 2_000
# After so many rounds without an exchange that pays, there are hardly any left.
IDLE_ROUNDS = 25
# Cells of all tables; beyond that a round takes too long.
MOST_CELLS = 20_000
_FIGURES_AT_ONCE = 2**21
NEIGHBOURS = 16
# Up to so many rows each is compared with all others; beyond, within cells of about as many.
_ALL_PAIRS = 8_192


@dataclass(frozen=True, slots=True, eq=False)
class _Wanted:
    """A marginal table as exchanges see it: quasi-identifiers first, then columns left unchanged.

    Parameters
    ----------
    attributes
        The columns that are quasi-identifiers, as places among the attributes.
    counts
        Records of the original in each cell.
    beside
        For each distinct row how its records are spread over the cells of the columns that are
        released unchanged; ``None`` if there is no such column.
    """

    attributes: tuple[int, ...]
    counts: Floats
    beside: Floats | None


@dataclass(frozen=True, slots=True, eq=False)
class _Units:
    """Groups of records that show the same: their loss, and what they add to each table.

    Parameters
    ----------
    loss
        The loss of each, summed over its records.
    shares
        By attribute, the share of each unit in each cell.
    beside
        For each table the records of each unit in the cells of columns released unchanged.
    """

    loss: Floats
    shares: dict[int, Floats]
    beside: list[Floats]

    def take(self, units: NDArray[np.integer]) -> _Units:
        shares = {at: share[units] for at, share in self.shares.items()}
        return _Units(self.loss[units], shares, [one[units] for one in self.beside])

    def put(self, units: NDArray[np.integer], others: _Units) -> None:
        self.loss[units] = others.loss
        for at, share in others.shares.items():
            self.shares[at][units] = share
        for one, other in zip(self.beside, others.beside, strict=True):
            one[units] = other

    def spread(self, number: int, wanted: _Wanted) -> Floats:
        """Return what each unit adds to a table, cell by cell."""
        found = np.ones((len(self.loss), 1))
        for part in [*(self.shares[at] for at in wanted.attributes), self.beside[number]]:
            found = (found[:, :, None] * part[:, None, :]).reshape(len(found), -1)
        return found


def is_searchable(tables: MarginalTables) -> bool:
    """Return whether exchanges can be tried: tables are small and hold some quasi-identifier."""
    small = cells_of(tables) <= MOST_CELLS
    return small and any(name in tables.place for name in tables.cells)


def cells_of(tables: MarginalTables) -> int:
    """Return how many cells all tables have together."""
    return sum(prod(table.shape) for table in tables.tables)


class MarginalExchange:
    """Exchanges between the classes of a partition.

    Parameters
    ----------
    problem
        What the partition solves.
    tables
        The marginal tables of the original.
    unchanged
        Of each column of theirs that is released unchanged, the codes of the records.
    weight
        How much the mean distance counts beside the loss.
    """

    def __init__(
        self,
        problem: Problem,
        tables: MarginalTables,
        unchanged: Mapping[str, NDArray[np.integer]],
        weight: float,
    ) -> None:
        self.problem = problem
        self._tables = tables
        self._weight = weight
        self.wanted = [self._read(table, unchanged) for table in tables.tables]
        self._attributes = sorted({at for one in self.wanted for at in one.attributes})
        self._names = {at: name for name, at in tables.place.items()}

    def _read(self, table: MarginalTable, unchanged: Mapping[str, NDArray[np.integer]]) -> _Wanted:
        place = self._tables.place
        order = sorted(range(len(table.columns)), key=lambda at: table.columns[at] not in place)
        counts = table.shares.reshape(table.shape).transpose(order).reshape(-1) * self.problem.n
        attributes = tuple(place[name] for name in table.columns if name in place)
        kept = [name for name in table.columns if name not in place]
        if not kept:
            return _Wanted(attributes, counts, None)
        cells = [self._tables.cells[name] for name in kept]
        shape = tuple(one.number for one in cells)
        of_record = np.ravel_multi_index(
            [one.of_code[unchanged[name]] for one, name in zip(cells, kept, strict=True)], shape
        )
        rows, width = self.problem.rows, prod(shape)
        keys = self.problem.folded.row_of.astype(np.int64) * width + of_record
        beside = np.bincount(keys, minlength=rows * width).reshape(rows, width)
        return _Wanted(attributes, counts, beside / self.problem.counts[:, None])

    def improve(self, partition: Partition, run: Run) -> Partition:
        """Return the classes after all rounds, or those until the time is up."""
        if self.problem.rows < 2 or (partition.classes == SUPPRESSED).all():
            return partition  # nothing to exchange
        search = _Search(self, partition, run)
        rounds = min(MOST_ROUNDS, ceil(EXCHANGES_A_RECORD * self.problem.n / search.at_once))
        idle = 0
        for number in range(rounds):
            run.report(number / rounds)
            if run.remaining() <= 0 or idle == IDLE_ROUNDS:
                break
            idle = 0 if search.round() else idle + 1
        return search.partition()

    def measure(
        self, rows: NDArray[np.integer], starts: NDArray[np.int64], sizes: NDArray[np.integer]
    ) -> _Units:
        """Return loss and parts of tables of units, which are consecutive runs of rows."""
        problem = self.problem
        closed = problem.close(rows, starts)
        loss = np.zeros(len(starts))
        for weight, domain, column in zip(problem.weights, problem.domains, closed, strict=True):
            loss += weight * domain.loss(column.closures)[column.index]
        shares = {
            at: self._tables.cells[self._names[at]].shares(closed[at].closures)[closed[at].index]
            for at in self._attributes
        }
        beside = [
            sizes[:, None].astype(np.float64)
            if one.beside is None
            else np.add.reduceat(one.beside[rows], starts, axis=0)
            for one in self.wanted
        ]
        return _Units(loss * sizes, shares, beside)

    def suppressed(self, rows: NDArray[np.integer]) -> list[Floats]:
        """Return what suppressed records add to each table: they may be anybody."""
        found = []
        for wanted in self.wanted:
            spread = np.ones(1)
            for at in wanted.attributes:
                everywhere = self._tables.cells[self._names[at]].everywhere
                spread = np.multiply.outer(spread, everywhere).reshape(-1)
            one = np.array([float(len(rows))])
            beside = one if wanted.beside is None else wanted.beside[rows].sum(axis=0)
            found.append(np.multiply.outer(spread, beside).reshape(-1))
        return found

    def score(self, loss: float, off: Sequence[Floats]) -> float:
        """Return loss and weighted distance, given how many records each cell is off."""
        distance = np.mean([np.abs(one).sum() for one in off]) / 2
        return float(loss + self._weight * distance) / self.problem.n

    def changes(self, loss: Floats, off: Sequence[Floats], added: Sequence[Floats]) -> Floats:
        """Return by how much single exchanges change the score."""
        total = np.zeros(len(loss))
        for now, change in zip(off, added, strict=True):
            total += np.abs(now + change).sum(axis=1) - np.abs(now).sum()
        return np.asarray(loss + self._weight * total / 2 / len(off)) / self.problem.n


class _Search:
    """The state of a search: the class of each record, and what each class adds to the tables."""

    def __init__(self, exchange: MarginalExchange, partition: Partition, run: Run) -> None:
        self._exchange = exchange
        self._problem = exchange.problem
        self._partition = partition
        self._rng = np.random.default_rng([run.seed, 4])
        entries = np.repeat(np.arange(len(partition.rows)), partition.counts)
        rows, classes = partition.rows[entries], partition.classes[entries]
        kept = classes != SUPPRESSED
        self._gone = rows[~kept]
        self._row, self._class = rows[kept].astype(np.int64), classes[kept].astype(np.int64)
        self._classes = partition.number
        self._by_row = np.argsort(self._row, kind="stable")
        self._of_row = np.bincount(self._row, minlength=self._problem.rows)
        self._first = np.cumsum(self._of_row) - self._of_row
        control = run.control.child()
        near = kernels.neighbours(
            self._problem.records(), NEIGHBOURS, _ALL_PAIRS, run.threads, control
        )
        self._near = near.reshape(self._problem.rows, -1)
        cells = sum(len(one.counts) for one in exchange.wanted)
        most = min(MOST_AT_ONCE, _FIGURES_AT_ONCE // cells)
        self.at_once = max(1, min(most, self._classes))
        self._arrange()
        self._units = exchange.measure(
            self._row[self._order], self._starts, self._sizes.astype(np.int64)
        )
        added = exchange.suppressed(self._gone)
        self._off = [
            self._sum(number) + gone - one.counts
            for number, (one, gone) in enumerate(zip(exchange.wanted, added, strict=True))
        ]
        self._score = exchange.score(self._units.loss.sum(), self._off)

    def _sum(self, number: int) -> Floats:
        """Return what all classes add to a table, some of them at a time."""
        wanted = self._exchange.wanted[number]
        total = np.zeros(len(wanted.counts))
        step = max(1, _FIGURES_AT_ONCE // len(total))
        for begin in range(0, self._classes, step):
            some = np.arange(begin, min(begin + step, self._classes))
            total += self._units.take(some).spread(number, wanted).sum(axis=0)
        return total

    def _arrange(self) -> None:
        self._order = np.argsort(self._class, kind="stable")
        self._sizes = np.bincount(self._class, minlength=self._classes)
        self._starts = np.cumsum(self._sizes) - self._sizes

    def partition(self) -> Partition:
        """Return the classes as they are now."""
        keys = self._class * self._problem.rows + self._row
        held, counts = np.unique(keys, return_counts=True)
        classes, rows = held // self._problem.rows, held % self._problem.rows
        out, times = np.unique(self._gone, return_counts=True)
        return Partition.of(
            np.concatenate((out, rows)),
            np.concatenate((np.full(len(out), SUPPRESSED), classes)),
            np.concatenate((times, counts)),
        )

    def round(self) -> bool:
        """Draw exchanges and make those that pay; return whether there were any."""
        one, other, leaver, joins = self._draw()
        if not len(one):
            return False
        rows, starts, sizes = self._exchanged(one, other, leaver, joins)
        units = self._exchange.measure(rows, starts, sizes)
        number = len(one)
        first, second = np.arange(number), np.arange(number, 2 * number)
        begin, end = self._class[one], other
        added = []
        for table, wanted in enumerate(self._exchange.wanted):
            change = units.take(first).spread(table, wanted)
            change += units.take(second).spread(table, wanted)
            change -= self._units.take(begin).spread(table, wanted)
            change -= self._units.take(end).spread(table, wanted)
            added.append(change)
        loss = units.loss[first] + units.loss[second]
        loss -= self._units.loss[begin] + self._units.loss[end]
        gain = self._exchange.changes(loss, self._off, added)
        paying = np.flatnonzero((gain < -1e-12) & self._are_kept(rows, starts, sizes))
        made = self._apart(paying[np.argsort(gain[paying], kind="stable")], begin, end)
        while len(made):
            off = [
                now + change[made].sum(axis=0) for now, change in zip(self._off, added, strict=True)
            ]
            score = self._exchange.score(self._units.loss.sum() + loss[made].sum(), off)
            if score < self._score:
                break
            made = made[: len(made) // 2]
        if not len(made):
            return False
        self._off, self._score = off, score
        self._units.put(begin[made], units.take(made))
        self._units.put(end[made], units.take(made + number))
        self._class[one[made]] = end[made]
        swapped = made[~joins[made]]
        self._class[leaver[swapped]] = begin[swapped]
        self._arrange()
        return True

    def _draw(
        self,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
        """Return records, the class of a near record for each, who leaves it, and where nobody."""
        rng = self._rng
        one = rng.integers(len(self._row), size=self.at_once)
        row = self._near[self._row[one], rng.integers(self._near.shape[1], size=len(one))]
        found = (row >= 0) & (self._of_row[row] > 0)
        one, row = one[found], row[found]
        near = self._by_row[self._first[row] + rng.integers(self._of_row[row])]
        other = self._class[near]
        leaver = self._order[self._starts[other] + rng.integers(self._sizes[other])]
        spare = self._sizes[self._class[one]] > self._problem.k
        joins = spare & (rng.random(len(one)) < 0.5)
        kept = (self._class[one] != other) & (self._row[one] != self._row[leaver])
        kept &= joins | (leaver != near)
        return one[kept], other[kept], leaver[kept], joins[kept]

    def _exchanged(
        self,
        one: NDArray[np.int64],
        other: NDArray[np.int64],
        leaver: NDArray[np.int64],
        joins: NDArray[np.bool_],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return the rows of both classes after each exchange: first those that records leave."""
        number = len(one)
        left, owner = self._members(self._class[one])
        rows = np.where(left == one[owner], self._row[leaver][owner], self._row[left])
        gone = (left == one[owner]) & joins[owner]
        taken, holder = self._members(other)
        swapped = (taken == leaver[holder]) & ~joins[holder]
        more = np.where(swapped, self._row[one][holder], self._row[taken])
        came = np.flatnonzero(joins)
        owners = np.concatenate((owner[~gone], holder + number, came + number))
        every = np.concatenate((rows[~gone], more, self._row[one[came]]))
        order = np.argsort(owners, kind="stable")
        sizes = np.bincount(owners, minlength=2 * number)
        return every[order], np.cumsum(sizes) - sizes, sizes

    def _members(self, classes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the records of classes one after another, and which class each is listed for."""
        sizes = self._sizes[classes]
        owner = np.repeat(np.arange(len(classes)), sizes)
        within = np.arange(len(owner)) - (np.cumsum(sizes) - sizes)[owner]
        return self._order[self._starts[classes][owner] + within], owner

    def _are_kept(
        self, rows: NDArray[np.int64], starts: NDArray[np.int64], sizes: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Return after which exchanges both classes meet every model."""
        kept = np.ones(len(starts), dtype=np.bool_)
        owner = np.repeat(np.arange(len(starts)), sizes)
        for model, values in zip(self._problem.models, self._problem.protected, strict=True):
            ones = np.ones(len(rows), dtype=np.int64)
            histograms = ClassHistograms.of(owner, values[rows], ones, len(starts))
            kept &= model.holds(histograms)
        half = len(kept) // 2
        return np.asarray(kept[:half] & kept[half:])

    def _apart(
        self, exchanges: NDArray[np.int64], begin: NDArray[np.int64], end: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return exchanges of which no two share a class, the first ones first."""
        used: set[int] = set()
        found = []
        for place in exchanges.tolist():
            pair = {int(begin[place]), int(end[place])}
            if not pair & used:
                used |= pair
                found.append(place)
        return np.array(found, dtype=np.int64)
