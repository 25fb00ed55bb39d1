"""Command lines to try next, spelled out so that they can be pasted into a shell."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from shoal.cli.words import flag_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.options import Job


def command(verb: str, *arguments: str) -> str:
    """Return a command line of Shoal."""
    return shlex.join(["shoal", verb, *arguments])


def flags_of_job(job: Job, words: Sequence[str]) -> list[str]:
    """Return the flags that give these words of a job."""
    told = job.model_dump(mode="json", exclude_defaults=True)
    return flags_of_words({word: told[word] for word in words if word in told})


def flags_of_words(words: Mapping[str, Any]) -> list[str]:
    """Return the flags that give these words."""
    return [part for word, value in words.items() for part in _flags(flag_of(word), value)]


def _flags(flag: str, value: Any) -> list[str]:
    if isinstance(value, dict):
        # Repeated, because formats and orders hold commas of their own.
        parts = []
        for name, one in value.items():
            told = _listed(one) if isinstance(one, list) else _value(flag, one)
            column = _escaped(name).replace("=", r"\=")
            parts += [flag, f"{column}={told}"]
        return parts
    if flag == "--model":
        # Repeated, because a model may hold a comma of its own.
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
