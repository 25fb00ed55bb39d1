"""What a column's name says that the column is about."""

from __future__ import annotations

import re
from functools import cache

from shoal.contents.survey_variables import VARIABLES
from shoal.contents.values import fold
from shoal.contents.vocabulary import STEMS, WORDS, Meaning

_CAMEL = re.compile(r"(?<=[a-zß-ÿ])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-zß-ÿ])")
_NOT_WORD = re.compile(r"[^0-9a-zа-я'α-ω]+")
_TRAILING_DIGITS = re.compile(r"\d+$")
_SHORTEST = 4
# Shorter words mean something else in every other language; these do not, or hardly.
_SHORT_WORDS = frozenset(
    """
    age sex zip dob yob ssn icd lat lon lng id ids nr no tel fax url ip plz hiv bmi job gps vin pay tax
    nom rue cpf dni nir nif nie pid uid mrn kfz icu drg uci iq gpa dx mac пол имя фио инн вес hh ort
    """.split()
)
# Words that speak of people's names only if nothing else is said.
_ALONE = frozenset(
    """
    first last given maiden kin contact user link profile ad adi nev nem gen by an role title rank
    beneficiary caregiver physician doctor arzt medico medecin type line record class target label
    outcome grade status
    """.split()
)
_NAME_WORDS = frozenset(
    "name names nom nome nombre nombres naam namn navn nimi nev nume imie jmeno isim ime".split()
)
_NUMBER_WORDS = frozenset(
    """
    id ids nbr nr no num number key code nummer numero numéro nro cislo numer numara identifier
    identifiant kennung kod
    """.split()
)
_PEOPLE = frozenset(
    """
    patient patienten person persons customer client employee emp empl worker member user subject
    individual participant student pupil teacher respondent beneficiary insured citizen resident voter
    donor victim suspect driver owner holder applicant borrower mother father parent spouse child
    guardian doctor physician nurse provider attending referring manager supervisor first last full
    middle maiden family given kunde kunden mitarbeiter versicherter versicherten schuler student
    cliente empleado paciente usuario alumno employe assure salarie beneficiaire dipendente paziente
    utente paciente pacient mae pai aluno klant werknemer kund pacjent klient calisan hasta asiakas
    potilas encounter case record admission visit episode household hh claim policy order account
    transaction ticket social security national personal insurance health
    """.split()
)
_SAMPLING = frozenset("sample sampling interview survey final replicate design analysis".split())
# Identifiers first, since to miss one does most harm; a date is one even beside an illness.
_ORDER = (
    Meaning.EMAIL, Meaning.PHONE, Meaning.NATIONAL_NUMBER, Meaning.VEHICLE, Meaning.DEVICE,
    Meaning.COORDINATE, Meaning.ADDRESS, Meaning.ACCOUNT, Meaning.PERSON_NAME, Meaning.BIRTH,
    Meaning.KEY, Meaning.WEB, Meaning.TEXT, Meaning.AGE, Meaning.SEX, Meaning.POSTCODE, Meaning.CRIME,
    Meaning.HEALTH, Meaning.MONEY, Meaning.OPINION, Meaning.ORIGIN, Meaning.FAMILY, Meaning.EDUCATION,
    Meaning.BELIEF, Meaning.SERVICE, Meaning.WORK, Meaning.BODY, Meaning.PLACE, Meaning.TRAVEL,
    Meaning.SCORE, Meaning.EVENT, Meaning.TECHNICAL,
)  # fmt: skip
_DAYS = frozenset(
    "date dates datetime timestamp dt datum fecha data dato tarih tarihi дата dttm".split()
)


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
    if not _DAYS & set(words):
        return _ORDER
    place = _ORDER.index(Meaning.KEY)
    rest = [meaning for meaning in _ORDER if meaning is not Meaning.EVENT]
    return (*rest[:place], Meaning.EVENT, *rest[place:])


def _settle(words: set[str], found: dict[Meaning, str]) -> None:
    """Decide what words mean together: ``patient_no``, ``hospital_name``, ``interview_weight``."""
    people = words & _PEOPLE
    if words & _NUMBER_WORDS and people:
        found.setdefault(Meaning.KEY, min(people))
    named = words & _NAME_WORDS
    if named and people:
        found.setdefault(Meaning.PERSON_NAME, min(named))
    elif (
        named
        and len(words) > 1
        and found.keys() - {Meaning.PERSON_NAME, Meaning.BIRTH, Meaning.EVENT}
    ):
        # The name of a hospital or a drug, not of a person.
        if found.get(Meaning.PERSON_NAME) in named:
            del found[Meaning.PERSON_NAME]
    if Meaning.BODY in found and words & _SAMPLING:
        del found[Meaning.BODY]
        found[Meaning.TECHNICAL] = "weight"


def _joined(words: tuple[str, ...]) -> list[str]:
    """Return neighbouring words as one: ``code postal`` is a word of the vocabulary."""
    pairs = [first + second for first, second in zip(words, words[1:], strict=False)]
    return [*pairs, "".join(words)] if len(words) > 1 else []


def _word_meanings(word: str, *, alone: bool) -> tuple[Meaning, ...]:
    bare = _TRAILING_DIGITS.sub("", word)
    for spelled in dict.fromkeys((word, bare)):
        if not alone and (
            spelled in _ALONE or (len(spelled) < _SHORTEST and spelled not in _SHORT_WORDS)
        ):
            continue
        if spelled in _words():
            return _words()[spelled]
    return ()


@cache
def _words() -> dict[str, tuple[Meaning, ...]]:
    by_word: dict[str, dict[Meaning, None]] = {}
    for meaning, listed in WORDS.items():
        for word in listed.split():
            by_word.setdefault(fold(word), {})[meaning] = None
    return {word: tuple(meanings) for word, meanings in by_word.items()}


@cache
def _stems() -> dict[str, Meaning]:
    return {fold(stem): meaning for meaning, listed in STEMS.items() for stem in listed.split()}


@cache
def _variables() -> dict[str, Meaning]:
    return {variable: one for one, listed in VARIABLES.items() for variable in listed.split()}
