"""GCP, the mean loss of a cell (NCP per cell; LM for sets and hierarchies)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.measures.measure import measure

if TYPE_CHECKING:
    from shoal.measures.released import Released


def losses(released: Released) -> list[float]:
    """Return the mean loss of each attribute; a suppressed record loses 1."""
    return [
        released.mean(place, domain.loss(column.closures), if_suppressed=1.0)
        for place, (domain, column) in enumerate(
            zip(released.domains, released.recoding.columns, strict=True)
        )
    ]


@measure(
    "gcp",
    "The share of detail lost: 0 leaves every cell exact, 1 leaves nothing.",
)
def gcp(released: Released) -> float:
    """Return the weighted mean loss of all cells."""
    return sum(
        weight * loss for weight, loss in zip(released.weights, losses(released), strict=True)
    )


@measure(
    "gcp_sum",
    "The same loss summed over the records instead of averaged, as some papers print it.",
)
def gcp_sum(released: Released) -> float:
    """Return the weighted loss summed over records."""
    return released.n * gcp(released)


@measure(
    "gcp_released",
    "The share of detail lost among the records that are released, suppressed ones left aside.",
)
def gcp_released(released: Released) -> float:
    """Return the weighted mean loss of the cells of records that show something."""
    shown = released.n - released.suppressed
    return (gcp_sum(released) - released.suppressed) / shown if shown else 0.0
