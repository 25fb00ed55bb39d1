"""Frames of the caller: in as polars, out in the caller's own type."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import polars as pl

from shoal.errors import InputError, option
from shoal.io import pandas_columns
from shoal.io.decimal_commas import columns_with_marks
from shoal.io.missing_codes import recoded_once
from shoal.io.unreadable_types import (
    holds_views,
    refuse_arrow_type,
    unreadable_type,
    without_views,
)
from shoal.io.unreferenced import (
    drop_unreferenced_in_arrow,
    drop_unreferenced_in_pandas,
    drop_unreferenced_values,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import narwhals as nw
    import numpy as np
    from numpy.typing import NDArray

    from shoal.io.source import CellReading

_ACCEPTED = (
    "Give a pandas or polars DataFrame, a pyarrow Table, or an object with the Arrow C stream "
    "(__arrow_c_stream__)."
)
_NAMED = 5


@dataclass(frozen=True, slots=True, eq=False)
class CallerFrame:
    """A frame as the caller gave it, and the same table in polars.

    The caller's frame is read, never changed. Use :meth:`of` to make one.

    Parameters
    ----------
    native
        The caller's frame; a lazy polars frame is collected, a stream of an unknown type is a
        ``pyarrow.Table`` where pyarrow is installed and a polars frame elsewhere.
    polars
        The same table in polars, missing cells as null, ordered categories as ``Enum``.
    lazy
        Whether the caller gave a lazy polars frame, and gets one back.
    """

    native: Any
    polars: pl.DataFrame
    lazy: bool = False

    @classmethod
    def of(cls, native: Any) -> CallerFrame:
        """Accept a frame: pandas, polars, pyarrow, or anything with the Arrow C stream.

        Raises
        ------
        InputError
            If it is not a frame, has no rows or columns, or its column names are not distinct
            texts.
        """
        if isinstance(native, pl.LazyFrame):
            try:
                collected = native.collect()
            except (pl.exceptions.PolarsError, OSError) as error:
                # What polars says may quote cells, so its kind of error must do.
                raise InputError(
                    f"The lazy frame cannot be collected: {type(error).__name__}.",
                    remedy="Collect it first to see why.",
                ) from error
            return cls(collected, _checked(collected), lazy=True)
        if isinstance(native, pl.DataFrame):
            return cls(native, _checked(native))
        # Imported here, as below: a table that was read from a file does not need it.
        import narwhals as nw
        from narwhals import dependencies

        if dependencies.is_pandas_dataframe(native):
            _check_names(native.columns.tolist())
            columns = [
                pandas_columns.to_polars(native.iloc[:, place], name)
                for place, name in enumerate(native.columns.tolist())
            ]
            return cls(native, _checked(pl.DataFrame(columns)))
        if not hasattr(native, "__arrow_c_stream__"):
            raise InputError(f"A {type(native).__name__} is not a frame.", remedy=_ACCEPTED)
        if not dependencies.is_pyarrow_table(native):
            native = _from_stream(native)
        if isinstance(native, pl.DataFrame):
            return cls(native, _checked(native))
        _check_names(native.column_names)
        for field in native.schema:
            refuse_arrow_type(field.name, field.type)
        try:
            converted = nw.from_native(native, eager_only=True).to_polars()
        except pl.exceptions.PolarsError as error:
            # What polars says may quote cells, so its kind of error must do.
            raise InputError(
                f"The table has a column of a type that cannot be read: {type(error).__name__}.",
                remedy="Cast its columns to texts, numbers, dates and times, and check time zones.",
            ) from error
        return cls(native, _checked(converted))

    def read_as(self, cells: CellReading, *, partial: bool = False) -> CallerFrame:
        """Return the frame with codes for missing cells as null, special values apart.

        Only the columns that this changes are others than those the caller gave; they keep their
        types as far as these hold missing cells. What was read so already stays as it is.

        Parameters
        ----------
        cells
            How cells are read: a job, for one.
        partial
            Whether the frame may lack columns that it names.

        Raises
        ------
        SchemaError
            If codes name columns that the frame does not have.
        InputError
            If numbers have marks that only the reader of a file takes off.
        """
        read = self._recoded(cells.null_values, cells.special_values, partial=partial)
        if cells.decimal == "," or cells.thousands is not None:
            _refuse_marks(read.polars, cells)
        return read

    def _recoded(
        self, null_values: Sequence[str], special_values: Sequence[str], *, partial: bool
    ) -> CallerFrame:
        if not null_values and not special_values:
            return self
        recoded = recoded_once(self.polars, null_values, special_values, partial=partial)
        emptied = [
            name
            for name, series in zip(self.polars.columns, self.polars, strict=True)
            if recoded[name].null_count() > series.null_count()
        ]
        added = recoded.select(recoded.columns[self.polars.width :])
        if not emptied and not added.width:
            return self
        masks = {name: recoded[name].is_null() for name in emptied}
        return CallerFrame(_with_columns(self.native, masks, added), recoded, self.lazy)

    def give_back(
        self,
        generalized: pl.DataFrame,
        rows: NDArray[np.int64],
        untouched: Sequence[str],
        columns: Sequence[str],
    ) -> Any:
        """Return the released frame in the caller's type, with a fresh index.

        Parameters
        ----------
        generalized
            The columns that were recoded, one row for each released record.
        rows
            For each released record its position in the caller's frame.
        untouched
            Columns that come from the caller's own frame, in exactly the type they have there;
            but categories are only those of the released records, and ordered ones within lists
            and structs of pyarrow come back as plain values.
        columns
            All columns of the result, in order.
        """
        import narwhals as nw
        from narwhals import dependencies

        own = nw.from_native(_takeable(self.native), eager_only=True)
        taken = own.select(*untouched)[rows, :] if untouched else None
        if dependencies.is_pandas_dataframe(self.native):
            return self._give_back_pandas(generalized, taken, columns)
        if isinstance(self.native, pl.DataFrame):
            kept = [] if taken is None else map(drop_unreferenced_values, nw.to_native(taken))
            frame = pl.DataFrame([*generalized.get_columns(), *kept]).select(columns)
            return frame.lazy() if self.lazy else frame
        return self._give_back_pyarrow(generalized, taken, columns)

    def _give_back_pandas(
        self, generalized: pl.DataFrame, taken: nw.DataFrame[Any] | None, columns: Sequence[str]
    ) -> Any:
        import pandas as pd

        parts = [pandas_columns.from_polars(series) for series in generalized]
        if taken is not None:
            own = taken.to_native().reset_index(drop=True)
            parts.append(own.assign(**drop_unreferenced_in_pandas(own)))
        if not parts:
            return pd.DataFrame(index=pd.RangeIndex(generalized.height))
        return pd.concat(parts, axis="columns")[list(columns)]

    def _give_back_pyarrow(
        self, generalized: pl.DataFrame, taken: nw.DataFrame[Any] | None, columns: Sequence[str]
    ) -> Any:
        import pyarrow as pa

        made = generalized.to_arrow(compat_level=pl.CompatLevel.oldest())
        source = dict.fromkeys(made.column_names, made)
        if taken is not None:
            own = drop_unreferenced_in_arrow(taken.to_native())
            for place, name in enumerate(own.column_names):
                field = self.native.schema.field(name)
                if holds_views(field.type):
                    own = own.set_column(place, field, own.column(place).cast(field.type))
            source |= dict.fromkeys(own.column_names, own)
        # Metadata that the caller attached to a column may describe records left behind.
        fields = [source[name].schema.field(name).remove_metadata() for name in columns]
        return pa.Table.from_arrays(
            [source[name].column(name) for name in columns], schema=pa.schema(fields)
        )


def _refuse_marks(frame: pl.DataFrame, cells: CellReading) -> None:
    """Raise if numbers still have decimal commas or marks between thousands.

    1.500 may be 1500 or, read from 1,500 before, 1.5: whoever reads the text must decide.
    """
    marked = columns_with_marks(frame, cells.decimal, cells.thousands)
    if marked:
        name = "decimal" if cells.decimal == "," else "thousands"
        raise InputError(
            f"Column {marked[0]!r} of the frame holds numbers as texts, with marks that `decimal` "
            "and `thousands` remove only while a file is read.",
            remedy=f"Read the file with shoal.io.read_table and "
            f"{option(name, getattr(cells, name))}, or turn the column into numbers first.",
        )


def _with_columns(native: Any, masks: Mapping[str, pl.Series], added: pl.DataFrame) -> Any:
    """Return a frame with cells made missing where masks say so, and with further columns."""
    from narwhals import dependencies

    if isinstance(native, pl.DataFrame):
        emptied = [native[name].set(mask, None) for name, mask in masks.items()]
        return native.with_columns(*emptied, *added)
    if dependencies.is_pandas_dataframe(native):
        columns = {name: native[name].mask(mask.to_numpy()) for name, mask in masks.items()}
        for series in added:
            columns[series.name] = pandas_columns.from_polars(series).set_axis(native.index)
        return native.assign(**columns)
    import pyarrow as pa
    import pyarrow.compute

    for name, mask in masks.items():
        place = native.column_names.index(name)
        field = native.schema.field(place)
        plain = without_views(native.select([name])).column(0)
        missing = pa.scalar(None, plain.type)
        cells = pa.compute.if_else(mask.to_arrow(), missing, plain).cast(field.type)
        native = native.set_column(place, field, cells)
    for series in added:
        cells = series.to_arrow(compat_level=pl.CompatLevel.oldest())
        native = native.append_column(series.name, cells)
    return native


def refuse_pattern_names(names: Iterable[str]) -> None:
    """Raise if polars would take a column's name for a pattern that stands for several columns.

    Raises
    ------
    InputError
        If a name is ``*``, or begins with ``^`` and ends with ``$``.
    """
    patterns = [name for name in names if name == "*" or (name[:1] == "^" and name[-1:] == "$")]
    if patterns:
        raise InputError(
            f"A column cannot be named {', '.join(repr(name) for name in patterns[:3])}: such a "
            "name is read as a pattern of names.",
            remedy="Rename it first.",
        )


def refuse_polars_types(frame: pl.DataFrame) -> None:
    """Raise if polars read a column into a type in which nothing can be computed.

    Raises
    ------
    InputError
        If a column holds maps or cells of an extension type, however deep.
    """
    for name, dtype in frame.schema.items():
        for part in polars_parts(dtype):
            # By name: earlier versions of polars have neither class.
            kind = type(part).__name__.lower()
            if kind in ("map", "extension"):
                raise unreadable_type(name, str(dtype), kind)


def polars_parts(dtype: pl.DataType) -> Iterator[pl.DataType]:
    """Return a type of polars and those of its elements and fields, however deep."""
    yield dtype
    if isinstance(dtype, pl.Struct):
        for field in dtype.fields:
            yield from polars_parts(_instance(field.dtype))
    elif isinstance(dtype, pl.List | pl.Array):
        yield from polars_parts(_instance(dtype.inner))


def _instance(dtype: Any) -> pl.DataType:
    made: pl.DataType = dtype() if isinstance(dtype, type) else dtype
    return made


def _takeable(native: Any) -> Any:
    """Return a frame of which rows can be taken: pyarrow takes none of texts in views."""
    from narwhals import dependencies

    return without_views(native) if dependencies.is_pyarrow_table(native) else native


def _from_stream(stream: Any) -> Any:
    """Return what an Arrow stream holds: as pyarrow where it is installed, else as polars."""
    if find_spec("pyarrow") is None:
        try:
            return pl.DataFrame(stream)
        except (pl.exceptions.PolarsError, TypeError, ValueError) as error:
            raise _broken_stream(stream) from error
    import pyarrow as pa

    try:
        return pa.table(stream)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise _broken_stream(stream) from error


def _broken_stream(stream: object) -> InputError:
    return InputError(
        f"The Arrow stream of a {type(stream).__name__} is not a table.", remedy=_ACCEPTED
    )


def _check_names(names: Sequence[object]) -> None:
    strange = [name for name in names if not isinstance(name, str)]
    if strange:
        raise InputError(
            f"Column names must be texts, but {len(strange)} are not: "
            f"{', '.join(repr(name) for name in strange[:_NAMED])}.",
            remedy="Rename them first, in pandas with frame.columns = frame.columns.map(str).",
        )
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(
            f"Columns share a name: {', '.join(repr(name) for name in twice[:_NAMED])}.",
            remedy="Give every column a name of its own.",
        )


def _checked(frame: pl.DataFrame) -> pl.DataFrame:
    if frame.width == 0:
        raise InputError("The frame has no columns.", remedy="Give a frame with columns.")
    if frame.height == 0:
        raise InputError("The frame has no rows.", remedy="Give a frame with at least one row.")
    refuse_pattern_names(frame.columns)
    refuse_polars_types(frame)
    return frame
