"""What a goal would cost, from a sample that is solved while the page is open."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.web.workspace import Project

SAMPLE = 2_000
_STEPS = 50_000
_IRRELEVANT = ("algorithm", "param", "time", "bound_seconds", "utility", "threads", "seed")


def predicted(project: Project, options: dict[str, Any]) -> dict[str, Any]:
    """Return the loss of a release of a sample, column by column.

    A sample is sparser than its table, so its release loses more: the figure is an upper estimate.

    Raises
    ------
    ShoalError
        If the goal cannot be met, or an option does not fit the table.
    """
    relevant = {key: value for key, value in options.items() if key not in _IRRELEVANT}
    written = project.table.stat().st_mtime_ns
    return _predicted(project.folder, written, json.dumps(relevant, sort_keys=True))


@lru_cache(maxsize=32)
def _predicted(folder: Path, _written: int, options: str) -> dict[str, Any]:
    from shoal.options import Job
    from shoal.pipeline.run import run_job
    from shoal.web.workspace import Project

    project = Project(folder)
    frame = pl.read_parquet(project.table)
    sampled = frame.height > SAMPLE
    if sampled:
        frame = frame.sample(SAMPLE, seed=0)
    given = json.loads(options)
    trees = {
        column: tree if ":" in tree or not (folder / tree).is_file() else str(folder / tree)
        for column, tree in given.get("hierarchy", {}).items()
    }
    job = Job.from_dict({**given, "hierarchy": trees, "steps": _STEPS, "seed": 0, "rest": "drop"})
    release = run_job(frame, job)
    return {
        "sampled": SAMPLE if sampled else 0,
        "loss": release.figures.measures["gcp"],
        "classes": release.facts.classes,
        "suppressed": release.facts.suppressed,
        "per_attribute": dict(release.figures.per_attribute),
    }
