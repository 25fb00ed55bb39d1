"""String stars: the last characters of codes give way to ``*``, one more on each level."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.errors import ParameterError
from shoal.hierarchies.assemble import assemble

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.hierarchies.tree import Hierarchy


def star_levels(
    leaves: Sequence[str],
    stars: Sequence[int] = (),
    longest: int | None = None,
    *,
    every: bool = False,
) -> Hierarchy:
    """Return ``80015`` → ``8001*`` → ``800**`` → … → ``*``.

    A group is known by its first characters, counted for the longest code: with codes of up to five
    characters ``J45**`` holds all that begin with ``J45``, the shorter ``J45`` too.

    Parameters
    ----------
    leaves
        Distinct values.
    stars
        How many characters each level gives up; all numbers unless given, but for those that would
        group nothing further.
    longest
        The length that stars are counted for; that of the longest code unless given.
    every
        Whether levels stay that group nothing further, where all numbers are taken; levels that
        show as little as ``*`` do not.

    Raises
    ------
    ParameterError
        If numbers of stars are not positive and ascending, or leave nothing of any value.
    """
    if list(stars) != sorted(set(stars)) or any(count < 1 for count in stars):
        raise ParameterError(
            "Numbers of stars must be positive and ascending.", remedy="Write for example 1,3."
        )
    length = longest or max(map(len, leaves), default=0)
    if leaves and stars and stars[-1] >= length:
        raise ParameterError(
            f"Its values have at most {length} characters: {stars[-1]} stars leave nothing.",
            remedy="Use fewer stars; the top level, *, is added anyway.",
        )
    levels = []
    for count in stars or range(1, length):
        kept = length - count
        levels.append([leaf if len(leaf) < kept else leaf[:kept] + "*" * count for leaf in leaves])
    if every:
        levels = [level for level in levels if len(set(level)) > 1]
    return assemble(leaves, levels, keep_all=bool(stars) or every)
