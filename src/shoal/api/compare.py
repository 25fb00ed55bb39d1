"""Several releases of one table side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.io import CallerFrame
from shoal.pipeline.comparison import Comparison, frame_of, settings_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from os import PathLike

    import polars as pl

    from shoal.hierarchies import Hierarchy, Recipe
    from shoal.pipeline.comparison import Setting

K = (3, 5, 10)
ALGORITHMS = ("auto", "mondrian")
SUPPRESSION = (0.0, 0.02)


def compare(
    frame: Any,
    *,
    k: Sequence[int] | int = K,
    algorithm: Sequence[str] | str = ALGORITHMS,
    suppression: Sequence[float] | float = SUPPRESSION,
    models: Sequence[Sequence[str]] = ((),),
    hierarchy: Mapping[str, Hierarchy | Recipe | str | PathLike[str]] | None = None,
    store: str | PathLike[str] | None = None,
    tell: Callable[[Setting], None] | None = None,
    **options: Any,
) -> pl.DataFrame:
    """Release a table with every combination of some options, and return what each gives.

    Every release is verified; none is kept. A combination that cannot be met has its reason in
    the column ``problem``.

    Parameters
    ----------
    frame
        As for :func:`shoal.anonymize`.
    k, algorithm, suppression
        The values to combine.
    models
        The lists of privacy models to combine; an empty list is none.
    hierarchy
        As for :func:`shoal.anonymize`.
    store
        A folder in which results are kept, so that an interrupted comparison goes on.
    tell
        Called with each combination before it runs.
    **options
        The other options of :func:`shoal.anonymize`; with ``target`` classifiers are compared.

    Returns
    -------
    polars.DataFrame
        One row a combination: loss, classes, risk, seconds, and the error of classifiers.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> people = pl.DataFrame({"age": [35, 36, 37, 61, 62, 66], "sex": list("FFFMMM")})
    >>> found = shoal.compare(people, k=[2, 3], algorithm="mondrian", suppression=0,
    ...                       quasi=["age", "sex"])
    >>> found.select("k", "risk_highest").rows()
    [(2, 0.3333333333333333), (3, 0.3333333333333333)]
    """
    comparison = comparison_of(frame, hierarchy, store, options)
    settings = settings_of(_many(k), _many(algorithm), _many(suppression), models)
    return frame_of(list(comparison.rows(settings, tell)))


def comparison_of(
    frame: Any,
    hierarchy: Mapping[str, Hierarchy | Recipe | str | PathLike[str]] | None,
    store: str | PathLike[str] | None,
    options: Mapping[str, Any],
) -> Comparison:
    """Return what all runs of a comparison share; a store is made where there is none."""
    shared = {**options, **({"hierarchy": hierarchy} if hierarchy else {})}
    if shared.get("target"):
        shared.setdefault("utility", True)
    place = None if store is None else Path(store)
    if place is not None:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
    return Comparison(CallerFrame.of(frame).polars, shared, place)


def _many(values: Any) -> list[Any]:
    return [values] if isinstance(values, int | float | str) else list(values)
