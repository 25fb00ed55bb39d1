"""What users write, and a type checker accepts."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import assert_type

import pandas as pd
import polars as pl

import shoal

people = pl.DataFrame({"age": [35, 36, 61, 62], "ill": ["flu", "cold", "flu", "gout"]})

release = shoal.anonymize(people, k=2, quasi=["age"], sensitive=["ill"])
assert_type(release.frame, pl.DataFrame)
assert_type(release, shoal.Release[pl.DataFrame])
in_pandas = shoal.anonymize(pd.DataFrame({"age": [1, 2]}), k=2, quasi="age")
assert_type(in_pandas.frame, pd.DataFrame)

shoal.anonymize(
    people,
    k=2,
    quasi=("age",),
    rest="drop",
    algorithm=shoal.algorithms.Mondrian(cuts="relaxed"),
    models=[shoal.models.DistinctDiversity("ill", 2), "t-closeness:0.5@ill"],
    hierarchy={"age": shoal.hierarchies.Ranges(5, 10, 20)},
    value_range={"age": (0, 100)},
    suppression=0.1,
    watch=lambda progress: print(progress.fraction),
)
shoal.anonymize(
    people,
    k=2,
    quasi=["age"],
    hierarchy={"age": Path("ages.csv"), "ill": shoal.Hierarchy.from_rows([["flu", "*"]])},
    value_range={"born": (datetime.date(1900, 1, 1), datetime.date(2025, 1, 1)), "age": "0:100"},
    notation="min_max",
)

assert_type(shoal.verify(people, release).passed, bool)
shoal.verify(people, release, k=3, suppression=0.0)
shoal.verify(people, release.frame, **release.facts.job)
shoal.measure(people, release.frame, k=2, quasi=["age"])
job = shoal.Job.load("job.toml")
job.save(Path("other.toml"), force=True)
assert_type(job.run(people).frame, pl.DataFrame)
shoal.bound(people, k=2, quasi=["age"], bound_seconds=1)
shoal.anatomize(people, l=2, quasi=["age"], sensitive="ill")
tree = shoal.build_hierarchy(people, "age", shoal.hierarchies.Quantiles(4, 2), kind="numeric")
assert_type(tree, shoal.Hierarchy)

try:
    shoal.anonymize(people, k=2, quasi=["agee"])
except shoal.InputError as error:
    assert_type(error.remedy, str)
except shoal.InfeasibleError as error:
    assert_type(error.feasible, float | None)

table = shoal.compare(people, k=[2, 3], quasi=["age"], population="all.csv", time=1.0)
table.select("loss")
planned = shoal.plan(people, k=3, quasi=["age"], models=["k-map:3"], population="all.csv")
assert_type(planned.largest_k, int)
