"""A comparison of releases as one HTML file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from shoal.io import Staging
from shoal.reports.chart import SHARES, Chart, css
from shoal.reports.writing import comparison_html
from shoal.risks import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

_HEADERS = ("", "k", "algorithm", "suppression limit", "models", "loss", "classes", "suppressed",
            "average risk", "highest risk", "seconds")  # fmt: skip
_RISK_CHART = ("risk_average", "Average risk", "chance of picking a person")
_RISKS = ("risk_average", "risk_highest")
_LEARNED = "error (original)"


def save_comparison(rows: Sequence[dict[str, Any]], path: str, name: str) -> None:
    """Write a comparison; it holds figures of the original, so only its owner may read it."""
    with Staging() as staging:
        staging.text(comparison_page(rows, name), path, private=True)
        staging.commit()


def comparison_page(rows: Sequence[dict[str, Any]], name: str) -> str:
    """Return a comparison as a page: charts of loss, classes, risk and time, and all figures."""
    made = [row for row in rows if not row["problem"]]
    charts = [
        _against_k(made, "loss", "Detail lost", "share of detail lost"),
        _against_k(made, "classes", "Classes", "number of classes", count=True),
    ]
    bounded = [row for row in made if row["risk_average"] is not None]
    if bounded:
        charts.append(_against_k(bounded, *_RISK_CHART))
    charts.append(_against_loss(made))
    learned = [row for row in made if row["error_release"] is not None]
    if learned:
        charts.append(_utility(learned))
    headers = (*_HEADERS, _LEARNED) if learned else _HEADERS
    return comparison_html(name, charts if made else [], headers, [_line(row) for row in rows])


def _label(row: dict[str, Any]) -> str:
    parts = [row["algorithm"]]
    if row["suppression"]:
        parts.append(f"≤ {percent(row['suppression'])} suppressed")
    return ", ".join([*parts, *([row["models"]] if row["models"] else [])])


def _line(row: dict[str, Any]) -> tuple[str, ...]:
    named = (str(row["number"]), str(row["k"]), row["algorithm"], percent(row["suppression"]),
             row["models"])  # fmt: skip
    if row["problem"]:
        return (*named, row["problem"])  # in the place of all figures
    cells = (
        *named,
        f"{row['loss']:.4f}",
        f"{row['classes']:,}",
        f"{row['suppressed']:,}",
        *("–" if row[risk] is None else percent(row[risk]) for risk in _RISKS),
        f"{row['seconds']:.1f}",
    )
    if row["error_release"] is None:
        return cells
    return (*cells, f"{percent(row['error_release'])} ({percent(row['error_original'])})")


def _utility(rows: Sequence[dict[str, Any]]) -> Chart:
    chart = _against_k(
        rows, "error_release", "Error of predictions", "share of targets predicted wrong"
    )
    original = rows[0]["error_original"]
    rule = {
        "data": {"values": [{"share": original}]},
        "mark": {"type": "rule", "color": css("before"), "strokeDash": [4, 4]},
        "encoding": {"y": {"field": "share", "type": "quantitative"}},
    }
    lines = {name: chart.spec[name] for name in ("data", "mark", "encoding")}
    spec = {"height": chart.spec["height"], "layer": [lines, rule]}
    described = f"{chart.alternative}; learned from the original (dashed): {percent(original)}"
    return replace(chart, spec=spec, alternative=described)


def _against_k(
    rows: Sequence[dict[str, Any]], field: str, title: str, axis: str, *, count: bool = False
) -> Chart:
    """Return a figure against k, a line for each way to make the releases."""
    data = [{"k": row["k"], "how": _label(row), "share": row[field]} for row in rows]
    spec = {
        "data": {"values": data},
        "height": 240,
        "mark": {"type": "line", "point": True, "tooltip": True},
        "encoding": {
            "x": {"field": "k", "type": "ordinal", "axis": {"labelAngle": 0}},
            "y": {"field": "share", "type": "quantitative", "title": axis,
                  "axis": {"format": "~s", "tickCount": 6} if count else SHARES},
            "color": {"field": "how", "type": "nominal", "scale": {"scheme": "tableau10"},
                      "legend": {"title": None, "orient": "bottom", "columns": 1,
                                 "labelLimit": 400}},
        },
    }  # fmt: skip
    shown = (lambda value: f"{value:,}") if count else percent
    described = ""
    if data:
        least = min(data, key=lambda one: one["share"])
        described = f"; least, {shown(least['share'])}: {least['how']} at k = {least['k']}"
    table = tuple((str(one["k"]), one["how"], shown(one["share"])) for one in data)
    return Chart(field, title, f"{title} against k{described}", spec, ("k", "options", axis), table)


def _against_loss(rows: Sequence[dict[str, Any]]) -> Chart:
    data = [{"how": f"{row['number']}", "loss": row["loss"], "seconds": row["seconds"],
             "options": _label(row), "k": row["k"]} for row in rows]  # fmt: skip
    spec = {
        "data": {"values": data},
        "height": 240,
        "encoding": {
            "x": {"field": "seconds", "type": "quantitative", "title": "seconds"},
            "y": {"field": "loss", "type": "quantitative", "title": "share of detail lost",
                  "axis": SHARES},
        },
        "layer": [
            {"mark": {"type": "point", "filled": True, "size": 70, "color": css("after"),
                      "tooltip": {"content": "data"}}},
            {"mark": {"type": "text", "dy": -10, "color": css("ink")},
             "encoding": {"text": {"field": "how"}}},
        ],
    }  # fmt: skip
    table = tuple((one["how"], f"{one['seconds']:.1f}", percent(one["loss"])) for one in data)
    return Chart("time", "Detail lost against time",
                 "Detail lost and seconds of each release; numbers are those of the table above",
                 spec, ("line", "seconds", "share of detail lost"), table)  # fmt: skip
