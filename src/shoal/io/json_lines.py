"""JSON lines: one object a record, its keys the columns."""

from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING, Any

import polars as pl

from shoal.errors import FileError
from shoal.io.csv_text import UNREADABLE
from shoal.io.text_encoding import as_utf8

if TYPE_CHECKING:
    from collections.abc import Iterator

_KINDS: dict[type, str] = {
    bool: "truth values",
    int: "numbers",
    float: "numbers",
    str: "texts",
    list: "lists",
    dict: "objects",
}
_NAMED = 5
_LOOKED_AT = 10_000


def read_json_lines(data: bytes, where: str) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Return the table of a text of JSON lines, and what was noticed.

    A key that a record lacks is a missing cell. A column with texts among other values is one of
    texts, and a note names the lines.

    Raises
    ------
    FileError
        If a line is not a JSON object, or values of a column do not go together; lines are named.
    """
    text = as_utf8(data, where, "utf-8").data
    if not text.strip():
        raise FileError(f"{where} is empty.", remedy="Give one JSON object per line.")
    try:
        frame = pl.read_ndjson(io.BytesIO(text), infer_schema_length=None)
    except UNREADABLE as error:
        _name_bad_line(text, where)
        raise _conflict(text, where) from error
    records = sum(1 for line in text.split(b"\n") if line.strip())
    if frame.height != records:
        _name_bad_line(text, where)
        raise FileError(
            f"{where}: {records} lines were counted, but {frame.height} records were read.",
            remedy="Write one JSON object per line.",
        )
    return frame, tuple(_notes_on_kinds(text, frame, where))


def _lines(text: bytes) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(text.split(b"\n"), start=1):
        if line.strip():
            yield number, line


def _name_bad_line(text: bytes, where: str) -> None:
    for number, line in _lines(text):
        try:
            fits = isinstance(json.loads(line, parse_constant=_refuse_constant), dict)
        except _ConstantError as error:
            raise FileError(
                f"{where}: line {number} holds {error}, which is not valid JSON.",
                remedy="Write null for a missing number; Parquet holds NaN and infinite ones.",
            ) from None
        except (ValueError, RecursionError):
            fits = False
        if not fits:
            raise FileError(
                f"{where}: line {number} is not a JSON object.",
                remedy="Write one JSON object per line.",
            )


class _ConstantError(ValueError):
    """A number that JSON does not have."""


def _refuse_constant(name: str) -> None:
    raise _ConstantError(name)


def _conflict(text: bytes, where: str) -> FileError:
    """Return the error about the first column whose values do not go together."""
    first: dict[str, tuple[str, int]] = {}
    remedy = "Write the values of each column as one kind: numbers, texts, or truth values."
    for number, line in _lines(text):
        for name, value in json.loads(line).items():
            kind = _KINDS.get(type(value))
            if kind is None:
                continue
            if value in (float("inf"), float("-inf")):
                return FileError(
                    f"{where}: the number in line {number} of column {name!r} is too large to be "
                    "held.",
                    remedy="Correct it, or write it as a text.",
                )
            known, since = first.setdefault(name, (kind, number))
            if known != kind:
                return FileError(
                    f"{where}: column {name!r} holds {known} (line {since}) and {kind} "
                    f"(line {number}), which do not go together.",
                    remedy=remedy,
                )
    nested = [repr(name) for name, (kind, _) in first.items() if kind in ("lists", "objects")]
    return FileError(
        f"{where}: values within the lists or objects of {', '.join(nested[:_NAMED])} do not go "
        "together.",
        remedy=remedy,
    )


def _notes_on_kinds(text: bytes, frame: pl.DataFrame, where: str) -> Iterator[str]:
    """Return a note for each column that holds texts among other values."""
    named = [name for name, dtype in frame.schema.items() if dtype == pl.String]
    if not named:
        return
    lines = pl.Series(text.decode("utf-8").split("\n"))
    for name in named:
        key = rf"{re.escape(json.dumps(name, ensure_ascii=False))}\s*:\s*"
        # Objects within a record may have the same key, so that lines are looked at once more.
        others = _lines_with(lines, rf'{key}[^"\sn]', name, is_text=False)
        if others:
            held = len(frame) - frame[name].null_count()
            rarer, what = others, "values that are not texts"
            if 2 * int(lines.str.contains(f'{key}"').sum()) < held:
                rarer, what = _lines_with(lines, f'{key}"', name, is_text=True), "texts"
            listed = ", ".join(map(str, rarer[:_NAMED])) + (" and more" if rarer[_NAMED:] else "")
            yield (
                f"{where}: column {name!r} holds {what} in line{'s' if rarer[1:] else ''} "
                f"{listed}, unlike elsewhere; all its values are read as texts."
            )


def _lines_with(lines: pl.Series, pattern: str, name: str, *, is_text: bool) -> list[int]:
    found = []
    for place in lines.str.contains(pattern).arg_true().head(_LOOKED_AT):
        value: Any = json.loads(lines[place]).get(name)
        if value is not None and isinstance(value, str) == is_text:
            found.append(place + 1)
            if len(found) > _NAMED:
                break
    return found
