"""Greedy Search and k-member as one would write them in NumPy: the oracle of the study.

Record by record over whole arrays: each step looks up the loss of every remaining record in one
vectorized expression per attribute. Ties go to a copy of the record just taken, then to the
earliest one, as in the kernels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.tables import AGE, CodedTable

if TYPE_CHECKING:
    from numpy.typing import NDArray


class PlainGrowth:
    """Remaining records of a table, and classes grown from them."""

    def __init__(self, table: CodedTable, order: NDArray[np.int64], k: int) -> None:
        self.k = k
        self.all_codes = [codes[order] for codes in table.codes]
        self.codes = self.all_codes  # of the records that no finished class has
        self.record = np.arange(len(order))
        self.code_counts = table.code_counts
        self.positions = table.age_positions
        self.weight = 1 / len(self.codes)
        self.alive = np.ones(len(order), dtype=bool)
        self.left = len(order)
        self.classes: list[list[int]] = []

    def losses(self, held_codes: list[NDArray[np.uint8]]) -> NDArray[np.float64]:
        """Loss of a class that holds these codes after adding each remaining record."""
        total = np.zeros(len(self.alive))
        for place, (codes, held) in enumerate(zip(self.codes, held_codes, strict=True)):
            if place == AGE:
                positions = self.positions[codes]
                low, high = self.positions[held].min(), self.positions[held].max()
                loss = np.maximum(positions, high) - np.minimum(positions, low)
            else:
                inside = np.zeros(self.code_counts[place], dtype=bool)
                inside[held] = True
                step = 1 / max(self.code_counts[place] - 1, 1)
                count = inside.sum() + ~inside[codes]
                loss = np.minimum(1.0, (count - 1) * step)
            total += self.weight * loss
        return total

    def grow(self, opener: int) -> int:
        """Grow one class from a remaining record; return the record taken last."""
        members = [opener]
        self.alive[opener] = False
        while len(members) < self.k:
            losses = self.losses([codes[members] for codes in self.codes])
            losses[~self.alive] = np.inf
            tied = np.flatnonzero(losses == losses.min())
            last = members[-1]
            equal = np.all([codes[tied] == codes[last] for codes in self.codes], axis=0)
            best = int(tied[equal][0] if equal.any() else tied[0])
            members.append(best)
            self.alive[best] = False
        self.left -= self.k
        self.classes.append(self.record[members].tolist())
        self.codes = [codes[self.alive] for codes in self.codes]
        self.record = self.record[self.alive]
        self.alive = self.alive[self.alive]
        return self.classes[-1][-1]

    def finish(self) -> NDArray[np.int64]:
        """Place the leftovers; return the class of each record, in the order given."""
        for record in self.record.tolist():
            growth = [
                (len(members) + 1) * self.losses_of([*members, record])
                - len(members) * self.losses_of(members)
                for members in self.classes
            ]
            self.classes[int(np.argmin(growth))].append(record)
        labels = np.empty(len(self.all_codes[0]), dtype=np.int64)
        for label, members in enumerate(self.classes):
            labels[members] = label
        return labels

    def losses_of(self, members: list[int]) -> float:
        """Loss per record of a class."""
        total = 0.0
        for place, codes in enumerate(self.all_codes):
            held = codes[members]
            if place == AGE:
                loss = float(self.positions[held].max() - self.positions[held].min())
            else:
                step = 1 / max(self.code_counts[place] - 1, 1)
                loss = min(1.0, (len(set(held.tolist())) - 1) * step)
            total += self.weight * loss
        return total


def greedy(table: CodedTable, order: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Class of each record, records in the given order."""
    growth = PlainGrowth(table, order, k)
    while growth.left >= k:
        growth.grow(0)
    return growth.finish()


def k_member(table: CodedTable, order: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Class of each record; the first class opens at the first record of the order."""
    growth = PlainGrowth(table, order, k)
    last = growth.grow(0)
    while growth.left >= k:
        distances = growth.losses([codes[[last]] for codes in growth.all_codes])
        last = growth.grow(int(np.argmax(distances)))
    return growth.finish()
