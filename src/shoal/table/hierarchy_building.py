"""Hierarchies that are built from the cells of a column by a recipe."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from json import dumps
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.errors import HierarchyError, ParameterError, ValueReadError
from shoal.hierarchies import (
    EVERY,
    WHOLE,
    DayScale,
    Hierarchy,
    NumberScale,
    RankScale,
    Recipe,
    Way,
    alphabetical_halves,
    cluster_levels,
    cut_levels,
    date_levels,
    halved_levels,
    quantile_levels,
    range_levels,
    set_levels,
    star_levels,
    text_levels,
)
from shoal.hierarchies.clusters import MOST_CATEGORIES
from shoal.hierarchies.dates import CALENDAR
from shoal.hierarchies.pinning import nested_cuts, nested_sets
from shoal.hierarchies.scale import exact, read_number
from shoal.table.cells import DistinctCells, distinct_cells, numbers
from shoal.table.cooccurrence import CooccurrenceContext
from shoal.table.kind_detection import detect, numeric_reading
from shoal.table.leaf_values import distinct_leaves
from shoal.table.schema import Attribute, Kind, Reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.hierarchies import Scale

_SECONDS_A_DAY = 86_400
_SHORTEST_CODE = 3
_CODE = r"^[0-9A-Z]*[0-9][0-9A-Z]*$"
_DATES = (Reading.DATE, Reading.DATETIME)
_FROM_VALUES = (Way.AUTO, Way.QUANTILES, Way.DATES)


@dataclass(frozen=True, slots=True)
class ColumnHints:
    """What a user declares about a column whose hierarchy is built.

    Parameters
    ----------
    reading
        How its cells are read; found from them unless given.
    order
        Its categories, lowest first, if they are ordered.
    date_format
        ``strptime`` format of its dates; ``None`` is ISO 8601.
    """

    reading: Reading | None = None
    order: Sequence[str] = ()
    date_format: str | None = None


def make_hierarchy(
    series: pl.Series,
    recipe: Recipe,
    context: CooccurrenceContext | None = None,
    hints: ColumnHints | None = None,
) -> Hierarchy:
    """Return the hierarchy of a column that a recipe describes.

    It depends on which values the column has and how often, not on the order of records: the same
    table and recipe give the same tree. Missing cells are not part of it.

    Parameters
    ----------
    series
        The column.
    recipe
        How to make it.
    context
        Columns whose values show ``auto`` which unordered categories are alike. Never give it
        sensitive ones: groups would reveal something about them.
    hints
        What the user declares about the column.

    Raises
    ------
    ParameterError
        If the recipe does not fit itself: widths that do not nest, cut points that are not numbers.
    ValueReadError
        If cells cannot be read as the recipe demands; rows are named by number.
    HierarchyError
        If the column has no value, or the value ``*``.
    """
    try:
        return _make(series, recipe, context or CooccurrenceContext(), hints or ColumnHints())
    except (ParameterError, HierarchyError) as error:
        what = f"Column {series.name!r}, hierarchy {recipe}: {error.what}"
        raise type(error)(what, remedy=error.remedy) from error
    except ValueReadError as error:
        what = f"{error.what} The hierarchy {recipe} needs them."
        remedy = (error.remedy or "").partition("or read the column another way")[0]
        remedy += "or choose another hierarchy: stars and auto take any text."
        raise ValueReadError(what, remedy=remedy) from error


def _make(
    series: pl.Series, recipe: Recipe, context: CooccurrenceContext, hints: ColumnHints
) -> Hierarchy:
    distinct = distinct_cells(series)
    leaves, counts, places = distinct_leaves(distinct)
    if recipe.way is Way.STARS:
        stars, longest = _stars(recipe)
        return star_levels(leaves, stars, longest, every=recipe.details == (EVERY,))
    if recipe.way is Way.SETS:
        return set_levels(leaves, recipe.levels())
    if recipe.way is Way.TEXTS:
        return text_levels(leaves, recipe.levels())
    reading = _reading(series, recipe, hints)
    if reading is Reading.TEXT:
        return _categories(series, leaves, counts, recipe, context)
    order = _order(series, hints, reading)
    attribute = Attribute(
        series.name,
        Kind.NUMERIC,
        reading,
        order=order,
        date_format=hints.date_format if reading in _DATES else None,
    )
    read = numbers(_by_the_clock(distinct), attribute)
    if reading is Reading.DATETIME:
        read = np.floor(read / _SECONDS_A_DAY)
    values = exact(read[places].tolist())
    if reading is Reading.NUMBER:
        # By their texts: the short float 0.7 is a little less than 0.7, but shows as it.
        values = [Fraction(leaf.strip()) for leaf in leaves]
    elif reading is Reading.RANK:
        # The whole order is known beforehand, also what no record holds.
        held = dict(zip(leaves, counts, strict=True))
        leaves, counts = list(order), [held.get(category, 0) for category in order]
        values = exact(range(len(order)))
    if recipe.way is Way.DATES or (recipe.way is Way.AUTO and reading in _DATES):
        steps = recipe.details if recipe.way is Way.DATES else ()
        return date_levels(leaves, [int(value) for value in values], steps)
    return _intervals(leaves, values, counts, recipe, _scale(reading, order, values, recipe))


def pin_recipe(  # noqa: PLR0911 (one way for each kind of recipe)
    series: pl.Series,
    recipe: Recipe,
    hints: ColumnHints,
    shown: Sequence[frozenset[str]],
    kept: Sequence[str],
) -> Recipe:
    """Return a recipe for the groups of an automatic hierarchy that a release shows.

    Its names, levels and boundaries follow from the values of released records alone. Ranges and
    cuts that were given stay as they are, but for the word that released numbers are whole.

    Parameters
    ----------
    series, recipe, hints
        What the hierarchy was made from.
    shown
        The released values below each node that the release shows.
    kept
        The values of released records.
    """
    if recipe.way is Way.STARS:
        return _pinned_stars(series, recipe, kept)
    if recipe.way in (Way.RANGES, Way.CUTS):
        return _of_whole_numbers(series, recipe, hints, kept)
    if recipe.way not in _FROM_VALUES:
        return recipe
    reading = _reading(series, recipe, hints)
    if recipe.way is Way.DATES or (recipe.way is Way.AUTO and reading in _DATES):
        # Levels that group nothing are left out, which would tell of dates that are not released.
        steps = CALENDAR if reading is Reading.DATETIME else CALENDAR[1:]
        return Recipe(Way.DATES, recipe.details or tuple(steps))
    if reading is Reading.RANK:
        return _pinned_ranks(_order(series, hints, reading), shown, kept)
    leaves, _, places = distinct_leaves(distinct_cells(series))
    if reading is Reading.TEXT:
        if not recipe.details and _are_codes(leaves):
            return _pinned_stars(series, Recipe(Way.STARS), kept)
        if len(leaves) <= MOST_CATEGORIES:
            return Recipe(Way.SETS, (_json(nested_sets(shown)),))
        order = sorted(kept)
        texts_at = [[order[place] for place in level] for level in nested_cuts(shown, order)]
        return Recipe(Way.TEXTS, (_json(texts_at),))
    attribute = Attribute(
        series.name,
        Kind.NUMERIC,
        reading,
        date_format=hints.date_format if reading in _DATES else None,
    )
    read = numbers(_by_the_clock(distinct_cells(series)), attribute)
    if reading is Reading.DATETIME:
        read = np.floor(read / _SECONDS_A_DAY)
    number_of = dict(zip(leaves, exact(read[places].tolist()), strict=True))
    if reading is Reading.NUMBER:
        number_of = {leaf: Fraction(leaf.strip()) for leaf in leaves}
    scale = _scale(reading, (), [number_of[leaf] for leaf in kept], recipe)
    # Spellings of one number are never parted, so any order among them will do.
    order = sorted(kept, key=lambda leaf: number_of[leaf])
    levels = [
        [scale.between(number_of[order[place - 1]], number_of[order[place]]) for place in level]
        for level in nested_cuts(shown, order)
    ]
    if not levels:
        return Recipe(Way.SETS, ("[]",))
    spelled = [
        ",".join(scale.name(cut, None).removeprefix(">=") for cut in cuts) for cuts in levels
    ]
    pinned = Recipe.parse(f"{Way.CUTS}:{'/'.join(spelled)}")
    return _of_whole_numbers(series, pinned, hints, kept)


def _of_whole_numbers(
    series: pl.Series, recipe: Recipe, hints: ColumnHints, kept: Sequence[str]
) -> Recipe:
    """Return ranges or cuts that are named by whether released numbers are whole.

    Otherwise a fraction that is not released would show: in ``[20..25)`` instead of ``[20..24]``.
    """
    if _reading(series, recipe, hints) is not Reading.NUMBER or not _has_whole_numbers(recipe):
        return recipe
    whole = all(Fraction(leaf.strip()).denominator == 1 for leaf in kept)
    return Recipe(recipe.way, (*recipe.numbers, WHOLE) if whole else recipe.numbers)


def _pinned_stars(series: pl.Series, recipe: Recipe, kept: Sequence[str]) -> Recipe:
    """Return all numbers of stars, counted for the longest released code."""
    leaves, _, _ = distinct_leaves(distinct_cells(series))
    requested, given = _stars(recipe)
    longest = min(given or max(map(len, leaves)), max(map(len, kept), default=1))
    stars = [count for count in requested or range(1, longest) if count < longest]
    if not stars:
        return Recipe(Way.SETS, ("[]",))
    return Recipe.parse(f"{Way.STARS}:{','.join(map(str, stars))}/{longest}")


def _stars(recipe: Recipe) -> tuple[list[int], int | None]:
    """Return the numbers of stars, and the length of codes that they are counted for.

    No numbers are all of them.
    """
    if recipe.details == (EVERY,):
        return [], None
    stars, _, longest = ",".join(recipe.details).partition("/")
    return [_whole(part) for part in stars.split(",") if part], _whole(longest) if longest else None


def _pinned_ranks(
    order: Sequence[str], shown: Sequence[frozenset[str]], kept: Sequence[str]
) -> Recipe:
    """Return cuts at released categories of an order that is known beforehand."""
    held = sorted(kept, key=order.index)
    levels = [[held[place] for place in level] for level in nested_cuts(shown, held)]
    cuts = [category for level in levels for category in level]
    if not cuts or any(set(one) & {",", "/"} or one != one.strip() for one in cuts):
        return Recipe(Way.SETS, (_json(nested_sets(shown)),))
    return Recipe.parse(f"{Way.CUTS}:{'/'.join(map(','.join, levels))}")


def _json(levels: Sequence[Sequence[object]]) -> str:
    return dumps(levels, ensure_ascii=False, separators=(",", ":"))


def _by_the_clock(distinct: DistinctCells) -> DistinctCells:
    """Return times of a zone as its clocks show them: texts do, and groups must agree with them."""
    cells = distinct.cells
    if not isinstance(cells.dtype, pl.Datetime) or cells.dtype.time_zone is None:
        return distinct
    return replace(distinct, cells=cells.dt.replace_time_zone(None))


def _reading(series: pl.Series, recipe: Recipe, hints: ColumnHints) -> Reading:
    if hints.reading is not None and recipe.way is not Way.DATES:
        return hints.reading
    if hints.order and recipe.way is not Way.DATES:
        return Reading.RANK
    if recipe.way is Way.DATES or hints.date_format is not None:
        return hints.reading if hints.reading in _DATES else _date_reading(series, hints)
    return detect(series).reading if recipe.way is Way.AUTO else numeric_reading(series)


def _date_reading(series: pl.Series, hints: ColumnHints) -> Reading:
    if hints.date_format is not None:
        has_time = any(part in hints.date_format for part in ("%H", "%I", "%T", "%s"))
        return Reading.DATETIME if has_time else Reading.DATE
    found = numeric_reading(series)
    if series.dtype.is_numeric():
        raise ParameterError(
            "the column holds numbers, not dates.",
            remedy="Turn it into dates first, or use ranges.",
        )
    return found if found in _DATES else Reading.DATE


def _order(series: pl.Series, hints: ColumnHints, reading: Reading) -> tuple[str, ...]:
    if reading is not Reading.RANK:
        return ()
    if hints.order:
        return tuple(hints.order)
    if isinstance(series.dtype, pl.Enum):
        return tuple(series.dtype.categories.to_list())
    raise ParameterError(
        "the order of its categories is not known.", remedy="Give it with `order`, lowest first."
    )


def _scale(
    reading: Reading, order: tuple[str, ...], values: Sequence[Fraction], recipe: Recipe
) -> Scale:
    if reading in _DATES:
        return DayScale()
    if reading is Reading.RANK:
        return RankScale(order)
    whole = recipe.whole or all(value.denominator == 1 for value in values)
    return NumberScale(whole and _has_whole_numbers(recipe))


def _has_whole_numbers(recipe: Recipe) -> bool:
    """Return whether all widths or cut points are whole, so that groups of whole numbers nest."""
    if recipe.way not in (Way.RANGES, Way.CUTS):
        return True
    given = (read_number(part) for text in recipe.numbers for part in text.split("/"))
    return all(number.denominator == 1 for number in given)


def _intervals(
    leaves: Sequence[str],
    values: Sequence[Fraction],
    counts: Sequence[int],
    recipe: Recipe,
    scale: Scale,
) -> Hierarchy:
    if recipe.way is Way.RANGES:
        return range_levels(leaves, values, [read_number(part) for part in recipe.numbers], scale)
    if recipe.way is Way.CUTS:
        # A category of an order may itself be called `whole`.
        given = recipe.numbers if isinstance(scale, NumberScale) else recipe.details
        levels = [level.split(",") for level in ",".join(given).split("/")]
        return cut_levels(
            leaves, values, [[scale.read(cut.strip()) for cut in level] for level in levels], scale
        )
    if recipe.way is Way.QUANTILES:
        parts = [_whole(part) for part in recipe.details]
        return quantile_levels(leaves, values, counts, parts, scale)
    return halved_levels(leaves, values, counts, scale)


def _categories(
    series: pl.Series,
    leaves: Sequence[str],
    counts: Sequence[int],
    recipe: Recipe,
    context: CooccurrenceContext,
) -> Hierarchy:
    if recipe.way is not Way.AUTO:
        raise ParameterError(
            "the column holds texts, not numbers, dates or ordered categories.",
            remedy="Use stars, a table of groups or auto, or give its categories with `order`.",
        )
    by = recipe.details[0] if recipe.details else None
    beside = context.beside(series)
    if by == "cooccurrence" and not beside:
        raise ParameterError(
            "there is no other column to compare it with.",
            remedy="Name other quasi-identifiers, or group by counts: auto:counts.",
        )
    if by == "cooccurrence" and len(leaves) > MOST_CATEGORIES:
        raise ParameterError(
            f"{len(leaves)} categories are more than the {MOST_CATEGORIES} that can be compared.",
            remedy="Group by counts (auto:counts), or give a table of groups.",
        )
    if by is None and _are_codes(leaves):
        return star_levels(leaves)
    if by == "counts" or not beside or len(leaves) > MOST_CATEGORIES or len(leaves) < 3:
        return alphabetical_halves(leaves, counts)
    return cluster_levels(leaves, context.of(series))


def _are_codes(leaves: Sequence[str]) -> bool:
    shown = pl.Series(leaves, dtype=pl.String)
    lengths = shown.str.len_chars()
    return (
        len(leaves) > 1
        and lengths.n_unique() == 1
        and lengths[0] >= _SHORTEST_CODE
        and shown.str.contains(_CODE).all()
    )


def _whole(text: str) -> int:
    number = read_number(text)
    if number.denominator != 1:
        raise ParameterError(f"{text!r} is not a whole number.", remedy="Write for example 4.")
    return int(number)
