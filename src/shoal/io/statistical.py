"""Files of SPSS, Stata and SAS: values as they are stored, labels and missing codes reported.

A code and its label are two things: 2 may be labelled "female". The codes are read, because they
are what the file holds; the labels are named in a note, and make a hierarchy or a dictionary.
"""

from __future__ import annotations

import codecs
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from shoal.errors import FileError, option
from shoal.io.extras import extra_module
from shoal.io.frames import CallerFrame
from shoal.io.source import Source

if TYPE_CHECKING:
    from shoal.io.source import ReadOptions

_READERS = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}
_NAMED = 5


def read_statistical(data: bytes, suffix: str, where: str, options: ReadOptions) -> Source:
    """Return the table of a file of SPSS, Stata or SAS.

    Codes that the file declares missing (SPSS user-missing values, Stata's ``.a`` to ``.z``) are
    missing cells.

    Raises
    ------
    FileError
        If the file cannot be read as its suffix says.
    """
    pyreadstat = extra_module("pyreadstat", "statistics", where)
    extra_module("pandas", "statistics", where)
    arguments: dict[str, Any] = {}
    if options.encoding is not None:
        arguments["encoding"] = _known_encoding(options.encoding)
    # The package reads from a path alone; the copy is private and removed at once.
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / f"table{suffix}"
        copy.write_bytes(data)
        try:
            frame, about = getattr(pyreadstat, _READERS[suffix])(str(copy), **arguments)
        except (pyreadstat.ReadstatError, ValueError, OSError, UnicodeDecodeError) as error:
            raise FileError(
                f"{where} cannot be read as a {suffix} file.",
                remedy="Save it again, or give its encoding with `encoding`.",
            ) from error
    if len(frame) == 0:
        raise FileError(f"{where} has no rows.", remedy="Give a table with at least one row.")
    table = CallerFrame.of(frame).polars
    return Source(_whole(table), notes=_notes(about, where))


def _known_encoding(name: str) -> str:
    """Return an encoding by the name that the package knows, which is not always Python's."""
    try:
        return codecs.lookup(name).name.upper()
    except LookupError as error:
        raise FileError(
            f"The encoding {name!r} is unknown.",
            remedy="Common ones are utf-8, latin-1 and cp1252.",
        ) from error


def _whole(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the table with numbers that are all whole as integers: these formats have doubles."""
    columns = []
    for series in frame:
        if series.dtype == pl.Float64:
            whole = series.cast(pl.Int64, strict=False)
            same = (whole.cast(pl.Float64) == series).fill_null(value=True).all()
            columns.append(whole if same and whole.null_count() == series.null_count() else series)
        else:
            columns.append(series)
    return pl.DataFrame(columns)


def _notes(about: Any, where: str) -> tuple[str, ...]:
    labelled = [name for name, labels in about.variable_value_labels.items() if labels]
    if not labelled:
        return ()
    listed = ", ".join(map(repr, labelled[:_NAMED]))
    more = f" and {len(labelled) - _NAMED} more" if len(labelled) > _NAMED else ""
    kinds = option("kind", {labelled[0]: "categorical"})
    note = (
        f"{where}: codes in {listed}{more} have labels in the file. They are read as numbers; if "
        f"they are categories, declare them, as in {kinds}."
    )
    return (note,)
