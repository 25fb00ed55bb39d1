"""Options as flags: command lines to paste into a shell, and messages that name options."""

from __future__ import annotations

import ast
import re
import shlex
from functools import cache
from typing import TYPE_CHECKING, Any

from shoal.cli.flag_values import flag_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.options import Job

# As :func:`shoal.errors.option` writes it; other words in backticks stay as they are.
_OPTION = re.compile(r"`(?P<name>[a-z][a-z_]*)(?:=(?P<value>[^`]+))?`")
_FURTHER = ("force", "if_exists", "resume", "rows")


def command(verb: str, *arguments: str) -> str:
    """Return a command line of Shoal."""
    return shlex.join(["shoal", verb, *arguments])


def with_flags(text: str) -> str:
    """Return a message of the library with its options shown as flags.

    >>> with_flags("Leave `set_loss` out, or add `kind={'zip': 'categorical'}`.")
    'Leave --set-loss out, or add --kind zip=categorical.'
    """
    return _OPTION.sub(_as_flag, text)


def _as_flag(found: re.Match[str]) -> str:
    name, value = found["name"], found["value"]
    if not _is_option(name):
        return found[0]
    if value is None:
        return flag_of(name)
    try:
        return shlex.join(flags_of_options({name: ast.literal_eval(value)}))
    except (SyntaxError, ValueError):
        return found[0]


def _is_option(name: str) -> bool:
    from shoal.options import Job

    # Those of other verbs are looked up last, since they have to be loaded.
    return name in _FURTHER or name in Job.model_fields or name in _options_of_verbs()


@cache
def _options_of_verbs() -> frozenset[str]:
    from shoal.options.verbs import VERBS, models_of

    models = {model for verb in VERBS for model in models_of(verb)}
    return frozenset().union(*(model.model_fields for model in models))


def flags_of_job(job: Job, names: Sequence[str]) -> list[str]:
    """Return the flags that set these options of a job."""
    options = job.to_dict()
    return flags_of_options({name: options[name] for name in names if name in options})


def flags_of_options(options: Mapping[str, Any]) -> list[str]:
    """Return the flags that set these options."""
    return [part for name, value in options.items() for part in _flags(flag_of(name), value)]


def _flags(flag: str, value: Any) -> list[str]:
    if isinstance(value, dict):
        # Repeated, because formats and orders hold commas of their own.
        parts = []
        for name, one in value.items():
            shown = _listed(one) if isinstance(one, list) else _value(flag, one)
            column = _escaped(name).replace("=", r"\=")
            parts += [flag, f"{column}={shown}"]
        return parts
    if flag in {"--model", "--personal-k"}:
        # Repeated, because a model or a rule may hold a comma of its own.
        return [part for one in value for part in (flag, str(one))]
    if isinstance(value, list | tuple):
        return [flag, _listed(value)] if value else []
    return [flag] if value is True else [flag, str(value)]


def _value(flag: str, value: Any) -> str:
    plain = f"{value:g}" if isinstance(value, float) else str(value)
    return plain if flag in ("--date-format", "--param") else _escaped(plain)


def _listed(names: Sequence[Any]) -> str:
    return ",".join(_escaped(str(name)) for name in names)


def _escaped(name: str) -> str:
    return name.replace(",", r"\,")
