"""Privacy models as users give them: ``NAME:VALUE[@column]``, or the objects of this package."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from shoal.errors import ParameterError, did_you_mean, nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.models.model import PrivacyModel
    from shoal.models.registry import Definition
    from shoal.models.release_model import ReleaseModel

_DECIMAL = re.compile(r"\d{1,9}(\.\d{1,15})?|\.\d{1,15}")


def parse_models(
    wanted: Sequence[str | PrivacyModel], sensitive: Sequence[str]
) -> list[PrivacyModel]:
    """Return the requested models; one without a column applies to every sensitive column.

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
        text = str(one).strip()
        if _definition_of(text).whole_release:
            raise ParameterError(
                f"{text} is a condition on the release as a whole, which cannot be kept here.",
                remedy="Leave it out.",
            )
        for column in _columns(text, sensitive):
            model = replace(cast("PrivacyModel", _parse(text)), column=column)  # type: ignore[type-var]
            found[str(model)] = model
    return list(found.values())


def split_models(
    wanted: Sequence[str | PrivacyModel | ReleaseModel],
) -> tuple[list[str], list[ReleaseModel]]:
    """Return the models of classes, as texts, and those of the release as a whole.

    Raises
    ------
    ParameterError
        If a model is unknown, or one of the release as a whole cannot be read.

    Examples
    --------
    >>> of_classes, whole = split_models(["distinct-l-diversity:2", "average-risk:0.1"])
    >>> of_classes, [str(model) for model in whole]
    (['distinct-l-diversity:2'], ['average-risk:0.1'])
    """
    texts = list(dict.fromkeys(str(one).strip() for one in wanted))
    whole = [text for text in texts if _definition_of(text).whole_release]
    for text in whole:
        if "@" in text:
            raise ParameterError(
                f"Model {text!r} names a column, but is a condition on the release as a whole.",
                remedy=f"Write {text.partition('@')[0]}.",
            )
    of_classes = [text for text in texts if text not in whole]
    return of_classes, [cast("ReleaseModel", _parse(text)) for text in whole]


def _definition_of(text: str) -> Definition:
    return _definition(text.partition(":")[0], text)


def _parse(text: str) -> object:
    definition = _definition_of(text)
    rest = text.partition(":")[2]
    parts = [part.strip() for part in rest.partition("@")[0].split(",")]
    if len(parts) != len(definition.parameters) or not all(map(_DECIMAL.fullmatch, parts)):
        letters = " and ".join(parameter.letter for parameter in definition.parameters)
        raise ParameterError(
            f"Model {text!r} does not specify {letters}.",
            remedy=f"Write it like {definition.example}"
            + ("." if definition.whole_release else f", or {definition.example}@COLUMN."),
        )
    numbers = [
        parameter.read(part, text, definition.example)
        for parameter, part in zip(definition.parameters, parts, strict=True)
    ]
    return definition.model(*([] if definition.whole_release else [None]), *numbers)


def _definition(name: str, text: str) -> Definition:
    # Imported here: most jobs have no model.
    from shoal.models.registry import definitions

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
        f"There is no privacy model {name!r} (in {text!r}).",
        remedy=did_you_mean(name, known),
    )


def _columns(text: str, sensitive: Sequence[str]) -> Sequence[str]:
    _, at, column = text.partition("@")
    if at and column in sensitive:
        return [column]
    if at:
        near = nearest(column, sensitive)
        raise ParameterError(
            f"Model {text!r} names {column!r}, which is not a sensitive column.",
            remedy=f"Did you mean {near!r}?" if near else "Name it with `sensitive` too.",
        )
    if not sensitive:
        raise ParameterError(
            f"Model {text!r} protects sensitive columns, but there are none.",
            remedy="Name the columns worth protecting with `sensitive`.",
        )
    return sensitive
