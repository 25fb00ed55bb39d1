"""Released records that each cover k originals of their own choice: freeform generalization."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from shoal._core import kernels
from shoal.algorithms.solution import Guarantee
from shoal.encoding.recoding import SUPPRESSED, Recoding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.algorithms.problem import Problem


@dataclass(frozen=True, slots=True, eq=False)
class Cover:
    """A k-regular graph between originals and released records, given by records.

    Parameters
    ----------
    records
        The originals that are released, ascending; the others are suppressed. Released record i
        stands for ``records[i]`` while the cover is built; publication draws again at random.
    matches
        Row i holds the k originals that released record i covers, as places in ``records``, i
        itself first (a symmetric cover of an odd number of records with even k has one exception).
        Every original is in k rows.
    optimal
        Whether no cover has less loss, by proof.
    lower_bound
        Loss that no cover can go below, where one was proved.
    """

    records: NDArray[np.int64]
    matches: NDArray[np.int32]
    optimal: bool = False
    lower_bound: float | None = None

    @property
    def guarantee(self) -> Guarantee:
        """What a release guarantees: k equally likely counterparts for every original."""
        return Guarantee.FREEFORM

    @property
    def k(self) -> int:
        """Originals that each released record covers."""
        return int(self.matches.shape[1])

    @classmethod
    def of_rows(
        cls,
        problem: Problem,
        members: NDArray[np.int32],
        *,
        optimal: bool = False,
        lower_bound: float | None = None,
    ) -> Cover:
        """Return a cover of records from one of distinct rows, as kernels give it.

        Parameters
        ----------
        members
            The k rows of every released record, those of row 0 first, one after another. Each row
            is held k times for each of its records, by no released record more often than it has
            records.
        """
        record_of = np.argsort(problem.folded.row_of, kind="stable")
        rows = members.reshape(problem.n, -1)
        k = rows.shape[1]
        counts = problem.counts.astype(np.int64)
        starts = np.cumsum(counts) - counts
        # All holders of a row in order, dealt to its records like cards: a released record that
        # holds it several times gets different ones, and each record goes out k times.
        holding = np.argsort(rows.ravel(), kind="stable")
        row = rows.ravel()[holding]
        rank = np.arange(len(row)) - k * starts[row]
        dealt = np.empty(problem.n * k, dtype=np.int64)
        dealt[holding] = record_of[starts[row] + rank % counts[row]]
        records = np.arange(problem.n, dtype=np.int64)
        return cls(records, named(dealt.reshape(problem.n, k)), optimal, lower_bound)

    def match(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return for each original of ``records`` the released record that it is published as.

        The graph is divided at random into k perfect matchings, and one of them is drawn: each
        edge lies in exactly one of the k, so each of an original's k released records is its own
        with probability 1/k, whoever knows the graph. Expected time O(k n log n).
        """
        division = matchings(self.matches, rng)
        released, place = np.nonzero(division == rng.integers(self.k))
        published = np.empty(len(self.records), dtype=np.int64)
        published[self.matches[released, place]] = released
        return published

    def recode(self, problem: Problem, rng: np.random.Generator) -> Recoding:
        """Return what every record shows: the closure of the released record drawn for it."""
        return self.recode_published(problem, self.match(rng))

    def recode_published(self, problem: Problem, published: NDArray[np.int64]) -> Recoding:
        """Return what every record shows when it is known which released record is whose."""
        return recode_parts(problem, (self,), (published,))


def recode_parts(
    problem: Problem, parts: Sequence[Cover], published: Sequence[NDArray[np.int64]]
) -> Recoding:
    """Return what every record shows, given covers of different records, and whose is which.

    Covers of different k may stand side by side; matches that a record lacks are negative.
    """
    members = [part.records[part.matches] for part in parts]
    sizes = np.concatenate([np.full(len(one), one.shape[1]) for one in members])
    rows = problem.folded.row_of[np.concatenate([one.ravel() for one in members])]
    columns = problem.close(rows, (np.cumsum(sizes) - sizes).astype(np.int64))
    unit = np.full(problem.n, SUPPRESSED, dtype=np.int32)
    matches = np.full((problem.n, int(sizes.max(initial=1))), -1, dtype=np.int64)
    before = 0
    for part, own, drawn in zip(parts, members, published, strict=True):
        unit[part.records] = before + drawn
        matches[part.records, : part.k] = own[drawn]
        before += len(own)
    return replace(Recoding.of(unit, columns), matches=matches)


def matchings(matches: NDArray[np.int32], rng: np.random.Generator) -> NDArray[np.int32]:
    """Divide a k-regular graph into k perfect matchings at random: which one each edge is in."""
    n, k = matches.shape
    # Names of nodes carry no meaning into the draw, so neither the order of records nor that of
    # their matches can show in it.
    place = rng.permuted(np.broadcast_to(np.arange(k), (n, k)), axis=1)
    mixed = np.take_along_axis(matches, place, axis=1)
    drawn = kernels.random_matchings(
        np.ascontiguousarray(mixed.ravel(), dtype=np.int32),
        k,
        rng.integers(2**64, size=4, dtype=np.uint64),
        kernels.Control(),
    ).reshape(n, k)
    division = np.empty_like(drawn)
    np.put_along_axis(division, place, drawn, axis=1)
    return division


def named(covered: NDArray[np.int64]) -> NDArray[np.int32]:
    """Name the released records of a k-regular graph after originals that they cover.

    Any perfect matching gives such names; the result holds each record's own name first.
    """
    n = len(covered)
    matches = covered.astype(np.int32)
    own = np.arange(n, dtype=np.int32)
    if not (matches[:, 0] == own).all():
        division = matchings(matches, np.random.default_rng(0))
        released, place = np.nonzero(division == 0)
        name = matches[released, place]
        first = matches[np.arange(n), 0].copy()
        matches[released, place] = first
        matches[:, 0] = name
        matches = matches[np.argsort(name)]
    matches[:, 1:] = np.sort(matches[:, 1:], axis=1)
    return matches
