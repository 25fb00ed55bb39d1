"""What a column's name says that the column is about."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

from shoal.contents.values import fold
from shoal.contents.vocabulary import Meaning
from shoal.contents.word_lists import read_sections

_CAMEL = re.compile(r"(?<=[a-zß-ÿ])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-zß-ÿ])")
# Vowel signs of Devanagari and Thai belong to words, too.
_NOT_WORD = re.compile(r"[^\w'\u0900-\u0963\u0970-\u097f\u0e31-\u0e3a\u0e47-\u0e4e]+|_+")
_TRAILING_DIGITS = re.compile(r"\d+$")
_SHORTEST = 4
# Identifiers first, since to miss one does most harm; a date is one even beside an illness.
_ORDER = (
    Meaning.EMAIL,
    Meaning.PHONE,
    Meaning.NATIONAL_NUMBER,
    Meaning.VEHICLE,
    Meaning.DEVICE,
    Meaning.COORDINATE,
    Meaning.ADDRESS,
    Meaning.ACCOUNT,
    Meaning.PERSON_NAME,
    Meaning.BIRTH,
    Meaning.KEY,
    Meaning.WEB,
    Meaning.TEXT,
    Meaning.AGE,
    Meaning.SEX,
    Meaning.POSTCODE,
    Meaning.CRIME,
    Meaning.HEALTH,
    Meaning.MONEY,
    Meaning.OPINION,
    Meaning.ORIGIN,
    Meaning.FAMILY,
    Meaning.EDUCATION,
    Meaning.BELIEF,
    Meaning.SERVICE,
    Meaning.WORK,
    Meaning.BODY,
    Meaning.PLACE,
    Meaning.TRAVEL,
    Meaning.SCORE,
    Meaning.EVENT,
    Meaning.TECHNICAL,
)
_BESIDE_A_NAME = {Meaning.PERSON_NAME, Meaning.BIRTH, Meaning.EVENT}


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a column name: lower case, without accents, ``zipCode`` as two.

    >>> words_of("zipCode-2 (Straße, été)")
    ('zip', 'code', '2', 'strasse', 'ete')
    """
    return tuple(word for word in _NOT_WORD.split(fold(_CAMEL.sub(" ", name))) if word)


def meanings_of(name: str) -> tuple[tuple[Meaning, str], ...]:
    """Return what a column name may speak of, the likeliest first, each with the word that does.

    >>> [str(meaning) for meaning, _ in meanings_of("Geburtsdatum")]
    ['birth', 'the time of an event']
    """
    variable = _NOT_WORD.sub("_", fold(name)).strip("_")
    for known in (fold(name), variable):
        if known in _variables():
            return ((_variables()[known], name),)
    words = words_of(name)
    found: dict[Meaning, str] = {}
    for word in (*words, *_joined(words)):
        for meaning in _word_meanings(word, alone=len(words) == 1):
            found.setdefault(meaning, word)
    for word in words:
        for stem, meaning in _stems().items():
            if stem in word:
                found.setdefault(meaning, word)
    _settle(set(words), found)
    return tuple((meaning, found[meaning]) for meaning in _ranked(words) if meaning in found)


def _ranked(words: tuple[str, ...]) -> tuple[Meaning, ...]:
    """Return the meanings in the order in which they count."""
    if not _grammar("days") & set(words):
        return _ORDER
    place = _ORDER.index(Meaning.KEY)
    rest = [meaning for meaning in _ORDER if meaning is not Meaning.EVENT]
    return (*rest[:place], Meaning.EVENT, *rest[place:])


def _settle(words: set[str], found: dict[Meaning, str]) -> None:
    """Decide what words mean together: ``patient_no``, ``hospital_name``, ``interview_weight``."""
    people = words & _grammar("people")
    if words & _grammar("number_words") and people:
        found.setdefault(Meaning.KEY, min(people))
    named = words & _grammar("name_words")
    if named and people:
        found.setdefault(Meaning.PERSON_NAME, min(named))
    elif found.get(Meaning.PERSON_NAME) in named and found.keys() - _BESIDE_A_NAME:
        # The name of a hospital or a drug, not of a person.
        del found[Meaning.PERSON_NAME]
    if Meaning.BODY in found and words & _grammar("sampling"):
        del found[Meaning.BODY]
        found[Meaning.TECHNICAL] = "weight"


def _joined(words: tuple[str, ...]) -> list[str]:
    """Return neighbouring words as one: ``code postal`` is a word of the vocabulary."""
    pairs = [first + second for first, second in pairwise(words)]
    return [*pairs, "".join(words)] if len(words) > 1 else []


def _word_meanings(word: str, *, alone: bool) -> tuple[Meaning, ...]:
    bare = _TRAILING_DIGITS.sub("", word)
    for spelled in dict.fromkeys((word, bare)):
        if not alone and (
            spelled in _grammar("alone")
            or (len(spelled) < _SHORTEST and spelled not in _grammar("short"))
        ):
            continue
        if spelled in _words():
            return _words()[spelled]
    return ()


def people_words() -> frozenset[str]:
    """Return words of column names that speak of people by what they are: ``employee``."""
    return _grammar("people")


@cache
def _grammar(section: str) -> frozenset[str]:
    return frozenset(fold(word) for word in read_sections("name_grammar")[section])


@cache
def _words() -> dict[str, tuple[Meaning, ...]]:
    by_word: dict[str, dict[Meaning, None]] = {}
    for section, listed in read_sections("column_words").items():
        meaning = Meaning[section.upper()]
        for word in listed:
            by_word.setdefault(fold(word), {})[meaning] = None
    return {word: tuple(meanings) for word, meanings in by_word.items()}


@cache
def _stems() -> dict[str, Meaning]:
    return _meanings_by_word("column_stems")


@cache
def _variables() -> dict[str, Meaning]:
    return _meanings_by_word("survey_variables")


def _meanings_by_word(name: str) -> dict[str, Meaning]:
    by_word: dict[str, Meaning] = {}
    for section, words in read_sections(name).items():
        by_word |= dict.fromkeys(map(fold, words), Meaning[section.upper()])
    return by_word
