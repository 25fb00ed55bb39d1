"""How a table is to be read, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl


class CellReading(Protocol):
    """How cells are read, whatever they are read from; see :class:`ReadOptions`."""

    @property
    def null_values(self) -> tuple[str, ...]:
        """Texts that stand for a missing cell."""

    @property
    def special_values(self) -> tuple[str, ...]:
        """Codes beside numbers."""

    @property
    def decimal(self) -> str:
        """The mark before decimals."""

    @property
    def thousands(self) -> str | None:
        """The mark between thousands."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How a table is to be read, where the file itself does not tell.

    Parameters
    ----------
    separator
        Separator of a CSV file; ``None`` finds it among ``, ; tab |``.
    encoding
        Encoding of a CSV file; ``None`` finds it.
    null_values
        Texts that stand for a missing cell, besides the empty field: ``NA`` in all columns,
        ``age=97|98`` in one.
    special_values
        Codes beside numbers that get a column of their own: ``weeks=N|R``.
    header
        ``present``, ``absent``, the line (of a workbook: the row) of the column names, or ``None``
        to look.
    decimal
        ``,`` if numbers in texts have a decimal comma; they are read with a point.
    thousands
        The mark between the thousands of such numbers, which are read without; none unless set,
        beside a decimal comma a point.
    sheet
        The sheet of a workbook; ``None`` takes the only one.
    table, query
        The table of a database, or the query to run; ``None`` takes the only table.
    """

    separator: str | None = None
    encoding: str | None = None
    null_values: tuple[str, ...] = ()
    special_values: tuple[str, ...] = ()
    header: str | None = None
    decimal: str = "."
    thousands: str | None = None
    sheet: str | None = None
    table: str | None = None
    query: str | None = None

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> ReadOptions:
        """Return these options, with lists as tuples."""
        fields: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in options.items()
        }
        return cls(**fields)


@dataclass(frozen=True, slots=True)
class TextLayout:
    """The layout of a CSV text, as it was given or detected.

    Parameters
    ----------
    separator
        The character between fields.
    encoding
        The encoding it was read in.
    header
        The line of the column names; ``None`` if there is none.
    """

    separator: str
    encoding: str
    header: int | None


@dataclass(frozen=True, slots=True)
class Source:
    """A table that was read.

    Parameters
    ----------
    frame
        The table. Columns of a CSV file are text, as the file spells them.
    encoding
        The encoding that was guessed, if it was.
    notes
        What the user should know about the reading, for the custodian alone.
    sha256
        Checksum of the bytes that the table was read from.
    text
        How the text is laid out, if the table was read from a CSV file.
    """

    frame: pl.DataFrame = field(repr=False)
    encoding: str | None = None
    notes: tuple[str, ...] = ()
    sha256: str | None = None
    text: TextLayout | None = None
