"""Explore: pages of a hundred records, filtered on the server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse

from shoal.web.site import site_of

if TYPE_CHECKING:
    from pathlib import Path


router = APIRouter(prefix="/p/{identifier}/explore")
PAGE = 100


@router.get("")
async def show(
    request: Request, identifier: str, page: int = 0, column: str = "", contains: str = ""
) -> HTMLResponse:
    """Show a page of the original table."""
    site = site_of(request)
    project = site.workspace.project(identifier)
    values = await run_in_threadpool(_records, project.table, max(page, 0), column, contains)
    return site.page(
        "explore.html",
        here="explore",
        project=project,
        page=max(page, 0),
        column=column,
        contains=contains,
        **values,
    )


def _records(table: Path, page: int, column: str, wanted: str) -> dict[str, Any]:
    scan = pl.scan_parquet(table)
    columns = scan.collect_schema().names()
    if wanted and column in columns:
        text = pl.col(column).cast(pl.String).str.contains(wanted, literal=True)
        scan = scan.filter(text)
    n = scan.select(pl.len()).collect().item()
    rows = scan.slice(page * PAGE, PAGE).collect().rows()
    return {
        "columns": columns,
        "rows": rows,
        "n": n,
        "first": min(page * PAGE + 1, n),
        "last": min((page + 1) * PAGE, n),
    }
