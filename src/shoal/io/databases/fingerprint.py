"""A checksum of a table that does not depend on the order of its rows, which databases forget."""

from __future__ import annotations

import hashlib
import json

import polars as pl

from shoal.io.databases.sql import as_text

_ESCAPES = (("\\", "\\\\"), (",", "\\,"), ("\n", "\\n"))


def fingerprint(frame: pl.DataFrame) -> str:
    """Return the SHA-256 of the rows of a table in ascending order.

    Two tables have the same one if their columns have the same names and their rows show the same
    cells, in whatever order.
    """
    shown = pl.DataFrame([as_text(series) for series in frame])
    cells = []
    for name in shown.columns:
        cell = pl.col(name)
        for mark, escaped in _ESCAPES:
            cell = cell.str.replace_all(mark, escaped, literal=True)
        cells.append(cell.fill_null("\\N"))
    rows = shown.select(pl.concat_str(cells, separator=",").alias("row"))["row"].sort()
    text = json.dumps(frame.columns) + "\n" + "\n".join(rows.to_list())
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
