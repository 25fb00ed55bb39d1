"""The protocol of measures, and the registry and evaluator that know them all."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING

from shoal.errors import ParameterError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from shoal.measures.released import Released


@dataclass(frozen=True, slots=True)
class Weight:
    """The number that a measure takes after a colon, as in ``wmi:0.25``; it lies in [0, 1]."""

    name: str
    default: float

    def read(self, number: str, text: str) -> float:
        """Return the number a user wrote.

        Raises
        ------
        ParameterError
            If it is not a number, or out of range.
        """
        try:
            value = float(number)
        except ValueError:
            value = -1.0
        if not 0 <= value <= 1:
            raise ParameterError(
                f"Measure {text!r}: {self.name} is not a number between 0 and 1.",
                remedy=f"Write {text.partition(':')[0]}:{self.default}.",
            )
        return value


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure that describes a release.

    Parameters
    ----------
    name
        Its key in the facts.
    meaning
        What it means, in a sentence for a data custodian.
    evaluate
        Computes it.
    target
        Whether it needs a target column; without one it is left out.
    weight
        The number it takes, if any.
    classes
        Whether it is about classes of records that look the same; where a release guarantees none,
        it is left out.
    higher_is_better
        Whether more of it is better, so that it is not a loss to minimize.
    original
        Whether it reads the exact values of the original. Such a figure reveals more than the
        release, so it stays with the custodian.
    """

    name: str
    meaning: str
    evaluate: Callable[..., float]
    target: bool = False
    weight: Weight | None = None
    classes: bool = False
    higher_is_better: bool = False
    original: bool = False


_registry: dict[str, Measure] = {}


def measure(
    name: str,
    meaning: str,
    *,
    target: bool = False,
    weight: Weight | None = None,
    classes: bool = False,
    higher_is_better: bool = False,
    original: bool = False,
) -> Callable[[Callable[..., float]], Callable[..., float]]:
    """Register a function of a release (and of its weight, if it takes one) as a measure."""

    def register(evaluate: Callable[..., float]) -> Callable[..., float]:
        _registry[name] = Measure(
            name, meaning, evaluate, target, weight, classes, higher_is_better, original
        )
        return evaluate

    return register


@cache
def measures() -> dict[str, Measure]:
    """Return all measures by name."""
    package = import_module("shoal.measures")
    for module in pkgutil.iter_modules(package.__path__, "shoal.measures."):
        import_module(module.name)
    return dict(_registry)


def find_measure(text: str) -> Measure:
    """Return the measure that a text means: a name, or a name and its number, ``wmi:0.25``.

    Raises
    ------
    ParameterError
        If there is none, or it does not take that number; the nearest names are suggested.
    """
    name, colon, number = text.partition(":")
    known = measures()
    if name not in known:
        raise ParameterError(f"There is no measure {name!r}.", remedy=did_you_mean(name, known))
    found = known[name]
    if not colon:
        return found
    if found.weight is None:
        raise ParameterError(f"Measure {name!r} takes no number.", remedy=f"Write {name}.")
    weight = found.weight.read(number, text)
    return replace(found, name=text, evaluate=partial(found.evaluate, weight=weight), weight=None)


class Measures(Mapping[str, float]):
    """Every measure of a release, each computed when it is first read.

    Most callers read one of them, and some take long. A copy is a plain dictionary.

    Parameters
    ----------
    released
        The release.
    further
        Further measures to report, such as ``wmi:0.25``; see :func:`find_measure`.
    of_release_alone
        Whether to leave out the measures that read the exact values of the original.

    Measures that need a target column are left out when the release has none, and those of
    classes when it guarantees none: records that look alike by accident are not a class.
    """

    def __init__(
        self, released: Released, further: Iterable[str] = (), *, of_release_alone: bool = False
    ) -> None:
        known = {**measures(), **{text: find_measure(text) for text in further}}
        self._released = released
        self._computed: dict[str, float] = {}
        self._known = {
            name: one
            for name, one in known.items()
            if (released.target is not None or not one.target)
            and (released.in_classes or not one.classes)
            and not (of_release_alone and one.original)
        }

    def __getitem__(self, name: str) -> float:
        if name not in self._computed:
            self._computed[name] = float(self._known[name].evaluate(self._released))
        return self._computed[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def __repr__(self) -> str:
        return repr(dict(self))

    def __reduce__(self) -> tuple[type[dict[str, float]], tuple[dict[str, float]]]:
        return dict, (dict(self),)
