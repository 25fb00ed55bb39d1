"""Recipes: texts for hierarchies that are made from the column itself, so that no file is needed.

``auto``, ``ranges:5,10,20``, ``quantiles:8,4,2``, ``cuts:18,30,65``, ``stars`` and ``dates``;
levels of cut points are parted by ``/``. ``groups:FILE`` is no recipe but a file of another kind: a
table with a header whose columns are value, group, larger group and so on.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

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


_NEEDS_DETAILS = {Way.RANGES: "5,10,20", Way.QUANTILES: "8,4,2", Way.CUTS: "18,30,65"}
AUTOMATIC = ("counts", "cooccurrence")
GROUPS = "groups:"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Recipe:
    """How to make a hierarchy from a column; ``str(recipe)`` is its text.

    Parameters
    ----------
    way
        The builder.
    details
        What it is told: widths, numbers of groups, numbers of stars, levels of dates; for cut
        points those of all levels, parted by ``/``; for ``auto`` what it goes by.

    Raises
    ------
    ParameterError
        If it lacks what its builder must be told.
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
            If it is no recipe, or lacks what its builder must be told.

        Examples
        --------
        >>> Recipe.parse("ranges:5,10")
        Recipe('ranges:5,10')
        """
        word, colon, rest = text.partition(":")
        if word not in list(Way):
            raise ParameterError(
                f"Unknown hierarchy recipe {text!r}.",
                remedy=f"Choose one of {', '.join(Way)}, or name a file.",
            )
        return Recipe(Way(word), tuple(part.strip() for part in rest.split(",")) if colon else ())

    def __str__(self) -> str:
        return f"{self.way}:{','.join(self.details)}" if self.details else str(self.way)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Recipe) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))


def is_recipe(given: str) -> bool:
    """Return whether this is the word of a recipe and not a file; a file is ``./dates`` then."""
    return given.partition(":")[0] in list(Way)


def file_of(given: str) -> str:
    """Return the file that a word names, whether it holds a hierarchy or a grouping table."""
    return given.removeprefix(GROUPS)


def with_file(given: str, path: str | Path) -> str:
    """Return the word for a file of the same kind under another name."""
    return f"{GROUPS}{path}" if given.startswith(GROUPS) else as_file(path)


def as_file(path: str | Path) -> str:
    """Return the name of a file such that it is not taken for a recipe or a grouping table."""
    taken = is_recipe(str(path)) or str(path).startswith(GROUPS)
    return f".{os.sep}{path}" if taken else str(path)
