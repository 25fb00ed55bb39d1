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
