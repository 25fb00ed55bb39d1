"""Tables of codes for the studies: a real one where it is at hand, synthetic ones elsewhere."""

from __future__ import annotations

import csv
import gzip
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.data import find_data
from shoal._core import kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

CENSUS_CODES = (2, 72, 5, 7, 16, 41, 7, 14)
"""Distinct values of sex, age, race, marital status, education, country, work class, occupation."""
AGE = 1


@dataclass(frozen=True, slots=True)
class CodedTable:
    """Eight quasi-identifiers as codes; age is numeric, the others are sets."""

    name: str
    codes: list[NDArray[np.uint8]]
    age_positions: NDArray[np.float64]

    @property
    def code_counts(self) -> list[int]:
        """Distinct values of each attribute."""
        return [int(codes.max()) + 1 for codes in self.codes]

    def folded(self) -> tuple[CodedTable, NDArray[np.int32]]:
        """Distinct rows and how many records have each."""
        row_of, first = kernels.fold(self.codes)
        distinct = CodedTable(self.name, [codes[first] for codes in self.codes], self.age_positions)
        return distinct, np.bincount(row_of, minlength=len(first)).astype(np.int32)

    def records(self, counts: NDArray[np.int32]) -> kernels.Records:
        """Kernel records with equal weights."""
        made = kernels.Records(counts)
        weight = 1 / len(self.codes)
        for place, (codes, code_count) in enumerate(zip(self.codes, self.code_counts, strict=True)):
            if place == AGE:
                made.add_interval(codes, self.age_positions, weight)
            else:
                made.add_set(codes, code_count, 1 / max(code_count - 1, 1), weight)
        return made

    def sort_order(self, counts: NDArray[np.int32]) -> NDArray[np.int32]:
        """Rows in lexicographic order, attributes by ascending variance of the scaled codes."""
        variances = []
        for codes in self.codes:
            scaled = codes / max(int(codes.max()), 1)
            mean = np.average(scaled, weights=counts)
            variances.append(float(np.average((scaled - mean) ** 2, weights=counts)))
        attributes = np.argsort(variances, kind="stable")
        return np.lexsort([self.codes[place] for place in attributes[::-1]]).astype(np.int32)


def adult() -> CodedTable | None:
    """Read the 30,162 census records of adult30k, if they are at hand."""
    path = find_data("adult30k")
    if path is None:
        return None
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    quasi = [place for place, name in enumerate(header) if name != "salary-class"]
    columns = [np.array([row[place] for row in rows]) for place in quasi]
    age = [header[place] for place in quasi].index("age")
    assert age == AGE
    codes = [np.unique(column, return_inverse=True)[1].astype(np.uint8) for column in columns]
    ages, age_codes = np.unique(columns[age].astype(np.int64), return_inverse=True)
    codes[age] = age_codes.astype(np.uint8)
    return CodedTable("adult30k", codes, (ages - ages[0]) / float(ages[-1] - ages[0]))


def census_like(records: int, seed: int = 1) -> CodedTable:
    """Draw skewed attributes that depend on a common class, so that rows repeat as in a census."""
    draw = np.random.default_rng(seed)
    group = draw.integers(0, 12, records)
    codes: list[NDArray[np.uint8]] = []
    for code_count in CENSUS_CODES:
        centre = draw.integers(0, code_count, 12)[group]
        spread = np.rint(draw.laplace(0.0, code_count / 12, records)).astype(np.int64)
        codes.append(((centre + spread) % code_count).astype(np.uint8))
    return CodedTable("census-like", codes, np.linspace(0.0, 1.0, CENSUS_CODES[AGE]))
