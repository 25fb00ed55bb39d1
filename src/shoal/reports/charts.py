"""Charts of a report: what was lost, class sizes, the search, risks and associations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.reports.chart import AFTER, BEFORE, SHARES, Chart, css, data_of, side_of
from shoal.reports.class_sizes import STARRED
from shoal.reports.column_charts import distribution_chart
from shoal.risks import percent

if TYPE_CHECKING:
    from shoal.reports.chart import Spec
    from shoal.reports.report import AssociationMap, Report

    Row = dict[str, Any]

_ROW = 22  # pixels


def charts_of(report: Report) -> dict[str, Chart]:
    """Return the charts of a report by their names; those without data are left out."""
    found = [loss_chart(report), size_chart(report), search_chart(report), risk_chart(report)]
    if report.associations is not None:
        found += association_charts(report.associations)
    found += [
        distribution_chart(place, one) for place, one in enumerate(report.distributions, start=1)
    ]
    return {one.name: one for one in found if one is not None}


def loss_chart(report: Report) -> Chart | None:
    """Return what each column lost, or in public how many of its cells are exact."""
    if not report.details:
        return None
    if all(one.loss is not None for one in report.details):
        ranked = sorted(report.details, key=lambda one: -(one.loss or 0.0))
        rows: list[Row] = [{"column": one.column, "share": one.loss or 0.0} for one in ranked]
        title, axis = "Detail lost in each column", "share of detail lost"
        worst = f"{ranked[0].column} lost most, {percent(ranked[0].loss or 0.0)}"
        alternative = f"Bars of the detail lost: {worst}; {ranked[-1].column} least, " + percent(
            ranked[-1].loss or 0.0
        )
    else:
        ranked = sorted(report.details, key=lambda one: one.exact)
        rows = [{"column": one.column, "share": one.exact} for one in ranked]
        title, axis = "Cells that show one exact value", "share of the records"
        alternative = (
            f"Bars of the cells that are exact: fewest in {ranked[0].column}, "
            f"{percent(ranked[0].exact)}; most in {ranked[-1].column}, {percent(ranked[-1].exact)}"
        )
    spec = {
        "data": data_of(rows),
        "height": {"step": _ROW},
        "mark": {"type": "bar", "color": css("after"), "cornerRadiusEnd": 2, "tooltip": True},
        "encoding": {
            "y": {"field": "column", "type": "nominal", "sort": None, "title": None},
            "x": {
                "field": "share",
                "type": "quantitative",
                "title": axis,
                "axis": SHARES,
                "scale": {"nice": True} if "lost" in axis else {"domain": [0, 1]},
            },
        },
    }
    table = tuple((row["column"], percent(row["share"])) for row in rows)
    return Chart("loss", title, alternative, spec, ("column", axis), table, measures=axis)


def size_chart(report: Report) -> Chart | None:
    """Return the share of records in classes of each size."""
    if not report.class_sizes:
        return None
    rows, sides = [], [BEFORE, AFTER] if report.internal else [AFTER]
    for bucket in report.class_sizes:
        shares = {BEFORE: bucket.before, AFTER: bucket.after}
        rows += [{"size": bucket.label, "side": side, "share": shares[side]} for side in sides]
    in_classes = [one for one in report.class_sizes if one.label != STARRED]
    largest = max(in_classes or report.class_sizes, key=lambda one: one.after)
    alone = next((one for one in report.class_sizes if one.label == "1"), None)
    opening = "After, " if report.internal else ""
    alternative = (
        f"{opening}{percent(largest.after)} of the records are in classes of {largest.label}"
    )
    if alone is not None and alone.before is not None:
        alternative = f"Before, {percent(alone.before)} of the records are alone. {alternative}"
    spec = {
        "data": data_of(rows),
        "height": 220,
        "mark": {"type": "bar", "cornerRadiusEnd": 2, "tooltip": True},
        "encoding": {
            "x": {
                "field": "size",
                "type": "nominal",
                "sort": None,
                "title": "records that look the same",
                "axis": {"labelAngle": 0, "labelOverlap": "greedy"},
            },
            "xOffset": {"field": "side", "sort": sides},
            "y": {
                "field": "share",
                "type": "quantitative",
                "title": "share of all records",
                "axis": SHARES,
            },
            "color": side_of(sides),
        },
    }
    table = tuple(
        (one.label, *([percent(one.before or 0.0)] if report.internal else []), percent(one.after))
        for one in report.class_sizes
    )
    headers = ("class size", *sides)
    title, measures = "Records by the size of their class", "share of all records"
    return Chart("sizes", title, alternative, spec, headers, table, measures=measures)


def search_chart(report: Report) -> Chart | None:
    """Return how the loss went down during the search, with the bound if one was proved."""
    search = report.search
    if search is None or len(search.points) < 2:
        return None
    bound = search.shown_bound
    rows = [{"seconds": one.seconds, "loss": one.loss} for one in search.points]
    layers: list[Spec] = [
        {
            "mark": {
                "type": "line",
                "interpolate": "step-after",
                "color": css("after"),
                "point": {"color": css("after"), "size": 40},
                "tooltip": True,
            },
            "encoding": {
                "x": {"field": "seconds", "type": "quantitative", "title": "seconds"},
                "y": {
                    "field": "loss",
                    "type": "quantitative",
                    "title": "best loss so far",
                    "scale": {"zero": bound is not None},
                },
            },
        }
    ]
    alternative = (
        f"The best loss went from {rows[0]['loss']:.4f} to {rows[-1]['loss']:.4f} in "
        f"{rows[-1]['seconds']:.1f} seconds"
    )
    if bound is not None:
        layers.append(
            {
                "data": data_of([{"bound": search.bound}]),
                "mark": {"type": "rule", "color": css("before"), "strokeDash": [5, 4]},
                "encoding": {"y": {"field": "bound", "type": "quantitative"}},
            }
        )
        alternative += f"; no release of this form can go below {bound}"
    spec = {"data": data_of(rows), "height": 200, "layer": layers}
    table = tuple((f"{row['seconds']:.2f}", f"{row['loss']:.5f}") for row in rows)
    return Chart(
        "search",
        "Best loss during the search",
        alternative,
        spec,
        ("seconds", "loss"),
        table,
        _measured(report)
        + ("" if bound is None else " The dashed line is the proved lower bound."),
    )


def _measured(report: Report) -> str:
    """Return how the loss of the search compares with the detail lost."""
    if ("suppress_for", "released") in report.options:
        return (
            "The search counts the records that are not suppressed; the detail lost counts those "
            "that are as lost altogether."
        )
    return "The loss is the one that the algorithm measures; it may differ from the detail lost."


_RISKS_DRAWN = {
    "prosecutor_highest": "Most exposed person",
    "prosecutor_average": "Average person",
    "linkage_average": "Average, by linking exact values",
    "matching_average": "Average, by matching cells",
    "prosecutor_above": "Records above the threshold",
}


def risk_chart(report: Report) -> Chart | None:
    """Return the main risks, before and after, on one axis."""
    lines = {one.name: one for one in report.risk}
    rows, table, sides = [], [], [BEFORE, AFTER] if report.internal else [AFTER]
    for name, label in _RISKS_DRAWN.items():
        line = lines.get(name)
        if line is None or (line.before is None and line.after is None):
            continue
        values = {BEFORE: line.before, AFTER: line.after}
        rows += [
            {"risk": label, "side": side, "share": values[side]}
            for side in sides
            if values[side] is not None
        ]
        table.append((label, *([line.before_shown] if report.internal else []), line.after_shown))
    if not rows:
        return None
    domain = {"domain": [0, 1]}
    spec = {
        "data": data_of(rows),
        "height": {"step": 34},
        "encoding": {
            "y": {"field": "risk", "type": "nominal", "sort": None, "title": None,
                  "axis": {"labelLimit": 240, "offset": 10}},
            "x": {"field": "share", "type": "quantitative", "title": "chance, or share of records",
                  "axis": SHARES, "scale": domain},
        },
        "layer": [
            {"mark": {"type": "line", "color": css("rule"), "strokeWidth": 2},
             "encoding": {"detail": {"field": "risk"}}},
            {"mark": {"type": "point", "filled": True, "size": 110, "opacity": 1, "tooltip": True},
             "encoding": {"color": side_of(sides), "shape": {
                 "field": "side", "type": "nominal", "legend": None,
                 "scale": {"domain": [BEFORE, AFTER], "range": ["square", "circle"]}}}},
        ],
    }  # fmt: skip
    first = table[0]
    alternative = f"{first[0]}: " + (
        f"{first[1]} before, {first[2]} after" if report.internal else first[1]
    )
    headers = ("risk", *sides)
    return Chart("risk", "Risk of being picked out", alternative, spec, headers, tuple(table))


def association_charts(found: AssociationMap) -> list[Chart]:
    """Return a heat map before and one after."""
    drawn = []
    sides = ((BEFORE, found.before), (AFTER, found.after))
    for side, matrix in sides:
        if matrix is None:
            continue
        rows: list[Row] = [
            {"a": one, "b": other, "v": round(matrix[i][j], 3)}
            for i, one in enumerate(found.columns)
            for j, other in enumerate(found.columns)
            if j < i
        ]
        strongest = max(rows, key=lambda row: row["v"])
        order = list(found.columns)
        spec = {
            "data": data_of(rows),
            "height": {"step": 26},
            "encoding": {
                "x": {"field": "b", "type": "nominal", "sort": order[:-1], "title": None,
                      "axis": {"labelAngle": -40, "labelLimit": 120}},
                "y": {"field": "a", "type": "nominal", "sort": order[1:], "title": None,
                      "axis": {"labelLimit": 120}},
            },
            "layer": [
                {"mark": {"type": "rect", "color": css(side), "tooltip": True},
                 "encoding": {"opacity": {"field": "v", "type": "quantitative", "legend": None,
                                          "scale": {"domain": [0, 1], "range": [0.04, 0.75]}}}},
                {"mark": {"type": "text", "color": css("ink"), "fontSize": 10},
                 "encoding": {"text": {"field": "v", "format": ".2f"}}},
            ],
        }  # fmt: skip
        table = tuple((row["a"], row["b"], f"{row['v']:.2f}") for row in rows)
        drawn.append(
            Chart(
                f"associations-{side}",
                f"Associations {side}" if found.before is not None else "Associations",
                f"Strongest: {strongest['a']} and {strongest['b']}, {strongest['v']:.2f}",
                spec,
                ("column", "with", "Cramér's V"),
                table,
            )
        )
    return drawn
