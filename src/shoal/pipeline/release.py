"""What an anonymization gives back: the frame, the facts about it, and the verdict."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from shoal.verifier import Verdict


@dataclass(frozen=True, slots=True, eq=False)
class Custody:
    """What must stay with the custodian: whose record is whose, and the seed.

    Parameters
    ----------
    rows
        For each released row the row of the source, counted from 0.
    seed
        With the job, it reproduces the release byte for byte.
    matches
        Of a freeform release: for each released row the k rows of the source that it could be.
    notes
        What looked odd in the source: codes for missing values, categories that differ in blanks
        alone, dates read as texts, totals.
    """

    rows: NDArray[np.int64] = field(repr=False)
    seed: int = field(repr=False)
    matches: NDArray[np.int64] | None = field(repr=False, default=None)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """A verified release.

    Parameters
    ----------
    frame
        The released table, in the type of frame the caller gave.
    facts
        What was done and what it cost, ready for JSON.
    verdict
        The independent verifier's word.
    table
        The released table as a polars frame.
    custody
        Secrets of this release, which never belong beside it.
    """

    frame: Any
    facts: dict[str, Any]
    verdict: Verdict
    table: pl.DataFrame = field(repr=False)
    custody: Custody = field(repr=False)
