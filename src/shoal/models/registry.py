"""The registry of privacy models: one file per model, known by its name or by an alias.

The class of a model, under :func:`privacy_model`, is all that this side of the verifier needs: how
it is written, what it takes, what it requires of a class and how it is kept. The verifier has a
judge of its own for each name, in ``shoal.verifier.judges``.

Each file spells out the fields, the constructor and the methods of its model, although several
models share some of them: whoever adds one reads and copies one file, and a change to one model
cannot change another.
"""

from __future__ import annotations

import pkgutil
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

from shoal.errors import ParameterError
from shoal.models.rounding import exact, plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from shoal.models.rounding import Number

_Class = TypeVar("_Class")
_MANY = Fraction(10**9)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number that a model takes.

    Parameters
    ----------
    letter
        Its name, also the field of the class.
    lowest, highest
        Its limits.
    whole
        Whether it is a whole number.
    """

    letter: str
    lowest: Fraction
    highest: Fraction = _MANY
    whole: bool = False

    def read(self, value: Number, model: str, example: str) -> Fraction:
        """Return a value of the parameter, or raise ``ParameterError`` if it is out of range."""
        number = exact(value)
        remedy = f"Write it like {example}."
        if number is None:
            raise ParameterError(f"Model {model!r}: {self.letter} is not a number.", remedy=remedy)
        if not self.lowest <= number <= self.highest:
            limit = (
                f"between {self.lowest} and {self.highest}"
                if self.highest == 1
                else f"at least {float(self.lowest):g}"
            )
            raise ParameterError(f"Model {model!r}: {self.letter} must be {limit}.", remedy=remedy)
        if self.whole and number.denominator != 1:
            raise ParameterError(f"Model {model!r}: {self.letter} must be whole.", remedy=remedy)
        return number


@dataclass(frozen=True, slots=True)
class Definition:
    """What is known of a privacy model.

    Parameters
    ----------
    name
        What users write.
    model
        Its class.
    parameters
        The numbers it takes, in order.
    example
        How it is written.
    meaning
        What it requires of every class, in one sentence.
    aliases
        Other names for it, each with a note on what it takes instead; ``""`` for the same.
    whole_release
        Whether it is a condition on the release as a whole, not on every class.
    """

    name: str
    model: type
    parameters: tuple[Parameter, ...]
    example: str
    meaning: str
    aliases: dict[str, str]
    whole_release: bool = False


_registry: dict[str, Definition] = {}


def privacy_model(
    name: str,
    *,
    parameters: tuple[Parameter, ...],
    example: str,
    meaning: str,
    aliases: dict[str, str] | None = None,
    whole_release: bool = False,
) -> Callable[[type[_Class]], type[_Class]]:
    """Register a class as a privacy model.

    The class has the fields ``column`` and one per parameter, in this order, and follows
    :class:`shoal.models.model.Model`. One of whole releases has no column, and follows
    :class:`shoal.models.release_model.ReleaseModel`.
    """

    def register(cls: type[_Class]) -> type[_Class]:
        shown = f"{name}:{example}"
        made = Definition(name, cls, parameters, shown, meaning, aliases or {}, whole_release)
        known = _registry.setdefault(name, made)
        if known.model.__module__ != cls.__module__:
            raise ParameterError(f"Two privacy models are called {name!r}.")
        _registry[name] = made
        return cls

    return register


def definitions() -> dict[str, Definition]:
    """Return all privacy models by name."""
    _load_all()
    return dict(sorted(_registry.items()))


@cache
def _load_all() -> None:
    package = import_module("shoal.models")
    for module in pkgutil.iter_modules(package.__path__, "shoal.models."):
        import_module(module.name)


def definition_of(model: object) -> Definition:
    """Return the definition of a model."""
    return next(one for one in _registry.values() if type(model) is one.model)


def settle(model: object, column: str | None, *numbers: Number) -> None:
    """Set the fields of a model to checked, exact values."""
    definition = definition_of(model)
    spelled = f"{definition.name}:{','.join(map(str, numbers))}"
    if not definition.whole_release:
        object.__setattr__(model, "column", column)
    for parameter, number in zip(definition.parameters, numbers, strict=True):
        value = parameter.read(number, spelled, definition.example)
        object.__setattr__(model, parameter.letter, int(value) if parameter.whole else value)


def spell(model: object) -> str:
    """Return a model as users write it: ``NAME:VALUE[@column]``."""
    definition = definition_of(model)
    numbers = [
        plain(Fraction(getattr(model, parameter.letter))) for parameter in definition.parameters
    ]
    column = getattr(model, "column", None)
    return f"{definition.name}:{','.join(numbers)}" + (f"@{column}" if column else "")
