"""Names of people within phrases and sentences, however often a text repeats.

A column of short notes can be a code list in every count: thirty texts, each in ten records. So
each text is read by itself. One name that cannot be anything else is enough, since it names one
person; what could as well be a place or a common word must be found in several texts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from shoal.contents.finding import Content, Finding
from shoal.contents.person_names import ends_like_family, name_part
from shoal.contents.values import DIGIT, fold
from shoal.contents.word_lists import read_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from shoal.contents.values import Values

_WORD = re.compile(r"[^\W\d_]+(?:['’.-][^\W\d_]+)*\.?|[.!?;:,/()\d]+")
_POSSESSIVE = re.compile(r"['’]s$")
_ENOUGH_DOUBTFUL = 2
_ENOUGH_UNKNOWN = 3
_ENOUGH_IN_TITLE_CASE = 0.2
_MOSTLY_CODES = 0.5


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text.

    Parameters
    ----------
    text, folded
        As it is written, without a full stop, and as word lists have it.
    first
        Whether a sentence begins with it.
    stopped
        Whether a full stop ends it.
    """

    text: str
    folded: str
    first: bool = False
    stopped: bool = False

    @property
    def capitalized(self) -> bool:
        """Whether it is written like a name: ``Piotr``, ``O'Donnell``, but not ``MRI``."""
        return (
            len(self.folded) > 1
            and self.text[0].isupper()
            and any(letter.islower() for letter in self.text)
        )

    @property
    def is_word(self) -> bool:
        """Whether it has letters; marks and numbers only keep words apart."""
        return self.text[0].isalpha()

    @property
    def given(self) -> bool:
        """Whether it is a known given name."""
        known = read_words("given_names")
        return any(part in known for part in (self.folded, *self.folded.split("-")))

    @property
    def family(self) -> bool:
        """Whether it is a known family name."""
        known = read_words("family_names")
        return any(part in known for part in (self.folded, *self.folded.split("-")))

    @property
    def common(self) -> bool:
        """Whether it is a name and a common word or place as well."""
        return self.folded in name_part("common words")


@dataclass(frozen=True, slots=True)
class Names:
    """How sure it is that a text names a person.

    Parameters
    ----------
    sure
        The text names a person, whatever the others say.
    doubtful
        A known name that may be something else as well.
    unknown
        Unknown capitalized words where a name would stand.
    begins
        Two unknown capitalized words at the beginning, and how the text goes on.
    title_case
        A full name, in a text that has all its words capitalized.
    known
        A given and a family name, both known, and nothing else.
    """

    sure: bool = False
    doubtful: str | None = None
    unknown: tuple[str, ...] = ()
    begins: tuple[str, str, str] | None = None
    title_case: bool = False
    known: bool = False


def names_in_texts(values: Values) -> Iterable[Finding]:
    """Find texts that name a person among other words."""
    read = [names_in(text) for text in values.phrases]
    doubtful = len({one.doubtful for one in read if one.doubtful}) >= _ENOUGH_DOUBTFUL
    # "State Government" and "Local Government" differ in one word only; names in all.
    differing = [len({one.unknown[end] for one in read if one.unknown}) for end in (0, -1)]
    unknown = min(differing) >= _ENOUGH_UNKNOWN
    continued = _continued_alike(read)
    in_title_case = sum(one.title_case for one in read)
    title_case = in_title_case >= max(_ENOUGH_DOUBTFUL, _ENOUGH_IN_TITLE_CASE * len(read))
    # Among codes, a single name is none of them.
    among_codes = values.share(values.matching(DIGIT)) >= _MOSTLY_CODES
    found = sum(
        one.sure
        or (doubtful and one.doubtful is not None)
        or (unknown and bool(one.unknown))
        or (one.begins is not None and one.begins[2] in continued)
        or (title_case and one.title_case)
        or (among_codes and one.known)
        for one in read
    )
    if found:
        verb = "names" if found == 1 else "name"
        reason = f"{found:,} of its {len(read):,} texts {verb} a person"
        yield Finding(Content.PERSON_NAME, found / len(read), reason)


def _continued_alike(read: Sequence[Names]) -> set[str]:
    """Return how texts go on that begin with differing names: ``Elowen Kersey did not attend``."""
    begins: dict[str, list[tuple[str, str]]] = {}
    for one in read:
        if one.begins is not None:
            begins.setdefault(one.begins[2], []).append(one.begins[:2])
    return {
        rest
        for rest, pairs in begins.items()
        if min(len(set(words)) for words in zip(*pairs, strict=True)) >= _ENOUGH_UNKNOWN
    }


def names_in(text: str) -> Names:
    """Return how sure it is that a text names a person.

    >>> names_in("paziente Piotr Lewandowska riferisce dolore").sure
    True
    >>> names_in("Dr. Feelgood was here").sure, names_in("Driver lost control").sure
    (True, False)
    """
    words = list(_words(text))
    lettered = [word for word in words if word.is_word and len(word.folded) > 1]
    if len(lettered) < 2:
        return Names()
    if not any(word.capitalized for word in lettered):
        return Names(doubtful=_known_in_one_case(words))
    if _addressed(words):
        return Names(sure=True)
    full = any(_full_name(a, b) and not _namesake(words, b) for a, b in _neighbours(words))
    if not any(word.text.islower() and not _particle(word) for word in lettered):
        known = len(lettered) == 2 and _both_known(*lettered)
        return Names(title_case=full, known=known)
    return Names(
        sure=full or _named_after_people(words),
        doubtful=_given_name_within(words),
        unknown=_unknown_after_people(words) or _unknown_pair(words, lettered),
        begins=_pair_at_beginning(words),
    )


def _words(text: str) -> Iterator[Word]:
    first = True
    for found in _WORD.finditer(text):
        if not found[0][0].isalpha():
            yield Word(found[0], found[0], first)
            first = first or any(mark in found[0] for mark in ".!?;")
            continue
        bare = _POSSESSIVE.sub("", found[0].removesuffix("."))
        stopped = found[0].endswith(".")
        yield Word(bare, fold(bare).replace("’", "'"), first, stopped)
        first = stopped and len(bare) > 4  # "Dr. Smith" and "J. Smith" go on


def _neighbours(words: Sequence[Word], *, over: str = "") -> Iterator[tuple[Word, Word]]:
    """Yield words and those that follow, over particles and initials: ``Ana da Silva``."""
    for place, word in enumerate(words):
        if not word.is_word:
            continue
        for after in words[place + 1 : place + 4]:
            if after.text == over:
                continue
            if not after.is_word:
                break
            if len(after.folded) > 1 and not (_particle(after) and after.text.islower()):
                yield word, after
                break


def _addressed(words: Sequence[Word]) -> bool:
    """Return whether a form of address stands before a capitalized word."""
    for title, after in _neighbours(words):
        if not after.capitalized or after.folded in name_part("namesakes"):
            continue
        known = _letters(title)
        if known in name_part("address") and not title.text.isupper():
            return True
        if (known in _any_address() or _initial(title)) and _likely(after):
            return True
    return False


def _full_name(first: Word, second: Word) -> bool:
    """Return whether two words are the name of a person; one of them has to be known."""
    if not (first.capitalized and second.capitalized) or second.folded in name_part("namesakes"):
        return False
    if first.folded in name_part("people"):
        return False
    if first.given:
        return not first.common or _likely(second)
    return first.family and second.given and not second.common  # "Nowak Anna"


def _both_known(first: Word, second: Word) -> bool:
    if first.common or second.common:
        return False
    return (first.given and second.family) or (first.family and second.given)


def _namesake(words: Sequence[Word], last: Word) -> bool:
    """Return whether a name goes on as that of an institution: ``Martin Luther King Hospital``."""
    place = next(place for place, word in enumerate(words) if word is last)
    for word in words[place + 1 :]:
        if word.folded in name_part("namesakes"):
            return True
        if not word.capitalized:
            break
    return False


def _known_in_one_case(words: Sequence[Word]) -> str | None:
    """Return a full name in a text all in capitals, or all without; both its words are known."""
    for first, second in _neighbours(words):
        if first.given and (second.family or (not first.common and _likely(second))):
            return f"{first.folded} {second.folded}"
    return None


def _named_after_people(words: Sequence[Word]) -> bool:
    """Return whether a name stands after a word for a person: ``la figlia Brambilla``.

    Where nouns are capitalized, as in German, one capitalized word is not enough.
    """
    following = {id(first): second for first, second in _neighbours(words)}
    for person, after in _beside_people(words):
        after_that = following.get(id(after))
        if (
            person.text.islower()
            or (after_that is not None and after_that.capitalized)
            or (after.given and not after.common)
        ):
            return True
    return False


def _unknown_after_people(words: Sequence[Word]) -> tuple[str, ...]:
    return next(((after.folded,) for _, after in _beside_people(words)), ())


def _beside_people(words: Sequence[Word]) -> Iterator[tuple[Word, Word]]:
    for person, after in _neighbours(words, over=":"):
        titled = _letters(person) in _any_address() or _initial(person)
        if (
            (person.folded in name_part("people") or (titled and not person.text.islower()))
            and after.capitalized
            and after.folded not in name_part("namesakes") | name_part("people")
        ):
            yield person, after


def _given_name_within(words: Sequence[Word]) -> str | None:
    """Return a known given name within a sentence, unless a place may be meant."""
    for before, word in pairwise(words):
        if (
            word.capitalized
            and not word.first
            and before.text.islower()
            and before.folded not in name_part("places")
            and word.given
            and not word.common
        ):
            return word.folded
    return None


def _unknown_pair(words: Sequence[Word], lettered: Sequence[Word]) -> tuple[str, ...]:
    """Return two capitalized words in a sentence of lower case, unless a place may be meant."""
    plain = sum(word.text.islower() and len(word.folded) > 3 for word in lettered)
    if plain < _ENOUGH_DOUBTFUL:
        return ()
    for before, first, second in zip(words, words[1:], words[2:], strict=False):
        if (
            first.capitalized
            and second.capitalized
            and not first.first
            and before.text.islower()
            and before.folded not in name_part("places") | name_part("articles")
            and second.folded not in name_part("namesakes")
        ):
            return first.folded, second.folded
    return ()


def _pair_at_beginning(words: Sequence[Word]) -> tuple[str, str, str] | None:
    if len(words) < 3 or not (words[0].capitalized and words[1].capitalized):
        return None
    rest = " ".join(word.text for word in words[2:])
    return words[0].folded, words[1].folded, rest


def _likely(word: Word) -> bool:
    return word.given or word.family or ends_like_family(word.folded)


def _initial(word: Word) -> bool:
    return len(word.text) == 1 and word.stopped and word.text.isupper()


def _letters(word: Word) -> str:
    return word.folded.replace("-", "").replace(".", "")


def _any_address() -> frozenset[str]:
    return name_part("address") | name_part("doubtful address")


def _particle(word: Word) -> bool:
    return word.folded in name_part("particles")
