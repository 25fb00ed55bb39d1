"""How the values of options may be written: names between commas, objects in the place of texts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from os import PathLike, fspath
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from shoal.errors import ParameterError
from shoal.hierarchies.recipe import Recipe, as_file

Form = Literal[
    "classes", "hierarchy", "full-domain", "freeform", "concealment", "(k,k)", "(k,1)", "(1,k)"
]
"""What a release looks like, or what it guarantees."""

Limit = float | str | date
"""Lowest or highest permissible value of a column."""


def _listed(value: object) -> object:
    """Read one name, or several between commas, as a list of names."""
    return [part.strip() for part in value.split(",")] if isinstance(value, str) else value


def _one_or_several(value: object) -> object:
    """Read one text as a list of one; it may hold commas."""
    return [value] if isinstance(value, str) else value


def _listed_models(value: object) -> object:
    """Read one model, or several between commas; a comma before a number belongs to its model.

    Models that are objects are read as their texts.
    """
    if isinstance(value, str):
        return re.split(r"\s*,\s*(?=[a-z])", value)
    if isinstance(value, Iterable):
        return [str(one) if hasattr(one, "holds") else one for one in value]
    return value


def _as_text(value: object) -> object:
    """Read a hierarchy, a recipe or a path as a job file writes it."""
    if isinstance(value, str):
        return value
    if isinstance(value, Recipe):
        return str(value)
    if isinstance(value, PathLike):
        return as_file(fspath(value))
    # Imported here: many tables have no hierarchy.
    from shoal.hierarchies import Hierarchy, tree_text

    return tree_text(value) if isinstance(value, Hierarchy) else value


def _as_range(value: object) -> object:
    """Read a pair of values as ``low:high``."""
    if isinstance(value, tuple | list) and len(value) == 2:
        return f"{value[0]}:{value[1]}"
    return value


def _as_line(value: object) -> object:
    """Read the number of a line as its text."""
    return str(value) if type(value) is int else value


def with_name_of_algorithm(options: dict[str, Any]) -> dict[str, Any]:
    """Return options with an algorithm that is an object as its name and its parameters."""
    chosen = options.get("algorithm")
    if chosen is None or isinstance(chosen, str) or not hasattr(chosen, "traits"):
        return options
    if options.get("param"):
        raise ParameterError(
            "The parameters of an algorithm are given twice: in the object, and as `param`.",
            remedy="Give them to the object alone.",
        )
    changed = {
        name: getattr(chosen, name)
        for name, info in chosen.__pydantic_fields__.items()
        if getattr(chosen, name) != info.default
    }
    return {**options, "algorithm": chosen.name, "param": changed}


def with_special_columns(options: dict[str, Any]) -> dict[str, Any]:
    """Return options in which the special values of a quasi-identifier are one, too.

    They reveal as much about a person as the numbers do.
    """
    quasi, declared = _names(options.get("quasi")), _names(options.get("special_values"))
    if not quasi or not declared:
        return options
    from shoal.io.missing_codes import special_codes, special_column

    named = list(quasi)
    for name in special_codes(declared):
        if name in named and special_column(name) not in named:
            named.insert(named.index(name) + 1, special_column(name))
    if options.get("missing") == "drop":
        raise ParameterError(
            "`special_values` and `missing='drop'` contradict each other: every record lacks "
            "either a number or a special value.",
            remedy="Declare the codes with `null_values`, or leave `missing='drop'` out.",
        )
    return {**options, "quasi": named}


def _names(value: object) -> list[str]:
    """Return a list of names as a user may give it; pydantic rejects anything else."""
    listed = _listed(value)
    if not isinstance(listed, Iterable):
        return []
    names = list(listed)
    return names if all(isinstance(name, str) for name in names) else []


Names = Annotated[tuple[str, ...], BeforeValidator(_listed)]
Rules = Annotated[tuple[str, ...], BeforeValidator(_one_or_several)]
Models = Annotated[tuple[str, ...], BeforeValidator(_listed_models)]
HierarchyText = Annotated[str, BeforeValidator(_as_text)]
RangeText = Annotated[str, BeforeValidator(_as_range)]
Line = Annotated[str, BeforeValidator(_as_line)]
