"""The loss of a class, computed from raw values the slow and obvious way."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from shoal.table import Attribute, Schema


def _number(value: Any) -> float:
    if isinstance(value, str):
        return float(dt.date.fromisoformat(value).toordinal())
    return float(value)


def cell_loss(values: list[Any], column: list[Any], attribute: Attribute) -> float:
    """Return the loss of one attribute for a class that holds these values."""
    kinds = set(values)
    if len(kinds) == 1:
        return 0.0
    if attribute.kind == "suppress-only":
        return 1.0
    if attribute.kind == "categorical":
        every = len(set(column))
        shares = {
            "share": (len(kinds) - 1) / (every - 1),
            "paper": (len(kinds) - 1) / every,
            # Of the binary attributes, one a value, those of the values held are mixed.
            "binary": sum(1 / every for value in set(column) if value in kinds),
        }
        return shares[attribute.set_loss]
    if None in kinds:
        return 1.0
    if attribute.kind == "numeric":
        known = [_number(value) for value in column if value is not None]
        inside = [_number(value) for value in kinds]
        low, high = attribute.value_range or (min(known), max(known))
        return (max(inside) - min(inside)) / (high - low) if high > low else 0.0
    tree = attribute.hierarchy
    assert tree is not None
    places = [tree.position[value] for value in kinds]
    for number, level in enumerate(tree.ancestors):
        nodes = {int(level[place]) for place in places}
        if len(nodes) == 1:
            if attribute.hierarchy_loss == "levels":
                return number / (len(tree.ancestors) - 1)
            below = sum(1 for node in level if int(node) in nodes)
            return (below - 1) / (len(tree.leaves) - 1)
    raise AssertionError("the root is above every leaf")


def class_loss(frame: pl.DataFrame, schema: Schema, rows: list[int]) -> float:
    """Return the weighted loss per record of the class that consists of these rows."""
    total = sum(attribute.weight for attribute in schema.quasi)
    loss = 0.0
    for attribute in schema.quasi:
        column = frame[attribute.name].to_list()
        loss += attribute.weight * cell_loss([column[row] for row in rows], column, attribute)
    return loss / total


def release_loss(frame: pl.DataFrame, schema: Schema, classes: list[list[int]]) -> float:
    """Return the loss per record of a division of the table into classes."""
    total = sum(len(rows) * class_loss(frame, schema, rows) for rows in classes)
    return total / sum(len(rows) for rows in classes)
