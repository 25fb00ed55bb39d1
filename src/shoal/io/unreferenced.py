"""Rows taken from a table without what is left of the others: texts, bytes and categories.

polars lets rows share their texts with the table they came from, categories are listed whether any
row has them or not, and a pickle or an Arrow file of some rows then holds values of the others.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    import pandas as pd


def drop_unreferenced_values(series: pl.Series) -> pl.Series:
    """Return a column of some rows of another without the values of the rows left behind."""
    dtype = series.dtype
    if dtype.is_numeric() or dtype.is_temporal() or dtype in (pl.Boolean, pl.Null, pl.Object):
        return series
    held = _type_of_held(series)
    if held != dtype:
        # By way of texts: polars casts no arrays of categories to arrays of others.
        series = series.cast(_with_texts(held)).cast(held)
    content = io.BytesIO()
    # The oldest layout writes the values of these rows, and no others.
    series.to_frame().write_ipc(content, compat_level=pl.CompatLevel.oldest())
    content.seek(0)
    return pl.read_ipc(content).to_series()


def _type_of_held(series: pl.Series) -> pl.DataType:
    """Return the type of a column with the categories that its cells hold, however deep."""
    dtype = series.dtype
    if isinstance(dtype, pl.Enum):
        used = set(series.unique())
        return pl.Enum([one for one in dtype.categories if one in used])
    if isinstance(dtype, pl.List):
        return pl.List(_type_of_held(series.explode()))
    if isinstance(dtype, pl.Array):
        return pl.Array(_type_of_held(series.explode()), dtype.size)
    if isinstance(dtype, pl.Struct):
        names = [field.name for field in dtype.fields]
        return pl.Struct({name: _type_of_held(series.struct.field(name)) for name in names})
    return dtype


def _with_texts(dtype: Any) -> Any:
    """Return a type with texts in the place of categories."""
    if isinstance(dtype, pl.Enum):
        return pl.String()
    if isinstance(dtype, pl.List):
        return pl.List(_with_texts(dtype.inner))
    if isinstance(dtype, pl.Array):
        return pl.Array(_with_texts(dtype.inner), dtype.size)
    if isinstance(dtype, pl.Struct):
        return pl.Struct({field.name: _with_texts(field.dtype) for field in dtype.fields})
    return dtype


def drop_unreferenced_in_pandas(frame: pd.DataFrame) -> dict[str, pd.Series[Any]]:
    """Return the columns of categories with those of their rows alone."""
    import pandas as pd

    fresh = {}
    for name, column in frame.items():
        if isinstance(column.dtype, pd.CategoricalDtype):
            fresh[str(name)] = column.cat.remove_unused_categories()
        elif isinstance(column.dtype, pd.ArrowDtype):
            import pyarrow as pa

            cells = pa.chunked_array(pa.array(column))
            held = pd.arrays.ArrowExtensionArray(_without_leftovers(cells))
            fresh[str(name)] = pd.Series(held, column.index)
    return fresh


def drop_unreferenced_in_arrow(table: Any) -> Any:
    """Return a pyarrow table whose dictionaries list the values of its rows, and no others."""
    for place, field in enumerate(table.schema):
        cells = _without_leftovers(table.column(place))
        table = table.set_column(place, field.with_type(cells.type), cells)
    return table


def _without_leftovers(cells: Any) -> Any:
    """Return a chunked array of pyarrow without the dictionary values that no cell has.

    Nor is there metadata within its type, which lists the categories of an Enum of polars.

    Ordered categories within lists and structs become plain values: whoever casts them back puts
    them in order of appearance.
    """
    import pyarrow as pa
    import pyarrow.compute

    if not pa.types.is_dictionary(cells.type):
        plain, own = (_bare_type(cells.type, decoded=decoded) for decoded in (True, False))
        if plain == own:
            return cells.cast(own)
        decoded = cells.cast(plain)
        return decoded if "ordered=1" in str(own) else decoded.cast(own)
    whole = cells.combine_chunks()
    plain = whole.cast(cells.type.value_type)
    used = set(plain.unique().to_pylist())
    values = [value for value in whole.dictionary.to_pylist() if value in used]
    listed = pa.array(values, cells.type.value_type)
    codes = pa.compute.index_in(plain, value_set=listed).cast(cells.type.index_type)
    fresh = pa.DictionaryArray.from_arrays(codes, listed, ordered=cells.type.ordered)
    return pa.chunked_array([fresh])


def _bare_type(kind: Any, *, decoded: bool) -> Any:
    """Return a type of pyarrow without the metadata of its fields, however deep.

    Parameters
    ----------
    decoded
        Whether plain values stand in the place of dictionaries.
    """
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return kind.value_type if decoded else kind

    def bare(field: Any) -> Any:
        return field.with_type(_bare_type(field.type, decoded=decoded)).remove_metadata()

    if pa.types.is_struct(kind):
        return pa.struct([bare(field) for field in kind])
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(bare(kind.value_field), kind.list_size)
    if pa.types.is_large_list(kind):
        return pa.large_list(bare(kind.value_field))
    return pa.list_(bare(kind.value_field)) if pa.types.is_list(kind) else kind
