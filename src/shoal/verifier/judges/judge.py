"""What a judge is, and the table from the name of a model to its judge and direction."""

from __future__ import annotations

import pkgutil
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from fractions import Fraction

    import polars as pl
    from numpy.typing import NDArray

    from shoal.table.schema import Schema

    Judged = tuple[NDArray[np.bool_], NDArray[np.float64]]
    Figures = Callable[[NDArray[np.int64]], Judged]
    Prepare = Callable[[Sequence[Fraction], "JudgedColumn"], Figures]
    Decide = Callable[[Sequence[Fraction], "JudgedRelease"], tuple[bool, str]]

# Figures with logarithms and shares are rounded; a smaller difference than this is none.
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class JudgedColumn:
    """A sensitive column, as judges see it.

    Parameters
    ----------
    name
        The column.
    original
        Its values in the original, without records that were set aside.
    codes
        For each of these its code; codes of values that only the release holds come in between.
    size
        Number of codes; a class is judged by how often it holds each.
    schema
        What is known about its values.
    """

    name: str
    original: pl.Series
    codes: NDArray[np.int64]
    size: int
    schema: Schema

    @property
    def shares(self) -> NDArray[np.float64]:
        """The share of each value in the original."""
        return np.bincount(self.codes, minlength=self.size) / len(self.codes)


@dataclass(frozen=True, slots=True)
class Judge:
    """How one privacy model is judged.

    Parameters
    ----------
    name
        The model.
    figure
        A description of what is computed for every class.
    lower_is_better
        Whether a class with a larger figure is weaker.
    numbers
        How many numbers the model takes.
    prepare
        Returns, for the numbers and the column, the function that judges tables of counts: one row
        per class, one column per code.
    """

    name: str
    figure: str
    lower_is_better: bool
    numbers: int
    prepare: Prepare


@dataclass(frozen=True, slots=True)
class JudgedRelease:
    """A release as a whole, as judges see it.

    Parameters
    ----------
    sizes
        Records of each group of equal cells; starred records are one.
    people
        For each group the people of the population whom its cells cover, where one is given.
    covered
        For each person of the population by how many groups they are covered.
    fraction
        The share of the population that the original is a sample of, where it is given.
    """

    sizes: NDArray[np.int64]
    people: NDArray[np.int64] | None = None
    covered: NDArray[np.int64] | None = None
    fraction: float | None = None


@dataclass(frozen=True, slots=True)
class ReleaseJudge:
    """How a condition on a release as a whole is judged.

    Parameters
    ----------
    name, numbers
        As of :class:`Judge`.
    needs
        What must be given for it: ``population``, ``sampling_fraction`` or nothing.
    decide
        Returns, for the numbers and the release, whether it meets the model, and what it reaches,
        in words.
    """

    name: str
    numbers: int
    needs: str
    decide: Decide


_judges: dict[str, Judge | ReleaseJudge] = {}


def judge(
    name: str, *, figure: str, lower_is_better: bool = False, numbers: int = 1
) -> Callable[[Prepare], Prepare]:
    """Register the judge of a privacy model."""

    def register(prepare: Prepare) -> Prepare:
        _judges[name] = Judge(name, figure, lower_is_better, numbers, prepare)
        return prepare

    return register


def release_judge(name: str, *, numbers: int = 1, needs: str = "") -> Callable[[Decide], Decide]:
    """Register the judge of a condition on releases as a whole."""

    def register(decide: Decide) -> Decide:
        _judges[name] = ReleaseJudge(name, numbers, needs, decide)
        return decide

    return register


def judges() -> dict[str, Judge | ReleaseJudge]:
    """Return all judges by the name of their model."""
    _load_all()
    return dict(sorted(_judges.items()))


@cache
def _load_all() -> None:
    package = import_module("shoal.verifier.judges")
    for module in pkgutil.iter_modules(package.__path__, "shoal.verifier.judges."):
        import_module(module.name)


def find_judge(name: str) -> Judge | ReleaseJudge:
    """Return the judge of a model.

    Raises
    ------
    ParameterError
        If the verifier does not know the model.
    """
    known = judges()
    if name not in known:
        raise ParameterError(
            f"The verifier does not know the privacy model {name!r}.",
            remedy=f"There are: {', '.join(known)}.",
        )
    return known[name]
