"""Charts of how the values of a column are distributed, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.reports.chart import AFTER, BEFORE, COUNTS, Chart, css, data_of, side_of
from shoal.reports.distributions import MISSING_LABEL
from shoal.risks import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.reports.chart import Spec
    from shoal.reports.distributions import Distribution


def distribution_chart(place: int, found: Distribution) -> Chart:
    """Return how one column is distributed, before and after."""
    with_before = any(bar.before is not None for bar in found.bars)
    sides = [BEFORE, AFTER] if with_before else [AFTER]
    notes = []
    if found.spread:
        spread = "eneralized cells are spread evenly over what they cover."
        notes.append(f"After: g{spread}" if with_before else f"G{spread}")
    if found.hidden:
        notes.append(f"Not counted: the {percent(found.hidden)} of the cells that show *.")
    missing = next((bar for bar in found.bars if bar.label == MISSING_LABEL), None)
    if missing is not None and found.shape != "categories":
        both = f"{missing.before or 0:,.0f} before and {missing.after:,.0f} after"
        notes.append(f"Not drawn: missing, {both if with_before else f'{missing.after:,.0f}'}.")
    if found.shape == "categories":
        spec = _category_spec(found, sides)
    else:
        spec = _interval_spec(found, sides)
    most = max(found.bars, key=lambda bar: bar.after, default=None)
    after = " after" if with_before else ""
    most_frequent = "" if most is None else f"; most frequent{after}: {most.label}"
    table = tuple(
        (bar.label, *([f"{bar.before or 0:,.0f}"] if with_before else []), f"{bar.after:,.1f}")
        for bar in found.bars
    )
    both = "before and after" if with_before else "in the release"
    return Chart(
        f"column-{place}",
        found.column,
        f"Distribution of {found.column} {both}{most_frequent}",
        spec,
        (found.column, *(f"records {side}" if with_before else "records" for side in sides)),
        table,
        " ".join(notes),
        measures="records",
    )


def _category_spec(found: Distribution, sides: Sequence[str]) -> Spec:
    rows = [
        {"value": bar.label, "side": side, "records": round(count, 2)}
        for bar in found.bars
        for side, count in ((BEFORE, bar.before), (AFTER, bar.after))
        if side in sides and count is not None
    ]
    return {
        "data": data_of(rows),
        "height": {"step": 9 if len(sides) > 1 else 18},
        "mark": {"type": "bar", "cornerRadiusEnd": 2, "tooltip": True},
        "encoding": {
            "y": {"field": "value", "type": "nominal", "sort": None, "title": None,
                  "axis": {"labelLimit": 150}},
            "yOffset": {"field": "side", "sort": list(sides)},
            "x": {"field": "records", "type": "quantitative", "title": "records",
                  "axis": COUNTS},
            "color": side_of(sides),
        },
    }  # fmt: skip


def _interval_spec(found: Distribution, sides: Sequence[str]) -> Spec:
    """Return bars before and a stepped outline after, over true numbers or times."""
    bars = [bar for bar in found.bars if bar.low is not None]
    time = found.shape == "dates"
    kind = "temporal" if time else "quantitative"
    axis: Spec = {"tickCount": 6, "labelOverlap": True}
    if kind == "quantitative":
        axis["labelExpr"] = "format(datum.value, abs(datum.value) < 1e5 ? ',~r' : '~s')"
    layers: list[Spec] = []
    for side in sides:
        rows = [
            {"low": bar.low, "high": bar.high, "side": side, "value": bar.label,
             "records": round((bar.before if side == BEFORE else bar.after) or 0.0, 2)}
            for bar in bars
        ]  # fmt: skip
        filled = side == BEFORE or len(sides) == 1
        layers.append(
            {
                "data": data_of(rows),
                "mark": {
                    "type": "rect",
                    "tooltip": {"content": "data"},
                    "opacity": 0.55 if side == BEFORE else 1,
                    "fillOpacity": 1 if filled else 0.18,
                    "strokeWidth": 0 if filled else 1.5,
                    "stroke": css(side),
                },
                "encoding": {
                    "x": {
                        "field": "low",
                        "type": kind,
                        "title": None,
                        "axis": axis,
                        # A scale of time has no zero, and warns when it is given none.
                        "scale": {"nice": False} | ({} if time else {"zero": False}),
                    },
                    "x2": {"field": "high"},
                    "y": {
                        "field": "records",
                        "type": "quantitative",
                        "title": "records",
                        "axis": COUNTS,
                    },
                    "y2": {"datum": 0},
                    "color": side_of(sides),
                },
            }
        )
    return {"height": 150, "layer": layers}
