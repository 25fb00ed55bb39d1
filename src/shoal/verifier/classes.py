"""Classes of a release: rows whose quasi-identifiers look the same."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING

import numpy as np

from shoal.verifier.grouping import Groups, group_rows
from shoal.verifier.verdict import Check, counted, name_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.verifier.witness import Tables


@dataclass(frozen=True, slots=True)
class Classes:
    """The classes of a release. Starred records are a class like any other.

    Parameters
    ----------
    groups
        Rows with equal quasi-identifiers.
    starred
        For each group whether its cells all say nothing. At most one text says nothing in every
        column, so that there is one such group, or none.
    members
        Size of each group in what k counts: records or persons.
    """

    groups: Groups
    starred: NDArray[np.bool_]
    members: NDArray[np.int64]

    @property
    def count(self) -> int:
        """Number of classes."""
        return len(self.groups)

    @property
    def smallest(self) -> int:
        """Size of the smallest class in what k counts."""
        return int(self.members.min())

    def rows(self, chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the released rows of some classes."""
        return np.flatnonzero(chosen[self.groups.of_row()])


def group_classes(tables: Tables) -> Groups:
    """Return the released rows grouped by their quasi-identifier cells."""
    return group_rows([coverage.cells for coverage in tables.coverages])


def starred_groups(tables: Tables, groups: Groups) -> NDArray[np.bool_]:
    """Return which groups show nothing at all."""
    starred = np.ones(len(groups), bool)
    for coverage in tables.coverages:
        starred &= coverage.starred[coverage.cells[groups.first]]
    return starred


def check_class_sizes(classes: Classes, k: int, noun: str) -> Check:
    """Check that every class holds at least k of what k counts, named by ``noun``."""
    name = f"classes of at least {k}"
    small = classes.members < k
    if not small.any():
        detail = f"{counted(classes.count, 'class')}, the smallest of {classes.smallest:,} {noun}"
        return Check(name, passed=True, detail=detail)
    few = int(np.count_nonzero(small))
    verb = "holds" if few == 1 else "hold"
    detail = (
        f"{few:,} of {counted(classes.count, 'class')} {verb} fewer than {k} {noun}, "
        f"the smallest {classes.smallest:,}: release {name_rows(classes.rows(small))}"
    )
    if (small & classes.starred).any():
        detail += (
            "; one of them is the class of starred records, to which everybody belongs whom no "
            "other class covers"
        )
    return Check(name, passed=False, detail=detail)


def suppression_limit(suppression: float, records: int) -> int:
    """Return how many records may be suppressed.

    A share is meant as it is written (0.29 of 100 is 29) or as it was divided (2/12 of 12 is 2);
    binary rounding costs no record in either case.

    >>> suppression_limit(0.29, 100), suppression_limit(2 / 12, 12), suppression_limit(0.019, 100)
    (29, 2, 1)
    """
    as_written = Fraction(repr(float(suppression))) * records
    return max(floor(as_written), floor(suppression * records))


def check_accounting(tables: Tables, starred: int, suppression: float) -> Check:
    """Check that no more records are withheld than the suppression limit allows."""
    name = "every record accounted for"
    kept = int(np.count_nonzero(tables.kept))
    aside = len(tables.original) - kept
    released = len(tables.released)
    limit = suppression_limit(suppression, kept)
    besides = f" ({aside:,} more set aside: a quasi-identifier is missing)" if aside else ""
    if released > kept:
        detail = f"{released:,} records released, but there are only {kept:,} originals{besides}"
        return Check(name, passed=False, detail=detail)
    withheld = kept - released
    detail = (
        f"{kept:,} originals{besides} = {released:,} released + {withheld:,} withheld; "
        f"{limit:,} may be withheld"
    )
    if starred:
        detail += f"; {starred:,} of the released show nothing but *"
    return Check(name, passed=withheld <= limit, detail=detail)
