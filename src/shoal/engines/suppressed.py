"""Whether the suppressed records of a whole release may be shown as ``*``, or must be withheld."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.models import ClassHistograms

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

    from shoal.engines.codebook import Codebook


def fault_of_starred(
    codebook: Codebook, records: Callable[[], int], held: Callable[[str], pl.DataFrame]
) -> str | None:
    """Return why suppressed records must be withheld; nothing if they may be starred.

    Starred records are one class, to which everybody belongs whom no other class covers.

    Parameters
    ----------
    codebook
        The whole table.
    records
        Counts the starred records.
    held
        Returns for a column the values of starred records, ``cell``, and how many have each, ``n``.
    """
    job = codebook.job
    if job.suppressed == "withhold":
        return "they are withheld as requested."
    if records() < job.k:
        return f"fewer than k = {job.k} starred records single people out."
    for model, coding in zip(codebook.models, codebook.model_codings, strict=True):
        if coding is None:
            return "the number of persons among them is not counted."
        name = str(model.column)
        found = held(name)
        codes = coding.encode(found["cell"].cast(coding.cells.dtype).alias(name))
        one = np.zeros(len(codes), dtype=np.int64)
        if not model.holds(ClassHistograms.of(one, codes, found["n"].to_numpy(), 1)).all():
            return f"together they do not meet {model}."
    return None
