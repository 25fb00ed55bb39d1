"""Figures of a release against its original: measures, the gap, and the target column they need.

Exact figures are for the custodian alone; see :class:`Figures`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from shoal.algorithms import Guarantee
from shoal.encoding import encode_together
from shoal.errors import SchemaError
from shoal.measures import Measures, TargetColumn, losses

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from shoal.measures import Released
    from shoal.options import Job
    from shoal.pipeline.detail import Detail
    from shoal.table import Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What a release lost of its original, to the last digit.

    Exact figures depend on records that are withheld and on values that are generalized: whoever
    has them and the release can work back to those. They stay in custody; what may be published is
    in :class:`~shoal.pipeline.facts.Facts`.

    Parameters
    ----------
    measure
        The requested measure.
    optimal
        Whether no release of this form has less of it, by proof.
    lower_bound
        What no release of this form can go below, by that measure; ``None`` if none was proved.
    measures
        Every measure by name.
    per_attribute
        The mean loss of each quasi-identifier.
    steps
        Steps that the algorithm took.
    seconds
        Wall seconds of each stage.
    trace
        The steps of ``auto``: the algorithm, its seconds, the loss it reached and what it gained.
    search
        Seconds into the search and the best loss at that time, where the algorithm reports it.
    utility
        What analysts get out of the release, if requested.
    exposure
        What unchanged columns give away, with effective k.
    candidates
        Releases that were tried: for a target, with the errors of classifiers that learned from
        them; for marginal tables, with the loss and the distance of the tables.
    marginals
        How far each requested marginal table is from that of the original.
    detail
        How much detail the intervals and sets keep that stand behind statistics of classes.
    """

    measure: str
    optimal: bool
    lower_bound: float | None
    measures: Mapping[str, float]
    per_attribute: Mapping[str, float]
    steps: int = 0
    seconds: Mapping[str, float] = field(default_factory=dict)
    trace: tuple[Mapping[str, Any], ...] = ()
    search: tuple[tuple[float, float], ...] = ()
    utility: Mapping[str, Any] | None = None
    exposure: Mapping[str, Any] | None = None
    candidates: tuple[Mapping[str, Any], ...] = ()
    marginals: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    detail: Mapping[str, Detail] = field(default_factory=dict)

    @property
    def loss(self) -> float:
        """The loss by the requested measure."""
        return self.measures[self.measure]

    @property
    def gap(self) -> float | None:
        """The share of the loss that may be avoidable; ``None`` if no bound was proved."""
        return None if self.lower_bound is None else gap_of(self.loss, self.lower_bound)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain dictionaries, lists, texts and numbers."""
        plain = {**asdict(self), "loss": self.loss, "gap": self.gap}
        search = [list(point) for point in self.search]
        return {**plain, "trace": list(self.trace), "search": search} | {
            "candidates": list(self.candidates)
        }


def in_classes(job: Job) -> bool:
    """Return whether the release of a job consists of equivalence classes."""
    return job.guarantee == Guarantee.CLASSES


def measured(
    released: Released, job: Job, *, of_release_alone: bool = False
) -> dict[str, Mapping[str, float]]:
    """Return every measure of a release, computed when it is read, and the loss per attribute.

    Parameters
    ----------
    of_release_alone
        Whether to leave out the measures that read the exact values of the original.
    """
    return {
        "measures": Measures(released, [job.measure], of_release_alone=of_release_alone),
        "per_attribute": {
            domain.attribute.name: loss
            for domain, loss in zip(released.domains, losses(released), strict=True)
        },
    }


def best_bound(*bounds: float | None) -> float | None:
    """Return the highest of the lower bounds that are known."""
    return max((bound for bound in bounds if bound is not None), default=None)


def gap_of(loss: float, bound: float) -> float:
    """Return the share of a loss that may be avoidable: 0 is the best possible.

    >>> gap_of(0.5, 0.375)
    0.25
    """
    return max(0.0, (loss - bound) / loss) if loss > 0 else 0.0


def target_name(schema: Schema, job: Job) -> str | None:
    """Return the target column, or the first sensitive column unless it is set."""
    if job.target is None:
        return schema.sensitive[0] if schema.sensitive else None
    if job.target not in schema.untouched:
        raise SchemaError(
            f"The target {job.target!r} is not a column that is released unchanged.",
            remedy="Choose a sensitive or other column: "
            f"{', '.join(map(repr, schema.untouched)) or 'there is none'}.",
        )
    return job.target


def target_of_release(name: str, original: pl.DataFrame, released: pl.DataFrame) -> TargetColumn:
    """Return the target column of an original and its release, in common codes."""
    before, after, _ = common_codes(name, original, released)
    return TargetColumn(name, before, after)


def common_codes(
    name: str, original: pl.DataFrame, released: pl.DataFrame
) -> tuple[NDArray[np.unsignedinteger], NDArray[np.unsignedinteger], list[str]]:
    """Return a column that is released unchanged as codes of both tables, and their texts."""
    if name not in released.columns:
        raise SchemaError(f"The release has no column {name!r}.", remedy="Leave the target out.")
    return encode_together(original[name], released[name])
