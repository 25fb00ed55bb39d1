"""The verdict on a release that is too large to be held in memory, from counts made elsewhere.

An engine counts: pairs of an original and a released cell, values of each class, rows of the row
map. What the counts mean is decided here, by the parser of cells and the judges of models that any
release is held to. None of it is shared with what made the release.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from shoal.verifier.classes import suppression_limit
from shoal.verifier.coverage import coverage_of
from shoal.verifier.judges.judge import JudgedColumn
from shoal.verifier.models import read_claims
from shoal.verifier.released import read_column
from shoal.verifier.verdict import Check, Question, Verdict, counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    from numpy.typing import NDArray

    from shoal.table.schema import Attribute, Schema
    from shoal.verifier.models import Claim

_CELLS_AT_ONCE = 2**22


@dataclass(slots=True)
class PairTally:
    """How cells of one quasi-identifier fit the originals they stand for.

    Parameters
    ----------
    attribute
        The quasi-identifier.
    notation
        ``text`` or ``min_max``.
    records
        Records whose cell was looked at.
    unreadable, uncovered
        Records whose cell does not follow the notation, or does not cover their original.
    """

    attribute: Attribute
    notation: str
    records: int = 0
    unreadable: int = 0
    uncovered: int = 0

    def add(self, original: pl.Series, released: pl.DataFrame, counts: NDArray[np.int64]) -> None:
        """Look at pairs of an original and its released cell, and how many records have each.

        Parameters
        ----------
        original
            The original cells, in the type of the source.
        released
            The column or columns of the quasi-identifier, as released.
        counts
            Records of each pair.
        """
        read = coverage_of(
            self.attribute, original, read_column(self.attribute, released, self.notation)
        )
        odd = np.zeros(len(read.starred), bool)
        odd[list(read.unreadable)] = True
        strange = odd[read.cells]
        covered = read.covers(read.values, read.cells)
        self.records += int(counts.sum())
        self.unreadable += int(counts[strange].sum())
        self.uncovered += int(counts[~covered & ~strange].sum())


@dataclass(frozen=True, slots=True)
class _CountedColumn(JudgedColumn):
    """A sensitive column by its distinct cells and how many records hold each."""

    counts: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))

    @property
    def shares(self) -> NDArray[np.float64]:
        """The share of each value in the original."""
        held = np.bincount(self.codes, self.counts, minlength=self.size)
        return np.asarray(held / self.counts.sum(), np.float64)


class ClaimTally:
    """What classes reach of one privacy model, as they come.

    Parameters
    ----------
    claim
        The model on its column.
    cells, counts
        The distinct original cells of the column, and the records of each.
    schema
        What is known about the values.
    """

    def __init__(
        self, claim: Claim, cells: pl.Series, counts: NDArray[np.int64], schema: Schema
    ) -> None:
        self.claim = claim
        column = _CountedColumn(
            claim.column, cells, np.arange(len(cells)), len(cells), schema, counts
        )
        self._judge = claim.judge.prepare(claim.numbers, column)
        self._width = len(cells)
        self.unknown = len(cells)
        self.classes = 0
        self.broken = 0
        self.weakest: float | None = None

    def add(
        self, owner: NDArray[np.int64], value: NDArray[np.int64], count: NDArray[np.int64]
    ) -> None:
        """Judge whole classes.

        Parameters
        ----------
        owner
            The class of each entry: numbers from 0, ascending.
        value
            Place of the value among the original cells; their number for any other.
        count
            Records of the class with that value.
        """
        classes = int(owner[-1]) + 1 if len(owner) else 0
        strange = value == self.unknown
        # No distance is defined for a value that the original does not hold.
        self.broken += len(np.unique(owner[strange]))
        value = np.where(strange, 0, value)
        step = max(1, _CELLS_AT_ONCE // self._width)
        for first in range(0, classes, step):
            last = min(first + step, classes)
            low, high = np.searchsorted(owner, [first, last])
            table = np.zeros((last - first, self._width), np.int64)
            np.add.at(table, (owner[low:high] - first, value[low:high]), count[low:high])
            holds, figures = self._judge(table)
            self.broken += int(np.count_nonzero(~holds))
            worst = float(figures.max() if self.claim.judge.lower_is_better else figures.min())
            worse = max if self.claim.judge.lower_is_better else min
            self.weakest = worst if self.weakest is None else worse(self.weakest, worst)
        self.classes += classes

    def check(self) -> Check:
        """Return whether every class meets the model."""
        figure = f"{self.claim.judge.figure} is {self.weakest or 0.0:.6g} in the weakest class"
        if not self.broken and self.classes:
            return Check(str(self.claim), passed=True, detail=f"{figure}, of {self.classes:,}")
        detail = f"{self.broken:,} of {self.classes:,} classes do not meet it; {figure}"
        return Check(str(self.claim), passed=False, detail=detail)


@dataclass(slots=True)
class Tally:
    """All that was counted of a release.

    Parameters
    ----------
    schema, k, models, suppression
        What the release is held to.
    columns
        Columns of the release, and those that it ought to have.
    originals, set_aside
        Records of the original; those among them that miss a quasi-identifier by policy.
    released, starred
        Records of the release, and those that show nothing.
    matched
        Released records whose row in the row map is that of an original that was not set aside.
    distinct
        Different rows in the row map.
    classes, smallest
        Classes of equal released cells, and the smallest of them in what k counts.
    pairs
        How cells fit the originals, for each quasi-identifier.
    changed
        For each column that is released unchanged, records whose cell differs from the original's.
    claims
        What classes reach of each model.
    """

    schema: Schema
    k: int
    models: Sequence[str]
    suppression: float
    columns: Sequence[str]
    expected: Sequence[str]
    originals: int = 0
    set_aside: int = 0
    released: int = 0
    starred: int = 0
    matched: int = 0
    distinct: int = 0
    classes: int = 0
    smallest: int = 0
    pairs: Sequence[PairTally] = ()
    changed: dict[str, int] = field(default_factory=dict)
    claims: Sequence[ClaimTally] = ()

    def verdict(self, how: str) -> Verdict:
        """Return the verdict.

        Parameters
        ----------
        how
            What counted, for the proof.
        """
        checks = tuple(self._checks())
        if not checks[0].passed:
            checks = checks[:2]  # nothing else was counted
        claimed = read_claims(self.models, self.schema)
        return Verdict(
            passed=all(check.passed for check in checks),
            checks=checks,
            n=self.originals,
            released=self.released,
            classes=self.classes,
            smallest_class=self.smallest,
            starred=self.starred,
            withheld=max(0, self.originals - self.released),
            proof=f"the row map names an original of its own for every released record; {how} "
            f"compared each with it, and counted classes by the released cells",
            question=Question(
                self.k,
                self.schema.quasi_names,
                self.schema.sensitive,
                tuple(map(str, claimed)),
                "classes",
            ),
            set_aside=self.set_aside,
        )

    def _checks(self) -> list[Check]:
        lacking = [name for name in self.expected if name not in self.columns]
        beyond = [name for name in self.columns if name not in self.expected]
        limit = suppression_limit(self.suppression, self.originals - self.set_aside)
        kept = self.originals - self.set_aside
        noun = "records" if self.schema.person is None else "persons"
        aside = (
            f" ({self.set_aside:,} more set aside: a quasi-identifier is missing)"
            if self.set_aside
            else ""
        )
        starred = f"; {self.starred:,} of the released show nothing but *" if self.starred else ""
        unreadable = [one.attribute.name for one in self.pairs if one.unreadable]
        uncovered = [
            f"{one.uncovered:,} in column {one.attribute.name!r}"
            for one in self.pairs
            if one.uncovered or one.unreadable
        ]
        looked_at = all(one.records == self.released for one in self.pairs)
        changed = [f"{count:,} in column {name!r}" for name, count in self.changed.items() if count]
        return [
            Check(
                "columns present",
                passed=not lacking,
                detail=f"the release lacks {', '.join(map(repr, lacking))}"
                if lacking
                else counted(len(self.columns), "column"),
            ),
            Check(
                "identifiers absent",
                passed=not beyond,
                detail=f"the release holds {', '.join(map(repr, beyond))}"
                if beyond
                else "the release holds declared columns only",
            ),
            Check(
                "cells readable",
                passed=not unreadable,
                detail=f"cells that do not follow the notation in {', '.join(unreadable)}"
                if unreadable
                else "all cells follow the notation",
            ),
            Check(
                f"classes of at least {self.k}",
                passed=self.smallest >= self.k,
                detail=f"{counted(self.classes, 'class')}, the smallest of {self.smallest:,} "
                f"{noun}",
            ),
            *(one.check() for one in self.claims),
            Check(
                "every record accounted for",
                passed=0 <= kept - self.released <= limit,
                detail=f"{kept:,} originals{aside} = {self.released:,} released + "
                f"{kept - self.released:,} withheld; {limit:,} may be withheld{starred}",
            ),
            Check(
                "row map is one-to-one",
                passed=self.matched == self.distinct == self.released,
                detail=f"{self.released:,} released records, {self.distinct:,} different rows, "
                f"{self.matched:,} of them originals",
            ),
            Check(
                "cells cover originals",
                passed=looked_at and not uncovered,
                detail=f"records whose cell does not: {'; '.join(uncovered)}"
                if uncovered
                else f"{self.released:,} records in {len(self.pairs)} columns",
            ),
            Check(
                "other values unchanged",
                passed=not changed,
                detail=f"records that differ: {'; '.join(changed)}"
                if changed
                else counted(len(self.changed), "column"),
            ),
        ]
