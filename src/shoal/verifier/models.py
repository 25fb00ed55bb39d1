"""Privacy models beyond class size, read and checked anew.

Nothing here is shared with the code that enforces models: words are read, values counted and
figures worked out from their definitions. A class is a row of counts, one column a value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from math import log
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import ParameterError
from shoal.verifier.distances import equal, hierarchical, ordered, tree_levels, value_ranks
from shoal.verifier.unchanged import common_codes
from shoal.verifier.verdict import Check, name_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from shoal.table.schema import Schema
    from shoal.verifier.classes import Classes
    from shoal.verifier.grouping import Groups
    from shoal.verifier.witness import Tables

    Figures = Callable[[NDArray[np.int64]], tuple[NDArray[np.bool_], NDArray[np.float64]]]

# Figures with logarithms and shares are rounded; a smaller difference than this is none.
ROUNDING = 1e-9
_CELLS_AT_ONCE = 2**22
_WORD = re.compile(
    r"\s*(?P<name>[a-z-]+):(?P<first>[0-9]*\.?[0-9]+)(?:\s*,\s*(?P<second>[0-9]+))?\s*"
    r"(?:@(?P<column>.+))?",
    re.DOTALL,
)
_FIGURE = {
    "frequency-l-diversity": "1 / the largest share of a value",
    "distinct-l-diversity": "the number of values",
    "entropy-l-diversity": "exp(entropy)",
    "recursive-l-diversity": "the most frequent value over the sum from the l-th on",
    "t-closeness": "the distance from the table",
    "ordered-t-closeness": "the ordered distance from the table",
    "hierarchical-t-closeness": "the hierarchical distance from the table",
}
_LOWER_IS_BETTER = {name for name in _FIGURE if "closeness" in name} | {"recursive-l-diversity"}


@dataclass(frozen=True, slots=True)
class Claim:
    """One model that a release is said to meet, on one column."""

    name: str
    first: Fraction
    second: int
    column: str

    def __str__(self) -> str:
        numbers = f"{float(self.first):g}" + (f",{self.second}" if self.second else "")
        return f"{self.name}:{numbers}@{self.column}"


@dataclass(frozen=True, slots=True)
class Finding:
    """What the classes of a release reach of a model.

    Parameters
    ----------
    holds, figures
        For each group of released rows whether it meets the model, and the figure it reaches.
    """

    claim: Claim
    holds: NDArray[np.bool_]
    figures: NDArray[np.float64]


def read_claims(words: Sequence[str], schema: Schema) -> list[Claim]:
    """Return the models that words ask for; one without a column means every sensitive column.

    Raises
    ------
    ParameterError
        If a word cannot be read or names a column that is not sensitive.
    """
    claims: list[Claim] = []
    for word in words:
        found = _WORD.fullmatch(word)
        name = found["name"] if found else word.partition(":")[0]
        if found is None or name not in _FIGURE:
            raise ParameterError(
                f"The model {word!r} cannot be read.",
                remedy=f"Write NAME:NUMBER or NAME:NUMBER@COLUMN; names: {', '.join(_FIGURE)}.",
            )
        if (found["second"] is not None) != (name == "recursive-l-diversity"):
            raise ParameterError(
                f"The model {word!r} has the wrong count of numbers.",
                remedy="recursive-l-diversity takes two, c,l; every other model takes one.",
            )
        columns = schema.sensitive if found["column"] is None else (found["column"],)
        if not columns or any(column not in schema.sensitive for column in columns):
            raise ParameterError(
                f"The model {word!r} has no sensitive column to look at.",
                remedy="Name the column with `sensitive`.",
            )
        second = int(found["second"] or 0)
        claims += [Claim(name, Fraction(found["first"]), second, column) for column in columns]
    return list(dict.fromkeys(claims))


def examine(claims: Sequence[Claim], tables: Tables, groups: Groups) -> list[Finding]:
    """Work out what every group of released rows reaches of each model."""
    return [_examine(claim, tables, groups) for claim in claims]


def check_models(findings: Sequence[Finding], classes: Classes) -> list[Check]:
    """Check that every class meets every model, starred records as one of them."""
    return [_check(finding, classes) for finding in findings]


def _check(finding: Finding, classes: Classes) -> Check:
    claim = finding.claim
    reached = finding.figures
    weakest = float(reached.max() if claim.name in _LOWER_IS_BETTER else reached.min())
    figure = f"{_FIGURE[claim.name]} is {weakest:.6g} in the weakest class"
    bad = ~finding.holds
    if not bad.any():
        return Check(str(claim), passed=True, detail=f"{figure}, of {classes.count:,}")
    rows = classes.rows(bad)
    detail = (
        f"{np.count_nonzero(bad):,} of {classes.count:,} classes do not meet it; {figure}: "
        f"release {name_rows(rows)}"
    )
    return Check(str(claim), passed=False, detail=detail)


def _examine(claim: Claim, tables: Tables, groups: Groups) -> Finding:
    both = common_codes(tables.original[claim.column], tables.released[claim.column])
    before, after = np.split(both.astype(np.int64), [len(tables.original)])
    kept = before[tables.kept]
    if claim.name == "ordered-t-closeness":
        ranks = value_ranks(tables, claim.column, kept, max(before.max(), after.max()) + 1)
        kept, after = ranks[kept], ranks[after]
    width = int(max(kept.max(), after.max())) + 1
    usual = np.bincount(kept, minlength=width) / len(kept)
    figures_of = _figures(claim, tables, usual, before)
    holds = np.empty(len(groups), bool)
    figures = np.empty(len(groups))
    for first, last, counts in _counts(groups, after, width):
        holds[first:last], figures[first:last] = figures_of(counts)
    return Finding(claim, holds, figures)


def _counts(
    groups: Groups, values: NDArray[np.int64], width: int
) -> Iterator[tuple[int, int, NDArray[np.int64]]]:
    """Yield the counts of values in each group, as tables of a bounded number of groups."""
    sizes = groups.sizes
    step = max(1, _CELLS_AT_ONCE // width)
    for first in range(0, len(groups), step):
        last = min(first + step, len(groups))
        rows = groups.rows[groups.starts[first] : groups.starts[last]]
        owner = np.repeat(np.arange(last - first), sizes[first:last])
        cells = owner * width + values[rows]
        counts = np.bincount(cells, minlength=(last - first) * width)
        yield first, last, counts.reshape(last - first, width)


def _figures(
    claim: Claim, tables: Tables, usual: NDArray[np.float64], codes: NDArray[np.int64]
) -> Figures:
    """Return the function that judges a table of counts."""
    if claim.name == "frequency-l-diversity":
        return lambda counts: _frequency(counts, claim.first)
    if claim.name == "distinct-l-diversity":
        return lambda counts: _distinct(counts, claim.first)
    if claim.name == "entropy-l-diversity":
        return lambda counts: _entropy(counts, float(claim.first))
    if claim.name == "recursive-l-diversity":
        return lambda counts: _recursive(counts, claim.first, claim.second)
    levels = None
    if claim.name == "hierarchical-t-closeness":
        levels = tree_levels(tables, claim.column, codes, len(usual))
    limit = float(claim.first) + ROUNDING

    def close(counts: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        excess = counts / counts.sum(axis=1, keepdims=True) - usual
        if levels is not None:
            far = hierarchical(excess, levels)
        else:
            far = ordered(excess) if claim.name.startswith("ordered") else equal(excess)
        return far <= limit, far

    return close


def _frequency(
    counts: NDArray[np.int64], limit: Fraction
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    sizes, largest = counts.sum(axis=1), counts.max(axis=1)
    # Whole numbers of any size: 10 records of 11 are exactly 1 / 1.1 of them.
    holds = largest.astype(object) * limit.numerator <= sizes.astype(object) * limit.denominator
    return holds.astype(bool), sizes / largest


def _distinct(
    counts: NDArray[np.int64], limit: Fraction
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    values = np.count_nonzero(counts, axis=1)
    return values >= float(limit), values.astype(float)


def _entropy(
    counts: NDArray[np.int64], limit: float
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    shares = counts / counts.sum(axis=1, keepdims=True)
    entropy = -(shares * np.log(np.where(shares > 0, shares, 1.0))).sum(axis=1)
    return entropy >= log(limit) - ROUNDING if limit > 0 else entropy >= 0, np.exp(entropy)


def _recursive(
    counts: NDArray[np.int64], c: Fraction, rank: int
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    descending = -np.sort(-counts, axis=1)
    most = descending[:, 0]
    rest = descending[:, max(rank - 1, 0) :].sum(axis=1)
    holds = most.astype(object) * c.denominator < rest.astype(object) * c.numerator
    figures = np.full(len(most), np.inf)
    np.divide(most, rest, out=figures, where=rest > 0)
    return holds.astype(bool), figures
