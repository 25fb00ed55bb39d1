"""A release as measures see it: closures beside the table they were made from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from shoal.encoding.recoding import SUPPRESSED
from shoal.errors import InputError
from shoal.measures.counts import PairCounts, count_pairs, covered, covered_with, log2_ratio

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.encoding.domain import Domain
    from shoal.encoding.recoding import Recoding


@dataclass(frozen=True, slots=True, eq=False)
class TargetColumn:
    """The column whose values the quasi-identifiers should help to learn; the release keeps it.

    Parameters
    ----------
    name
        The column.
    original
        For each record of the original table the code of its value.
    released
        For each released record, in the order of the recoding, the code of its value.
    """

    name: str
    original: NDArray[np.integer]
    released: NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class Released:
    """A release as measures see it.

    A record that shows nothing counts as suppressed, whether it was withheld, starred, or lies in
    a class whose every cell is ``*``: the reader of the release cannot distinguish them. No measure
    depends on which original a released record was made from, so a release is measured alike with
    and without the row order known: what is needed is the original table, what each released record
    shows, and the target value that travels with it.

    Parameters
    ----------
    domains, weights
        The attributes of the original table.
    codes
        For each attribute the codes of the original table's records.
    recoding
        What the released records show.
    n
        Number of records of the original table.
    k
        The k that was requested.
    target
        The target column, if there is one.
    in_classes
        Whether records that look the same are classes, which is not so in a freeform release.
    """

    domains: tuple[Domain, ...]
    weights: tuple[float, ...]
    codes: tuple[NDArray[np.integer], ...]
    recoding: Recoding
    n: int
    k: int
    target: TargetColumn | None = None
    in_classes: bool = True

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Records of each unit that shows something."""
        return self.recoding.sizes[~self.blank]

    @cached_property
    def blank(self) -> NDArray[np.bool_]:
        """Which units show nothing, or have no record left because all of theirs are starred."""
        nobody: NDArray[np.bool_] = self.recoding.sizes == 0
        return nobody | self.recoding.blank(self.domains)

    @property
    def suppressed(self) -> int:
        """Number of records that show nothing."""
        return self.n - int(self.sizes.sum())

    def mean(self, attribute: int, of_closure: NDArray[np.float64], if_suppressed: float) -> float:
        """Return the mean over all records of a figure of each closure of one attribute."""
        column = self.recoding.columns[attribute]
        shown = ~self.blank
        total = float(of_closure[column.index][shown] @ self.recoding.sizes[shown])
        return (total + if_suppressed * self.suppressed) / self.n

    @cached_property
    def covers(self) -> list[NDArray[np.int64]]:
        """For each attribute how many original records each closure covers."""
        return [
            covered(np.bincount(codes, minlength=domain.size), column.closures)
            for codes, domain, column in zip(
                self.codes, self.domains, self.recoding.columns, strict=True
            )
        ]

    @cached_property
    def target_counts(self) -> PairCounts:
        """How often each target value occurs in each unit that shows something."""
        assert self.target is not None
        unit = np.where(np.append(self.blank, True), SUPPRESSED, np.arange(len(self.blank) + 1))[
            self.recoding.unit
        ]
        shown = unit != SUPPRESSED
        return count_pairs(unit[shown], self.target.released[shown])

    @cached_property
    def target_totals(self) -> NDArray[np.int64]:
        """How often each target value occurs in the original table."""
        assert self.target is not None
        return np.bincount(self.target.original)

    @cached_property
    def target_suppressed(self) -> NDArray[np.int64]:
        """How often each target value occurs among the records that show nothing.

        That is what the original holds beyond what the release shows, so it is known for withheld
        records too.
        """
        totals = self.target_totals
        shown = np.bincount(
            self.target_counts.second, self.target_counts.count, minlength=len(totals)
        ).astype(np.int64)
        if len(shown) > len(totals) or (shown > totals).any():
            assert self.target is not None
            raise InputError(
                f"The release holds values of column {self.target.name!r} more often than the "
                f"original does.",
                remedy="Give the two tables that belong together.",
            )
        return totals - shown

    @cached_property
    def surprises(self) -> list[float]:
        """For each attribute the mean of -log2 Pr(target value | closure) over all records.

        A suppressed record covers everything, so its target value is as surprising as in the
        whole table.
        """
        assert self.target is not None
        counts = self.target_counts
        held = self.target_totals > 0
        shares = self.target_totals[held] / self.n
        unseen = -float(self.target_suppressed[held] @ np.log2(shares))
        found = []
        for codes, domain, column, covers in zip(
            self.codes, self.domains, self.recoding.columns, self.covers, strict=True
        ):
            pairs = count_pairs(column.index[counts.first], counts.second, counts.count)
            both = covered_with(
                count_pairs(self.target.original, codes),
                domain.size,
                column.closures,
                pairs.first,
                pairs.second,
            )
            logs = log2_ratio(both, covers[pairs.first], domain.attribute.name)
            found.append((unseen - float(pairs.count @ logs)) / self.n)
        return found
