"""The linear check of a row map: which original each released record was made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.verifier.unchanged import comparable
from shoal.verifier.verdict import Check, name_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    from numpy.typing import NDArray

    from shoal.table.schema import Schema
    from shoal.verifier.coverage import Codes, Coverage

_LARGEST_PAIR_MAP = 2**26


@dataclass(frozen=True, slots=True)
class Tables:
    """Both tables, read: everything that is checked or searched.

    Parameters
    ----------
    original, released
        The two frames.
    schema
        Roles and kinds.
    coverages
        One for each quasi-identifier.
    kept
        For each original row whether it may be in the release; rows that miss a quasi-identifier
        are set aside when the policy drops them.
    """

    original: pl.DataFrame
    released: pl.DataFrame
    schema: Schema
    coverages: Sequence[Coverage]
    kept: NDArray[np.bool_]


def check_row_map(witness: NDArray[np.int64], tables: Tables) -> Check:
    """Check that a row map names a different kept original for each released record."""
    name = "row map is one-to-one"
    rows, originals = len(tables.released), len(tables.original)
    if witness.ndim != 1 or len(witness) != rows:
        detail = f"the row map has shape {witness.shape}, the release has {rows:,} rows"
        return Check(name, passed=False, detail=detail)
    if not np.issubdtype(witness.dtype, np.integer):
        detail = f"the row map holds {witness.dtype}, not whole numbers"
        return Check(name, passed=False, detail=detail)
    outside = np.flatnonzero((witness < 0) | (witness >= originals))
    if len(outside):
        detail = f"release {name_rows(outside)}: mapped to no row of the original"
        return Check(name, passed=False, detail=detail)
    uses = np.bincount(witness, minlength=originals)
    repeated = np.flatnonzero((uses > 1)[witness])
    if len(repeated):
        detail = f"release {name_rows(repeated)}: made from an original used more than once"
        return Check(name, passed=False, detail=detail)
    aside = np.flatnonzero(~tables.kept[witness])
    if len(aside):
        detail = (
            f"release {name_rows(aside)}: made from an original that misses a quasi-identifier, "
            "and such rows are to be dropped"
        )
        return Check(name, passed=False, detail=detail)
    detail = f"each of the {rows:,} released records comes from an original of its own"
    return Check(name, passed=True, detail=detail)


def check_cover(witness: NDArray[np.int64], tables: Tables) -> Check:
    """Check that every released cell covers the value of the original it was made from."""
    faults = []
    for coverage in tables.coverages:
        rows = uncovered_rows(coverage, witness, coverage.cells)
        if len(rows):
            faults.append(f"column {coverage.attribute.name!r}: release {name_rows(rows)}")
    detail = (
        f"cells that do not cover their original: {'; '.join(faults)}"
        if faults
        else f"all cells of {len(tables.coverages)} quasi-identifiers cover their originals"
    )
    return Check("cells cover originals", passed=not faults, detail=detail)


def check_untouched(witness: NDArray[np.int64], tables: Tables) -> Check:
    """Check that sensitive and other columns are unchanged."""
    faults = []
    for name in tables.schema.untouched:
        before, after = comparable(tables.original[name], tables.released[name])
        rows = np.flatnonzero(~before.gather(witness).eq_missing(after).to_numpy())
        if len(rows):
            faults.append(f"column {name!r}: release {name_rows(rows)}")
    detail = (
        f"values that differ from the original: {'; '.join(faults)}"
        if faults
        else f"{len(tables.schema.untouched)} sensitive and other columns are unchanged"
    )
    return Check("other values unchanged", passed=not faults, detail=detail)


def uncovered_rows(
    coverage: Coverage, originals: NDArray[np.int64], cells: Codes
) -> NDArray[np.int64]:
    """Return the places where a cell does not cover; each distinct pair is looked at once."""
    width = len(coverage.starred)
    size = (coverage.missing + 1) * width
    narrow = np.dtype(np.uint32 if size < 2**32 else np.int64)
    pairs: Codes = coverage.values[originals].astype(narrow) * width + cells
    if size <= _LARGEST_PAIR_MAP:
        seen = np.zeros(size, bool)
        seen[pairs] = True
        distinct = np.flatnonzero(seen)
    else:
        distinct = np.unique(pairs)
    bad = distinct[~coverage.covers(distinct // width, distinct % width)]
    return np.flatnonzero(np.isin(pairs, bad)) if len(bad) else bad
