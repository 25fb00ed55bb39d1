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
        What is worked out for every class, in words.
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


_judges: dict[str, Judge] = {}


def judge(
    name: str, *, figure: str, lower_is_better: bool = False, numbers: int = 1
) -> Callable[[Prepare], Prepare]:
    """Register the judge of a privacy model."""

    def register(prepare: Prepare) -> Prepare:
        _judges[name] = Judge(name, figure, lower_is_better, numbers, prepare)
        return prepare

    return register


def judges() -> dict[str, Judge]:
    """Return all judges by the name of their model."""
    _load_all()
    return dict(sorted(_judges.items()))


@cache
def _load_all() -> None:
    package = import_module("shoal.verifier.judges")
    for module in pkgutil.iter_modules(package.__path__, "shoal.verifier.judges."):
        import_module(module.name)


def find_judge(name: str) -> Judge:
    """Return the judge of a model.

    Raises
    ------
    ParameterError
        If the verifier does not know the model.
    """
    known = judges()
    if name not in known:
        raise ParameterError(
            f"The verifier knows no privacy model {name!r}.",
            remedy=f"There are: {', '.join(known)}.",
        )
    return known[name]
