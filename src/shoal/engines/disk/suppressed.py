"""Whether the suppressed records of a whole release may be shown as ``*``, or must be withheld."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.engines.disk.duck import files_of, quoted
from shoal.engines.disk.worker import STARRED
from shoal.models import ClassHistograms

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.engines.codebook import Codebook
    from shoal.engines.disk.duck import Duck


def fault_of_starred(duck: Duck, solved: Path, codebook: Codebook) -> str | None:
    """Return why suppressed records must be withheld; nothing if they may be starred.

    Starred records are one class, to which everybody belongs whom no other class covers.
    """
    job = codebook.job
    if job.suppressed == "withhold":
        return "they are withheld as asked."
    where = f"FROM {files_of(solved)} WHERE {STARRED}"
    count = duck.row(f"SELECT count(*) {where}")[0]
    if count < job.k:
        return f"fewer than k = {job.k} starred records single people out."
    for model, coding in zip(codebook.models, codebook.model_codings, strict=True):
        if coding is None:
            return "how many persons they are is not counted."
        name = str(model.column)
        held = duck.frame(f"SELECT {quoted(name)} AS cell, count(*) AS n {where} GROUP BY ALL")
        codes = coding.encode(held["cell"].cast(coding.cells.dtype).alias(name))
        one = np.zeros(len(codes), dtype=np.int64)
        if not model.holds(ClassHistograms.of(one, codes, held["n"].to_numpy(), 1)).all():
            return f"together they do not meet {model}."
    return None
