"""Plots of a release for notebooks: Altair charts where Altair is installed, otherwise SVG."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from shoal.errors import SchemaError
from shoal.reports.chart import AFTER, BEFORE
from shoal.reports.charts import loss_chart, size_chart
from shoal.reports.column_charts import distribution_chart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.reports.chart import Chart
    from shoal.reports.report import Report

_COLOURS = {BEFORE: "#8b93a7", AFTER: "#0f766e", "ink": "#54605a", "rule": "#d9dfdb"}
_WIDTH, _ROW, _LABEL = 640, 22, 190
_SPAN = _WIDTH - _LABEL - 40  # of the longest bar
_TOP, _FOOT = 58, 38  # room for title, legend and the name of the column; for the axis
_LETTERS = 28  # that fit beside the bars


@dataclass(frozen=True, slots=True)
class Drawing:
    """A plot as SVG, which notebooks show; ``str`` of it is the SVG."""

    svg: str

    def __str__(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return self.svg


@dataclass(frozen=True, slots=True)
class Plots:
    """The plots of a release: ``release.plot.loss()``, ``.classes()``, ``.column("age")``."""

    report: Report

    def loss(self) -> Any:
        """Return the detail lost in each column."""
        return _plot(loss_chart(self.report), "loss")

    def classes(self) -> Any:
        """Return the share of records in classes of each size, before and after."""
        return _plot(size_chart(self.report), "classes")

    def column(self, name: str) -> Any:
        """Return how a quasi-identifier is distributed, before and after.

        Raises
        ------
        SchemaError
            If there is no such quasi-identifier.
        """
        for place, found in enumerate(self.report.distributions, start=1):
            if found.column == name:
                return _plot(distribution_chart(place, found), name)
        known = ", ".join(repr(one.column) for one in self.report.distributions)
        raise SchemaError(f"There is no quasi-identifier {name!r}.", remedy=f"There are: {known}.")


def _plot(chart: Chart | None, name: str) -> Any:
    if chart is None:
        raise SchemaError(f"This release has no plot {name!r}: it has no classes.")
    if find_spec("altair") is None:
        return Drawing(bars_svg(chart))
    import altair

    spec = _with_colours({**chart.spec, "title": chart.title, "width": _WIDTH})
    return altair.Chart.from_dict(spec)


def _with_colours(value: Any) -> Any:
    """Return a specification with the colours themselves: a notebook has no style sheet."""
    if isinstance(value, dict):
        return {key: _with_colours(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_with_colours(one) for one in value]
    if isinstance(value, str) and value.startswith("var("):
        return _COLOURS.get(value[6:-1], _COLOURS["ink"])
    return value


def bars_svg(chart: Chart) -> str:
    """Return the data of a chart as horizontal bars; the last columns of its table are numbers.

    Sides have a legend, and both axes their titles.
    """
    sides = chart.headers[1:]
    colours = [_COLOURS[BEFORE], _COLOURS[AFTER]][-len(sides) :]
    numbers = [[_number(cell) for cell in row[1:]] for row in chart.rows]
    most = max((value for row in numbers for value in row), default=0.0) or 1.0
    parts = _legend(sides, colours) if len(sides) > 1 else []
    parts.append(_text(_LABEL - 8, _TOP - 6, chart.headers[0], anchor="end", faint=True))
    height = _TOP
    for row, values in zip(chart.rows, numbers, strict=True):
        parts.append(_text(_LABEL - 8, height + 9, _shortened(row[0]), anchor="end"))
        for place, value in enumerate(values):
            width = _SPAN * value / most
            top = height + 9 * place
            parts.append(
                f'<rect x="{_LABEL}" y="{top}" width="{width:.1f}" height="8" '
                f'fill="{colours[place]}"><title>{escape(row[place + 1])}</title></rect>'
            )
        height += max(_ROW, 9 * len(values) + 6)
    parts += _axis(
        height,
        most,
        chart.measures,
        shares="%" in "".join(cell for row in chart.rows[:1] for cell in row[1:]),
    )
    height += _FOOT
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {_WIDTH} {height}" '
        f'width="{_WIDTH}" font-family="sans-serif" font-size="11" fill="currentColor" '
        f'aria-label="{escape(chart.alternative)}"><text x="0" y="16" font-size="13" '
        f'font-weight="600">{escape(chart.title)}</text>{"".join(parts)}</svg>'
    )


def _legend(sides: Sequence[str], colours: Sequence[str]) -> list[str]:
    """Return what the colours stand for, to the right of the title."""
    parts, left = [], _LABEL
    for side, colour in zip(sides, colours, strict=True):
        parts.append(f'<circle cx="{left + 5}" cy="30" r="5" fill="{colour}"/>')
        parts.append(_text(left + 14, 34, side))
        left += 34 + 7 * len(side)
    return parts


def _axis(top: int, most: float, title: str, *, shares: bool) -> list[str]:
    """Return the axis below the bars: a line, three numbers, and what is measured."""
    parts = [
        f'<path d="M{_LABEL} {top}H{_LABEL + _SPAN}" stroke="{_COLOURS["rule"]}" fill="none"/>'
    ]
    for share in (0.0, 0.5, 1.0):
        value = most * share
        shown = f"{value:.3g} %" if shares else f"{value:,.4g}"
        parts.append(_text(_LABEL + _SPAN * share, top + 14, shown, anchor="middle", faint=True))
    parts.append(_text(_LABEL + _SPAN / 2, top + 30, title, anchor="middle", faint=True))
    return parts


def _text(x: float, y: float, text: str, *, anchor: str = "start", faint: bool = False) -> str:
    opacity = ' opacity=".75"' if faint else ""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{opacity}>{escape(text)}</text>'


def _shortened(label: str) -> str:
    return label if len(label) <= _LETTERS else f"{label[: _LETTERS - 1]}…"


def _number(text: str) -> float:
    plain = text.replace(",", "").replace("%", "").replace("<", "").replace(">", "").strip()
    return float(plain)
