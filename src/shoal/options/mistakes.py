"""What is wrong with the options of a call: every mistake, each with its remedy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.errors import ParameterError, did_you_mean, option

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pydantic import ValidationError

OTHER_NAMES = {"goal": "measure", "model": "models"}
"""Names that some places use for an option, and its name in Python."""


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
        if named.setdefault(name, value) != value:
            raise ParameterError(
                f"{option(name)} and {given!r} are one option, but have different values.",
                remedy="Give one of them.",
            )
    return named


def mistakes_of(error: ValidationError, help_of: Mapping[str, str]) -> Iterator[ParameterError]:
    """Yield what pydantic found, in the words of Shoal.

    Parameters
    ----------
    error
        What pydantic raised.
    help_of
        The known options, and what each means.
    """
    for found in error.errors():
        name = str(found["loc"][0])
        inside = "".join(f" of {part!r}" for part in found["loc"][1:2] if isinstance(part, str))
        known = help_of.get(name, "")
        what, raised = found["msg"], found.get("ctx", {}).get("error")
        if found["type"] == "extra_forbidden":
            yield ParameterError(
                f"There is no option {name!r}.", remedy=did_you_mean(name, help_of)
            )
        elif found["type"] == "missing":
            yield ParameterError(f"{option(name)} is missing.", remedy=known)
        elif isinstance(raised, ParameterError):
            yield ParameterError(f"{option(name)}{inside}: {raised.what}", remedy=raised.remedy)
        else:
            what = what.removeprefix("Input ").removeprefix("Value error, ")
            yield ParameterError(f"{option(name)}{inside} {what}.", remedy=known)


def raise_together(mistakes: Sequence[ParameterError]) -> None:
    """Raise one error for all mistakes, if there are any."""
    if len(mistakes) == 1:
        raise mistakes[0]
    if mistakes:
        listed = "\n".join(f"- {mistake}" for mistake in mistakes)
        raise ParameterError(f"{len(mistakes)} options cannot be used:\n{listed}")
