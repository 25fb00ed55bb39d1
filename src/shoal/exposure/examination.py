"""The exposure check: first the values of each unchanged column, then what they undo."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import SchemaError, option
from shoal.exposure.candidates import Candidates
from shoal.exposure.contents import read_contents
from shoal.exposure.effective_k import Attack, groups_known_too, some_classes
from shoal.exposure.report import ColumnExposure, Exposure
from shoal.exposure.views import comparable_cells
from shoal.table.schema import Role

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl
    from numpy.typing import NDArray

    from shoal.table.cells import DistinctCells
    from shoal.table.schema import Schema

_SEED = 1  # the figures tell nothing about the secret seed of a release


def examine_columns(frame: pl.DataFrame, schema: Schema, accept: Sequence[str] = ()) -> Exposure:
    """Return what the values of the unchanged columns give away by themselves.

    Parameters
    ----------
    frame
        A table with the unchanged columns.
    schema
        Roles of the columns.
    accept
        Columns that are accepted as they are, whatever is found.

    Raises
    ------
    SchemaError
        If a column is accepted that does not leave unchanged.
    """
    strange = [name for name in accept if name not in schema.untouched]
    if strange:
        raise SchemaError(
            f"{option('accept')} names {strange[0]!r}, which is not released unchanged.",
            remedy=f"Leave it out: {option('accept')} is for sensitive and other columns.",
        )
    found = []
    for name in schema.untouched:
        role = Role.SENSITIVE if name in schema.sensitive else Role.OTHER
        stopping, told = read_contents(frame[name], role)
        found.append(ColumnExposure(name, role, stopping, told, accepted=name in accept))
    return Exposure(tuple(found))


def examine_release(
    found: Exposure,
    quasi: pl.DataFrame,
    unchanged: pl.DataFrame,
    k: int,
    *,
    classes: NDArray[np.int64],
    matches: NDArray[np.int64] | None = None,
    persons: NDArray[np.integer] | None = None,
    rows: NDArray[np.int64] | None = None,
    distinct: Mapping[str, DistinctCells] | None = None,
) -> Exposure:
    """Add how many candidates remain for a person when unchanged columns are taken into account.

    Parameters
    ----------
    found
        What the values give away by themselves.
    quasi, unchanged
        The original quasi-identifiers and the unchanged columns of the released records.
    k
        What the release promises.
    classes
        For each released record the number of its equivalence class.
    matches
        For each record of a freeform release the records that it may be, by place in the release.
    persons
        The person of each record, where a person may have several.
    rows
        For each released record its row in the two frames, if they are in another order.
    distinct
        Distinct cells of quasi-identifiers, where the caller has them already.
    """
    if not found.columns or len(classes) < 2:
        return found
    rng = np.random.default_rng(_SEED)
    candidates = (
        Candidates.in_classes(classes, rng)
        if matches is None
        else Candidates.in_matches(matches, rng)
    )
    attack = Attack(quasi, candidates, k, rng, persons=persons, rows=rows, distinct=distinct)
    grouped = some_classes(classes, rng)
    times = len(classes) / max(len(grouped), 1)  # counts of drawn classes stand for all
    drawn, some = classes[grouped], grouped if rows is None else rows[grouped]
    held: dict[str, NDArray[np.integer]] = {}
    all_weights = None
    columns = []
    for one in found.columns:
        cells = comparable_cells(unchanged[one.column])
        remaining, weights = attack.on(unchanged[one.column], cells)
        held[one.column] = cells.codes[some]
        sizes = groups_known_too(drawn, {one.column: held[one.column]})
        unique, below = times * (sizes == 1).sum(), times * sizes[sizes < k].sum()
        columns.append(one.with_figures(remaining, k, round(unique), round(below)))
        if one.role is Role.OTHER:
            all_weights = weights if all_weights is None else all_weights + weights
    if all_weights is None:
        return Exposure(tuple(columns))
    others = {one.column: held[one.column] for one in columns if one.role is Role.OTHER}
    alone = groups_known_too(drawn, others)
    return Exposure(tuple(columns), attack.summed(all_weights), round(times * (alone == 1).sum()))
