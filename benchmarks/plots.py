"""Line plots for the studies, written beside their figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl

mpl.use("Agg")
from matplotlib import pyplot as plt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

RESULTS = Path(__file__).parent / "results"


def plot_lines(
    name: str,
    lines: Mapping[str, Sequence[tuple[float, float]]],
    *,
    title: str,
    across: str,
    up: str,
    logarithmic: bool = False,
) -> None:
    """Write ``results/name.png`` with one line for each entry."""
    figure, axes = plt.subplots(figsize=(8.5, 4.5), layout="constrained")
    for label, points in lines.items():
        axes.plot(*zip(*points, strict=True), marker="o", label=label)
    axes.set(title=title, xlabel=across, ylabel=up)
    if logarithmic:
        axes.set_yscale("log")
    axes.grid(alpha=0.3)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    RESULTS.mkdir(exist_ok=True)
    figure.savefig(RESULTS / f"{name}.png", dpi=120)
    plt.close(figure)
    print(f"plot: {RESULTS / name}.png")
