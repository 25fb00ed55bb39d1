"""Dates: day, month, quarter, year and decade."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import ParameterError
from shoal.hierarchies.assemble import assemble

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shoal.hierarchies.tree import Hierarchy


def _day(day: np.datetime64) -> str:
    return str(day)


def _month(day: np.datetime64) -> str:
    return str(day.astype("datetime64[M]"))


def _quarter(day: np.datetime64) -> str:
    year, _, month = _month(day).rpartition("-")
    return f"{year}-Q{(int(month) + 2) // 3}"


def _year(day: np.datetime64) -> str:
    return str(day.astype("datetime64[Y]"))


def _decade(day: np.datetime64) -> str:
    return f"{_year(day)[:-1]}0s"


_NAMED: dict[str, Callable[[np.datetime64], str]] = {
    "day": _day,
    "month": _month,
    "quarter": _quarter,
    "year": _year,
    "decade": _decade,
}
CALENDAR = tuple(_NAMED)


def date_levels(leaves: Sequence[str], days: Sequence[int], steps: Sequence[str] = ()) -> Hierarchy:
    """Return day → month ``2021-03`` → quarter ``2021-Q1`` → year ``2021`` → decade ``2020s``.

    Parameters
    ----------
    leaves, days
        Distinct values and the day of each, since 1970-01-01.
    steps
        The levels, finest first: ``day``, ``month``, ``quarter``, ``year``, ``decade``; all of them
        unless given, but for levels that would group nothing further.

    Raises
    ------
    ParameterError
        If a step is unknown, or steps are not in this order.
    """
    known = list(_NAMED)
    if any(step not in known for step in steps) or list(steps) != sorted(
        set(steps), key=known.index
    ):
        raise ParameterError(
            f"Unknown levels of dates: {','.join(steps)}.",
            remedy=f"Choose some of {', '.join(known)}, in this order.",
        )
    dates = [np.datetime64(day, "D") for day in days]
    return assemble(
        leaves,
        [[_NAMED[step](date) for date in dates] for step in steps or known],
        keep_all=bool(steps),
    )
