"""Quantities whose sum or product may tell a quasi-identifier which none of them tells alone.

The day of admission and the length of stay give the day of discharge, two parts of a code the code.
Nothing is judged here: the attack tries what is found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.exposure.combinations import Combination
from shoal.exposure.views import comparable_cells, views_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    Scale = Callable[[NDArray[np.float64]], NDArray[np.float64]]

_FITTED = 2_000
_LEAST_FITTED = 40
_RECORDS_PER_TERM = 10
_MOST_UNEXPLAINED = 0.2
_MOST_MISSING = 0.2


def likely_sums(
    columns: Mapping[str, pl.Series],
    attributes: pl.DataFrame,
    rows: NDArray[np.int64],
    rng: np.random.Generator,
) -> Iterator[Combination]:
    """Yield quantities whose weighted sum, or product of powers, gives a quasi-identifier.

    The sum is fitted to some records and must hold for others.

    Parameters
    ----------
    columns, attributes
        The cells of the columns, and of the quasi-identifiers.
    rows
        The rows that are learned from.
    """
    drawn = rng.permutation(len(rows))[:_FITTED]
    some = rows[drawn]
    read = {name: _quantity(cells.gather(some)) for name, cells in columns.items()}
    held = {name: numbers for name, numbers in read.items() if numbers is not None}
    if not 1 < len(held) <= len(some) // _RECORDS_PER_TERM:
        return
    for target in attributes:
        wanted = _quantity(target.gather(some))
        if wanted is None:
            continue
        for scale in (_as_it_is, _logarithm):
            names = _fewest_terms(held, wanted, scale)
            if names is not None:
                cells = [columns[name].gather(rows) for name in names]
                found = _predicted(cells, target.gather(rows), scale, drawn)
                if found is not None:
                    yield found
                    break


def _as_it_is(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    return numbers


def _logarithm(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.log(np.where(numbers > 0, numbers, np.nan))


def _quantity(series: pl.Series) -> NDArray[np.float64] | None:
    """Return the numbers of a column, NaN where missing; None if it is no quantity."""
    if series.dtype.is_temporal() and series.dtype != pl.Time:
        read = series.to_physical().cast(pl.Float64)
    elif series.dtype.is_numeric():
        read = series.cast(pl.Float64)
    elif series.dtype == pl.String:
        read = series.str.strip_chars().cast(pl.Float64, strict=False)
        if read.null_count() == len(read):
            read = series.str.to_date("%Y-%m-%d", strict=False).to_physical().cast(pl.Float64)
    else:
        return None
    numbers = read.to_numpy()
    present = np.isfinite(numbers)
    if not _mostly_present(numbers) or numbers[present].min() == numbers[present].max():
        return None
    return np.where(present, numbers, np.nan)


def _fewest_terms(
    held: Mapping[str, NDArray[np.float64]], wanted: NDArray[np.float64], scale: Scale
) -> list[str] | None:
    """Return the fewest columns whose sum explains a quantity as all do; None if no sum does."""
    y = scale(wanted)
    if not _mostly_present(y):
        return None
    terms = {name: x for name, numbers in held.items() if _mostly_present(x := scale(numbers))}
    left = _unexplained(list(terms.values()), y)
    if left > _MOST_UNEXPLAINED:
        return None
    limit = min(max(1.5 * left, left + 1e-3), _MOST_UNEXPLAINED)
    while len(terms) > 1:
        without = {
            name: _unexplained([x for one, x in terms.items() if one != name], y) for name in terms
        }
        least = min(without, key=lambda name: without[name])
        if without[least] > limit:
            break
        del terms[least]
    return list(terms) if len(terms) > 1 else None


def _mostly_present(numbers: NDArray[np.float64]) -> bool:
    return bool(np.isfinite(numbers).mean() >= 1 - _MOST_MISSING)


def _unexplained(terms: Sequence[NDArray[np.float64]], y: NDArray[np.float64]) -> float:
    """Return the share of variance that a sum fitted to one half leaves in the other half."""
    x = np.column_stack([np.ones(len(y)), *terms])
    whole = np.isfinite(x).all(axis=1) & np.isfinite(y)
    x, y = x[whole], y[whole]
    half = len(y) // 2
    if half < _LEAST_FITTED // 2 or y[half:].min() == y[half:].max():
        return 1.0
    with np.errstate(all="ignore"):  # very large numbers have no finite variance
        found = _fit(x[:half], y[:half])
        left = float(np.mean((x[half:] @ found - y[half:]) ** 2) / y[half:].var())
    return left if np.isfinite(left) else 1.0


def _fit(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    size = np.abs(x).max(axis=0)
    size[size == 0] = 1.0
    return np.asarray(np.linalg.lstsq(x / size, y, rcond=1e-10)[0] / size)


def _predicted(
    columns: Sequence[pl.Series], target: pl.Series, scale: Scale, drawn: NDArray[np.int64]
) -> Combination | None:
    """Return what a sum that is fitted to drawn records says of all."""
    terms = [_quantity(cells) for cells in columns]
    wanted = _quantity(target)
    if wanted is None or any(one is None for one in terms):
        return None
    x = np.column_stack([np.ones(len(wanted)), *(scale(one) for one in terms if one is not None)])
    y = scale(wanted)
    usable = np.isfinite(x).all(axis=1) & np.isfinite(y)
    fitted = drawn[usable[drawn]]
    with np.errstate(all="ignore"):
        said = x @ _fit(x[fitted], y[fitted])
        said = np.exp(said) if scale is _logarithm else said
        step = _step(wanted[usable])
        said = np.round(said / step) * step
    said = np.where(np.isfinite(said), said, np.nan)
    exact = bool(np.mean(np.isclose(said[usable], wanted[usable], atol=step / 2)) > 0.99)
    views = list(views_of(comparable_cells(pl.Series("", said, nan_to_null=True))))
    return Combination(tuple(cells.name for cells in columns), target.name, views, exact)


def _step(numbers: NDArray[np.float64]) -> float:
    """Return the step that a quantity is counted in: its smallest, or nearly so."""
    distinct = np.unique(numbers)
    if len(distinct) < 2:
        return 1.0
    return float(np.quantile(np.diff(distinct), 0.1))
