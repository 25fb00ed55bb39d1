"""What unchanged columns undo of a release in two tables: whose sensitive value is whose.

Groups hide which of their values belongs to which of their records. A column beside the
quasi-identifiers that goes with the sensitive one, such as a drug with its disease, tells it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.exposure.candidates import Candidates
from shoal.exposure.effective_k import Attack, Examined
from shoal.exposure.report import Exposure, left_of_group, undoes
from shoal.exposure.together import examine_together
from shoal.table.schema import Role

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from shoal.exposure.report import ColumnExposure

_SEED = 1  # the figures tell nothing about the secret seed of a release


def examine_groups(
    found: Exposure,
    sensitive: pl.Series,
    unchanged: pl.DataFrame,
    least: int,
    group: NDArray[np.int64],
) -> Exposure:
    """Add how many records of a group remain for a value if an unchanged column is looked at.

    Parameters
    ----------
    found
        What the values give away by themselves.
    sensitive, unchanged
        The sensitive value and the other columns of each record.
    least
        The l that the release promises.
    group
        For each record the number of its group.
    """
    if len(group) < 2:
        return found
    rng = np.random.default_rng(_SEED)
    attack = Attack(sensitive.to_frame(), Candidates.in_classes(group, rng), least, rng)

    examined: dict[str, Examined] = {}

    def judged(one: ColumnExposure) -> ColumnExposure:
        if one.role is not Role.OTHER:
            return one
        by_itself = Examined.of(unchanged[one.column], attack, accepted=one.accepted)
        remaining = by_itself.remaining
        if one.accepted or not (one.stopping or undoes(remaining, least)):
            examined[one.column] = by_itself
        if not undoes(remaining, least):
            return replace(one, remaining=remaining)
        sentence = (
            f"{remaining.relation} the sensitive attribute {sensitive.name!r}: "
            f"{left_of_group(remaining)}"
        )
        return replace(one, remaining=remaining, stopping=(*one.stopping, sentence))

    columns = tuple(map(judged, found.columns))
    if len(examined) < 2:
        return Exposure(columns)
    _, together = examine_together(attack, examined, least, rng)
    return Exposure(columns, joint=tuple(replace(one, anatomy=True) for one in together))
