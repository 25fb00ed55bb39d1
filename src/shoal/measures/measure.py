"""The protocol of measures, what they look at, and the registry that knows them all."""

from __future__ import annotations

import pkgutil
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from shoal.encoding.domain import Domain
    from shoal.encoding.recoding import Recoding


@dataclass(frozen=True, slots=True, eq=False)
class Released:
    """A release as measures see it: closures beside the table they were made from.

    A record that shows nothing counts as suppressed, whether it was withheld, starred, or lies in
    a class whose every cell is ``*``: the reader of the release cannot tell these apart.

    Parameters
    ----------
    domains, weights
        The attributes of the original table.
    recoding
        What the released records show.
    n
        Number of records of the original table.
    k
        The k that was aimed at.
    """

    domains: tuple[Domain, ...]
    weights: tuple[float, ...]
    recoding: Recoding
    n: int
    k: int

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Records of each unit that shows something."""
        return self.recoding.sizes[~self.blank]

    @property
    def blank(self) -> NDArray[np.bool_]:
        """Which units show nothing."""
        return self.recoding.blank(self.domains)

    @property
    def suppressed(self) -> int:
        """Number of records that show nothing."""
        return self.n - int(self.sizes.sum())

    def mean(self, attribute: int, of_closure: NDArray[np.float64], if_suppressed: float) -> float:
        """Return the mean over all records of a figure of each closure of one attribute."""
        column = self.recoding.columns[attribute]
        shown = ~self.blank
        total = float(of_closure[column.index][shown] @ self.recoding.sizes[shown])
        return (total + if_suppressed * self.suppressed) / self.n


@dataclass(frozen=True, slots=True)
class Measure:
    """A number that says something about a release.

    Parameters
    ----------
    name
        Its key in the facts.
    meaning
        What it says, in a sentence for a data custodian.
    evaluate
        Computes it.
    """

    name: str
    meaning: str
    evaluate: Callable[[Released], float]


_registry: dict[str, Measure] = {}


def measure(
    name: str, meaning: str
) -> Callable[[Callable[[Released], float]], Callable[[Released], float]]:
    """Register a function of a release as a measure."""

    def register(evaluate: Callable[[Released], float]) -> Callable[[Released], float]:
        _registry[name] = Measure(name, meaning, evaluate)
        return evaluate

    return register


@cache
def measures() -> dict[str, Measure]:
    """Return all measures by name."""
    package = import_module("shoal.measures")
    for module in pkgutil.iter_modules(package.__path__, "shoal.measures."):
        import_module(module.name)
    return dict(_registry)


def evaluate(released: Released) -> dict[str, float]:
    """Return every measure of a release: the one evaluator, whichever algorithm made it."""
    return {name: float(one.evaluate(released)) for name, one in measures().items()}
