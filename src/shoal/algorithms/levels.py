"""Full-domain recoding: one level of generalization for each attribute, for all records alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.solution import Guarantee
from shoal.encoding.encode import FoldedRows
from shoal.encoding.ladder import Ladder
from shoal.encoding.recoding import SUPPRESSED, ColumnRecoding, Recoding
from shoal.errors import InfeasibleError
from shoal.models import ClassHistograms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.algorithms.problem import Problem


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """A node of the lattice: one level for each attribute, and the rows that are suppressed.

    Parameters
    ----------
    node
        The level of each attribute.
    suppressed
        For each distinct row whether its records are suppressed.
    ladders
        The levels there are.
    optimal
        Whether no node has less loss, by proof.
    lower_bound
        Loss that no node can go below, where one was proved.
    """

    node: tuple[int, ...]
    suppressed: NDArray[np.bool_]
    ladders: tuple[Ladder, ...]
    optimal: bool = False
    lower_bound: float | None = None

    @classmethod
    def of(
        cls,
        problem: Problem,
        node: Sequence[int],
        ladders: Sequence[Ladder] | None = None,
        *,
        optimal: bool = False,
        lower_bound: float | None = None,
    ) -> Levels:
        """Return the node with every class suppressed that is too small or breaks a model.

        Classes are counted again from the rows, whatever a search has made of them.

        Raises
        ------
        InfeasibleError
            If more records would have to be suppressed than may be.
        """
        steps = (
            tuple(Ladder.of(domain) for domain in problem.domains) if ladders is None else ladders
        )
        kept = sound_rows(problem, node, steps)
        gone = int(problem.counts[~kept].sum())
        if gone > problem.suppression_limit:
            raise InfeasibleError(
                f"At these levels {gone} records would have to be suppressed, but only "
                f"{problem.suppression_limit} may be.",
                remedy="Choose higher levels, or allow more suppression.",
            )
        return cls(
            tuple(int(level) for level in node),
            ~kept,
            tuple(steps),
            optimal=optimal,
            lower_bound=lower_bound,
        )

    @property
    def guarantee(self) -> Guarantee:
        """What a release guarantees: classes of at least k records that look the same."""
        return Guarantee.CLASSES

    @property
    def heights(self) -> tuple[int, ...]:
        """The highest level of each attribute."""
        return tuple(ladder.height for ladder in self.ladders)

    def recode(self, problem: Problem, rng: np.random.Generator) -> Recoding:  # noqa: ARG002
        """Return what every record shows: its values at the levels of the node.

        Nothing is drawn: equal records show the same.
        """
        kept = np.flatnonzero(~self.suppressed)
        looks = _looks(problem, self.node, self.ladders)
        folded = FoldedRows.of([column[kept] for column in looks])
        unit = np.full(problem.rows, SUPPRESSED, dtype=np.int32)
        unit[kept] = folded.row_of
        shown = kept[folded.first]
        columns = []
        for level, ladder, column in zip(self.node, self.ladders, looks, strict=True):
            held, index = np.unique(column[shown], return_inverse=True)
            closures = ladder.closures[level].take(held)
            columns.append(ColumnRecoding(closures, index.astype(np.int32)))
        return Recoding.of(unit[problem.folded.row_of], columns)


def sound_rows(
    problem: Problem, node: Sequence[int], ladders: Sequence[Ladder]
) -> NDArray[np.bool_]:
    """Return for each distinct row whether its class at a node has k records and meets the models.

    Classes are counted again from the rows.
    """
    folded = FoldedRows.of(_looks(problem, node, ladders))
    sizes = np.bincount(folded.row_of, problem.counts)
    sound = np.asarray(sizes >= problem.k)
    for model, values in zip(problem.models, problem.protected, strict=True):
        histograms = ClassHistograms.of(folded.row_of, values, problem.counts, len(sizes))
        sound &= model.holds(histograms)
    return np.asarray(sound[folded.row_of])


def _looks(
    problem: Problem, node: Sequence[int], ladders: Sequence[Ladder]
) -> list[NDArray[np.uint32]]:
    """Return for each attribute what the distinct rows show at the node's level."""
    return [
        ladder.looks[level][codes].astype(np.uint32)
        for level, ladder, codes in zip(node, ladders, problem.codes, strict=True)
    ]
