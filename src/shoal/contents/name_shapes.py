"""Names of people that are in no list, recognized by their shape: ``Zorvak Melindor``.

Given and family names are drawn from large stocks, one from each, so that first words differ nearly
as much as whole values do, and so do last words. Titles of jobs and diagnoses, firms and schools
repeat one of the two. Where the column's name says what it holds, shape says nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.contents.finding import Content, Finding, percent
from shoal.contents.meaning import meanings_of, people_words
from shoal.contents.person_names import name_part
from shoal.contents.values import fold
from shoal.contents.vocabulary import Meaning

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shoal.contents.values import Values

_EXAMINED = 600
_LEAST_VALUES = 30
_SHAPED_SHARE = 0.9
_DIFFERING_SHARE = 0.6
# A value that stands in more records than this is rather a category than a person.
_MOST_RECORDS = 50
_MOST_WORDS = 4


def shaped_names(values: Values) -> Iterable[Finding]:
    """Find values of two to four capitalized words whose first and last words differ widely."""
    if values.numeric or values.number < _LEAST_VALUES:
        return
    # Columns of places, work or health hold such words, too; those of family members and
    # of other people, an employee or a manager, hold names.
    people = people_words()
    others = [
        one
        for one, word in meanings_of(values.name)
        if one is not Meaning.FAMILY and word not in people
    ]
    if values.cells > _MOST_RECORDS * values.number or others:
        return
    texts = values.distinct.head(_EXAMINED).to_list()
    ends = [pair for pair in map(_first_and_last, texts) if pair is not None]
    share = len(ends) / len(texts)
    if share < _SHAPED_SHARE:
        return
    if min(len(set(side)) for side in zip(*ends, strict=True)) < _DIFFERING_SHARE * len(ends):
        return
    reason = (
        f"{percent(share)} of its values are capitalized words that differ as given and family "
        "names do"
    )
    yield Finding(Content.PERSON_NAME, share, reason, sure=False)


def _first_and_last(text: str) -> tuple[str, str] | None:
    """Return first and last word of what is written like a full name, or ``None``."""
    words = [word.strip(".,") for word in text.split()]
    words = [word for word in words if word.lower() not in name_part("particles")]
    names = [word for word in words if len(word) > 1]
    if not 2 <= len(names) <= len(words) <= _MOST_WORDS or not all(map(_like_a_name, names)):
        return None
    if any(fold(word) in name_part("namesakes") for word in names):
        return None  # "Elm Street School"
    return fold(names[0]), fold(names[-1])


def _like_a_name(word: str) -> bool:
    letters = word.replace("-", "").replace("'", "").replace("’", "")
    return letters.isalpha() and word[0].isupper() and (len(letters) > 2 or not letters.isupper())
