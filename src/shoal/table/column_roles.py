"""The role that a column seems to have, inferred from its values and its name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from shoal.contents import Content, Finding, Meaning, Values, meanings_of, recognize
from shoal.table.kind_detection import is_readable
from shoal.table.schema import Role

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

ROLE_OF = {
    **dict.fromkeys(
        (
            Meaning.PERSON_NAME,
            Meaning.EMAIL,
            Meaning.PHONE,
            Meaning.ADDRESS,
            Meaning.NATIONAL_NUMBER,
            Meaning.ACCOUNT,
            Meaning.KEY,
            Meaning.DEVICE,
            Meaning.VEHICLE,
            Meaning.WEB,
            Meaning.TEXT,
            Meaning.COORDINATE,
        ),
        Role.IDENTIFIER,
    ),
    **dict.fromkeys(
        (Meaning.HEALTH, Meaning.MONEY, Meaning.CRIME, Meaning.OPINION, Meaning.SCORE),
        Role.SENSITIVE,
    ),
    Meaning.TECHNICAL: Role.OTHER,
}
"""The role of each meaning; all others are quasi-identifiers."""

# Contents that need no support from the column's name.
_CERTAIN = frozenset(
    {
        Content.EMAIL,
        Content.PHONE,
        Content.BANK_ACCOUNT,
        Content.NATIONAL_NUMBER,
        Content.IP_ADDRESS,
        Content.COORDINATES,
        Content.STREET_ADDRESS,
        Content.FREE_TEXT,
    }
)
# For these meanings the name is believed over content that only looks like an identifier.
_BELIEVED_NAMES = frozenset(
    {
        Meaning.POSTCODE,
        Meaning.PLACE,
        Meaning.WORK,
        Meaning.ORIGIN,
        Meaning.BIRTH,
        Meaning.EVENT,
        Meaning.EDUCATION,
        Meaning.HEALTH,
        Meaning.MONEY,
    }
)
_LEAST_CELLS = 20
_DATE = r"^\d{4}-\d{2}-\d{2}|^\d{1,2}[./]\d{1,2}[./]\d{2,4}"
_CODE_LIST = 100
_CODE_LIST_SHARE = 0.25
_FEW_WORDS = 3
_FEW_PLACES = 10
_MANY_VALUES = 400


@dataclass(frozen=True, slots=True)
class RoleSuggestion:
    """The role that a column seems to have.

    Parameters
    ----------
    role
        The role.
    reason
        Why, in half a sentence, without any of its values.
    sure
        Whether name or values speak for it. If neither does, a column of categories is taken for
        a quasi-identifier, to be on the safe side, and somebody has to decide.
    findings
        What was recognized in its values.
    meaning
        What its name suggests, if anything.
    """

    role: Role
    reason: str
    sure: bool = True
    findings: tuple[Finding, ...] = field(default=(), repr=False)
    meaning: Meaning | None = None


def suggest_role(series: pl.Series) -> RoleSuggestion:
    """Return the role that a column seems to have."""
    if not is_readable(series.dtype):
        return RoleSuggestion(Role.OTHER, "cells of this type cannot be generalized", sure=False)
    return role_of_values(Values.of(series))


def suggest_roles(frame: pl.DataFrame, names: Sequence[str]) -> dict[str, Role]:
    """Return a suggested role for each of the named columns."""
    return {name: suggest_role(frame[name]).role for name in names}


def role_of_values(values: Values) -> RoleSuggestion:
    """Return the role that a column seems to have from its values, which carry its name."""
    findings = recognize(values)
    meanings = [
        (meaning, word) for meaning, word in meanings_of(values.name) if _fits(meaning, values)
    ]
    meaning, word = meanings[0] if meanings else (None, "")
    certain = next((one for one in findings if _stands(one, meaning)), None)
    if certain is not None:
        return RoleSuggestion(Role.IDENTIFIER, certain.reason, True, findings, meaning)
    if meaning is not None:
        role = ROLE_OF.get(meaning, Role.QUASI)
        return RoleSuggestion(
            role, f"{word!r} in its name suggests {meaning}", True, findings, meaning
        )
    for finding in findings:
        role = Role.QUASI if finding.content is Content.BIRTH_DATE else Role.IDENTIFIER
        return RoleSuggestion(role, finding.reason, True, findings)
    return _by_shape(values, findings)


def _stands(finding: Finding, meaning: Meaning | None) -> bool:
    """Return whether a finding makes a column an identifier whatever its name says."""
    if finding.content in _CERTAIN:
        text = finding.content is Content.FREE_TEXT
        return not text or (finding.sure and finding.share >= 0.3)
    if finding.content is Content.PERSON_NAME:
        return finding.sure or meaning not in _BELIEVED_NAMES
    return False


def _fits(meaning: Meaning, values: Values) -> bool:
    """Return whether the values can be what a name suggests; identifiers are not a few codes."""
    role = ROLE_OF.get(meaning, Role.QUASI)
    if role is not Role.IDENTIFIER or values.cells == 0:
        return True
    if meaning is Meaning.COORDINATE:
        # A few categories are a region at most, or another meaning of the word: long_stay.
        if values.number <= _FEW_PLACES and values.cells >= _LEAST_CELLS:
            return False
        numbers = values.numbers
        return numbers is None or bool((np.abs(numbers) <= 180).all()) or values.number > _CODE_LIST
    if meaning is Meaning.PERSON_NAME:
        return values.numbers is None
    if meaning is Meaning.TEXT:
        words = values.distinct.str.count_matches(r"\p{L}{2,}").mean()
        return isinstance(words, float) and words >= _FEW_WORDS
    apart = values.number >= _CODE_LIST_SHARE * values.cells or values.number > _CODE_LIST
    return apart or values.cells < _LEAST_CELLS


def _by_shape(values: Values, findings: tuple[Finding, ...]) -> RoleSuggestion:
    """Return the role of a column whose name and values do not show what it is."""
    if values.number <= 1:
        return RoleSuggestion(Role.OTHER, "it distinguishes nobody", True, findings)
    if values.share(values.matching(_DATE)) > 0.9:
        return RoleSuggestion(
            Role.QUASI, "dates of events are often known to others", True, findings
        )
    numbers = values.numbers
    measured = numbers is not None and (
        not (numbers == np.round(numbers)).all()
        or values.number > _CODE_LIST
        or values.unique_share > 0.5
    )
    if measured or values.cells < _LEAST_CELLS:
        reason = "neither its name nor its values point to a person"
        return RoleSuggestion(Role.OTHER, reason, False, findings)
    return RoleSuggestion(
        Role.QUASI,
        "its name says nothing; others may know which of its few values a person has",
        False,
        findings,
    )
