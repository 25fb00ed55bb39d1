"""Equivalence classes: records that show the same in every quasi-identifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.encoding import FoldedRows, encode_values
from shoal.table.cells import texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

STAR = "*"


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """The equivalence classes of a table.

    Parameters
    ----------
    of_record
        For each record its class.
    records
        For each class its number of records.
    members
        For each class among how many a member hides: its records, or its persons where a person
        may have several records.
    starred
        Which classes show ``*`` everywhere. Their records could be anybody's, but whoever is
        covered by no other class must be one of them: so they hide among themselves alone.
    """

    of_record: NDArray[np.int64]
    records: NDArray[np.int64]
    members: NDArray[np.int64]
    starred: NDArray[np.bool_]

    @classmethod
    def of(
        cls, frame: pl.DataFrame, columns: Sequence[str], persons: pl.Series | None = None
    ) -> Classes:
        """Group records that show the same cells; an empty text and a missing cell are the same.

        >>> table = pl.DataFrame({"age": ["30", "30", "*"], "sex": ["F", "F", "*"]})
        >>> Classes.of(table, ["age", "sex"]).members.tolist()
        [2, 1]
        """
        codes = [encode_values(frame[column])[0] for column in columns]
        folded = FoldedRows.of(codes)
        records = folded.counts.astype(np.int64)
        members = records
        if persons is not None:
            person_codes = encode_values(persons)[0]
            pairs = FoldedRows.of([folded.row_of.astype(np.uint32), person_codes])
            members = np.bincount(folded.row_of[pairs.first], minlength=len(records))
            members = members.astype(np.int64)
        starred = _starred(frame[folded.first.astype(np.int64)], columns)
        return cls(folded.row_of.astype(np.int64), records, members, starred)

    def __len__(self) -> int:
        return len(self.records)

    @property
    def n(self) -> int:
        """Number of records."""
        return len(self.of_record)

    @property
    def hiding(self) -> NDArray[np.int64]:
        """For each record among how many it hides."""
        return self.members[self.of_record]

    @property
    def unique(self) -> NDArray[np.bool_]:
        """Which records no other record (or person) looks like."""
        return np.asarray(self.hiding == 1)

    def histogram(self) -> pl.DataFrame:
        """Return how many classes and records there are of each size, starred ones left out."""
        shown = ~self.starred
        return (
            pl.DataFrame({"size": self.members[shown], "records": self.records[shown]})
            .group_by("size")
            .agg(classes=pl.len().cast(pl.Int64), records=pl.col("records").sum())
            .sort("size")
        )


def _starred(first: pl.DataFrame, columns: Sequence[str]) -> NDArray[np.bool_]:
    starred = np.ones(first.height, dtype=np.bool_)
    for column in columns:
        if first[column].dtype != pl.String:
            return np.zeros(first.height, dtype=np.bool_)
        starred &= (texts(first[column]) == STAR).fill_null(value=False).to_numpy()
    return starred
