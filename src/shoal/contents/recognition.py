"""All detectors in one: what a column holds that gives a person away by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.contents import (
    births,
    disguises,
    east_asian_names,
    keys,
    name_shapes,
    patterns,
    person_names,
    prose,
    registered_numbers,
)
from shoal.contents.values import ANY_MARK_OF_ADDRESSES, DIGIT, SEVERAL_WORDS, look_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from shoal.contents.finding import Finding
    from shoal.contents.values import Values

# The detector that knows most about a column comes first.
_DETECTORS = (
    patterns.addresses,
    patterns.network_addresses,
    patterns.accounts,
    patterns.coordinate_pairs,
    registered_numbers.national_numbers,
    registered_numbers.phones,
    patterns.plates,
    prose.street_addresses,
    prose.free_text,
    person_names.person_names,
    east_asian_names.east_asian_names,
    births.birth_dates,
    keys.keys,
)

# What these find always holds a digit, and the categories of most columns hold none.
_OF_DIGITS = {
    patterns.accounts,
    patterns.coordinate_pairs,
    registered_numbers.national_numbers,
    registered_numbers.phones,
    patterns.plates,
    prose.street_addresses,
    births.birth_dates,
}

# What the texts of nearly every column are searched for.
_IN_ALL_TEXTS = (
    DIGIT,
    SEVERAL_WORDS,
    ANY_MARK_OF_ADDRESSES,
    patterns.NETWORK_CHARACTERS,
    person_names.LETTERS_ONLY,
    east_asian_names.SCRIPTS,
    disguises.HEXADECIMAL,
    disguises.BASE64,
)

# What is searched for, besides, in the texts of columns with digits.
_AMONG_DIGITS = (
    patterns.IBAN,
    patterns.LONG_NUMBER,
    patterns.COORDINATES,
    registered_numbers.NUMBER_LIKE,
    registered_numbers.PHONE_LIKE,
    births.DATE,
    disguises.OTHER_MARKS,
)

_OF_WHOLE_NUMBERS = (
    patterns.accounts,
    registered_numbers.national_numbers,
    births.birth_dates,
    keys.keys,
)


def search(columns: Iterable[Values]) -> None:
    """Search columns for what :func:`recognize` asks of nearly all, in two queries for them all."""
    texts = [one for one in columns if len(one) and not one.numeric]
    look_for(texts, _IN_ALL_TEXTS)
    look_for([one for one in texts if one.has_digits], _AMONG_DIGITS)


def recognize(values: Values) -> tuple[Finding, ...]:
    """Return what the values of a column are or contain, the most telling first.

    Examples
    --------
    >>> import polars as pl
    >>> from shoal.contents.values import Values
    >>> found = recognize(Values.of(pl.Series("contact", ["a@example.org", "b@example.org"])))
    >>> [str(finding.content) for finding in found]
    ['e-mail addresses']
    """
    named = (*patterns.address_in_name(values), *person_names.person_in_name(values))
    if len(values) == 0 or named:
        return named
    detectors: tuple[Callable[[Values], Iterable[Finding]], ...] = _DETECTORS
    if values.numeric:
        numbers = values.numbers
        whole = numbers is not None and bool((numbers == np.round(numbers)).all())
        detectors = _OF_WHOLE_NUMBERS if whole else ()
    else:
        search([values])
        if not values.has_digits:
            detectors = tuple(one for one in _DETECTORS if one not in _OF_DIGITS)
        if values.phrases:
            # Imported here: their patterns take long to compile, and few columns hold phrases.
            from shoal.contents.numbers_in_texts import numbers_in_texts
            from shoal.contents.sentences import names_in_texts

            detectors = (*detectors, numbers_in_texts, names_in_texts)
    found = tuple(finding for detector in detectors for finding in detector(values))
    # Shape is the weakest sign, so it is looked at where nothing else was found.
    return found or tuple(disguises.disguises(values)) or tuple(name_shapes.shaped_names(values))
