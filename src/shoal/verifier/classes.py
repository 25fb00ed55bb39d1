"""Classes of a release: rows whose quasi-identifiers look the same."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING

import numpy as np

from shoal.verifier.grouping import Groups, group_rows
from shoal.verifier.verdict import Check, name_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.verifier.witness import Tables


@dataclass(frozen=True, slots=True)
class Classes:
    """The classes of a release, and which of its rows are suppressed instead.

    Parameters
    ----------
    groups
        Rows with equal quasi-identifiers.
    members
        Size of each group in what k counts: records or persons.
    suppressed
        For each group whether its rows are suppressed records: all cells say nothing, and they
        are fewer than k or do not meet a privacy model. At most one group is.
    blank
        Number of records whose cells all say nothing, suppressed or a class of their own.
    """

    groups: Groups
    members: NDArray[np.int64]
    suppressed: NDArray[np.bool_]
    blank: int

    @property
    def count(self) -> int:
        """Number of classes."""
        return int(np.count_nonzero(~self.suppressed))

    @property
    def smallest(self) -> int:
        """Size of the smallest class in what k counts; 0 when there is none."""
        return int(self.members[~self.suppressed].min()) if self.count else 0

    @property
    def suppressed_records(self) -> int:
        """Number of suppressed records in the release."""
        return int(self.groups.sizes[self.suppressed].sum())


def group_classes(tables: Tables) -> Groups:
    """Return the released rows grouped by their quasi-identifier cells."""
    return group_rows([coverage.cells for coverage in tables.coverages])


def classify(
    tables: Tables,
    groups: Groups,
    members: NDArray[np.int64],
    k: int,
    sound: NDArray[np.bool_],
) -> Classes:
    """Tell classes from suppressed records; ``sound`` groups meet every privacy model."""
    starred = np.ones(len(groups), bool)
    for coverage in tables.coverages:
        starred &= coverage.starred[coverage.cells[groups.first]]
    blank = int(groups.sizes[starred].sum())
    return Classes(groups, members, starred & ((members < k) | ~sound), blank)


def check_class_sizes(classes: Classes, k: int, noun: str) -> Check:
    """Check that every class holds at least k of what k counts, named by ``noun``."""
    small = ~classes.suppressed & (classes.members < k)
    if small.any():
        rows = np.flatnonzero(small[classes.groups.of_row()])
        detail = (
            f"{np.count_nonzero(small):,} of {classes.count:,} classes hold fewer than {k} {noun}, "
            f"the smallest {classes.smallest}: release {name_rows(rows)}"
        )
        return Check(f"classes of at least {k}", passed=False, detail=detail)
    detail = (
        f"{classes.count:,} classes, the smallest of {classes.smallest:,} {noun}"
        if classes.count
        else "there is no class: every released record is suppressed"
    )
    return Check(f"classes of at least {k}", passed=True, detail=detail)


def suppression_limit(suppression: float, records: int) -> int:
    """Return how many records may be suppressed.

    A share is meant as it is written (0.29 of 100 is 29) or as it was divided (2/12 of 12 is 2);
    binary rounding costs no record in either case.

    >>> suppression_limit(0.29, 100), suppression_limit(2 / 12, 12), suppression_limit(0.019, 100)
    (29, 2, 1)
    """
    as_written = Fraction(repr(float(suppression))) * records
    return max(floor(as_written), floor(suppression * records))


def check_accounting(tables: Tables, classes: Classes, suppression: float) -> Check:
    """Check that no more records are missing or starred than the suppression limit allows."""
    name = "every record accounted for"
    kept = int(np.count_nonzero(tables.kept))
    aside = len(tables.original) - kept
    released = len(tables.released)
    limit = suppression_limit(suppression, kept)
    suppressed = classes.suppressed_records
    besides = f" ({aside:,} more set aside: a quasi-identifier is missing)" if aside else ""
    if released > kept:
        detail = f"{released:,} records released, but there are only {kept:,} originals{besides}"
        return Check(name, passed=False, detail=detail)
    withheld = kept - released
    detail = (
        f"{kept:,} originals{besides} = {released:,} released + {withheld:,} withheld; "
        f"{suppressed:,} of the released are suppressed; {limit:,} may be withheld or suppressed"
    )
    if classes.blank > suppressed:
        detail += f"; {classes.blank:,} show nothing but are enough to be a class"
    return Check(name, passed=withheld + suppressed <= limit, detail=detail)
