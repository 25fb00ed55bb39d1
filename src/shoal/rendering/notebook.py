"""Small HTML tables for notebooks: no script, no style sheet, light and dark alike."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_CELL = "padding:.2em .8em .2em 0;text-align:{align};vertical-align:top"


def table_html(
    headers: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[str] = ()
) -> str:
    """Return a table of texts; the columns in ``right`` hold numbers.

    >>> table_html(["k"], [["<5"]]).count("&lt;5")
    1
    """
    # Numbers keep their unit on the same line.
    aligns = ["right;white-space:nowrap" if header in right else "left" for header in headers]
    head = "".join(
        f'<th scope="col" style="{_CELL.format(align=align)}">{escape(header)}</th>'
        for header, align in zip(headers, aligns, strict=True)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f'<td style="{_CELL.format(align=align)}">{escape(cell)}</td>'
            for cell, align in zip(row, aligns, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    return (
        '<table style="border-collapse:collapse;font-variant-numeric:tabular-nums">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def heading_html(text: str, *, passed: bool | None = None) -> str:
    """Return a line in bold, green or red where something passed or failed."""
    colour = {None: "inherit", True: "#1a7f37", False: "#cf222e"}[passed]
    return f'<p style="font-weight:600;color:{colour};margin:.4em 0">{escape(text)}</p>'


def folded_html(summary: str, content: str) -> str:
    """Return a fragment that opens on a click."""
    return f'<details style="margin:.4em 0"><summary>{escape(summary)}</summary>{content}</details>'


def notes_html(notes: Iterable[str]) -> str:
    """Return notes as a list, nothing if there are none."""
    items = "".join(f"<li>{escape(note)}</li>" for note in notes)
    return f'<ul style="opacity:.8;margin:.4em 0">{items}</ul>' if items else ""
