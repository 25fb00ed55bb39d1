"""Privacy models beyond class size, read and checked independently.

Nothing here is shared with the code that keeps models: specifications are read, values counted and
figures computed from their definitions, by the judge of each model.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.errors import ParameterError
from shoal.verifier.judges.judge import Judge, JudgedColumn, ReleaseJudge, find_judge
from shoal.verifier.unchanged import common_codes
from shoal.verifier.verdict import Check, name_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from shoal.table.schema import Schema
    from shoal.verifier.classes import Classes
    from shoal.verifier.grouping import Groups
    from shoal.verifier.witness import Tables

_CELLS_AT_ONCE = 2**22
_NUMBER = r"[0-9]*\.?[0-9]+"
_MODEL = re.compile(
    rf"\s*(?P<name>[a-z-]+):(?P<numbers>{_NUMBER}(?:\s*,\s*{_NUMBER})*)\s*(?:@(?P<column>.+))?",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Claim:
    """One model that a release claims to meet, on one column."""

    judge: Judge
    numbers: tuple[Fraction, ...]
    column: str

    def __str__(self) -> str:
        numbers = ",".join(f"{float(number):g}" for number in self.numbers)
        return f"{self.judge.name}:{numbers}@{self.column}"


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


@dataclass(frozen=True, slots=True)
class ReleaseClaim:
    """A condition that a release as a whole claims to meet."""

    judge: ReleaseJudge
    numbers: tuple[Fraction, ...]

    def __str__(self) -> str:
        return f"{self.judge.name}:{','.join(f'{float(number):g}' for number in self.numbers)}"


def read_claims(texts: Sequence[str], schema: Schema) -> list[Claim]:
    """Return the requested models of classes, for callers that can check no others.

    Raises
    ------
    ParameterError
        As :func:`split_claims`, and if a model is about the release as a whole.
    """
    claims, whole = split_claims(texts, schema)
    if whole:
        raise ParameterError(
            f"{whole[0]} is about the release as a whole, which cannot be checked here.",
            remedy="Leave it out.",
        )
    return claims


def split_claims(texts: Sequence[str], schema: Schema) -> tuple[list[Claim], list[ReleaseClaim]]:
    """Return the requested models of classes, and those of the release as a whole.

    A model of classes without a column means every sensitive column.

    Raises
    ------
    ParameterError
        If a model is unknown, cannot be read, or names a column that is not sensitive.
    """
    claims: list[Claim] = []
    whole: list[ReleaseClaim] = []
    for text in texts:
        found = _MODEL.fullmatch(text)
        if found is None:
            raise ParameterError(
                f"The model {text!r} cannot be read.",
                remedy="Write NAME:NUMBER or NAME:NUMBER@COLUMN.",
            )
        judge = find_judge(found["name"])
        numbers = tuple(Fraction(number.strip()) for number in found["numbers"].split(","))
        if len(numbers) != judge.numbers:
            raise ParameterError(
                f"The model {text!r} has the wrong number of parameters.",
                remedy=f"{judge.name} takes {judge.numbers}.",
            )
        if isinstance(judge, ReleaseJudge):
            if found["column"] is not None:
                raise ParameterError(
                    f"The model {text!r} names a column, but is about the release as a whole.",
                    remedy="Leave the column out.",
                )
            whole.append(ReleaseClaim(judge, numbers))
            continue
        columns = schema.sensitive if found["column"] is None else (found["column"],)
        if not columns or any(column not in schema.sensitive for column in columns):
            raise ParameterError(
                f"The model {text!r} has no sensitive column to look at.",
                remedy="Name the column with `sensitive`.",
            )
        claims += [Claim(judge, numbers, column) for column in columns]
    return list(dict.fromkeys(claims)), list(dict.fromkeys(whole))


def examine(claims: Sequence[Claim], tables: Tables, groups: Groups) -> list[Finding]:
    """Work out what every group of released rows reaches of each model."""
    return [_examine(claim, tables, groups) for claim in claims]


def check_models(findings: Sequence[Finding], classes: Classes) -> list[Check]:
    """Check that every class meets every model, starred records as one of them."""
    return [_check(finding, classes) for finding in findings]


def _check(finding: Finding, classes: Classes) -> Check:
    claim = finding.claim
    reached = finding.figures
    weakest = float(reached.max() if claim.judge.lower_is_better else reached.min())
    figure = f"{claim.judge.figure} is {weakest:.6g} in the weakest class"
    bad = ~finding.holds
    if not bad.any():
        return Check(str(claim), passed=True, detail=f"{figure}, of {classes.count:,}")
    detail = (
        f"{np.count_nonzero(bad):,} of {classes.count:,} classes do not meet it; {figure}: "
        f"release {name_rows(classes.rows(bad))}"
    )
    return Check(str(claim), passed=False, detail=detail)


def _examine(claim: Claim, tables: Tables, groups: Groups) -> Finding:
    original, released = tables.original[claim.column], tables.released[claim.column]
    codes = common_codes(original, released)
    kept = codes[: len(original)][tables.kept]
    # Values of records that were set aside, and stand in no released one, do not count.
    values, dense = np.unique(np.concatenate([kept, codes[len(original) :]]), return_inverse=True)
    dense = dense.astype(np.int64)
    column = JudgedColumn(
        claim.column,
        original.filter(pl.Series(tables.kept)),
        dense[: len(kept)],
        len(values),
        tables.schema,
    )
    figures_of = claim.judge.prepare(claim.numbers, column)
    holds = np.empty(len(groups), bool)
    figures = np.empty(len(groups))
    for first, last, counts in _counts(groups, dense[len(kept) :], len(values)):
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
