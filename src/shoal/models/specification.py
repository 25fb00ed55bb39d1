"""Privacy models as users give them: ``NAME:VALUE[@column]``, or the objects of this package."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from shoal.errors import ParameterError, did_you_mean, nearest
from shoal.models.registry import definitions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.models.model import PrivacyModel
    from shoal.models.registry import Definition

_DECIMAL = re.compile(r"\d{1,9}(\.\d{1,15})?|\.\d{1,15}")


def parse_models(
    wanted: Sequence[str | PrivacyModel], sensitive: Sequence[str]
) -> list[PrivacyModel]:
    """Return the models asked for; one without a column applies to every sensitive column.

    Raises
    ------
    ParameterError
        If a model is unknown, its numbers are missing or out of range, or its column is not
        sensitive.

    Examples
    --------
    >>> [str(model) for model in parse_models(["distinct-l-diversity:2"], ["disease"])]
    ['distinct-l-diversity:2@disease']
    """
    found: dict[str, PrivacyModel] = {}
    for one in wanted:
        word = str(one).strip()
        for column in _columns(word, sensitive):
            model = replace(cast("PrivacyModel", _parse(word)), column=column)  # type: ignore[type-var]
            found[str(model)] = model
    return list(found.values())


def _parse(word: str) -> object:
    name, _, rest = word.partition(":")
    definition = _definition(name, word)
    parts = [part.strip() for part in rest.partition("@")[0].split(",")]
    if len(parts) != len(definition.parameters) or not all(map(_DECIMAL.fullmatch, parts)):
        letters = " and ".join(parameter.letter for parameter in definition.parameters)
        raise ParameterError(
            f"Model {word!r} does not say {letters}.",
            remedy=f"Write it like {definition.example}, or {definition.example}@COLUMN.",
        )
    numbers = [
        parameter.read(part, word, definition.example)
        for parameter, part in zip(definition.parameters, parts, strict=True)
    ]
    return definition.model(None, *numbers)


def _definition(name: str, word: str) -> Definition:
    known = definitions()
    if name in known:
        return known[name]
    for one in known.values():
        if name in one.aliases:
            instead = one.aliases[name]
            raise ParameterError(
                f"{name} is called {one.name} here.",
                remedy=f"Write {one.example}" + (f", {instead}." if instead else "."),
            )
    raise ParameterError(
        f"There is no privacy model {name!r} (in {word!r}).",
        remedy=did_you_mean(name, known),
    )


def _columns(word: str, sensitive: Sequence[str]) -> Sequence[str]:
    _, at, column = word.partition("@")
    if at and column in sensitive:
        return [column]
    if at:
        near = nearest(column, sensitive)
        raise ParameterError(
            f"Model {word!r} names {column!r}, which is not a sensitive column.",
            remedy=f"Did you mean {near!r}?" if near else "Name it with `sensitive` too.",
        )
    if not sensitive:
        raise ParameterError(
            f"Model {word!r} protects sensitive columns, but there is none.",
            remedy="Name the columns worth protecting with `sensitive`.",
        )
    return sensitive
