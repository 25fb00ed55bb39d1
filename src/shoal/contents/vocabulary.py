"""What columns are about: the meanings that words in their names can have."""

from __future__ import annotations

from enum import StrEnum


class Meaning(StrEnum):
    """What a column is about, as its name says."""

    # Identifiers
    PERSON_NAME = "a person's name"
    EMAIL = "an e-mail address"
    PHONE = "a telephone number"
    ADDRESS = "a postal address"
    NATIONAL_NUMBER = "a national or insurance number"
    ACCOUNT = "an account, policy or contract"
    KEY = "the number of a person or record"
    DEVICE = "a device or network address"
    VEHICLE = "a vehicle"
    WEB = "a web address or user name"
    TEXT = "free text"
    COORDINATE = "a coordinate"
    # Quasi-identifiers
    BIRTH = "birth"
    AGE = "age"
    SEX = "sex"
    POSTCODE = "a postcode"
    PLACE = "a place"
    ORIGIN = "origin or nationality"
    FAMILY = "family and household"
    EDUCATION = "education"
    WORK = "work and occupation"
    BODY = "height or weight"
    BELIEF = "religion"
    SERVICE = "military service"
    EVENT = "the time of an event"
    TRAVEL = "commuting"
    # Sensitive
    HEALTH = "health"
    MONEY = "money"
    CRIME = "offences"
    OPINION = "opinions and private life"
    SCORE = "a rating or score"
    # Others
    TECHNICAL = "how the data were made"
