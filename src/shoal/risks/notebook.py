"""Risk as HTML for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.rendering.notebook import folded_html, heading_html, notes_html, table_html
from shoal.risks.figure import explained
from shoal.risks.tables import (
    DISCLOSURES,
    column_rows,
    combination_rows,
    safe_harbor_rows,
    safe_harbor_summary,
    sensitive_rows,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.risks.comparison import RiskComparison
    from shoal.risks.risk import Risk

_COLUMNS_SHOWN = 8
_COMBINATIONS_SHOWN = 5
_EXPLAINED = ("figure", "meaning", "how it is computed")


def risk_html(risk: Risk) -> str:
    """Return the figures of a table, what singles people out, and what classes give away."""
    headers = ["figure", "value", *_EXPLAINED[1:]]
    return "".join(
        (
            heading_html(risk.summary),
            table_html(headers, risk.rows(), right=["value"]),
            _columns(risk),
            _sensitive(risk, None),
            _safe_harbor(risk),
            notes_html(risk.notes),
        )
    )


def comparison_html(comparison: RiskComparison) -> str:
    """Return the figures of a table and its release, side by side."""
    before, after = comparison.before, comparison.after
    headers = ["figure", "before", "after", *_EXPLAINED[1:]]
    return "".join(
        (
            heading_html(comparison.summary),
            table_html(headers, comparison.rows(), right=["before", "after"]),
            _columns(before),
            _sensitive(before, after),
            _safe_harbor(before, "before"),
            _safe_harbor(after, "after"),
            notes_html(dict.fromkeys([*before.notes, *after.notes])),
        )
    )


def _columns(risk: Risk) -> str:
    if not risk.uniques.unique:
        return ""
    headers, rows = column_rows(risk, _COLUMNS_SHOWN)
    combinations = combination_rows(risk, _COMBINATIONS_SHOWN)
    titles = ["combinations that single out most", "records"]
    return "".join(
        (
            heading_html("Which columns single people out"),
            table_html(["column", *headers], rows, right=headers),
            _explained(("contribution", "unique_alone", "unique_without")),
            table_html(titles, combinations, right=["records"]) if combinations else "",
        )
    )


def _sensitive(before: Risk, after: Risk | None) -> str:
    values = ["value"] if after is None else ["before", "after"]
    explanations = [[meaning, computed] for _, meaning, computed in explained(DISCLOSURES)]
    return "".join(
        heading_html(f"What classes reveal about {name}")
        + table_html(
            ["figure", *values, *_EXPLAINED[1:]],
            [[*row, *explanation] for row, explanation in zip(rows, explanations, strict=True)],
            right=values,
        )
        for name, rows in sensitive_rows(before, after).items()
    )


def _explained(names: Sequence[str]) -> str:
    rows = [list(one) for one in explained(names)]
    return folded_html("what these figures mean", table_html(_EXPLAINED, rows))


def _safe_harbor(risk: Risk, side: str = "") -> str:
    rows = safe_harbor_rows(risk)
    shown = table_html(["identifier", "columns"], rows) if rows else ""
    return heading_html(safe_harbor_summary(risk, side)) + shown
