"""The census-like table at any size: by the shared generator, or by NumPy from its tables.

The generator draws cell by cell and takes nine CPU seconds for a million records. Beyond ten
million, NumPy draws from the same conditional distributions, a file of ten million at a time.
"""

from __future__ import annotations

import csv
import itertools
import runpy
import tempfile
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from benchmarks.data import find_data

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

PART = 10_000_000


def census(n: int) -> list[Path]:
    """Return CSV files of n records in all, made once, in the order of their records."""
    made = _generator()
    if n <= PART:
        return [_by_generator(made, n)]
    parts = -(-n // PART)
    first = _by_generator(made, PART)
    return [first, *(_by_numpy(made, min(PART, n - at * PART), at) for at in range(1, parts))]


def _generator() -> dict[str, Any]:
    adult = find_data("adult30k")
    if adult is None:
        raise SystemExit("the generator of the census-like table is not there")
    return runpy.run_path(str(adult.parent.parent / "make_census_like.py"))


def _by_generator(made: Mapping[str, Any], n: int) -> Path:
    place = Path(tempfile.gettempdir()) / f"shoal-census-{n}.csv"
    if not place.is_file():
        partial = place.with_suffix(".partial")
        with partial.open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(made["COLUMNS"])
            writer.writerows(islice(made["records"](n), n))
        partial.rename(place)
    return place


def _by_numpy(made: Mapping[str, Any], n: int, part: int) -> Path:
    place = Path(tempfile.gettempdir()) / f"shoal-census-{n}-part-{part:03}.csv"
    if not place.is_file():
        partial = place.with_suffix(".partial")
        draw_records(made, n, seed=part).write_csv(partial)
        partial.rename(place)
    return place


def draw_records(made: Mapping[str, Any], n: int, seed: int) -> pl.DataFrame:
    """Return n records from the conditional distributions of the generator.

    Parameters
    ----------
    made
        What the generator's module holds.
    """
    rng = np.random.default_rng(seed)
    sexes, bands = (1, 2), range(4)
    spread = enumerate(made["AGE_W"])
    ages = {16 + i: w * (1 + made["AGE_SPREAD"] * ((i - 21) / 15) ** 2) for i, w in spread}
    age = _draw(rng, [made["sampler"](ages)], np.zeros(n, dtype=np.int64))
    sex = np.where(rng.random(n) < 0.547, 1, 2)
    band = np.digitize(age, [19, 30, 50])
    marital = [
        made["sampler"](
            {m + 1: x * (made["MARST6_FACTOR"] if m == 5 else 1) for m, x in enumerate(row)}
        )
        for one in sexes
        for row in made["MARST_W"][one]
    ]
    marst = _draw(rng, marital, (sex - 1) * 15 + np.minimum((age - 16) // 5, 14))
    tail = {r: x * (made["RACE_TAIL"] if r > 3 else 1) for r, x in made["RACE_W"].items()}
    race = _draw(rng, [made["sampler"](tail)], np.zeros(n, dtype=np.int64))
    birth = _draw(rng, [made["bpl_table"](one) for one in range(1, 8)], race - 1)
    grades = [made["grade_table"](*key) for key in itertools.product(bands, (0, 1), (0, 1))]
    grade = _draw(rng, grades, (band * 2 + (birth == 200)) * 2 + (race == 3))
    classes = [made["class_table"](*key) for key in itertools.product(sexes, bands, (0, 1))]
    work = _draw(rng, classes, ((sex - 1) * 4 + band) * 2 + (grade >= 19))
    jobs = [made["occ_table"](*key) for key in itertools.product(sexes, bands, range(4, 21))]
    job = _draw(rng, jobs, ((sex - 1) * 4 + band) * 17 + grade - 4)
    columns = (sex, age, marst, race, birth, grade, work, job)
    return pl.DataFrame(dict(zip(made["COLUMNS"], columns, strict=True)))


def _draw(
    rng: np.random.Generator,
    tables: Iterable[tuple[list[int], list[float]]],
    key: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Draw a value for each record from the table that its key names."""
    values, bounds, starts = [], [], [0]
    for number, (listed, cumulative) in enumerate(tables):
        values += listed
        bounds += [number + reached / cumulative[-1] for reached in cumulative]
        starts.append(len(values))
    found = np.searchsorted(np.array(bounds), key + rng.random(len(key)), side="right")
    # The last bound of a table is a rounding error away from the first of the next.
    found = np.clip(found, np.array(starts)[key], np.array(starts)[key + 1] - 1)
    return np.array(values)[found]
