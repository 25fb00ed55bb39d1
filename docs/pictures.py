"""Draw the pictures of the documentation.

``python -m docs.pictures`` draws all of them, each in a light and a dark palette, from a toy table
or from stored results of a study. Pictures of several panels are drawn twice: side by side, and
stacked for narrow screens. A test draws some of them again and compares.
"""

from __future__ import annotations

import io
import itertools
import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl
import polars as pl

import shoal
from benchmarks import store
from shoal.algorithms import algorithms
from shoal.hierarchies import Ranges

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

IMAGES = Path(__file__).resolve().parent / "images"
K = 3
"""Records that every record of the toy table hides among."""
NARROW = 3.7
"""Width in inches of pictures for narrow screens, which show them at their size."""
_TINY = frozenset({"milp", "ff-mip"})
"""Algorithms that get a part of the toy table, because they are exponential."""
_TINY_ROWS = 12
_CELL = re.compile(r"\[?(\d+)(?:\.\.(\d+)\])?")


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours of a picture: text and axes, records, classes, and two tools side by side."""

    name: str
    ink: str
    faint: str
    record: str
    closure: str
    rival: str


PALETTES = (
    Palette("light", "#1f2933", "#9aa5b1", "#1f2933", "#0b7285", "#c2571a"),
    Palette("dark", "#e4e7eb", "#616e7c", "#e4e7eb", "#4dc3d6", "#f0a060"),
)


def toy_table() -> pl.DataFrame:
    """Return the ages and incomes (in thousands) of 28 invented people, in four groups."""
    ages = "23 26 27 27 28 31 31 32 32 33 35 35 35 38 48 51 52 55 57 58 60 63 66 68 70 70 73 74"
    incomes = "14 31 21 45 22 22 51 31 45 18 41 44 46 52 34 30 21 26 28 36 24 30 38 56 46 62 51 50"
    return pl.DataFrame(
        {"age": [int(one) for one in ages.split()], "income": [int(one) for one in incomes.split()]}
    )


def closures(algorithm: str, table: pl.DataFrame) -> list[tuple[tuple[int, int], ...]]:
    """Return the released cells of a table as pairs of least and greatest value, sorted."""
    levels = {name: Ranges(5, 10, 20, 40) for name in table.columns}
    release = shoal.anonymize(
        table,
        k=K,
        quasi=table.columns,
        algorithm=algorithm,
        hierarchy=levels if algorithms()[algorithm].family == "lattice" else {},
        seed=1,
    )
    return sorted(tuple(_ends(cell) for cell in row) for row in release.frame.rows())


def _ends(cell: str) -> tuple[int, int]:
    found = _CELL.fullmatch(cell)
    assert found is not None, cell
    return int(found[1]), int(found[2] or found[1])


def draw_algorithm(name: str, palette: Palette) -> Figure:
    """Return the records of the toy table and the closures that an algorithm releases."""
    figure, axes = _figure(palette, 4.2, 2.7)
    _draw_closures(axes, name, palette)
    return figure


def draw_five(palette: Palette, *, narrow: bool = False) -> Figure:
    """Return the toy table under five algorithms."""
    names = ("sorted", "mondrian", "auto", "flash", "ff-refine")
    columns = 2 if narrow else len(names)
    size = (NARROW, 5.4) if narrow else (10, 2.4)
    figure, panels = _panels(palette, size, len(names), columns)
    for place, (axes, name) in enumerate(zip(panels, names, strict=True)):
        _draw_closures(axes, name, palette)
        axes.set_title(name, color=palette.ink, fontsize=10)
        if place % columns:
            axes.set_ylabel("")
        if place + columns < len(names):
            axes.set_xlabel("")
    return figure


def _draw_closures(axes: Axes, name: str, palette: Palette) -> None:
    from matplotlib.patches import FancyBboxPatch

    table = toy_table()
    if name in _TINY:
        table = table.head(_TINY_ROWS)
    boxes = closures(name, table)
    freeform = algorithms()[name].family == "freeform"
    for (left, right), (low, high) in sorted(set(boxes)):
        box = FancyBboxPatch(
            (left - 0.5, low - 0.5),
            right - left + 1,
            high - low + 1,
            boxstyle="round,pad=0,rounding_size=0.8",
            linewidth=0.8,
            edgecolor=palette.closure,
            facecolor=(*mpl.colors.to_rgb(palette.closure), 0.06 if freeform else 0.18),
        )
        axes.add_patch(box)
    axes.scatter(table["age"], table["income"], s=9, color=palette.record, zorder=3, linewidths=0)
    axes.set_xlim(15, 82)
    axes.set_ylim(8, 68)
    axes.set_xlabel("age")
    axes.set_ylabel("income")


def draw_rivals(palette: Palette, *, narrow: bool = False) -> Figure:
    """Return loss against time beside ARX on Adult released as sets, one panel per k."""
    parts = store.load("arx")
    rivals = [one for one in parts["arx"]["figures"] if one["task"] == "sets"]
    figure, panels = _one_per_case(palette, (8, 2.6), len(rivals), narrow=narrow)
    for axes, rival in zip(panels, rivals, strict=True):
        k = rival["k"]
        ours = parts[f"sets-{k}"]["figures"]
        for tool, color, marker, runs in (
            ("ARX 3.9.2", palette.rival, "s", [rival]),
            ("Shoal", palette.closure, "o", ours),
        ):
            seconds, losses = zip(*((one["cpu_s"], one["loss"]) for one in runs), strict=True)
            axes.plot(seconds, losses, marker=marker, markersize=5, color=color, label=tool)
        axes.set_ylim(0, 1.15 * rival["loss"])
        axes.set_xlim(0, 14)
        axes.set_title(f"k = {k}", color=palette.ink, fontsize=10)
    _label_once(panels, "CPU seconds", "detail lost (GCP)", narrow=narrow)
    panels[0].legend(frameon=False, labelcolor=palette.ink, fontsize=8, loc="lower right")
    return figure


def draw_memory(palette: Palette, *, narrow: bool = False) -> Figure:
    """Return the memory of whole commands over time, one panel per number of records."""
    parts = store.load("engines")
    measured = ("local", "disk", "disk_largest", "spark")
    runs = [one for part in measured for one in parts[part]["figures"]]
    sizes = (1_000_000, 10_000_000, 100_000_000)
    figure, panels = _one_per_case(palette, (9, 2.8), len(sizes), narrow=narrow)
    strokes = {
        "local": (palette.rival, "-"),
        "disk": (palette.closure, "-"),
        "spark": (palette.ink, "--"),
    }
    for axes, n in zip(panels, sizes, strict=True):
        for run in runs:
            if run["n"] != n:
                continue
            seconds, held = zip(*run["memory_MB_over_time"], strict=True)
            color, line = strokes[run["engine"]]
            gigabytes = [one / 1000 for one in held]
            axes.plot(seconds, gigabytes, color=color, linestyle=line, label=run["engine"])
        axes.set_xlim(left=0)
        axes.set_ylim(0, 5.5)
        axes.set_title(f"{n // 1_000_000} million records", color=palette.ink, fontsize=10)
    _label_once(panels, "seconds", "memory held (GB)", narrow=narrow)
    panels[1].legend(frameon=False, labelcolor=palette.ink, fontsize=8, loc="upper right")
    return figure


def draw_choosing(palette: Palette, *, narrow: bool = False) -> Figure:
    """Return loss against CPU time of every algorithm, one panel per form of release."""
    parts = store.load("choosing")
    forms = ("classes", "full-domain", "freeform")
    figure, panels = _one_per_case(palette, (10, 3.6), len(forms), narrow=narrow)
    for axes, form in zip(panels, forms, strict=True):
        by_name: dict[str, list[tuple[float, float]]] = {}
        for one in parts[form]["figures"]:
            by_name.setdefault(one["algorithm"], []).append((one["cpu_s"], one["loss"]))
        for name, points in sorted(by_name.items(), key=lambda item: item[0] == "auto"):
            color = palette.rival if name == "auto" else palette.closure
            axes.plot(*zip(*points, strict=True), marker="o", markersize=4, color=color)
        axes.set_xscale("log")
        axes.set_xlim(0.03, 12)
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:.2g}")
        axes.yaxis.set_minor_formatter("{x:.2g}")
        axes.tick_params(axis="y", which="minor", labelsize=8, colors=palette.ink)
        _label(axes, {name: points[-1] for name, points in by_name.items()}, palette)
        axes.set_title(form, color=palette.ink, fontsize=10)
    _label_once(panels, "CPU seconds", "detail lost (GCP)", narrow=narrow)
    return figure


def _label(axes: Axes, ends: dict[str, tuple[float, float]], palette: Palette) -> None:
    """Write names beside the last point of each line, from the top down without overlap."""
    gap = 1 / 16
    names = sorted(ends, key=lambda name: -ends[name][1])
    ends_on_axes = axes.transAxes.inverted().transform(
        axes.transData.transform([ends[name] for name in names])
    )
    last = 1 + gap
    for left, (name, (_, height)) in zip(
        range(len(names), 0, -1), zip(names, ends_on_axes, strict=True), strict=True
    ):
        last = min(max(height, gap * (left - 1)), last - gap)
        axes.annotate(
            name,
            ends[name],
            xytext=(1.04, last),
            textcoords=axes.transAxes,
            fontsize=7,
            color=palette.ink,
            va="center",
            arrowprops={"arrowstyle": "-", "color": palette.faint, "linewidth": 0.4},
        )


def draw_hierarchy(palette: Palette, *, narrow: bool = False) -> Figure:
    """Return a hierarchy of ages: values, ranges of 10, ranges of 20, and everybody."""
    figure, axes = _figure(palette, NARROW if narrow else 6.4, 2.4)
    axes.set_axis_off()
    ages = _AGES[::2] if narrow else _AGES
    step = 20 / len(ages)
    levels: tuple[list[tuple[float, str]], ...] = (
        [(8.5, "*")],
        [(3.5, "20–39"), (13.5, "40–59")],
        [(1, "20–29"), (6, "30–39"), (11, "40–49"), (16, "50–59")],
        [(8.5 + step * (place - (len(ages) - 1) / 2), str(age)) for place, age in enumerate(ages)],
    )
    left = -6.4 if narrow else -3.4
    for upper, lower in itertools.pairwise(levels):
        share = len(lower) // len(upper)
        for place, (x, _) in enumerate(lower):
            height = levels.index(lower)
            above = upper[place // share][0]
            axes.plot([x, above], [-height, 1 - height], color=palette.faint, linewidth=0.8)
    for height, nodes in enumerate(levels):
        for x, label in nodes:
            axes.text(
                x,
                -height,
                label,
                ha="center",
                va="center",
                color=palette.ink,
                fontsize=8,
                bbox={
                    "boxstyle": "round,pad=0.25",
                    "facecolor": "#f6f8fa" if palette.name == "light" else "#243b53",
                    "edgecolor": palette.closure,
                    "linewidth": 0.8,
                },
            )
        axes.text(left, -height, f"level {3 - height}", va="center", color=palette.ink, fontsize=8)
    axes.set_xlim(left - 0.2, 19.6)
    axes.set_ylim(-3.4, 0.4)
    return figure


_AGES = (21, 23, 26, 29, 31, 34, 35, 38, 40, 44, 47, 48, 52, 53, 57, 59)


def _figure(palette: Palette, width: float, height: float) -> tuple[Figure, Axes]:
    figure, (axes,) = _panels(palette, (width, height), 1, 1)
    return figure, axes


def _one_per_case(
    palette: Palette, size: tuple[float, float], cases: int, *, narrow: bool
) -> tuple[Figure, Sequence[Axes]]:
    """Return panels side by side in a figure of a size, or below each other."""
    if narrow:
        return _panels(palette, (NARROW, 0.85 * size[1] * cases), cases, 1)
    return _panels(palette, size, cases, cases)


def _label_once(panels: Sequence[Axes], across: str, upwards: str, *, narrow: bool) -> None:
    """Label the axes that panels share: below and beside all of them, or of those at the edge."""
    for axes in panels[-1:] if narrow else panels:
        axes.set_xlabel(across)
    for axes in panels if narrow else panels[:1]:
        axes.set_ylabel(upwards)


def _panels(
    palette: Palette, size: tuple[float, float], count: int, columns: int
) -> tuple[Figure, Sequence[Axes]]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    figure.patch.set_alpha(0)
    every = figure.subplots(-(-count // columns), columns, squeeze=False).ravel()
    for axes in every[count:]:
        axes.set_visible(False)
    panels = list(every[:count])
    for axes in panels:
        axes.patch.set_alpha(0)
        axes.tick_params(colors=palette.ink, labelsize=8)
        axes.xaxis.label.set_color(palette.ink)
        axes.yaxis.label.set_color(palette.ink)
        axes.xaxis.label.set_size(9)
        axes.yaxis.label.set_size(9)
        for side, spine in axes.spines.items():
            spine.set_visible(side in ("left", "bottom"))
            spine.set_color(palette.faint)
    return figure, panels


def pictures() -> dict[str, Callable[[Palette], Figure]]:
    """Return what draws each picture, by its path below ``docs/images`` without palette."""
    drawn: dict[str, Callable[[Palette], Figure]] = {}
    for name, draw in (
        ("choosing", draw_choosing),
        ("engines-memory", draw_memory),
        ("five-algorithms", draw_five),
        ("hierarchy", draw_hierarchy),
        ("loss-beside-rivals", draw_rivals),
    ):
        drawn[name] = draw
        drawn[f"{name}-narrow"] = partial(draw, narrow=True)
    for name, cls in algorithms().items():
        if cls.__module__.startswith("shoal."):
            drawn[f"algorithms/{name}"] = partial(draw_algorithm, name)
    return drawn


def svg(figure: Figure) -> str:
    """Return a figure as SVG, the same text every time it is drawn."""
    target = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "shoal"}):
        figure.savefig(target, format="svg", metadata={"Date": None, "Creator": None})
    return "".join(f"{line.rstrip()}\n" for line in target.getvalue().splitlines())


def drawn(names: Sequence[str]) -> Iterator[tuple[Path, str]]:
    """Yield path and content of the pictures of these names, in both palettes."""
    every = pictures()
    for name in names:
        for palette in PALETTES:
            yield IMAGES / f"{name}-{palette.name}.svg", svg(every[name](palette))


if __name__ == "__main__":
    for path, content in drawn(list(pictures())):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
