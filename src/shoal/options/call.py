"""How public functions take their options: spelled out, and all mistakes reported at once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, NamedTuple, ParamSpec, TypeVar, cast

from shoal.errors import ParameterError, raise_together
from shoal.options.checked import CheckedOptions, missing, unknown, with_first_names
from shoal.options.job import Job
from shoal.options.option import help_of
from shoal.options.verbs import models_of

_P = ParamSpec("_P")
_R = TypeVar("_R")
# A release in two tables and a hierarchy are not described by a job.
_OF_JOBS = (
    "anonymize", "verify", "report", "compare", "plan", "measure", "bound", "utility", "risk",
)  # fmt: skip
_Own = TypeVar("_Own", bound=CheckedOptions)
_Further = Callable[[Mapping[str, Any]], list[ParameterError]]


class Options(NamedTuple):
    """The options of a call, validated.

    Parameters
    ----------
    job
        Those that describe a release.
    own
        Those of the function alone.
    """

    job: Job
    own: CheckedOptions | None


def takes_options(
    verb: str, further: _Further | None = None
) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Let a function report unknown and missing options together with all other mistakes.

    A job may be splatted into a function that uses only some of its options.

    Parameters
    ----------
    verb
        The verb whose options it takes.
    further
        Finds mistakes in the combination of options that are valid by themselves.
    """

    def give(function: Callable[_P, _R]) -> Callable[_P, _R]:
        parameters = inspect.signature(function).parameters
        needed = [
            name
            for name, one in parameters.items()
            if one.kind is one.KEYWORD_ONLY and one.default is one.empty
        ]
        ignored = Job.model_fields.keys() - parameters.keys() if verb in _OF_JOBS else set()

        @wraps(function)
        def checked(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            named = with_first_names(kwargs)
            given = {name: value for name, value in named.items() if name not in ignored}
            if any(name not in parameters for name in given) or any(
                name not in given for name in needed
            ):
                _refuse(verb, given, set(parameters), needed, further)
            return function(*args, **cast("Any", given))

        return checked

    return give


def _refuse(
    verb: str,
    given: dict[str, Any],
    taken: set[str],
    needed: list[str],
    further: _Further | None,
) -> None:
    """Raise what is wrong with the names of options, and with their values."""
    known = {name: meaning for model in models_of(verb) for name, meaning in help_of(model).items()}
    mistakes = [missing(name, known) for name in needed if name not in given]
    shown = {name: meaning for name, meaning in known.items() if name in taken}
    mistakes += [unknown(name, shown) for name in given if name not in taken]
    mistakes += wrong_values(verb, given)
    raise_together([*mistakes, *(further(given) if further else ())])


def wrong_values(verb: str, given: Mapping[str, Any]) -> list[ParameterError]:
    """Return what is wrong with the values of options, whether or not required ones are missing."""
    required = {"k": 2, "l": 2, "quasi": ()}
    try:
        _validated(verb, {**required, **with_first_names(given)})
    except ParameterError as error:
        return list(error.mistakes or (error,))
    return []


def read_options(
    verb: str,
    arguments: Mapping[str, Any],
    *,
    beneath: Mapping[str, Any] | None = None,
    further: _Further | None = None,
) -> Options:
    """Return the validated options of a function.

    Parameters
    ----------
    verb
        The verb whose options it takes.
    arguments
        Its arguments; those that are ``None``, or no options, do not count.
    beneath
        Options that apply where the arguments set none; mappings apply column by column.
    further
        Finds mistakes in the combination of options that are valid by themselves.

    Raises
    ------
    ParameterError
        If options are wrong; all of them are named.
    """
    given = with_first_names(beneath or {})
    for name, value in with_first_names(arguments).items():
        both = isinstance(value, Mapping) and isinstance(given.get(name), Mapping)
        given[name] = {**given[name], **value} if both else value
    try:
        made = _validated(verb, given)
    except ParameterError as error:
        raise_together([*(error.mistakes or (error,)), *(further(given) if further else ())])
        raise
    own = [made[model] for model in made if model is not Job]
    return Options(made[Job], own[0] if own else None)


def read_own(model: type[_Own], arguments: Mapping[str, Any]) -> _Own:
    """Return the options of one model among the arguments of a function."""
    return model(**{name: arguments[name] for name in model.model_fields})


def _validated(verb: str, given: Mapping[str, Any]) -> dict[type[CheckedOptions], Any]:
    """Return the options of a verb, model by model."""
    mistakes: list[ParameterError] = []
    made: dict[type[CheckedOptions], Any] = {}
    for model in models_of(verb):
        options = {name: given[name] for name in model.model_fields if name in given}
        try:
            made[model] = model(**options)
        except ParameterError as error:
            mistakes += error.mistakes or (error,)
    raise_together(mistakes)
    return made
