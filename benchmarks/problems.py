"""Real tables as problems that algorithms solve, and the loss of what they answer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from benchmarks.data import find_data
from benchmarks.tables import census_like
from shoal._core import kernels
from shoal.algorithms import Partition, Problem
from shoal.encoding import encode
from shoal.models import parse_models, protect
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Table

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
    job = Job.from_dict({"k": k, "rest": "drop", **words})
    table = Table.of(frame, schema_of(frame, job))
    protections = [protect(one, table) for one in parse_models(job.models, job.sensitive)]
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


def released_loss(problem: Problem, solution: Solution) -> float:
    """Return the GCP of any kind of solution, from what it releases."""
    recoding = solution.recode(problem, np.random.default_rng(0))
    return sum(
        weight * float(domain.loss(column.closures)[column.index] @ recoding.sizes) / problem.n
        for column, domain, weight in zip(
            recoding.columns, problem.domains, problem.weights, strict=True
        )
    )


def of_frame(frame: pl.DataFrame, k: int, **words: Any) -> Problem:
    """Return the problem of a frame whose columns are all quasi-identifiers."""
    job = Job.from_dict({"k": k, "quasi": frame.columns, **words})
    return Problem.of(encode(Table.of(frame, schema_of(frame, job))), k)


def with_sets(frame: pl.DataFrame, k: int) -> Problem:
    """Return the problem in which every column of texts is a set, though they be digits."""
    texts = [name for name in frame.columns if frame[name].dtype == pl.String]
    return of_frame(frame, k, kind=dict.fromkeys(texts, "categorical"))


def census(records: int) -> pl.DataFrame:
    """Return census-like records: of the generator beside the real tables, or our own.

    Age and education are numbers, the others texts of digits: sets for :func:`with_sets`, as in the
    freeform paper's Table 2, and numbers for :func:`of_frame`.
    """
    beside = find_data("adult30k")
    script = beside.parent.parent / "make_census_like.py" if beside is not None else None
    if script is not None and script.is_file():
        with TemporaryDirectory() as folder:
            out = Path(folder) / "census.csv.gz"
            subprocess.run(
                [sys.executable, str(script), str(records), "--out", str(out)],
                check=True,
                capture_output=True,
            )
            frame = pl.read_csv(out)
        numeric = {"AGE", "HIGRADE"}
    else:
        table = census_like(records)
        frame = pl.DataFrame({f"c{i}": codes for i, codes in enumerate(table.codes)})
        numeric = {"c1", "c4"}
    return frame.select(
        pl.col(name) if name in numeric else pl.col(name).cast(pl.String) for name in frame.columns
    )
