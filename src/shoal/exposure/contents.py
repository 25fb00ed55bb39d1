"""What the values of an unchanged column give away by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.contents import Content, Meaning, Values
from shoal.table.column_roles import role_of_values
from shoal.table.schema import Role

if TYPE_CHECKING:
    import polars as pl

    from shoal.contents import Finding

# A sensitive attribute may be a rare code or a date, but never the name of its person.
_IN_ANY_ROLE = frozenset(
    {
        Content.EMAIL,
        Content.PHONE,
        Content.BANK_ACCOUNT,
        Content.NATIONAL_NUMBER,
        Content.IP_ADDRESS,
        Content.COORDINATES,
        Content.PERSON_NAME,
        Content.STREET_ADDRESS,
        Content.FREE_TEXT,
    }
)


def read_contents(series: pl.Series, role: Role) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what stops a column from being released unchanged, and what is only told.

    Parameters
    ----------
    series
        The column as it would be released.
    role
        ``Role.OTHER`` or ``Role.SENSITIVE``.

    Returns
    -------
    tuple
        Sentences about the column without its name, none of which holds a value.
    """
    values = Values.of(series)
    judged = role_of_values(values)
    stopping: list[str] = []
    told: list[str] = []
    for finding in judged.findings:
        if finding.content is Content.PERSON_NAME and judged.role is not Role.IDENTIFIER:
            told.append(_sentence(finding))  # a town may be called Jackson
        elif role is Role.OTHER or finding.content in _IN_ANY_ROLE:
            stopping.append(_sentence(finding))
        else:
            told.append(_sentence(finding))
    if not stopping and judged.role is Role.IDENTIFIER:
        (stopping if role is Role.OTHER else told).append(f"is an identifier: {judged.reason}")
    elif not stopping and role is Role.OTHER and judged.sure and judged.role is Role.QUASI:
        said = f"looks like a quasi-identifier: {judged.reason}"
        (stopping if _full_birth_date(judged.meaning, values) else told).append(said)
    return tuple(stopping), tuple(told)


def _sentence(finding: Finding) -> str:
    return f"holds {finding.content}: {finding.reason}"


def _full_birth_date(meaning: Meaning | None, values: Values) -> bool:
    """Return whether a column named after birth holds days; a year or a place is not as exact."""
    day = r"^\d{4}-\d{1,2}-\d{1,2}|^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|^(?:19|20)\d{6}$"
    return meaning is Meaning.BIRTH and values.share(values.matching(day)) > 0.5
