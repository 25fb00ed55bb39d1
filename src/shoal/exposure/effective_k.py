"""Effective k: how many candidates remain when an unchanged column is taken into account."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.exposure.association import Association, associate
from shoal.exposure.views import comparable_cells, views_of, views_of_attribute
from shoal.table.cells import texts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from shoal.exposure.candidates import Candidates
    from shoal.table.cells import DistinctCells

_DETERMINES = 0.99
_LEAST_REPEATED = 0.1
_MOST_LEARNED = 30_000
_CLEARLY = 0.95  # estimates differ a little where a column says nothing
_GLANCE = 100
_MOST_GROUPED = 50_000
MOST_COMBINED = 100  # columns of which all pairs are compared


@dataclass(frozen=True, slots=True)
class EffectiveK:
    """What is left of the candidates.

    Parameters
    ----------
    candidates
        The k that the release has by its classes: one over the mean chance of picking a person's
        record at random among its candidates.
    effective
        The same, for an attacker who weighs the candidates by what the column says.
    below_half, below_k
        Share of records for whom fewer than half of k, and fewer than k candidates remain.
    through
        The quasi-identifier that the column says most about, if it says anything.
    relation
        ``repeats``, ``determines`` or ``narrows``.
    """

    candidates: float
    effective: float
    below_half: float
    below_k: float
    through: str | None = None
    relation: str | None = None

    @property
    def factor(self) -> float:
        """How many times likelier an attacker picks the right record."""
        return self.candidates / self.effective


class Attack:
    """An attacker who knows the original quasi-identifiers of people in a release.

    Parameters
    ----------
    quasi
        The original quasi-identifiers of the released records.
    candidates
        The records to choose from for each person.
    k
        What the release promises.
    rng
        Draws what is learned from, where a table is large.
    persons
        The person of each record, where a person may have several.
    rows
        For each record its row in the frames, if they are not in the order of the release.
    distinct
        Returns the distinct cells of a quasi-identifier, if the caller has them.
    """

    def __init__(
        self,
        quasi: pl.DataFrame,
        candidates: Candidates,
        k: int,
        rng: np.random.Generator,
        *,
        persons: NDArray[np.integer] | None = None,
        rows: NDArray[np.int64] | None = None,
        distinct: Callable[[str], DistinctCells] | None = None,
    ) -> None:
        # What is learned from: everybody in a small table, else the candidates and a sample.
        records = quasi.height if rows is None else len(rows)
        learned = np.arange(records)
        self._target, self._candidate = candidates.target, candidates.candidate
        if records > _MOST_LEARNED:
            counted = rng.random(records) < _MOST_LEARNED / records
            counted[candidates.target] = True
            counted[candidates.candidate] = True
            learned = np.flatnonzero(counted)
            self._target = np.searchsorted(learned, candidates.target)
            self._candidate = np.searchsorted(learned, candidates.candidate)
        self._rows = learned if rows is None else rows[learned]
        self._pairs = candidates
        self._own = candidates.own
        if persons is not None:
            same = persons[candidates.target] == persons[candidates.candidate]
            self._own = same & (candidates.stands_for > 0)
        self._k = k
        self._rng = rng
        self._quasi = quasi
        self._views = {
            series.name: list(
                views_of_attribute(
                    comparable_cells(series.gather(self._rows))
                    if distinct is None
                    else distinct(series.name).of_rows(self._rows)
                )
            )
            for series in quasi
        }
        self._glances = {series.name: _glance(series, self._rows) for series in quasi}

    @property
    def quasi(self) -> pl.DataFrame:
        """The original quasi-identifiers."""
        return self._quasi

    @property
    def rows(self) -> NDArray[np.int64]:
        """The rows of the frames that are learned from."""
        return self._rows

    @property
    def pairs(self) -> int:
        """How many pairs of a target and a candidate are weighed."""
        return len(self._target)

    @property
    def views_of_attributes(self) -> Mapping[str, Sequence[NDArray[np.int64]]]:
        """For each quasi-identifier, the codes of the cells that are learned from."""
        return self._views

    def views(self, column: pl.Series) -> list[NDArray[np.int64]]:
        """Return the codes of a column's cells, and of what they can be summed up to."""
        return list(views_of(comparable_cells(column.gather(self._rows))))

    def on(
        self, column: pl.Series, views: Sequence[NDArray[np.int64]] | None = None
    ) -> tuple[EffectiveK, NDArray[np.float64]]:
        """Return what a column leaves of the candidates, and the weights that it gives them.

        Parameters
        ----------
        column
            The column, in the rows of the frames.
        views
            What :meth:`views` returns of it, if the caller has that.
        """
        if views is None:
            views = self.views(column)
        column = column.gather(self._rows)
        mine = _glance(column)
        total = np.zeros(len(self._target))
        best: tuple[float, str, str] | None = None
        for name, theirs in self._glances.items():
            # Most columns differ at a glance.
            if _look_alike(mine, theirs) and self._repeats(column, name):
                weights, relation = self._repeated(name)
            else:
                weights, relation = self._through(views, name)
            if weights is None:
                continue
            total += weights
            chance = self._chances(weights).mean()
            if best is None or chance > best[0]:
                best = (float(chance), name, relation)
        found = self.summed(total)
        if best is None:
            return found, total
        return replace(found, through=best[1], relation=best[2]), total

    def on_views(
        self, views: Sequence[NDArray[np.int64]], attribute: str, *, exact: bool = False
    ) -> EffectiveK:
        """Return what codes leave of the candidates through one quasi-identifier.

        Parameters
        ----------
        exact
            Whether they are known to give its very value.
        """
        weights, relation = self._repeated(attribute) if exact else self._through(views, attribute)
        if weights is None:
            return self.summed(np.zeros(len(self._target)))
        return replace(self.summed(weights), through=attribute, relation=relation)

    def _repeats(self, column: pl.Series, attribute: str) -> bool:
        shown = self._quasi[attribute].gather(self._rows)
        return _same_values(_stripped(column), _stripped(shown))

    def summed(self, weights: NDArray[np.float64]) -> EffectiveK:
        """Return the figures of an attack whose logarithmic weights are known."""
        plain = self._chances(np.zeros(len(weights)))
        chances = self._chances(weights)
        remaining = 1 / chances
        half = max(self._k / 2, 1.5)
        return EffectiveK(
            candidates=float(1 / plain.mean()),
            effective=float(1 / chances.mean()),
            below_half=float((remaining < half - 1e-9).mean()),
            below_k=float((remaining < _CLEARLY * self._k).mean()),
        )

    def _chances(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for each target the chance that the attacker picks its record."""
        starts = self._pairs.starts[:-1]
        # Only ratios within a target count; the largest weight becomes 1.
        highest = np.maximum.reduceat(weights, starts)
        counted = np.exp(weights - np.repeat(highest, np.diff(self._pairs.starts)))
        counted *= self._pairs.stands_for
        hits = np.add.reduceat(np.where(self._own, counted, 0.0), starts)
        return np.asarray(hits / np.add.reduceat(counted, starts))

    def _repeated(self, attribute: str) -> tuple[NDArray[np.float64] | None, str]:
        """Return the weights of the candidates if a quasi-identifier itself is shown."""
        codes = self._views[attribute][0]
        equal = codes[self._target] == codes[self._candidate]
        return np.where(equal, 0.0, -700.0), "repeats"

    def _through(
        self, views: Sequence[NDArray[np.int64]], attribute: str
    ) -> tuple[NDArray[np.float64] | None, str]:
        """Return the weights of the candidates through one quasi-identifier."""
        found: Association | None = None
        for theirs in self._views[attribute]:
            learned = [associate(mine, theirs, self._rng) for mine in views]
            coarse = max(learned[1:], key=_gain, default=None)
            if coarse is not None:
                learned.append(associate(views[0], theirs, self._rng, coarse))
            found = max(found, *learned, key=_gain)
        if found is None:
            return None, ""
        relation = "determines" if _determines(found) else "narrows"
        return found.log_weights(self._target, self._candidate), relation


@dataclass(frozen=True, slots=True, eq=False)
class Examined:
    """An unchanged column that was examined by itself.

    Parameters
    ----------
    cells
        The column.
    views
        The codes of its cells, of the records that are learned from; none if they were dropped.
    weights
        The logarithmic weights that it gives to candidates; None if all are alike.
    remaining
        What it leaves of them.
    accepted
        Whether the job accepts the column.
    """

    cells: pl.Series
    views: Sequence[NDArray[np.int64]]
    weights: NDArray[np.float32] | None
    remaining: EffectiveK
    accepted: bool

    @classmethod
    def of(cls, cells: pl.Series, attack: Attack, *, accepted: bool) -> Examined:
        """Examine a column."""
        views = attack.views(cells)
        remaining, weights = attack.on(cells, views)
        # Weights are long, and of a wide table most columns say nothing.
        kept = weights.astype(np.float32) if weights.any() else None
        return cls(cells, views, kept, remaining, accepted)

    def without_views(self) -> Examined:
        """Return the same without codes, which a wide table has no room for."""
        return replace(self, views=())


def _gain(found: Association | None) -> float:
    return 0.0 if found is None else found.gain


def _glance(column: pl.Series, rows: NDArray[np.int64] | None = None) -> list[str | None]:
    """Return what the first cells show; nothing where cells are no texts and no numbers."""
    if column.dtype.is_nested() or column.dtype in (pl.Binary, pl.Object, pl.Duration):
        return []
    first = column.head(_GLANCE) if rows is None else column.gather(rows[:_GLANCE])
    return _stripped(first).to_list()


def _look_alike(first: list[str | None], second: list[str | None]) -> bool:
    """Return whether two columns may show the same, as texts or as numbers."""
    if first == second:
        return bool(first)
    try:
        return all(
            one == other or float(one or "") == float(other or "")
            for one, other in zip(first, second, strict=True)
        )
    except ValueError:
        return False


def _stripped(column: pl.Series) -> pl.Series:
    return texts(column).str.strip_chars()


def _same_values(first: pl.Series, second: pl.Series) -> bool:
    """Return whether two columns show the same: as texts, or as numbers."""
    if first.n_unique() < 2:
        return False
    if bool(first.eq_missing(second).all()):
        return True
    numbers = [one.cast(pl.Float64, strict=False) for one in (first, second)]
    absent = (first.null_count(), second.null_count())
    if absent != (numbers[0].null_count(), numbers[1].null_count()):
        return False
    return bool(numbers[0].eq_missing(numbers[1]).all())


def _determines(found: Association) -> bool:
    """Return whether nearly all values of the column stand beside one value alone.

    Values that no two records share say nothing about that, and a few that do say too little.
    """
    repeated = found.of_column > 1
    total = int(found.of_column[repeated].sum())
    if total < _LEAST_REPEATED * len(found.column):
        return False
    alone = repeated & (found.together.values_of_first(len(found.of_column)) == 1)
    return int(found.of_column[alone].sum()) >= _DETERMINES * total


def groups_known_too(
    classes: NDArray[np.int64], columns: Mapping[str, NDArray[np.integer]]
) -> NDArray[np.int64]:
    """Return the sizes of the groups of records that are alike if columns are known too.

    Parameters
    ----------
    classes
        For each record the number of its class.
    columns
        For each record the code of its cell, of each column that is known.
    """
    frame = pl.DataFrame({"": classes, **columns})
    return frame.group_by(frame.columns).len(name="\0")["\0"].cast(pl.Int64).to_numpy()


def some_classes(classes: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the records of all classes, or of so many drawn classes that they are not too many."""
    if len(classes) <= _MOST_GROUPED:
        return np.arange(len(classes))
    drawn = rng.random(int(classes.max()) + 1) < _MOST_GROUPED / len(classes)
    return np.flatnonzero(drawn[classes])
