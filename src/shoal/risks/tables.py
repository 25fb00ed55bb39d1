"""Tables of risk, for terminals and notebooks alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.risks.figure import COLUMNS, percent

if TYPE_CHECKING:
    from shoal.risks.disclosure import Disclosure
    from shoal.risks.risk import Risk

    Rows = list[list[str]]

DISCLOSURES = ("guess", "guess_without", "largest_share", "least_values", "least_entropy",
               "largest_distance", "giving_away", "given_away")  # fmt: skip


def column_rows(found: Risk, most: int) -> tuple[list[str], Rows]:
    """Return headers and rows of the columns that single people out, the worst first."""
    headers = [COLUMNS[name].label for name in ("contribution", "unique_alone", "unique_without")]
    return headers, [
        [
            row["column"],
            percent(row["contribution"]),
            f"{row['unique_alone']:,}",
            f"{row['unique_without']:,}",
        ]
        for row in found.by_column.head(most).to_dicts()
    ]


def combination_rows(found: Risk, most: int) -> Rows:
    """Return the minimal combinations that single out most records, and how many."""
    return [
        [" + ".join(row["columns"]), f"{row['records']:,}"]
        for row in found.by_combination.head(most).to_dicts()
    ]


def sensitive_rows(before: Risk, after: Risk | None = None) -> dict[str, Rows]:
    """Return for each sensitive attribute label and values of what classes reveal about it.

    The value of the release, if there is one, follows that of the original.
    """
    sides = [before] if after is None else [before, after]
    found: dict[str, Rows] = {}
    for name in [one.column for one in before.sensitive]:
        disclosed = [
            _disclosed(one) for side in sides for one in side.sensitive if one.column == name
        ]
        labels = [COLUMNS[figure].label for figure in DISCLOSURES]
        found[name] = [list(row) for row in zip(labels, *disclosed, strict=True)]
    return found


def _disclosed(one: Disclosure) -> list[str]:
    return [
        percent(one.guess),
        percent(one.guess_without),
        percent(one.largest_share),
        f"{one.least_values:,}",
        f"{one.least_entropy:.2f}",
        f"{one.largest_distance:.2f}",
        f"{one.giving_away:,}",
        f"{one.given_away:,}",
    ]


def safe_harbor_summary(found: Risk, side: str = "") -> str:
    """Return how many of the 18 identifiers of HIPAA's Safe Harbor were found."""
    named = f"HIPAA Safe Harbor, {side}" if side else "HIPAA Safe Harbor"
    present = len(found.identifiers_present)
    if not present:
        return f"{named}: none of the 18 identifiers was found."
    return f"{named}: {present} of the 18 identifiers"


def safe_harbor_rows(found: Risk) -> Rows:
    """Return each identifier that seems to be present, and the columns that seem to hold it."""
    return [
        [one.name, "; ".join(f"{column} ({reason})" for column, reason in one.columns)]
        for one in found.identifiers_present
    ]
