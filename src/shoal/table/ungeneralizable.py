"""Types of cells that cannot be generalized, and what to do with each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.errors import SchemaError

if TYPE_CHECKING:
    import polars as pl


def refuse_type(column: str, dtype: pl.DataType) -> SchemaError:
    """Return the error about a quasi-identifier of such a type."""
    remedy = {
        "Duration": "Turn it into a number, such as whole days or seconds",
        "List": "Make a column of each element that matters, or one row of each element",
        "Array": "Make a column of each element that matters",
        "Struct": "Make a column of each of its fields",
        "Binary": "Decode it into texts",
        "Object": "Turn its objects into texts, numbers or dates",
    }.get(str(dtype.base_type()), "Turn it into texts, numbers or dates")
    return SchemaError(
        f"Column {column!r} holds cells of the type {dtype}, which cannot be generalized.",
        remedy=f"{remedy} first, or give the column another role.",
    )
