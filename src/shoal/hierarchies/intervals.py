"""Builders over a scale: ranges of fixed widths, given cut points, quantiles, halves."""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction
from itertools import accumulate, pairwise
from math import floor
from typing import TYPE_CHECKING

from shoal.errors import ParameterError
from shoal.hierarchies.assemble import assemble
from shoal.hierarchies.scale import NumberScale, RankScale, decimal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.hierarchies.scale import Scale
    from shoal.hierarchies.tree import Hierarchy

_FINEST_HALVES = 5  # at most 32 groups: each further level doubles what a lattice has to search


def range_levels(
    leaves: Sequence[str], numbers: Sequence[Fraction], widths: Sequence[Fraction], scale: Scale
) -> Hierarchy:
    """Return ranges of fixed widths, counted from the scale's origin: ``[20..24]``, ``[20..29]``.

    The names depend on the widths alone, not on the table.

    Parameters
    ----------
    leaves, numbers
        Distinct values and the number behind each.
    widths
        Widths, narrowest first; each must be a multiple of the one before, so that ranges nest.
    scale
        What the numbers mean.

    Raises
    ------
    ParameterError
        If widths are not positive or do not nest.
    """
    _check_widths(widths, scale)
    levels = []
    for width in widths:
        names: dict[int, str] = {}
        for place in {_place(number, width, scale) for number in numbers}:
            low = scale.origin + place * width
            names[place] = scale.name(low, low + width)
        levels.append(
            [
                names[_place(number, width, scale)] if scale.holds(number) else leaf
                for leaf, number in zip(leaves, numbers, strict=True)
            ]
        )
    return assemble(leaves, levels, keep_all=True)


def cut_levels(
    leaves: Sequence[str],
    numbers: Sequence[Fraction],
    cuts: Sequence[Sequence[Fraction]],
    scale: Scale,
    *,
    keep_all: bool = True,
) -> Hierarchy:
    """Return the groups between cut points: ``<18``, ``[18..29]``, ``[30..64]``, ``>=65``.

    Parameters
    ----------
    leaves, numbers
        Distinct values and the number behind each.
    cuts
        For each level, finest first, the numbers at which a group begins. Those of a level must be
        among those of the level before, so that groups nest.
    scale
        What the numbers mean.
    keep_all
        Whether levels stay that group nothing further.

    Raises
    ------
    ParameterError
        If a level has no cut point, or one that the level before lacks.
    """
    points = [sorted(set(level)) for level in cuts]
    if not points or not all(points):
        raise ParameterError("No cut point given.", remedy="Give at least one, such as 18,65.")
    for finer, coarser in pairwise(points):
        strange = [point for point in coarser if point not in finer]
        if strange:
            raise ParameterError(
                f"The cut point {_spelled(strange[0], scale)} of a coarser level is not one of the "
                f"finer level.",
                remedy="Give each level some of the cut points of the level before.",
            )
    levels = []
    for level in points:
        edges: list[Fraction | None] = [None, *level, None]
        names = [scale.name(low, high) for low, high in pairwise(edges)]
        levels.append(
            [
                names[bisect_right(level, number)] if scale.holds(number) else leaf
                for leaf, number in zip(leaves, numbers, strict=True)
            ]
        )
    return assemble(leaves, levels, keep_all=keep_all)


def quantile_levels(
    leaves: Sequence[str],
    numbers: Sequence[Fraction],
    counts: Sequence[int],
    parts: Sequence[int],
    scale: Scale,
) -> Hierarchy:
    """Return groups of nearly equal numbers of records, cut at round numbers where there are some.

    Equal values are never parted, so that a frequent one may leave fewer groups than requested; a
    single value has no levels but the root.

    Parameters
    ----------
    leaves, numbers, counts
        Distinct values, the number behind each, and how many records hold it.
    parts
        How many groups each level has, the most first; each must divide the one before.
    scale
        What the numbers mean.

    Raises
    ------
    ParameterError
        If parts are below 2 or do not divide one another.
    """
    if not parts or min(parts) < 2:
        raise ParameterError("Quantiles need at least 2 parts.", remedy="Write for example 8,4,2.")
    for finer, coarser in pairwise(parts):
        if finer % coarser or finer == coarser:
            raise ParameterError(
                f"{coarser} groups cannot be made from {finer} whole ones.",
                remedy=f"Give numbers of groups that divide one another, as {4 * coarser},"
                f"{2 * coarser},{coarser}.",
            )
    values, weights = _by_number(numbers, counts)
    if len(values) < 2:
        return assemble(leaves, [])
    total = sum(weights)
    reached = list(accumulate(weights))[:-1]
    finest: list[Fraction] = []
    for part in range(1, parts[0]):
        # In whole numbers: how far the records reached are from this part of all records.
        away = [abs(count * parts[0] - total * part) for count in reached]
        nearest = away.index(min(away))
        finest.append(scale.between(values[nearest], values[nearest + 1]))
    levels = [finest[parts[0] // count - 1 :: parts[0] // count] for count in parts]
    return cut_levels(leaves, numbers, levels, scale)


def halved_levels(
    leaves: Sequence[str], numbers: Sequence[Fraction], counts: Sequence[int], scale: Scale
) -> Hierarchy:
    """Return groups that are halved again and again, each half with as many records as possible.

    From the root down there are 2, 4, 8, … groups, at most 32; a group of one value stays whole.
    """
    values, weights = _by_number(numbers, counts)
    reached = [0, *accumulate(weights)]
    spans = [(0, len(values))]
    cuts: list[Fraction] = []
    levels: list[list[Fraction]] = []
    while len(levels) < _FINEST_HALVES and 2 * len(spans) < len(values):
        halves: list[tuple[int, int]] = []
        for first, end in spans:
            if end - first == 1:
                halves.append((first, end))
                continue
            whole = reached[first] + reached[end]
            away = [abs(2 * count - whole) for count in reached[first + 1 : end]]
            middle = first + 1 + away.index(min(away))
            cuts.append(scale.between(values[middle - 1], values[middle]))
            halves += [(first, middle), (middle, end)]
        spans = halves
        levels.insert(0, list(cuts))
    if not levels:
        return assemble(leaves, [])
    return cut_levels(leaves, numbers, levels, scale, keep_all=False)


def alphabetical_halves(leaves: Sequence[str], counts: Sequence[int]) -> Hierarchy:
    """Return :func:`halved_levels` of categories in the order of their texts."""
    order = sorted(leaves)
    scale = RankScale(order)
    places = {leaf: place for place, leaf in enumerate(order)}
    return halved_levels(leaves, [Fraction(places[leaf]) for leaf in leaves], counts, scale)


def _by_number(
    numbers: Sequence[Fraction], counts: Sequence[int]
) -> tuple[list[Fraction], list[int]]:
    """Return the distinct numbers, ascending, and the records of each; spellings may repeat one."""
    held: dict[Fraction, int] = {}
    for number, count in zip(numbers, counts, strict=True):
        held[number] = held.get(number, 0) + count
    values = sorted(held)
    return values, [held[value] for value in values]


def _place(number: Fraction, width: Fraction, scale: Scale) -> int:
    return floor((number - scale.origin) / width)


def _check_widths(widths: Sequence[Fraction], scale: Scale) -> None:
    if not widths or min(widths) <= 0:
        raise ParameterError(
            "Ranges need positive widths.", remedy="Write for example 5,10,20, narrowest first."
        )
    if not isinstance(scale, NumberScale) and any(width.denominator != 1 for width in widths):
        raise ParameterError(
            "Widths of days or of ordered categories must be whole numbers.",
            remedy="Write for example 7,28.",
        )
    for narrow, wide in pairwise(widths):
        if (wide / narrow).denominator != 1 or wide == narrow:
            times = max(2, round(wide / narrow))
            raise ParameterError(
                f"Ranges of width {decimal(wide)} do not consist of whole ranges of width "
                f"{decimal(narrow)}.",
                remedy=f"Take multiples, narrowest first: {decimal(narrow * times)} instead of "
                f"{decimal(wide)}.",
            )


def _spelled(point: Fraction, scale: Scale) -> str:
    return scale.name(point, None).removeprefix(">=")
