"""Pages of a table, read from its file: a hundred records at a time, filtered on the server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.web.runs import Run
    from shoal.web.workspace import Project

PAGE = 100
_ROW, _CLASS, _PLACE = "row", "class", "place in the release"


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
    return _page(pl.scan_parquet(table), wanted)


def released_page(project: Project, run: Run, wanted: Request) -> dict[str, Any]:
    """Return a page of a release, each record beside the original it comes from."""
    released = pl.scan_parquet(run.release).with_row_index(_PLACE)
    origins = pl.scan_parquet(run.row_map).with_row_index(_PLACE)
    scan = released.join(origins, on=_PLACE).drop(_PLACE)
    if wanted.group is not None:
        scan = scan.filter(pl.col(_CLASS) == wanted.group)
    shown = _page(scan, wanted)
    rows = pl.DataFrame(shown["rows"], schema=shown["columns"], orient="row", strict=False)
    places = rows[_ROW].to_list() if rows.height else []
    before = pl.scan_parquet(project.table).with_row_index(_PLACE)
    found = before.filter(pl.col(_PLACE).is_in(places)).collect()
    by_place = {row[0]: row[1:] for row in found.iter_rows()}
    return {
        **shown,
        "columns": [name for name in shown["columns"] if name not in (_ROW, _CLASS)],
        "rows": rows.drop(_ROW, _CLASS).rows() if rows.height else [],
        "classes": rows[_CLASS].to_list() if rows.height else [],
        "originals": [by_place[place] for place in places],
        "original_columns": found.columns[1:],
    }


def _page(scan: pl.LazyFrame, wanted: Request) -> dict[str, Any]:
    columns = scan.collect_schema().names()
    if wanted.contains and wanted.column in columns:
        text = pl.col(wanted.column).cast(pl.String)
        scan = scan.filter(text.str.contains(wanted.contains, literal=True))
    n = int(scan.select(pl.len()).collect().item())
    first = max(wanted.page, 0) * PAGE
    return {
        "columns": columns,
        "rows": scan.slice(first, PAGE).collect().rows(),
        "n": n,
        "first": min(first + 1, n),
        "last": min(first + PAGE, n),
    }
