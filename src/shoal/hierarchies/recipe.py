"""Recipes: texts for hierarchies that are built from the column itself, so that no file is needed.

``auto``, ``ranges:5,10,20``, ``quantiles:8,4,2``, ``cuts:18,30,65``, ``stars`` and ``dates``;
levels of cut points are separated by ``/``. ``whole`` at the end of ranges and cut points names
groups as those of whole numbers. ``groups:FILE`` is not a recipe but a file of another kind: a
table with a header whose columns are value, group, larger group and so on. ``sets:`` and ``texts:``
list the groups in JSON, as facts hold them. ``tree:`` lists the rows of a whole hierarchy in JSON;
so a job holds a hierarchy that was given as an object.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from shoal.errors import ParameterError

if TYPE_CHECKING:
    from pathlib import Path


class Way(StrEnum):
    """How a hierarchy is made."""

    AUTO = "auto"
    RANGES = "ranges"
    QUANTILES = "quantiles"
    CUTS = "cuts"
    STARS = "stars"
    DATES = "dates"
    SETS = "sets"
    TEXTS = "texts"


# Groups listed one by one, in JSON; facts and job files hold automatic hierarchies so.
_LISTED = (Way.SETS, Way.TEXTS)
_NEEDS_DETAILS = {Way.RANGES: "5,10,20", Way.QUANTILES: "8,4,2", Way.CUTS: "18,30,65"}
AUTOMATIC = ("counts", "cooccurrence")
EVERY = "every"  # number of stars
WHOLE = "whole"  # at the end of widths or cut points
GROUPS = "groups:"
TREE = "tree:"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Recipe:
    """How to make a hierarchy from a column; ``str(recipe)`` is its text.

    Parameters
    ----------
    way
        The builder.
    details
        Its numbers: widths, numbers of groups, numbers of stars or ``every``, levels of dates; for
        cut points those of all levels, separated by ``/``; for ``auto`` what it goes by. Widths and
        cut points may end in ``whole``: groups are then named as those of whole numbers, and other
        numbers belong to none of them.

    Raises
    ------
    ParameterError
        If it lacks an argument of its builder.
    """

    way: Way
    details: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if "" in self.details or (not self.details and self.way in _NEEDS_DETAILS):
            example = _NEEDS_DETAILS.get(self.way)
            raise ParameterError(
                f"The hierarchy recipe {str(self)!r} lacks its numbers.",
                remedy=f"Write for example {self.way}:{example}."
                if example
                else f"Write {self.way} alone.",
            )
        known = len(self.details) == 1 and self.details[0] in AUTOMATIC
        if self.way is Way.AUTO and self.details and not known:
            raise ParameterError(
                f"Unknown automatic hierarchy {str(self)!r}.",
                remedy=f"Write auto, or {' or '.join(f'auto:{by}' for by in AUTOMATIC)}.",
            )

    @classmethod
    def parse(cls, text: str) -> Recipe:
        """Return the recipe that a text such as ``ranges:5,10,20`` describes.

        Raises
        ------
        ParameterError
            If it is not a recipe, or lacks an argument of its builder.

        Examples
        --------
        >>> Recipe.parse("ranges:5,10")
        Recipe('ranges:5,10')
        """
        name, colon, rest = text.partition(":")
        if name not in list(Way):
            raise ParameterError(
                f"Unknown hierarchy recipe {text!r}.",
                remedy=f"Choose one of {', '.join(Way)}, or name a file.",
            )
        way = Way(name)
        if way in _LISTED:
            return Recipe(way, (_checked(rest, way),))
        return Recipe(way, tuple(part.strip() for part in rest.split(",")) if colon else ())

    @property
    def whole(self) -> bool:
        """Whether groups are those of whole numbers, whatever the column holds."""
        return self.way in (Way.RANGES, Way.CUTS) and self.details[-1:] == (WHOLE,)

    @property
    def numbers(self) -> tuple[str, ...]:
        """The details without the word ``whole``."""
        return self.details[:-1] if self.whole else self.details

    def levels(self) -> list[Any]:
        """Return the levels of a listed hierarchy."""
        return list(json.loads(self.details[0]))

    def __str__(self) -> str:
        return f"{self.way}:{','.join(self.details)}" if self.details else str(self.way)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Recipe) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))


def _checked(text: str, way: Way) -> str:
    """Return the JSON of a listed hierarchy, or raise that it is none."""
    try:
        levels = json.loads(text)
        texts = levels if way is Way.TEXTS else [groups for level in levels for groups in level]
        if not all(isinstance(one, str) for group in texts for one in group):
            raise TypeError
    except (ValueError, TypeError, RecursionError) as error:
        raise ParameterError(
            f"The hierarchy {way} does not list its levels in JSON.",
            remedy="Copy it from facts or from a job file.",
        ) from error
    return text


def is_recipe(given: str) -> bool:
    """Return whether this names a recipe, not a file; a file is ``./dates`` then."""
    return given.partition(":")[0] in list(Way)


def is_file(given: str) -> bool:
    """Return whether this names a file, with a hierarchy or a grouping table."""
    return not is_recipe(given) and not given.startswith(TREE)


def file_of(given: str) -> str:
    """Return the file that a text names, whether it holds a hierarchy or a grouping table."""
    return given.removeprefix(GROUPS)


def with_file(given: str, path: str | Path) -> str:
    """Return the text for a file of the same kind under another name."""
    return f"{GROUPS}{path}" if given.startswith(GROUPS) else as_file(path)


def as_file(path: str | Path) -> str:
    """Return the name of a file such that it is not taken for a recipe or a grouping table."""
    taken = is_recipe(str(path)) or str(path).startswith((GROUPS, TREE))
    return f".{os.sep}{path}" if taken else str(path)
