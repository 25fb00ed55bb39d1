"""Pages of a table, read from its file: a hundred records at a time, filtered on the server."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.web.runs import Run
    from shoal.web.workspace import Project

PAGE = 100
_KEPT = 3
"""Tables that are kept in memory: an original, a release, and whose record is whose."""


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
    frame = _loaded(table)
    return _page(frame, wanted, _matching(frame, wanted))[0]


def released_page(project: Project, run: Run, wanted: Request) -> dict[str, Any]:
    """Return a page of a release, each record beside the original it comes from."""
    released, origins, before = (
        _loaded(file) for file in (run.page_release, run.row_map, project.page_table)
    )
    matching = _matching(released, wanted)
    if wanted.group is not None:
        of_class = origins["class"] == wanted.group
        matching = of_class if matching is None else matching & of_class
    shown, places = _page(released, wanted, matching)
    found = origins[places]
    return {
        **shown,
        "classes": found["class"].to_list(),
        "originals": before[found["row"]].rows() if found.height else [],
        "original_columns": before.columns,
        "place_of": {name: place for place, name in enumerate(before.columns)},
    }


def write_for_pages(frame: pl.DataFrame, file: Path) -> None:
    """Write a copy of a table that is quick to load, readable by its owner alone."""
    frame.write_ipc(file, compression="uncompressed")
    file.chmod(0o600)


def _loaded(file: Path) -> pl.DataFrame:
    return _of_version(file, file.stat().st_mtime_ns)


@lru_cache(maxsize=_KEPT)
def _of_version(file: Path, _written: int) -> pl.DataFrame:
    return pl.read_ipc(file)


def _matching(frame: pl.DataFrame, wanted: Request) -> pl.Series | None:
    """Return whether each record contains what is asked for, or nothing if all of them do."""
    if not wanted.contains or wanted.column not in frame.columns:
        return None
    text = frame[wanted.column].cast(pl.String)
    return text.str.contains(wanted.contains, literal=True).fill_null(value=False)


def _page(
    frame: pl.DataFrame, wanted: Request, matching: pl.Series | None
) -> tuple[dict[str, Any], pl.Series]:
    """Return a page, and the places of its records in the table."""
    first = max(wanted.page, 0) * PAGE
    if matching is None:
        n = frame.height
        places = pl.Series(range(first, min(first + PAGE, n)), dtype=pl.UInt32)
    else:
        every = matching.arg_true()
        n, places = len(every), every.slice(first, PAGE)
    shown = {
        "columns": frame.columns,
        "rows": frame[places].rows() if len(places) else [],
        "n": n,
        "first": min(first + 1, n),
        "last": min(first + PAGE, n),
    }
    return shown, places
