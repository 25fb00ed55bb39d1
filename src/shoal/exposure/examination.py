"""The exposure check: first the values of each unchanged column, then what they undo."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.contents import Content, Meaning, Values, search
from shoal.errors import SchemaError, option
from shoal.exposure.candidates import Candidates
from shoal.exposure.effective_k import (
    MOST_COMBINED,
    Attack,
    Examined,
    groups_known_too,
    some_classes,
)
from shoal.exposure.report import ColumnExposure, Exposure
from shoal.exposure.together import examine_together
from shoal.exposure.views import comparable_cells
from shoal.table.column_roles import role_of_values
from shoal.table.schema import Role

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from shoal.contents import Finding
    from shoal.table.cells import DistinctCells
    from shoal.table.schema import Schema

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
_SEED = 1  # the figures tell nothing about the secret seed of a release


def examine_columns(frame: pl.DataFrame, schema: Schema, accept: Sequence[str] = ()) -> Exposure:
    """Return what the values of the unchanged columns give away by themselves.

    Parameters
    ----------
    frame
        A table with the unchanged columns.
    schema
        Roles of the columns.
    accept
        Columns that are accepted as they are, whatever is found.

    Raises
    ------
    SchemaError
        If a column is accepted that is not released unchanged.
    """
    strange = [name for name in accept if name not in schema.untouched]
    if strange:
        raise SchemaError(
            f"{option('accept')} names {strange[0]!r}, which is not released unchanged.",
            remedy=f"Leave it out: {option('accept')} is for sensitive and other columns.",
        )
    columns = [Values.of(frame[name]) for name in schema.untouched]
    search(columns)
    found = []
    for values in columns:
        name = values.name
        role = Role.SENSITIVE if name in schema.sensitive else Role.OTHER
        stopping, remarks = _judge(values, role)
        found.append(ColumnExposure(name, role, stopping, remarks, accepted=name in accept))
    return Exposure(tuple(found))


def notes_on_quasi_identifiers(
    frame: pl.DataFrame,
    schema: Schema,
    *,
    generalized: bool = True,
    distinct: Callable[[str], DistinctCells] | None = None,
) -> list[str]:
    """Return what to know about quasi-identifiers that hold direct identifiers.

    A set of names has as many members as people, and names all of them.

    Parameters
    ----------
    generalized
        Whether the release shows sets of them; otherwise each record shows its own.
    distinct
        Returns the distinct cells of a quasi-identifier, if the caller has them.
    """
    columns = [
        Values.of(frame[name], None if distinct is None else distinct(name).counted())
        for name in schema.quasi_names
        if frame.schema[name] in (pl.String, pl.Categorical, pl.Enum)
    ]
    search(columns)
    shown = "A class that shows a set of such values" if generalized else "Released as it is, it"
    notes = []
    for values in columns:
        stopping, _ = _judge(values, Role.SENSITIVE)
        if stopping:
            notes.append(
                f"Column {values.name!r} is a quasi-identifier, but it {stopping[0]}. {shown} "
                f"tells who its records are about: declare it as {option('identifier')}, which "
                "removes it."
            )
    return notes


def examine_release(
    found: Exposure,
    quasi: pl.DataFrame,
    unchanged: pl.DataFrame,
    k: int,
    *,
    classes: NDArray[np.int64],
    matches: NDArray[np.int64] | None = None,
    persons: NDArray[np.integer] | None = None,
    rows: NDArray[np.int64] | None = None,
    distinct: Callable[[str], DistinctCells] | None = None,
) -> Exposure:
    """Add how many candidates remain for a person when unchanged columns are taken into account.

    Parameters
    ----------
    found
        What the values give away by themselves.
    quasi, unchanged
        The original quasi-identifiers and the unchanged columns of the released records.
    k
        What the release promises.
    classes
        For each released record the number of its equivalence class.
    matches
        For each record of a freeform release the records that it may be, by place in the release.
    persons
        The person of each record, where a person may have several.
    rows
        For each released record its row in the two frames, if they are in another order.
    distinct
        Returns the distinct cells of a quasi-identifier, if the caller has them.
    """
    if not found.columns or len(classes) < 2:
        return found
    rng = np.random.default_rng(_SEED)
    candidates = (
        Candidates.in_classes(classes, rng)
        if matches is None
        else Candidates.in_matches(matches, rng)
    )
    attack = Attack(quasi, candidates, k, rng, persons=persons, rows=rows, distinct=distinct)
    grouped = some_classes(classes, rng)
    times = len(classes) / max(len(grouped), 1)  # counts of drawn classes stand for all
    drawn, some = classes[grouped], grouped if rows is None else rows[grouped]
    held: dict[str, NDArray[np.integer]] = {}
    columns: list[ColumnExposure] = []
    examined: dict[str, Examined] = {}
    for one in found.columns:
        by_itself = Examined.of(unchanged[one.column], attack, accepted=one.accepted)
        held[one.column] = comparable_cells(unchanged[one.column].gather(some)).codes
        sizes = groups_known_too(drawn, {one.column: held[one.column]})
        unique, below = times * (sizes == 1).sum(), times * sizes[sizes < k].sum()
        if_known = _mean_size(sizes) if matches is None else None
        columns.append(
            one.with_figures(by_itself.remaining, k, round(unique), round(below), if_known)
        )
        if one.role is Role.OTHER:
            few = len(examined) < MOST_COMBINED
            examined[one.column] = by_itself if few else by_itself.without_views()
    if not examined:
        return Exposure(tuple(columns))
    alone = groups_known_too(drawn, {name: held[name] for name in examined})
    # Columns that stop the release by themselves will not be in it.
    refused = {one.column for one in columns if one.stopping and not one.accepted}
    kept = {name: one for name, one in examined.items() if name not in refused} or examined
    everything, together = examine_together(attack, kept, k, rng)
    return Exposure(
        tuple(columns),
        everything,
        round(times * (alone == 1).sum()),
        _mean_size(alone) if matches is None else None,
        together,
    )


def _mean_size(sizes: NDArray[np.int64]) -> float | None:
    """Return one over the mean chance of picking a record at random in its group."""
    return float(sizes.sum() / len(sizes)) if len(sizes) else None


def read_contents(series: pl.Series, role: Role) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what stops a column from being released unchanged, and what is only reported.

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
    return _judge(Values.of(series), role)


def _judge(values: Values, role: Role) -> tuple[tuple[str, ...], tuple[str, ...]]:
    judged = role_of_values(values)
    stopping: list[str] = []
    remarks: list[str] = []
    for finding in judged.findings:
        if finding.content is Content.PERSON_NAME and judged.role is not Role.IDENTIFIER:
            remarks.append(_sentence(finding))  # a town may be called Jackson
        elif role is Role.OTHER or _stops_in_any_role(finding):
            stopping.append(_sentence(finding))
        else:
            remarks.append(_sentence(finding))
    if not stopping and judged.role is Role.IDENTIFIER:
        (stopping if role is Role.OTHER else remarks).append(f"is an identifier: {judged.reason}")
    elif not stopping and role is Role.OTHER and judged.sure and judged.role is Role.QUASI:
        sentence = f"looks like a quasi-identifier: {judged.reason}"
        (stopping if _full_birth_date(judged.meaning, values) else remarks).append(sentence)
    return tuple(stopping), tuple(remarks)


def _stops_in_any_role(finding: Finding) -> bool:
    """Return whether not even a sensitive column may hold this; a diagnosis has several words."""
    short_text = finding.content is Content.FREE_TEXT and not finding.sure
    return finding.content in _IN_ANY_ROLE and not short_text


def _sentence(finding: Finding) -> str:
    return f"holds {finding.content}: {finding.reason}"


def _full_birth_date(meaning: Meaning | None, values: Values) -> bool:
    """Return whether a column named after birth holds days; a year or a place is not as exact."""
    day = r"^\d{4}-\d{1,2}-\d{1,2}|^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|^(?:19|20)\d{6}$"
    return meaning is Meaning.BIRTH and values.share(values.matching(day)) > 0.5
