"""Anatomy: a release in two tables, linked only by groups of records."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shoal.algorithms import Run
from shoal.algorithms.anatomy import groups_of_different_values
from shoal.encoding import encode_values
from shoal.errors import SchemaError, VerificationError
from shoal.exposure import (
    Exposure,
    examine_columns,
    examine_groups,
    notes_on_quasi_identifiers,
)
from shoal.io import CallerFrame, drop_unreferenced_values
from shoal.pipeline.custody import Custody
from shoal.pipeline.publication import published_verdict
from shoal.pipeline.unchanged import with_exposure
from shoal.table import Table, declare
from shoal.verifier.anatomy import COUNT, GROUP, verify_anatomy

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from numpy.typing import NDArray

    from shoal.table import Schema
    from shoal.verifier import Verdict

_NOTE = (
    "Anatomy publishes the quasi-identifiers as they are: it hides which sensitive value is whose, "
    "not who is in the table. Where that must be hidden too, use shoal anonymize."
)
# No column of a table that was read has such a name.
_CODE = "\0code"


@dataclass(frozen=True, slots=True, eq=False)
class Anatomy:
    """A verified release in two tables.

    Parameters
    ----------
    people
        Quasi-identifiers and other columns as they are, and the group of each record.
    values
        Group, sensitive value, and how many records of the group have it.
    facts
        What was done, ready for JSON.
    verdict
        The verdict of the independent verifier.
    custody
        Secrets of this release, which never belong beside it.
    """

    people: pl.DataFrame
    values: pl.DataFrame
    facts: dict[str, Any]
    verdict: Verdict
    custody: Custody = field(repr=False)


def verify_anatomized(
    original: Any,
    people: Any,
    values: Any,
    *,
    l: int,  # noqa: E741 (the literature's letter)
    quasi: Sequence[str],
    sensitive: Sequence[str],
    identifier: Sequence[str] = (),
    other: Sequence[str] = (),
    rest: Literal["other", "drop"] | None = None,
    accept: Sequence[str] = (),
    rows: NDArray[np.int64] | None = None,
) -> Verdict:
    """Return the verdict on a release in two tables, whoever made it.

    Parameters
    ----------
    original, people, values
        The source, the table of records with their groups, and that of the groups' values: frames
        of any type that :func:`anatomize` takes.
    l, quasi, sensitive, identifier, other, rest, accept
        As for :func:`anatomize`; ``sensitive`` names one column.
    rows
        For each row of ``people`` its row in the original, where the custodian knows it.
    """
    source = CallerFrame.of(original).polars
    schema = declare(
        source, quasi=quasi, sensitive=sensitive, identifier=identifier, other=other, rest=rest
    )
    records, listed = (CallerFrame.of(table).polars for table in (people, values))
    verdict = verify_anatomy(source, records, listed, schema, l, witness=rows)
    if not verdict.passed:
        return verdict  # its tables may lack columns, or hold other records
    shown = records.select(schema.other)
    found = _examine(shown, listed, schema, accept)
    if rows is not None:
        (secret,) = schema.sensitive
        group = records[GROUP].rank("dense").to_numpy().astype(np.int64) - 1
        found = examine_groups(found, source[secret][rows], shown, l, group)
    return with_exposure(verdict, found)


def _examine(
    people: pl.DataFrame, values: pl.DataFrame, schema: Schema, accept: Sequence[str]
) -> Exposure:
    """Return what the columns of both tables give away by themselves, quasi-identifiers aside."""
    parts = [
        (people, replace(schema, sensitive=()), [one for one in accept if one in schema.other]),
        (values, replace(schema, other=()), [one for one in accept if one not in schema.other]),
    ]
    return Exposure(tuple(one for part in parts for one in examine_columns(*part).columns))


def make_anatomy(
    source: pl.DataFrame,
    schema: Schema,
    l: int,  # noqa: E741
    seed: int | None,
    accept: Sequence[str] = (),
) -> Anatomy:
    """Return a verified release in two tables; see :func:`shoal.anatomize`."""
    (sensitive,) = schema.sensitive
    clash = {GROUP, COUNT} & {*schema.quasi_names, *schema.untouched}
    if clash:
        raise SchemaError(
            f"The table has a column {min(clash)!r}, a name that anatomy needs.",
            remedy="Rename it first.",
        )
    table = Table.of(source, schema).frame
    exposure = _examine(table, table, schema, accept)
    exposure.require_none_refused(generalizing=False)
    run = Run() if seed is None else Run(seed=seed)
    codes, _ = encode_values(table[sensitive])
    group = groups_of_different_values(codes, l, run)
    exposure = examine_groups(exposure, table[sensitive], table, l, group.astype(np.int64))
    exposure.require_none_refused(generalizing=False)
    # A stream of its own, so that the order reveals nothing about how groups were drawn.
    order = np.random.default_rng([run.seed, 1]).permutation(len(group))
    shown = [name for name in table.columns if name != sensitive]
    people = table.select(shown)[order].with_columns(pl.Series(GROUP, group[order] + 1))
    people = pl.DataFrame([drop_unreferenced_values(series) for series in people])
    # Sorted, since any order that comes from the records would link the two tables.
    values = (
        pl.DataFrame([pl.Series(GROUP, group + 1), pl.Series(_CODE, codes), table[sensitive]])
        .group_by(GROUP, _CODE)
        .agg(pl.col(sensitive).first(), pl.len().cast(pl.Int64).alias(COUNT))
        .sort(GROUP, _CODE)
        .drop(_CODE)
    )
    verdict = verify_anatomy(source, people, values, schema, l, witness=order)
    verdict = with_exposure(verdict, exposure)
    if not verdict.passed:
        raise VerificationError(
            f"The verifier rejected the release, so nothing was written:\n{verdict}",
            remedy="This is a bug in Shoal; please report it.",
        )
    facts = {
        "n": len(group),
        "l": l,
        "algorithm": "anatomy",
        "groups": verdict.classes,
        "smallest_group": verdict.smallest_class,
        "verdict": published_verdict(verdict),
        "accepted": list(exposure.accepted),
        "notes": [_NOTE],
    }
    notes = (*notes_on_quasi_identifiers(table, schema, generalized=False), *exposure.notes())
    return Anatomy(people, values, facts, verdict, Custody(order, run.seed, notes=notes))
