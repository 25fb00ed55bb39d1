"""Recipes as objects: ``Ranges(5, 10, 20)`` is the recipe ``ranges:5,10,20``."""

from __future__ import annotations

from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from shoal.hierarchies.recipe import GROUPS, Recipe, Way

if TYPE_CHECKING:
    from datetime import date
    from typing import Literal


class Auto(Recipe):
    """Choose by the values.

    Parameters
    ----------
    by
        What unordered categories are grouped by: how often they occur, or which values of other
        columns their records hold; the latter, where possible, unless set.

    Examples
    --------
    >>> Auto(by="counts")
    Auto('auto:counts')
    """

    __slots__ = ()

    def __init__(self, by: Literal["counts", "cooccurrence"] | None = None) -> None:
        super().__init__(Way.AUTO, () if by is None else (by,))


class Ranges(Recipe):
    """Ranges of numbers.

    Parameters
    ----------
    *widths
        The width of the ranges on each level, narrowest first; each divides the next.

    Examples
    --------
    >>> Ranges(5, 10, 20)
    Ranges('ranges:5,10,20')
    """

    __slots__ = ()

    def __init__(self, *widths: float) -> None:
        super().__init__(Way.RANGES, tuple(map(str, widths)))


class Quantiles(Recipe):
    """Groups of nearly equal numbers of records, in order.

    Parameters
    ----------
    *groups
        The number of groups on each level, each a divisor of the one before.

    Examples
    --------
    >>> Quantiles(8, 4, 2)
    Quantiles('quantiles:8,4,2')
    """

    __slots__ = ()

    def __init__(self, *groups: int) -> None:
        super().__init__(Way.QUANTILES, tuple(map(str, groups)))


class Cuts(Recipe):
    """Groups that begin at given values.

    Parameters
    ----------
    *levels
        The values of each level; coarser levels have some of the values of the level below. A
        single level may be given as its values.

    Examples
    --------
    >>> Cuts(18, 65)
    Cuts('cuts:18,65')
    >>> Cuts([18, 30, 65], [18, 65])
    Cuts('cuts:18,30,65/18,65')
    """

    __slots__ = ()

    def __init__(self, *levels: float | str | date | list[Any] | tuple[Any, ...]) -> None:
        listed = (
            ",".join(map(str, level)) if isinstance(level, list | tuple) else str(level)
            for level in levels
        )
        several = any(isinstance(level, list | tuple) for level in levels)
        text = ("/" if several else ",").join(listed)
        super().__init__(Way.CUTS, tuple(text.split(",")) if levels else ())


class Stars(Recipe):
    """Characters replaced by stars from the end: 80015, 8001*, 800**.

    Parameters
    ----------
    *stars
        The number of stars on each level; one more on every level unless set, without levels that
        group nothing further. ``"every"`` keeps those too.

    Examples
    --------
    >>> Stars(2, 3), Stars("every")
    (Stars('stars:2,3'), Stars('stars:every'))
    """

    __slots__ = ()

    def __init__(self, *stars: int | Literal["every"]) -> None:
        super().__init__(Way.STARS, tuple(map(str, stars)))


class Dates(Recipe):
    """Levels of the calendar.

    Parameters
    ----------
    *levels
        Those that are used, finest first; all that group the dates unless set.

    Examples
    --------
    >>> Dates("month", "year")
    Dates('dates:month,year')
    """

    __slots__ = ()

    def __init__(self, *levels: str) -> None:
        super().__init__(Way.DATES, levels)


class Groups(str):
    """A table that lists values with their groups: columns value, group, larger group and so on.

    Parameters
    ----------
    path
        The file, with a header.

    Examples
    --------
    >>> Groups("regions.csv")
    Groups('groups:regions.csv')
    """

    __slots__ = ()

    def __new__(cls, path: str | PathLike[str]) -> Groups:  # noqa: D102 (documented by the class)
        return super().__new__(cls, f"{GROUPS}{fspath(path)}")

    def __repr__(self) -> str:
        return f"Groups({str(self)!r})"
