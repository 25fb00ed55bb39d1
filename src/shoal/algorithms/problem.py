"""What an algorithm solves: codes, goals and limits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING, Literal

import numpy as np

from shoal._core import kernels
from shoal.encoding.encode import FoldedRows
from shoal.encoding.recoding import ColumnRecoding
from shoal.errors import InfeasibleError, ParameterError, counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.encoding.domain import Domain
    from shoal.encoding.encode import EncodedTable
    from shoal.models import Model

SuppressFor = Literal["total", "released"]


def require_k(k: int) -> None:
    """Raise unless a record can hide among k."""
    if k < 2:
        raise ParameterError(
            f"k is {k}, but a record can only hide among at least 2.", remedy="Choose k ≥ 2."
        )


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """A table of codes and the goal to be met.

    Equal records are folded: ``codes`` hold distinct rows, ``folded`` says how many records show
    each and which. Columns that a privacy model reads are part of the fold, so a row has one value
    in each of them.

    Parameters
    ----------
    codes
        For each attribute the codes of the distinct rows.
    domains, weights
        The attributes; weights sum to 1.
    folded
        Records of each distinct row.
    k
        Smallest size of a class.
    models
        Further privacy models that every class must meet.
    protected
        For each model the values of its column, as codes of the distinct rows.
    suppression_limit
        How many records may be suppressed.
    suppress_for
        What suppressing records is to lower: the ``total`` loss, in which they count as lost, or
        the loss of the ``released`` records alone. Searches that weigh suppression themselves
        (lattices, global recoding, `optimal`, `ff-mip`, `ff-optimal`) always lower the total.
    measure
        The loss to minimize, as users write it: ``gcp``, ``mi``, ``wmi:0.25``, ``cm``, …
    target
        The target value of each distinct row, for measures that read it.
    """

    codes: tuple[NDArray[np.unsignedinteger], ...]
    domains: tuple[Domain, ...]
    weights: tuple[float, ...]
    folded: FoldedRows
    k: int
    models: tuple[Model, ...] = ()
    protected: tuple[NDArray[np.unsignedinteger], ...] = ()
    suppression_limit: int = 0
    suppress_for: SuppressFor = "total"
    measure: str = "gcp"
    target: NDArray[np.unsignedinteger] | None = None

    @classmethod
    def of(
        cls,
        encoded: EncodedTable,
        k: int,
        *,
        models: tuple[Model, ...] = (),
        protected: tuple[NDArray[np.unsignedinteger], ...] = (),
        suppression: float = 0.0,
        suppress_for: SuppressFor = "total",
        measure: str = "gcp",
        target: NDArray[np.unsignedinteger] | None = None,
        rng: np.random.Generator | None = None,
    ) -> Problem:
        """Fold an encoded table into a problem.

        Parameters
        ----------
        protected
            For each model the values of its column, as codes of the records.
        suppression, suppress_for
            Largest share of records that may be suppressed, and the loss that it is to lower.
        target
            The target values, as codes of the records; measures ``pmi`` and ``wmi`` need them.
        rng
            Source of the order of distinct rows. Without it they stand as the records first show
            them; then ties between rows that differ in target values alone are broken by the
            order of the source, and whoever knows that order learns from them.

        Raises
        ------
        ParameterError
            If k or the share is out of range.
        InfeasibleError
            If the table has fewer than k records, or as a whole does not meet a model.
        """
        require_k(k)
        if not 0 <= suppression <= 1:
            raise ParameterError(
                f"The share of suppressed records is {suppression}, not in [0, 1].",
                remedy="0.02 lets up to 2 % of the records be suppressed; 1 is no limit.",
            )
        if k > encoded.n:
            raise InfeasibleError(
                f"k is {k}, but the table has only {counted(encoded.n, 'record')}.",
                remedy=f"The largest feasible k is {encoded.n}.",
                feasible=encoded.n,
            )
        for model, column in zip(models, protected, strict=True):
            model.require_feasible(np.bincount(column))
        if not reads_target(measure):
            target = None
        elif target is None:
            raise ParameterError(
                f"Measure {measure!r} needs a target column, and there is none.",
                remedy="Name one with `sensitive` or `target`.",
            )
        beside = [] if target is None else [target]
        columns = [*encoded.codes, *protected, *beside]
        # Rows without target values are all that an adversary knows: their order tells nothing.
        mix = rng is not None and len(columns) > len(encoded.codes)
        folded = FoldedRows.mixed(columns, rng) if mix and rng else FoldedRows.of(columns)
        return cls(
            codes=tuple(codes[folded.first] for codes in encoded.codes),
            domains=encoded.domains,
            weights=encoded.weights,
            folded=folded,
            k=k,
            models=models,
            protected=tuple(column[folded.first] for column in protected),
            suppression_limit=_share_of(suppression, encoded.n),
            suppress_for=suppress_for,
            measure=measure,
            target=None if target is None else target[folded.first],
        )

    def part(self, rows: NDArray[np.integer], counts: NDArray[np.int32]) -> Problem:
        """Return the problem of so many records of some rows; losses are those of the whole table.

        Nothing may be suppressed in it.
        """
        record_rows = np.repeat(np.arange(len(rows), dtype=np.int32), counts)
        first = (np.cumsum(counts) - counts).astype(np.int32)
        return replace(
            self,
            codes=tuple(codes[rows] for codes in self.codes),
            protected=tuple(codes[rows] for codes in self.protected),
            target=None if self.target is None else self.target[rows],
            folded=FoldedRows(record_rows, first, counts),
            suppression_limit=0,
        )

    @property
    def n(self) -> int:
        """Number of records."""
        return len(self.folded.row_of)

    @property
    def rows(self) -> int:
        """Number of distinct rows."""
        return len(self.folded.first)

    @property
    def counts(self) -> NDArray[np.int32]:
        """Records of each distinct row."""
        return self.folded.counts

    def without_suppression(self) -> Problem:
        """Return the problem in which no record may be suppressed."""
        return replace(self, suppression_limit=0)

    def close(self, rows: NDArray[np.integer], starts: NDArray[np.int64]) -> list[ColumnRecoding]:
        """Return the closures of units, which are consecutive runs of distinct rows."""
        return [
            ColumnRecoding(*domain.close(codes[rows], starts))
            for codes, domain in zip(self.codes, self.domains, strict=True)
        ]

    def losses(self, rows: NDArray[np.integer], starts: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the loss (GCP) per record of units, which are consecutive runs of rows."""
        total = np.zeros(len(starts))
        closed = zip(self.weights, self.domains, self.close(rows, starts), strict=True)
        for weight, domain, column in closed:
            total += weight * domain.loss(column.closures)[column.index]
        return total

    def objective(self) -> kernels.Objective:
        """Return what classes cost under the measure, in the form that kernels take."""
        weight = weight_of_mi(self.measure)
        if weight is None:
            return kernels.Objective(self.records())
        target = np.zeros(0, dtype=np.uint32) if self.target is None else self.target
        values = int(target.max(initial=0)) + 1
        return kernels.Objective.information(self.records(), weight, target, values)

    def records(self) -> kernels.Records:
        """Return the rows in the form that kernels take."""
        records = kernels.Records(self.counts)
        for codes, domain, weight in zip(self.codes, self.domains, self.weights, strict=True):
            domain.add_to(records, codes, weight)
        return records


def _share_of(share: float, records: int) -> int:
    """Return how many records a share is, as it is written (0.29) or as it was divided (2/12)."""
    return max(floor(Fraction(repr(float(share))) * records), floor(share * records))


def weight_of_mi(measure: str) -> float | None:
    """Return w of the measure w·MI + (1 - w)·PMI, or ``None`` for a loss of closures alone."""
    name, _, weight = measure.partition(":")
    known = {"mi": 1.0, "pmi": 0.0, "wmi": 0.5}
    return float(weight) if weight else known.get(name)


def reads_target(measure: str) -> bool:
    """Return whether a measure reads the target column."""
    weight = weight_of_mi(measure)
    return measure in {"cm", "cm_fields"} or (weight is not None and weight < 1)
