"""Pages of a table, read from its file: a hundred records at a time, filtered on the server.

A page is cut out of the file: only the batches that hold its records are read, so that it takes as
long for a million records as for a thousand. A filter reads the one column that it names, which is
then kept in memory for the next page.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.web.runs import Run

PAGE = 100
_BATCH = 10_000
"""Records that are read together."""
_FEW = 25
"""Records that are quicker to read one by one than with all between them: those of most classes."""
_KEPT = 3
"""Columns that are kept in memory."""


@dataclass(frozen=True, slots=True)
class Request:
    """Which records a page shows.

    Parameters
    ----------
    page
        Number of the page, from 0.
    column, contains
        Only records whose cell in this column contains this text.
    group
        Only records of this class of a release.
    """

    page: int = 0
    column: str = ""
    contains: str = ""
    group: int | None = None


def original_page(table: Path, wanted: Request) -> dict[str, Any]:
    """Return a page of a table as it was read."""
    matching = _matching(table, wanted)
    return _described(table, wanted, matching)


def released_page(run: Run, wanted: Request) -> dict[str, Any]:
    """Return a page of a release, each record beside the original it comes from."""
    matching = _matching(run.page_release, wanted)
    if wanted.group is not None:
        of_class = _column(run.classes, "class") == wanted.group
        matching = of_class if matching is None else matching & of_class
    before = _cut(run.originals, wanted, matching)
    return {
        **_described(run.page_release, wanted, matching),
        "classes": _cut(run.classes, wanted, matching)["class"].to_list(),
        "originals": before.rows(),
        "original_columns": before.columns,
        "place_of": {name: place for place, name in enumerate(before.columns)},
    }


def write_for_pages(frame: pl.DataFrame, file: Path) -> None:
    """Write a copy of a table that is quick to load, readable by its owner alone."""
    frame.write_ipc(file, compression="lz4", record_batch_size=_BATCH)
    file.chmod(0o600)


def _column(file: Path, name: str) -> pl.Series:
    return _column_of_version(file, file.stat().st_mtime_ns, name)


@lru_cache(maxsize=_KEPT)
def _column_of_version(file: Path, _written: int, name: str) -> pl.Series:
    return pl.scan_ipc(file).select(name).collect().to_series()


def _matching(file: Path, wanted: Request) -> pl.Series | None:
    """Return whether each record matches the filter, or nothing if all of them do."""
    if not wanted.contains or wanted.column not in pl.read_ipc_schema(file):
        return None
    text = _column(file, wanted.column).cast(pl.String)
    return text.str.contains(wanted.contains, literal=True).fill_null(value=False)


def _cut(file: Path, wanted: Request, matching: pl.Series | None) -> pl.DataFrame:
    """Return the records of one page."""
    first = wanted.page * PAGE
    stored = pl.scan_ipc(file)
    if matching is None:
        return stored.slice(first, PAGE).collect()
    places = matching.arg_true().slice(first, PAGE)
    if 0 < len(places) <= _FEW:
        return pl.concat(pl.collect_all([stored.slice(place, 1) for place in places]))
    start, end = (places[0], places[-1] + 1) if len(places) else (0, 0)
    return stored.slice(start, end - start).collect()[places - start]


def _described(file: Path, wanted: Request, matching: pl.Series | None) -> dict[str, Any]:
    """Return one page with its place among all records that match."""
    records = _cut(file, wanted, matching)
    if matching is None:
        n = pl.scan_ipc(file).select(pl.len()).collect().item()
    else:
        n = int(matching.sum())
    first = wanted.page * PAGE
    return {
        "columns": records.columns,
        "rows": records.rows(),
        "n": n,
        "first": min(first + 1, n),
        "last": min(first + PAGE, n),
    }
