"""What a file holds beside its table: whoever gets a release gets that, too.

A reader of tables shows one sheet of a workbook and no metadata, so a copy of the original in a
hidden sheet, in the cache of a pivot table or in the schema of a Parquet file goes unseen.
"""

from __future__ import annotations

import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from shoal.errors import counted
from shoal.io.excel_read import FACTS_SHEET
from shoal.io.formats import SUFFIXES, Format
from shoal.io.workbook_xml import sheet_entries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Written by polars, pandas and Spark for themselves: names and types of the columns.
_OF_WRITERS = ("ARROW:schema", "pandas", "org.apache.spark.", "_PL_", "PARQUET:field_id")
# Parts of a workbook that hold cells or texts of their own.
_PARTS = {
    "xl/comments": "comments",
    "xl/threadedComments": "comments",
    "xl/pivotCache": "the cache of a pivot table",
    "xl/externalLinks": "cells of other workbooks",
    "xl/embeddings": "embedded files",
    "xl/media": "pictures",
    "xl/queryTables": "a query",
    "xl/connections": "a connection to a database",
    "xl/model": "a data model",
    "customXml": "further data",
}


def contents_beside_table(path: str | Path) -> list[str] | None:
    """Return a description of what else is in the file of a release, without a value of it.

    Returns
    -------
    list or None
        ``None`` where a file of this format holds a table and nothing else, or there is no file.
    """
    file = Path(path)
    searches: dict[Format | None, Callable[[Path], Iterator[str]]] = {
        Format.EXCEL: _beside_sheet,
        Format.PARQUET: _beside_parquet,
        Format.ARROW: _beside_arrow,
    }
    search = searches.get(SUFFIXES.get(file.suffix.lower()))
    return list(dict.fromkeys(search(file))) if search is not None and file.is_file() else None


def _beside_sheet(file: Path) -> Iterator[str]:
    with zipfile.ZipFile(file) as archive:
        entries = sheet_entries(archive)
        # A release has one sheet that is shown, beside that of its facts, or it is not read.
        table = [one for one in entries if one.visible and one.name != FACTS_SHEET][:1]
        others = [one for one in entries if one.name != FACTS_SHEET and one not in table]
        filled = [one for one in others if b"<c " in archive.read(one.part)]
        if filled:
            yield counted(len(filled), "further sheet")
        for part in archive.namelist():
            yield from (what for start, what in _PARTS.items() if part.startswith(start))


def _beside_parquet(file: Path) -> Iterator[str]:
    yield from _unused_categories(pl.scan_parquet(file))
    if find_spec("pyarrow") is None:
        yield from _named(pl.read_parquet_metadata(file), "the table")
        return
    import pyarrow.parquet as pq

    yield from _beside_fields(pq.read_schema(file))


def _beside_arrow(file: Path) -> Iterator[str]:
    if find_spec("pyarrow") is None:
        return
    import pyarrow as pa

    with pa.memory_map(str(file)) as source:
        try:
            schema = pa.ipc.open_file(source).schema
        except pa.ArrowInvalid:
            source.seek(0)
            schema = pa.ipc.open_stream(source).schema
        yield from _beside_fields(schema)


def _beside_fields(schema: Any) -> Iterator[str]:
    """Yield where a schema of pyarrow has metadata that its writer did not need."""
    yield from _named(schema.metadata, "the table")
    for field in schema:
        yield from _beside_field(field, field.name)


def _beside_field(field: Any, column: str) -> Iterator[str]:
    yield from _named(field.metadata, f"column {column!r}")
    for place in range(field.type.num_fields):
        yield from _beside_field(field.type.field(place), column)


def _named(metadata: Any, of: str) -> Iterator[str]:
    names = [one.decode("utf-8", "replace") if isinstance(one, bytes) else one
             for one in metadata or ()]  # fmt: skip
    if any(not name.startswith(_OF_WRITERS) for name in names):
        yield f"metadata of {of}"


def _unused_categories(frame: pl.LazyFrame) -> Iterator[str]:
    for name, dtype in frame.collect_schema().items():
        if isinstance(dtype, pl.Enum):
            used = frame.select(pl.col(name).drop_nulls().n_unique()).collect().item()
            if used < len(dtype.categories):
                yield f"categories of column {name!r} that no record has"
