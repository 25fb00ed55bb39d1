"""Types of columns that no reader here understands: refused by name, with what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from shoal.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

_REMEDIES = {
    "map": "Make a column of each key that matters, or remove the column first.",
    "decimal": "Cast it to decimals of at most 38 digits, or to text, first.",
    "union": "Make a column of each of its types, or remove the column first.",
    "run-end": "Decode it first, in pyarrow with pyarrow.compute.run_end_decode.",
    "interval": "Turn it into a number, such as whole days, or remove the column first.",
    "extension": "Cast it to the type in which it is stored, such as text, first.",
}


def refuse_polars_types(frame: pl.DataFrame) -> None:
    """Raise if polars read a column into a type in which nothing can be computed.

    Raises
    ------
    InputError
        If a column holds maps or cells of an extension type, however deep.
    """
    for name, dtype in frame.schema.items():
        for part in _polars_parts(dtype):
            # By name: earlier versions of polars have neither class.
            kind = type(part).__name__.lower()
            if kind in ("map", "extension"):
                raise _refusal(name, str(dtype), kind)


def refuse_arrow_type(name: str, arrow_type: Any) -> None:
    """Raise if polars cannot hold a pyarrow type.

    Raises
    ------
    InputError
        If it is, or contains, a map, a decimal of 256 bits, a union, a run-end encoding or an
        interval.
    """
    import pyarrow as pa

    for part in _arrow_parts(arrow_type):
        for kind, holds in (
            ("map", pa.types.is_map),
            ("decimal", pa.types.is_decimal256),
            ("union", pa.types.is_union),
            ("run-end", pa.types.is_run_end_encoded),
            ("interval", pa.types.is_interval),
        ):
            if holds(part):
                raise _refusal(name, str(arrow_type), kind)


def _polars_parts(dtype: pl.DataType) -> Iterator[pl.DataType]:
    yield dtype
    if isinstance(dtype, pl.Struct):
        for field in dtype.fields:
            yield from _polars_parts(_instance(field.dtype))
    elif isinstance(dtype, pl.List | pl.Array):
        yield from _polars_parts(_instance(dtype.inner))


def _instance(dtype: Any) -> pl.DataType:
    made: pl.DataType = dtype() if isinstance(dtype, type) else dtype
    return made


def _arrow_parts(arrow_type: Any) -> Iterator[Any]:
    yield arrow_type
    for place in range(arrow_type.num_fields):
        yield from _arrow_parts(arrow_type.field(place).type)


def _refusal(name: str, shown: str, kind: str) -> InputError:
    return InputError(
        f"Column {name!r} has the type {shown}, which cannot be read.", remedy=_REMEDIES[kind]
    )
