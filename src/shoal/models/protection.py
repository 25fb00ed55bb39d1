"""A privacy model on the values of a table: what algorithms keep."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from shoal.encoding import encode_values
from shoal.errors import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.models.model import Model, PrivacyModel
    from shoal.table import Table


UNFITTED = np.empty(0)


@dataclass(frozen=True, slots=True, eq=False)
class Protection:
    """A model, and for each record the code of its value in the model's column.

    Parameters
    ----------
    notes
        What the user should know about it, in sentences.
    """

    model: Model
    codes: NDArray[np.unsignedinteger] = field(repr=False)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ProtectedValues:
    """The values of a model's column, in the order of their texts.

    Parameters
    ----------
    codes
        For each record the code of its value.
    labels
        The text of each code.
    """

    codes: NDArray[np.unsignedinteger]
    labels: Sequence[str]

    @property
    def shares(self) -> NDArray[np.float64]:
        """The share of each value in the table."""
        return shares_of(self.codes)


def shares_of(codes: NDArray[np.unsignedinteger]) -> NDArray[np.float64]:
    """Return the share of each code."""
    return np.bincount(codes) / len(codes)


def protect(wanted: PrivacyModel, table: Table) -> Protection:
    """Return a model on the values of a table.

    Raises
    ------
    SchemaError
        If a hierarchical distance is requested for a column without a hierarchy.
    ValueReadError
        If the values of a column cannot be put in order.
    """
    assert wanted.column is not None
    values = ProtectedValues(*encode_values(table.frame[wanted.column]))
    made = wanted.fit(table, values)
    alike = len(values.labels) - len({_essence(label) for label in values.labels})
    if not alike:
        return made
    note = (
        f"{counted(alike, 'value', 'differs/differ')} from others in {wanted.column!r} only in "
        "case, spaces or spelling; models count them as different. If they mean the same, merge "
        "them first."
    )
    return Protection(made.model, made.codes, (*made.notes, note))


def _essence(label: str) -> str:
    """Return what is left of a value without case, outer spaces and forms of letters."""
    plain = unicodedata.normalize("NFKC", label).casefold().strip()
    try:
        return repr(float(plain) + 0.0)
    except ValueError:
        return plain
