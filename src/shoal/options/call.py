"""How public functions take their options: spelled out, and all mistakes reported at once."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeVar, cast

from shoal.errors import ParameterError, raise_together
from shoal.hierarchies.tree import Hierarchy
from shoal.options.checked import CheckedOptions, missing, unknown, with_first_names
from shoal.options.job import Job
from shoal.options.option import help_of
from shoal.options.verbs import models_of

if TYPE_CHECKING:
    from collections.abc import Callable

_P = ParamSpec("_P")
_R = TypeVar("_R")
# A release in two tables and a hierarchy are not described by a job.
_OF_JOBS = ("anonymize", "verify", "measure", "bound", "utility", "risk")
_Own = TypeVar("_Own", bound=CheckedOptions)


class Options(NamedTuple):
    """The options of a call, validated.

    Parameters
    ----------
    job
        Those that describe a release.
    trees
        Hierarchies that were given as objects; a job names files and recipes.
    own
        Those of the function alone.
    """

    job: Job
    trees: dict[str, Hierarchy]
    own: CheckedOptions | None


def takes_options(verb: str) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Let a function report unknown and missing options with all else that is wrong.

    A job may be splatted into a function that uses only some of its options.
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
                _refuse(verb, given, set(parameters), needed)
            return function(*args, **cast("Any", given))

        return checked

    return give


def _refuse(verb: str, given: dict[str, Any], taken: set[str], needed: list[str]) -> None:
    """Raise what is wrong with the names of options, and with their values."""
    known = {name: told for model in models_of(verb) for name, told in help_of(model).items()}
    mistakes = [missing(name, known) for name in needed if name not in given]
    shown = {name: told for name, told in known.items() if name in taken}
    mistakes += [unknown(name, shown) for name in given if name not in taken]
    try:
        fillers = {name: 2 if name in ("k", "l") else () for name in needed}
        _validated(verb, {**fillers, **given})
    except ParameterError as error:
        mistakes += error.mistakes or (error,)
    raise_together(mistakes)


def read_options(
    verb: str, arguments: Mapping[str, Any], *, beneath: Mapping[str, Any] | None = None
) -> Options:
    """Return the validated options of a function.

    Parameters
    ----------
    verb
        The verb whose options it takes.
    arguments
        Its arguments; those that are ``None``, or no options, do not count.
    beneath
        Options that hold where the arguments set none; mappings hold column by column.

    Raises
    ------
    ParameterError
        If options are wrong; all of them are named.
    """
    given = with_first_names(beneath or {})
    for name, value in with_first_names(arguments).items():
        both = isinstance(value, Mapping) and isinstance(given.get(name), Mapping)
        given[name] = {**given[name], **value} if both else value
    trees, given["hierarchy"] = _without_objects(given.get("hierarchy", {}))
    made = _validated(verb, given)
    own = [made[model] for model in made if model is not Job]
    return Options(made[Job], trees, own[0] if own else None)


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


def _without_objects(given: Any) -> tuple[dict[str, Hierarchy], Any]:
    """Return the hierarchies that are objects, and the rest of what was given."""
    if not hasattr(given, "items"):
        return {}, given
    trees = {column: tree for column, tree in given.items() if isinstance(tree, Hierarchy)}
    return trees, {column: tree for column, tree in given.items() if column not in trees}
