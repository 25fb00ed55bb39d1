"""Real tables as problems that algorithms solve, and the loss of what they answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from shoal._core import kernels
from shoal.algorithms import Partition, Problem
from shoal.config import make_job
from shoal.encoding import encode
from shoal.pipeline import schema_of
from shoal.privacy import parse_models, protect
from shoal.table import Table
from tests.shared_data import find_data

if TYPE_CHECKING:
    from shoal.algorithms import Solution

EIGHT = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass",
         "occupation"]  # fmt: skip


def adult30k(k: int, *models: str) -> Problem | None:
    """Return the 30,162 records with age as an interval and seven sets.

    Models protect the salary class.
    """
    return _problem("adult30k", k, quasi=EIGHT, sensitive=["salary-class"], model=models)


def adult_suppressed(k: int, *, private: str) -> Problem | None:
    """Return the 45,222 records of the sequential paper, generalized by suppression alone.

    The income is left out; so is ``private``, if that is another column.
    """
    path = find_data("adult")
    if path is None:
        return None
    columns = pl.read_csv(path, n_rows=1).columns
    public = [column for column in columns if column not in {"income", private}]
    return _problem("adult", k, quasi=public, suppress_only=public)


def _problem(name: str, k: int, **words: Any) -> Problem | None:
    path = find_data(name)
    if path is None:
        print(f"{name} is not here; left out")
        return None
    frame = pl.read_csv(path)
    job = make_job({"k": k, "rest": "drop", **words})
    table = Table.of(frame, schema_of(frame, job))
    protections = [protect(one, table) for one in parse_models(job.model, job.sensitive)]
    return Problem.of(
        encode(table),
        k,
        models=tuple(one.model for one in protections),
        protected=tuple(one.codes for one in protections),
    )


def mean_loss(problem: Problem, classes: Solution) -> float:
    """Return the GCP of a division into classes."""
    assert isinstance(classes, Partition)
    plain = kernels.Objective(problem.records())
    entries = classes.rows, classes.classes, classes.counts, classes.number
    return float(plain.totals(*entries).sum()) / problem.n
