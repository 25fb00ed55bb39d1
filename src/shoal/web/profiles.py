"""Figures about a project's table, computed once and kept, so that pages stay quick."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import polars as pl

from shoal.web.workspace import read_json

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.web.workspace import Project

_AT_RISK = (3, 5, 10)


def profile_of(project: Project) -> dict[str, Any]:
    """Return what was found about the columns when the table was opened."""
    return read_json(project.folder / "profile.json")


def exposed_by(project: Project, quasi: tuple[str, ...]) -> dict[str, Any]:
    """Return how many records these columns single out, and how many without each of them."""
    return _exposed(project.table, project.table.stat().st_mtime_ns, quasi)


@lru_cache(maxsize=64)
def _exposed(table: Path, _written: int, quasi: tuple[str, ...]) -> dict[str, Any]:
    frame = pl.scan_parquet(table).select(quasi).collect()
    n = pl.scan_parquet(table).select(pl.len()).collect().item()
    if not quasi:
        return {"n": n, "unique": 0, "smallest": n, "at_risk": [], "without": []}
    sizes = _sizes(frame, quasi)
    without = []
    if len(quasi) > 1:
        for name in quasi:
            rest = [other for other in quasi if other != name]
            without.append((name, int((_sizes(frame, rest) == 1).sum())))
        without.sort(key=lambda entry: entry[1])
    return {
        "n": n,
        "unique": int((sizes == 1).sum()),
        "smallest": int(sizes.min()),  # type: ignore[arg-type]
        "at_risk": [(k, int(sizes.filter(sizes < k).sum())) for k in _AT_RISK],
        "without": without,
    }


def _sizes(frame: pl.DataFrame, names: list[str] | tuple[str, ...]) -> pl.Series:
    return frame.group_by(names).len()["len"]
