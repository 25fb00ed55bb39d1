"""Types of columns that no reader here understands: refused by name, with what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

_REMEDIES = {
    "map": "Make a column of each key that matters, or remove the column first.",
    "decimal": "Cast it to decimals of at most 38 digits, or to text, first.",
    "union": "Make a column of each of its types, or remove the column first.",
    "run-end": "Decode it first, in pyarrow with pyarrow.compute.run_end_decode.",
    "interval": "Turn it into a number, such as whole days, or remove the column first.",
    "list view": "Cast it to a list first, in pyarrow with .cast(pyarrow.list_(...)).",
    "extension": "Cast it to the type in which it is stored, such as text, first.",
}


def refuse_arrow_type(name: str, arrow_type: Any) -> None:
    """Raise if polars cannot hold a pyarrow type.

    Raises
    ------
    InputError
        If it is, or contains, a map, a decimal of 256 bits, a union, a run-end encoding, an
        interval or a list view.
    """
    import pyarrow as pa

    for part in _arrow_parts(arrow_type):
        for kind, holds in (
            ("map", pa.types.is_map),
            ("decimal", pa.types.is_decimal256),
            ("union", pa.types.is_union),
            ("run-end", pa.types.is_run_end_encoded),
            ("interval", pa.types.is_interval),
            ("list view", pa.types.is_list_view),
            ("list view", pa.types.is_large_list_view),
        ):
            if holds(part):
                raise unreadable_type(name, str(arrow_type), kind)


def holds_views(arrow_type: Any) -> bool:
    """Return whether a pyarrow type is one of texts or bytes in views, which few functions take."""
    import pyarrow as pa

    return bool(pa.types.is_string_view(arrow_type) or pa.types.is_binary_view(arrow_type))


def without_views(table: Any) -> Any:
    """Return a pyarrow table whose texts and bytes are stored as they mostly are."""
    import pyarrow as pa

    for place, field in enumerate(table.schema):
        if holds_views(field.type):
            texts = pa.types.is_string_view(field.type)
            plain = table.column(place).cast(pa.large_string() if texts else pa.large_binary())
            table = table.set_column(place, field.with_type(plain.type), plain)
    return table


def _arrow_parts(arrow_type: Any) -> Iterator[Any]:
    yield arrow_type
    for place in range(arrow_type.num_fields):
        yield from _arrow_parts(arrow_type.field(place).type)


def unreadable_type(name: str, shown: str, kind: str) -> InputError:
    """Return the error about a column; its kind is one of the names with a remedy."""
    return InputError(
        f"Column {name!r} has the type {shown}, which cannot be read.", remedy=_REMEDIES[kind]
    )
