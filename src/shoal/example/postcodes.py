"""The invented region of the example: towns, their postcodes, and the tree of postcodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.hierarchies import ROOT, Hierarchy

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DIGITS = 5


@dataclass(frozen=True, slots=True)
class Town:
    """A place whose postcodes share their first three digits.

    Parameters
    ----------
    prefix
        The three digits.
    share
        Its share of the patients, before all shares are scaled to sum to 1.
    codes
        How many postcodes it has.
    """

    prefix: str
    share: float
    codes: int


# A city with its suburbs (012, 013), a second city (047), and towns around both. The leading zero
# is deliberate: it is the first thing that careless reading of a CSV file destroys.
TOWNS = (
    Town("012", 30, 24),
    Town("013", 14, 18),
    Town("014", 6, 9),
    Town("019", 4, 7),
    Town("031", 5, 8),
    Town("036", 3, 6),
    Town("047", 16, 20),
    Town("048", 8, 12),
    Town("052", 4, 8),
    Town("058", 2, 5),
    Town("081", 5, 8),
    Town("117", 3, 6),
)


def _codes_of(town: Town) -> list[str]:
    # Spread over the hundred codes of the prefix, so that four digits part a town as well.
    return [f"{town.prefix}{place * 97 // town.codes:02d}" for place in range(town.codes)]


def postcodes() -> tuple[list[str], NDArray[np.float64]]:
    """Return every postcode of the region and the share of patients who live there."""
    codes: list[str] = []
    shares: list[float] = []
    for town in TOWNS:
        inside = _codes_of(town)
        # Districts differ in size: the k-th largest has a share that falls with its rank.
        ranks = 1.0 / (1.0 + np.arange(len(inside))) ** 0.6
        codes += inside
        shares += (town.share * ranks / ranks.sum()).tolist()
    scaled = np.array(shares)
    return codes, scaled / scaled.sum()


def postcode_rows() -> list[list[str]]:
    """Return the rows of the hierarchy file: 01203, 0120*, 012**, 01***, *."""
    codes, _ = postcodes()
    return [
        [code, *(code[:kept] + "*" * (_DIGITS - kept) for kept in (4, 3, 2)), ROOT]
        for code in sorted(codes)
    ]


def postcode_hierarchy() -> Hierarchy:
    """Return the tree of postcodes: five digits, four, three, two, none.

    Examples
    --------
    >>> tree = postcode_hierarchy()
    >>> tree.height
    4
    >>> "012**" in tree.node_names
    True
    """
    return Hierarchy.from_rows(postcode_rows(), where="postcode")
