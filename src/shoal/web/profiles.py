"""Figures about a project's table, computed once and kept, so that pages stay quick."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shoal.web.workspace import read_json

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

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
    # The key of a record is the sum of hashes of its cells, so that a column is left out by one
    # subtraction. Two of a million records share a 64-bit key by chance in one of some 30 million
    # tables.
    hashes = {
        name: frame[name].hash(seed=place).to_numpy().astype(np.uint64)
        for place, name in enumerate(quasi)
    }
    key = np.zeros(n, np.uint64)
    for one in hashes.values():
        key += one
    sizes = _group_sizes(key)
    without = []
    if len(quasi) > 1:
        without = [
            (name, int((_group_sizes(key - one) == 1).sum())) for name, one in hashes.items()
        ]
        without.sort(key=lambda entry: entry[1])
    return {
        "n": n,
        "unique": int((sizes == 1).sum()),
        "smallest": int(sizes.min()),
        "at_risk": [(k, int(sizes[sizes < k].sum())) for k in _AT_RISK],
        "without": without,
    }


def _group_sizes(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return how many records share each key."""
    ordered = np.sort(keys)
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    return np.diff(np.append(starts, len(ordered)))
