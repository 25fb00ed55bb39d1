"""Names of groups, which show what is in them, and of values in errors."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ROOT = "*"
NAMED_IN_ERRORS = 10
_LISTED_IN_SETS = 12
_SHOWN_OF_LONG_SETS = 3
_LONGEST_SET = 200
_SPECIAL_IN_SET = re.compile(r"[|{}\\]")


def name_some(values: Iterable[str]) -> str:
    """Return the first few values, quoted, and how many more there are."""
    listed = list(values)
    shown = ", ".join(repr(value) for value in listed[:NAMED_IN_ERRORS])
    rest = len(listed) - NAMED_IN_ERRORS
    return f"{shown} and {rest} more" if rest > 0 else shown


def set_name(members: Sequence[str]) -> str:
    """Return the name of a group of categories; a single one stands for itself.

    Long groups are named by their first members and their size. Groups of one tree, disjoint or
    nested, then still differ in name: in the first member, or in the number.

    Examples
    --------
    >>> set_name(["a", "b", "c"])
    '{a|b|c}'
    >>> set_name([f"v{number}" for number in range(20)])
    '{v0|v1|v2|…|v19: 20 values}'
    """
    if len(members) == 1:
        return members[0]
    escaped = [_SPECIAL_IN_SET.sub(r"\\\g<0>", member) for member in members]
    whole = "{" + "|".join(escaped[: _LISTED_IN_SETS + 1]) + "}"
    if len(members) <= _LISTED_IN_SETS and len(whole) <= _LONGEST_SET:
        return whole
    shown = "|".join(escaped[:_SHOWN_OF_LONG_SETS])
    return f"{{{shown}|…|{escaped[-1]}: {len(members)} values}}"
