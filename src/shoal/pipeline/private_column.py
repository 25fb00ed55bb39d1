"""The private column: the one whose values measures and utility studies ask about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.encoding import encode_together
from shoal.errors import SchemaError
from shoal.measures import PrivateColumn

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from shoal.options import Job
    from shoal.table import Schema


def private_name(schema: Schema, job: Job) -> str | None:
    """Return the private column: the target, or the first sensitive column unless it is set."""
    if job.target is None:
        return schema.sensitive[0] if schema.sensitive else None
    if job.target not in schema.untouched:
        raise SchemaError(
            f"The target {job.target!r} is not a column that is released unchanged.",
            remedy="Choose a sensitive or other column: "
            f"{', '.join(map(repr, schema.untouched)) or 'there is none'}.",
        )
    return job.target


def private_of_release(name: str, original: pl.DataFrame, released: pl.DataFrame) -> PrivateColumn:
    """Return the private column of an original and its release, in common codes."""
    before, after, _ = common_codes(name, original, released)
    return PrivateColumn(name, before, after)


def common_codes(
    name: str, original: pl.DataFrame, released: pl.DataFrame
) -> tuple[NDArray[np.unsignedinteger], NDArray[np.unsignedinteger], list[str]]:
    """Return a column that is released unchanged as codes of both tables, and their texts."""
    if name not in released.columns:
        raise SchemaError(f"The release has no column {name!r}.", remedy="Leave the target out.")
    return encode_together(original[name], released[name])
