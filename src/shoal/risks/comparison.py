"""Risk before and after, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal.risks.figure import percent

if TYPE_CHECKING:
    from shoal.risks.risk import Risk


@dataclass(frozen=True, slots=True, eq=False)
class RiskComparison:
    """The risk of an original table and of its release."""

    before: Risk
    after: Risk

    @property
    def summary(self) -> str:
        """What changed, in one sentence."""
        before, after = self.before, self.after
        return (
            f"Unique records: {before['unique']:,.0f} before, {after['unique']:,.0f} after; "
            "chance of picking the most exposed person: "
            f"{percent(before['prosecutor_highest'] or 0)} before, "
            f"{percent(after['prosecutor_highest'] or 0)} after."
        )

    def rows(self) -> list[list[str]]:
        """Return label, value before, value after, meaning and definition of each figure."""
        first = {figure.name: figure for figure in self.before.figures}
        second = {figure.name: figure for figure in self.after.figures}
        names = list(dict.fromkeys([*first, *second]))
        rows = []
        for name in names:
            either = first.get(name) or second[name]
            shown = [side[name].shown if name in side else "–" for side in (first, second)]
            rows.append([either.label, *shown, either.meaning, either.definition])
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return both, ready for JSON."""
        return {"before": self.before.to_dict(), "after": self.after.to_dict()}

    def _repr_html_(self) -> str:
        from shoal.risks.notebook import comparison_html

        return comparison_html(self)
