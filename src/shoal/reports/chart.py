"""A chart: a Vega-Lite specification with its text alternative and data table, and their style.

Colours are names of CSS variables, so that one drawing serves light, dark and paper.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    Spec = dict[str, Any]

BEFORE, AFTER = "before", "after"


def css(name: str) -> str:
    """Return the colour of this name, whatever it is in light, dark and on paper."""
    return f"var(--{name})"


_COLOURS = {"domain": [BEFORE, AFTER], "range": [css("before"), css("after")]}
# Counts with prefixes, such as 25k; a scale's own format would write 0k.
COUNTS = {"labelExpr": "format(datum.value, '~s')", "tickCount": 4}
SHARES = {"labelExpr": "format(100 * datum.value, '~g') + ' %'", "tickCount": 6}
"""An axis of shares, in percent as the texts of a report write them."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing with its description.

    Parameters
    ----------
    name
        Its place in the page.
    title
        What it shows.
    alternative
        What it says, for those who do not see it.
    spec
        Its Vega-Lite specification, data included.
    headers, rows
        Its data as a table.
    note
        What a reader should know about it.
    measures
        What its bars measure, where it is drawn as bars.
    """

    name: str
    title: str
    alternative: str
    spec: Spec
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    measures: str = ""


def data_of(rows: Sequence[dict[str, Any]]) -> Spec:
    """Return rows as the data of a specification."""
    return {"values": list(rows)}


def _legend(sides: Sequence[str]) -> Spec | None:
    return {"title": None, "orient": "top", "offset": 4} if len(sides) > 1 else None


def side_of(sides: Sequence[str]) -> Spec:
    """Return the colours of before and after, with a legend where both are drawn."""
    return {"field": "side", "type": "nominal", "scale": _COLOURS, "legend": _legend(sides)}
