"""JSON lines: one object a record, its keys the columns."""

from __future__ import annotations

import io
import json

import polars as pl

from shoal.errors import FileError
from shoal.io.csv_text import UNREADABLE
from shoal.io.text_encoding import as_utf8


def read_json_lines(data: bytes, where: str) -> pl.DataFrame:
    """Return the table of a text of JSON lines; a key that a record lacks is a missing cell.

    Raises
    ------
    FileError
        If a line is no JSON object, or a column holds truth values among others; lines are named.
    """
    text = as_utf8(data, where, "utf-8").data
    if not text.strip():
        raise FileError(f"{where} is empty.", remedy="Give one JSON object per line.")
    try:
        frame = pl.read_ndjson(io.BytesIO(text), infer_schema_length=None)
    except UNREADABLE as error:
        _name_bad_line(text, where)
        raise FileError(
            f"{where}: the values of a column are of kinds that do not go together.",
            remedy="Write the values of each column as one kind: numbers, texts, or truth values.",
        ) from error
    records = sum(1 for line in text.split(b"\n") if line.strip())
    if frame.height != records:
        _name_bad_line(text, where)
        raise FileError(
            f"{where}: {records} lines were counted, but {frame.height} records were read.",
            remedy="Write one JSON object per line.",
        )
    return frame


def _name_bad_line(text: bytes, where: str) -> None:
    for number, line in enumerate(text.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            fits = isinstance(json.loads(line, parse_constant=_refuse_constant), dict)
        except ValueError:
            fits = False
        if not fits:
            raise FileError(
                f"{where}: line {number} is not a JSON object.",
                remedy="Write one JSON object per line; NaN and Infinity are not JSON.",
            )


def _refuse_constant(name: str) -> None:
    raise ValueError(name)
