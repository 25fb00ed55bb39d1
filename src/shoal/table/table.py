"""A table with its schema: identifiers gone, missing cells dealt with, persons counted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.errors import InputError, SchemaError, counted, option
from shoal.table.cells import DistinctCells, distinct_cells, texts
from shoal.table.schema import MissingPolicy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.table.schema import Schema


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """The records that a release is made of.

    Use :meth:`of` to make one. It holds no identifier: what comes after cannot leak one.

    Parameters
    ----------
    frame
        The quasi-identifiers, sensitive and other columns, in the order of the source.
    schema
        What they are.
    rows
        For each record its position in the source.
    withheld
        Records left out because a quasi-identifier is missing (policy ``drop``).
    persons
        For each record the code of its person, if the schema names a person column. Records whose
        person is missing count as one person, so that k is never overstated.
    notes
        Sentences the user should read.
    """

    frame: pl.DataFrame = field(repr=False)
    schema: Schema
    rows: NDArray[np.int64] = field(repr=False)
    withheld: int = 0
    persons: NDArray[np.uint32] | None = field(default=None, repr=False)
    notes: tuple[str, ...] = ()
    _distinct: dict[str, DistinctCells] = field(default_factory=dict, init=False, repr=False)

    def distinct(self, column: str) -> DistinctCells:
        """Return the distinct cells of a column; they are looked for once."""
        if column not in self._distinct:
            self._distinct[column] = distinct_cells(self.frame[column])
        return self._distinct[column]

    @property
    def n(self) -> int:
        """Number of records."""
        return self.frame.height

    @classmethod
    def of(cls, frame: pl.DataFrame, schema: Schema) -> Table:
        """Select the declared columns of a frame; the frame is not changed.

        Raises
        ------
        SchemaError
            If the schema names columns that the frame lacks.
        InputError
            If no record is left.
        """
        needed = {*schema.quasi_names, *schema.untouched, *schema.identifiers}
        needed |= {schema.person} if schema.person is not None else set()
        absent = sorted(needed - set(frame.columns))
        if absent:
            raise SchemaError(
                f"The table lacks columns of its schema: {', '.join(map(repr, absent))}.",
                remedy="Give the table that the schema was made for.",
            )
        rows = np.arange(frame.height, dtype=np.int64)
        if schema.missing is MissingPolicy.DROP:
            rows = _complete_rows(frame, schema)
        withheld = frame.height - len(rows)
        if len(rows) == 0:
            raise InputError(
                "No record is left"
                + (
                    ": every one lacks a quasi-identifier." if withheld else ": the table is empty."
                ),
                remedy="Keep them with `missing='value'`." if withheld else "Give records.",
            )
        kept = frame[rows] if withheld else frame
        persons = None
        if schema.person is not None:
            persons = distinct_cells(kept[schema.person]).codes.astype(np.uint32)
        declared = {*schema.quasi_names, *schema.untouched}
        return cls(
            frame=kept.select(name for name in frame.columns if name in declared),
            schema=schema,
            rows=rows,
            withheld=withheld,
            persons=persons,
            notes=tuple(_notes(kept, schema, withheld)),
        )


def _complete_rows(frame: pl.DataFrame, schema: Schema) -> NDArray[np.int64]:
    present = pl.Series(np.ones(frame.height, dtype=np.bool_))
    for name in schema.quasi_names:
        present &= texts(frame[name]).is_not_null()
    return present.arg_true().cast(pl.Int64).to_numpy()


def _notes(frame: pl.DataFrame, schema: Schema, withheld: int) -> list[str]:
    notes = []
    if withheld:
        gone = counted(withheld, "record", "is/are")
        notes.append(f"{gone} withheld because a quasi-identifier is missing.")
    if schema.person is not None:
        absent = texts(frame[schema.person]).null_count()
        if absent:
            notes.append(
                f"{counted(absent, 'record', 'has/have')} no value in the person column "
                f"{schema.person!r}, and count as one person."
            )
        return notes
    for name in schema.identifiers:
        shown = texts(frame[name]).drop_nulls()
        distinct = shown.n_unique()
        if distinct < len(shown):
            notes.append(
                f"Identifier {name!r} repeats: {distinct} values in {len(shown)} records. k "
                f"counts records, not persons; {option('person', name)} counts persons."
            )
    return notes
