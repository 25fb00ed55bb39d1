"""Options whose mistakes are reported in the terms of Shoal, all at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, ValidationError

from shoal.errors import ParameterError, did_you_mean, option, raise_together
from shoal.options.option import help_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_OF_TEXTS = frozenset({"literal_error", "int_parsing", "float_parsing"})
OTHER_NAMES = {"goal": "measure", "model": "models"}
"""Names that some places use for an option, and its name in Python."""


class CheckedOptions(BaseModel):
    """Options as fields, validated when they are set.

    Raises
    ------
    ParameterError
        If options are unknown, missing or out of range; all of them are named.
    """

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        allow_inf_nan=False,
        validate_by_name=True,
        loc_by_alias=False,
        defer_build=True,  # most commands use one of the models
    )

    def __init__(self, **options: Any) -> None:
        try:
            super().__init__(**with_first_names(options))
        except ValidationError as error:
            raise_together(list(_mistakes(error, help_of(type(self)))))


def with_first_names(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options by their names in Python; those that are ``None`` are not set.

    Raises
    ------
    ParameterError
        If an option is given under two names, with different values.
    """
    named: dict[str, Any] = {}
    for given, value in options.items():
        name = OTHER_NAMES.get(given, given)
        if value is None:
            continue
        if name in named and named[name] != value:
            names = [name, *(other for other, first in OTHER_NAMES.items() if first == name)]
            raise ParameterError(
                f"{option(name)} is given twice, with different values.",
                remedy=f"Give one of {' and '.join(map(repr, names))}: they are the same option.",
            )
        named[name] = value
    return named


def _mistakes(error: ValidationError, known: Mapping[str, str]) -> Iterator[ParameterError]:
    """Yield what pydantic found, in the terms of Shoal."""
    for found in error.errors():
        name = str(found["loc"][0])
        inside = "".join(f" of {part!r}" for part in found["loc"][1:2] if isinstance(part, str))
        if found["type"] == "extra_forbidden":
            yield unknown(name, known)
        elif found["type"] == "missing":
            yield missing(name, known)
        else:
            what = found["msg"].removeprefix("Input ").removeprefix("Value error, ")
            what = what.partition(", unable to parse")[0]
            if found["type"] in _OF_TEXTS:
                what += f", not {found['input']!r}"
            yield ParameterError(f"{option(name)}{inside} {what}.", remedy=known[name])


def unknown(name: str, known: Mapping[str, str]) -> ParameterError:
    """Return the mistake of an option that does not exist."""
    return ParameterError(f"There is no option {name!r}.", remedy=did_you_mean(name, known))


def missing(name: str, known: Mapping[str, str]) -> ParameterError:
    """Return the mistake of an option that is not set; what it means is the remedy."""
    return ParameterError(f"{option(name)} is missing.", remedy=known.get(name, ""))
