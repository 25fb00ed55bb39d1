"""Names of people: a column holds them if many of its values are known names, well formed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from shoal.contents.finding import Content, Finding, percent
from shoal.contents.values import fold
from shoal.contents.word_lists import read_sections, read_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shoal.contents.values import Values

LETTERS_ONLY = r"^[\p{L}\p{M}'’.,\s-]+$"
_LENGTHS = 2, 60
_SEPARATORS = re.compile(r"[\s,.]+")
_EXAMINED = 600
_LEAST_VALUES = 4
# Towns, trades and diseases are known names now and then, and rarely more often than this.
_FULL_SHARE = 0.25
_GIVEN_SHARE = 0.35
_FAMILY_SHARE = 0.45
_FAMILY_LISTED = 0.12
_LISTED_SHARE = 0.3
_SURE = 0.6


@dataclass(frozen=True, slots=True)
class NameShares:
    """How many values of a column look like names.

    Parameters
    ----------
    full
        Share of values of several words in which one is a known given name, in its place.
    given
        Share of values of one word that are known given names.
    family
        Share of values of one word that are known family names, or end like one.
    listed
        Share of values of one word that are known family names.
    single
        Share of values of one word.
    """

    full: float
    given: float
    family: float
    listed: float
    single: float


def person_names(values: Values) -> Iterable[Finding]:
    """Find given, family and full names of people."""
    shares = name_shares(values)
    if shares is None:
        return
    found = None
    if shares.single < 0.5 and shares.full >= _FULL_SHARE:
        found = shares.full, "contain a known given name"
    elif shares.given >= _GIVEN_SHARE:
        found = shares.given, "are known given names"
    elif shares.listed >= _LISTED_SHARE or (
        shares.family >= _FAMILY_SHARE and shares.listed >= _FAMILY_LISTED
    ):
        found = max(shares.family, shares.listed), "are known family names or end like one"
    if found is not None:
        share, what = found
        reason = f"{percent(share)} of its values {what}"
        # A town may be called Jackson, but not Andrew Jackson.
        sure = shares.single < 0.5 or share >= _SURE
        yield Finding(Content.PERSON_NAME, share, reason, sure)


def person_in_name(values: Values) -> Iterable[Finding]:
    """Find a column that is called by somebody's full name, both words of which are known."""
    words = values.name.split()
    if 2 <= len(words) <= 3 and all(word.istitle() for word in words):
        count, given, _, family = _judge(values.name)
        if count == len(words) and given and family:
            yield Finding(Content.PERSON_NAME, 1.0, "the column's own name is that of a person")


def name_shares(values: Values) -> NameShares | None:
    """Return how many values look like names, or None if hardly any could be one."""
    if values.numeric or len(values) < _LEAST_VALUES:
        return None
    lettered = values.matching_of_length(LETTERS_ONLY, *_LENGTHS)
    if values.share(lettered) < 0.7:
        return None
    texts = values.distinct.filter(lettered).head(_EXAMINED).to_list()
    judged = [_judge(text) for text in texts]
    single = [one for one in judged if one[0] == 1]
    several = [one for one in judged if 2 <= one[0] <= 5]
    total = len(judged)

    def share(found: list[tuple[int, bool, bool, bool]], place: int) -> float:
        return sum(one[place] for one in found) / total

    return NameShares(
        full=share(several, 1),
        given=share(single, 1),
        family=share(single, 2),
        listed=share(single, 3),
        single=len(single) / total,
    )


def _judge(text: str) -> tuple[int, bool, bool, bool]:
    """Return the number of words; whether a given, a likely and a known family name are there."""
    given, family = read_words("given_names"), read_words("family_names")
    particles, titles = name_part("particles"), name_part("titles")
    comma = "," in text
    words = [word for word in _SEPARATORS.split(fold(text).replace("’", "'")) if word]
    words = [word for word in words if word not in titles]
    words = [word for word in words if len(word) > 1 and word not in particles]
    if not words:
        return 0, False, False, False
    # "Anna Smith" and "Smith, Anna", but not "Spring Hill": a given name stands first.
    first = words[-1] if comma and len(words) == 2 else words[0]
    holds_given = any(part in given for part in (first, *first.split("-"))) or (
        comma and any(word in given for word in words[1:])
    )
    if any(len(word) > 3 and word in name_part("namesakes") for word in words):
        holds_given = False  # "Jean Monnet College"
    last = words[-1]
    listed = any(part in family for part in (last, *last.split("-")))
    if first in name_part("common words") and len(words) > 1:
        # "Roman Catholic" is not a name, but "Roman Nowak" is.
        holds_given = holds_given and (listed or ends_like_family(last))
    return len(words), holds_given, listed or ends_like_family(last), listed


def ends_like_family(word: str) -> bool:
    """Return whether a word in lower case begins or ends as family names do."""
    parts = read_sections("name_parts")
    if word.startswith(parts["beginnings"]) and len(word) >= 5:
        return True
    return len(word) >= 6 and word.endswith(parts["endings"])


@cache
def name_part(section: str) -> frozenset[str]:
    """Return the words of a section of ``name_parts.txt``."""
    return frozenset(read_sections("name_parts")[section])
