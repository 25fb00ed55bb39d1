"""The live chart of a run: best loss against time, and the proved bound below it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LEFT, _RIGHT, _TOP, _BASE = 64, 624, 12, 184
"""Edges of the plot in the units of ``search_chart.svg``."""


@dataclass(frozen=True, slots=True)
class SearchChart:
    """What the template of the chart draws.

    Parameters
    ----------
    title
        The chart in one sentence, for those who do not see it.
    losses, bounds
        Points of both lines, as SVG takes them.
    top
        Loss at the upper edge.
    seconds
        Time at the right edge.
    """

    title: str
    losses: str
    bounds: str
    top: float
    seconds: float


def best_so_far(reports: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return reports with the best loss and bound up to each of them.

    ``auto`` runs several algorithms, and each of them reports its own best.

    >>> points = best_so_far([{"loss": 0.3, "bound": None}, {"loss": 0.5, "bound": 0.1}])
    >>> [(one["loss"], one["bound"]) for one in points]
    [(0.3, None), (0.3, 0.1)]
    """
    found: list[dict[str, Any]] = []
    loss: float | None = None
    bound: float | None = None
    for one in reports:
        if one["loss"] is not None:
            loss = one["loss"] if loss is None else min(loss, one["loss"])
        if one["bound"]:
            bound = max(bound or 0.0, one["bound"])
        found.append({**one, "loss": loss, "bound": bound})
    return found


def search_chart(reports: Sequence[Mapping[str, Any]]) -> SearchChart | None:
    """Return the chart of a search, or nothing while there is nothing to draw."""
    losses = [(one["seconds"], one["loss"]) for one in reports if one["loss"] is not None]
    bounds = [(one["seconds"], one["bound"]) for one in reports if one["bound"]]
    if len(losses) < 2:
        return None
    seconds = max(when for when, _ in (*losses, *bounds))
    top = max(loss for _, loss in losses) or 1.0
    title = f"Best loss {losses[-1][1]:.4f} after {losses[-1][0]:.0f} seconds"
    if bounds:
        title += f", lower bound {bounds[-1][1]:.4f}"

    def points(line: Sequence[tuple[float, float]]) -> str:
        return " ".join(
            f"{_LEFT + (_RIGHT - _LEFT) * when / max(seconds, 1e-9):.1f},"
            f"{_BASE - (_BASE - _TOP) * value / top:.1f}"
            for when, value in line
        )

    return SearchChart(title, points(losses), points(bounds), top, seconds)
