"""Risk as HTML for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.rendering.notebook import heading_html, notes_html, table_html
from shoal.risks.figure import percent

if TYPE_CHECKING:
    from shoal.risks.comparison import RiskComparison
    from shoal.risks.risk import Risk

_COLUMNS_SHOWN = 8


def risk_html(risk: Risk) -> str:
    """Return the figures of a table and the columns that single people out."""
    figures = [[figure.label, figure.shown, figure.meaning] for figure in risk.figures]
    return "".join(
        (
            heading_html(risk.summary),
            table_html(["figure", "value", "meaning"], figures, right=["value"]),
            _columns(risk),
            notes_html(risk.notes),
        )
    )


def comparison_html(comparison: RiskComparison) -> str:
    """Return the figures of a table and its release, side by side."""
    return "".join(
        (
            heading_html(comparison.summary),
            table_html(
                ["figure", "before", "after", "meaning"],
                comparison.rows(),
                right=["before", "after"],
            ),
            notes_html(comparison.after.notes),
        )
    )


def _columns(risk: Risk) -> str:
    if not risk.uniques.unique:
        return ""
    rows = [
        [
            row["column"],
            percent(row["contribution"]),
            f"{row['unique_alone']:,}",
            f"{row['unique_without']:,}",
        ]
        for row in risk.by_column.head(_COLUMNS_SHOWN).to_dicts()
    ]
    headers = ["column", "part in unique combinations", "unique alone", "unique without it"]
    return table_html(headers, rows, right=headers[1:])
