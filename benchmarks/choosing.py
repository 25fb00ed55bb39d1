"""Choosing an algorithm: loss against CPU time of every algorithm on the bundled hospital table.

Part ``classes`` generalizes numbers and dates to intervals and postcodes to nodes of a hierarchy;
``full-domain`` gives every column a hierarchy; ``freeform`` is the first table under freeform
k-anonymity. k = 5, one thread, seed 1. Anytime algorithms appear once per budget, in seconds of
search; CPU seconds are those of the whole call, verification included.
"""

from __future__ import annotations

import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import polars as pl

import shoal
from benchmarks.timing import print_table
from shoal.algorithms import algorithms
from shoal.example import write_example
from shoal.hierarchies import Ranges

if TYPE_CHECKING:
    from collections.abc import Sequence

RECORDS = 3_000
K = 5
BUDGETS = (1.0, 3.0, 10.0)
QUASI = ("age", "sex", "postcode", "day")
SKIPPED = {
    "milp": "no solution within minutes at this size",
    "ff-mip": "for a dozen records",
    "optimal": "for some hundred records",
    "exhaustive": "the same optimum as flash",
    "ff-hungarian": "minutes at this size",
}


def hospital(folder: Path) -> pl.DataFrame:
    """Return the example with ages in years and admissions as days of the year."""
    write_example(folder, rows=RECORDS)
    table = pl.read_csv(folder / "hospital.csv", try_parse_dates=True, schema_overrides=_TEXT)
    admission = pl.col("admission_date")
    return table.select(
        age=(admission - pl.col("birth_date")).dt.total_days() // 365,
        sex="sex",
        postcode="postcode",
        day=admission.dt.ordinal_day(),
    )


_TEXT = {"postcode": pl.String}


def measure(
    names: Sequence[str], *, form: Literal["classes", "full-domain", "freeform"]
) -> list[dict[str, object]]:
    """Run algorithms, each once or once per budget, and return loss and CPU seconds."""
    figures: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as folder:
        table = hospital(Path(folder))
        levels = {"age": Ranges(5, 10, 20, 40), "day": Ranges(7, 28, 84, 168)}
        hierarchy: dict[str, Ranges | str] = {"postcode": str(Path(folder) / "postcode.csv")}
        if form == "full-domain":
            hierarchy |= levels
        for name in names:
            for seconds in BUDGETS if algorithms()[name].traits.anytime else (None,):
                start = time.process_time()
                release = shoal.anonymize(
                    table,
                    k=K,
                    quasi=QUASI,
                    hierarchy=hierarchy,
                    kind={"sex": "categorical"},
                    algorithm=name,
                    form=form if name == "auto" else None,
                    time=seconds,
                    threads=1,
                    seed=1,
                )
                figures.append(
                    {
                        "algorithm": name,
                        "budget_s": seconds,
                        "loss": round(release.figures.measures["gcp"], 5),
                        "cpu_s": round(time.process_time() - start, 2),
                    }
                )
                print_table(tuple(figures[-1]), [tuple(figures[-1].values())])
    return figures


def _names(*families: str) -> list[str]:
    return [
        name
        for name, cls in algorithms().items()
        if cls.family in families and cls.__module__.startswith("shoal.") and name not in SKIPPED
    ]


PARTS = {
    "classes": partial(measure, _names("auto", "cluster", "exact", "recoding"), form="classes"),
    "full-domain": partial(measure, _names("auto", "lattice"), form="full-domain"),
    "freeform": partial(measure, _names("auto", "freeform"), form="freeform"),
}


def run() -> None:
    """Run every part."""
    for part in PARTS.values():
        part()
