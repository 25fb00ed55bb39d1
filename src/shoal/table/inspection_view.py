"""An inspection to read: as text in a shell, as HTML in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.rendering.notebook import heading_html, notes_html, table_html
from shoal.table.schema import Reading

if TYPE_CHECKING:
    from shoal.table.inspection import ColumnSuggestion, Inspection

HEADERS = ("column", "role", "kind", "distinct", "missing", "values")
_RIGHT = ("distinct", "missing")


def row_of(column: ColumnSuggestion) -> tuple[str, ...]:
    """Return a column as the cells of a table: name, role, kind, counts and what values are."""
    return (
        column.name,
        f"{column.role}{'' if column.sure else '?'}",
        kind_of(column),
        f"{column.distinct:,}",
        f"{column.missing:,}",
        values_of(column),
    )


def kind_of(column: ColumnSuggestion) -> str:
    """Return the kind in a word, codes and dates by their name."""
    if column.profile.coded:
        return "coded"
    if column.reading in (Reading.DATE, Reading.DATETIME):
        return str(column.reading)
    return str(column.kind)


def values_of(column: ColumnSuggestion) -> str:
    """Return the range of a column, or its most frequent values, or their shapes."""
    looks = column.profile
    counts = column.reading is not Reading.TEXT and not looks.coded  # 01443 is not a quantity
    if looks.value_range is not None and counts:
        shown = f"{looks.value_range[0]} … {looks.value_range[1]}"
    else:
        shown = ", ".join(looks.samples)
    if column.missing_codes:
        shown += f"  (missing? {', '.join(column.missing_codes[:4])})"
    return shown


def as_text(found: Inspection) -> str:
    """Return an inspection as a plain table with its summary."""
    rows = [HEADERS, *(row_of(column) for column in found.columns)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(HEADERS))]
    lines = [
        "  ".join(
            cell.rjust(width) if header in _RIGHT else cell.ljust(width)
            for cell, width, header in zip(row, widths, HEADERS, strict=True)
        ).rstrip()
        for row in rows
    ]
    return "\n".join([*lines, "", f"{found.summary}."])


def as_html(found: Inspection) -> str:
    """Return an inspection as HTML."""
    parts = [
        heading_html(found.summary),
        table_html(HEADERS, [row_of(column) for column in found.columns], right=_RIGHT),
    ]
    if found.singling_out:
        rows = [
            [" + ".join(one.columns), f"{one.unique:,}", f"{one.below_five:,}"]
            for one in found.singling_out
        ]
        headers = ["known about a person", "unique", "among fewer than 5"]
        parts.append(table_html(headers, rows, right=headers[1:]))
    return "".join([*parts, notes_html(found.warnings)])
