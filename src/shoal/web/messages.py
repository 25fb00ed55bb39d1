"""Messages of the library as pages show them: options by the labels of their fields."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup, escape

# As :func:`shoal.errors.option` writes it; other words in backticks stay as they are.
_OPTION = re.compile(r"`(?P<name>[a-z][a-z_]*)(?:=(?P<value>[^`]+))?`")
_CODE = re.compile(r"`([^`]+)`")
_LABELS = {
    "date_format": "Date format",
    "decimal": "Decimal separator",
    "encoding": "Encoding",
    "form": "Form of the release",
    "header": "Header",
    "hierarchy": "Hierarchy",
    "k": "k",
    "kind": "Kind",
    "measure": "Loss to minimize",
    "null_values": "Texts that mean a missing cell",
    "order": "Order",
    "person": "Persons",
    "separator": "Separator",
    "sheet": "Sheet",
    "special_values": "Special values",
    "steps": "Steps",
    "suppression": "Share of records that may be suppressed",
    "target": "Column that analysts will predict",
    "thousands": "Thousands separator",
    "time": "Seconds to search",
    "weight": "Weight",
}
"""Labels of the fields that set an option; an option without a field keeps its name."""


def with_fields(text: str) -> Markup:
    """Return a message whose options are named as the fields of the pages that set them.

    >>> with_fields("Set `header=3` or `kind={'zip': 'categorical'}`.")
    Markup('Set <q>Header: 3</q> or <q>Kind of zip: categorical</q>.')
    >>> with_fields("Leave `rest` out: 3 < 4.")
    Markup('Leave <code>rest</code> out: 3 &lt; 4.')
    """
    parts: list[str] = []
    end = 0
    for found in _OPTION.finditer(text):
        parts += [_with_code(text[end : found.start()]), _as_field(found)]
        end = found.end()
    return Markup("".join([*parts, _with_code(text[end:])]))  # noqa: S704 (each part is escaped)


def _as_field(found: re.Match[str]) -> str:
    label = _LABELS.get(found["name"])
    if label is None:
        return _with_code(found[0])
    if found["value"] is None:
        return f"<q>{escape(label)}</q>"
    try:
        value = ast.literal_eval(found["value"])
    except (SyntaxError, ValueError):
        return _with_code(found[0])
    return ", ".join(f"<q>{escape(one)}</q>" for one in _settings(label, value))


def _settings(label: str, value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [f"{label} of {name}: {_plain(one)}" for name, one in value.items()]
    return [f"{label}: {_plain(value)}"]


def _plain(value: Any) -> str:
    listed = isinstance(value, Sequence) and not isinstance(value, str)
    return ", ".join(map(str, value)) if listed else str(value)


def _with_code(text: str) -> str:
    return _CODE.sub(r"<code>\1</code>", str(escape(text)))
