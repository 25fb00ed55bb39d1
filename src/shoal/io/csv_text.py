"""CSV texts: from bytes to a table of texts, nothing guessed about the cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from shoal.errors import FileError
from shoal.io.delimited import check_delimited
from shoal.io.missing_codes import without_codes
from shoal.io.opening import separator_named
from shoal.io.source import ReadOptions, Source, TextLayout
from shoal.io.text_encoding import UTF8_MARK, as_utf8

if TYPE_CHECKING:
    from shoal.io.delimited import Layout

UNREADABLE = (pl.exceptions.PolarsError, OSError, ValueError, pl.exceptions.PanicException)
_ROWS_NAMED = 5


def read_csv_text(data: bytes, where: str, options: ReadOptions, preferred: str = ",") -> Source:
    """Return the table that a CSV text holds; every cell is a text, and empty fields are missing.

    Parameters
    ----------
    data
        The bytes of the file, unpacked.
    where
        What errors call it.
    options
        How it is to be read.
    preferred
        The separator that wins when several fit equally well.

    Raises
    ------
    FileError
        If it is not a table with at least one record, or needs a decision by the user.
    """
    decoded = as_utf8(data, where, options.encoding)
    separator = separator_named(options.separator) if options.separator else None
    layout = check_delimited(decoded.data, where, separator, preferred, options.header)
    frame = _frame(decoded.data, layout, where)
    _refuse_repeated_header(frame, where)
    frame = without_codes(frame, (), empty=True)
    notes = layout.notes
    if decoded.guessed is not None:
        guess = f"It was read as {decoded.guessed}, which is a guess: check names and places."
        notes += (f"{where} is not UTF-8. {guess} `encoding` overrules it.",)
    found = TextLayout(layout.separator, decoded.encoding, layout.header)
    return Source(frame, decoded.guessed, notes, text=found)


def _frame(text: bytes, layout: Layout, where: str) -> pl.DataFrame:
    schema = dict.fromkeys(layout.names, pl.String)
    if layout.rows is not None:
        return pl.DataFrame(layout.rows, schema=schema, orient="row")
    spare = _unused_name(layout.names)
    if layout.spare:
        schema[spare] = pl.String
    body = text[layout.body : layout.end]
    # The reader takes a mark at the start for that of the file; here it belongs to a cell.
    marked = body.startswith(UTF8_MARK)
    if marked:
        body = b'""' + layout.separator.encode() * (len(schema) - 1) + b"\n" + body
    try:
        frame = pl.read_csv(
            body,
            has_header=False,
            schema=schema,
            separator=layout.separator,
            quote_char='"',
        )
    except UNREADABLE as error:
        raise FileError(f"{where} cannot be read as CSV.", remedy="Check its quotes.") from error
    frame = frame[1:] if marked else frame
    if frame.height != layout.records:
        raise FileError(
            f"{where}: {layout.records} records were counted, but {frame.height} were read.",
            remedy="Check the quotes of the file, or give it as Parquet.",
        )
    return frame.drop(spare) if layout.spare else frame


def _unused_name(names: tuple[str, ...]) -> str:
    name = "spare"
    while name in names:
        name += "_"
    return name


def _refuse_repeated_header(frame: pl.DataFrame, where: str) -> None:
    """Raise if records repeat the column names, as where files were put one after another."""
    if frame.width < 2:
        return
    first, *others = frame.columns
    rows = (frame[first] == first).fill_null(value=False).arg_true()
    for name in others:
        if len(rows) == 0:
            return
        rows = rows.filter((frame[name].gather(rows) == name).fill_null(value=False))
    if len(rows):
        named = ", ".join(str(row + 1) for row in rows.head(_ROWS_NAMED))
        more = f" and {len(rows) - _ROWS_NAMED} more" if len(rows) > _ROWS_NAMED else ""
        raise FileError(
            f"{where}: data row{'s' if len(rows) > 1 else ''} {named}{more} "
            f"repeat{'' if len(rows) > 1 else 's'} the column names.",
            remedy="Remove these lines; they are left over from files put one after another.",
        )
