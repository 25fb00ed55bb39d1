"""Every table and figure of the five papers: what it says, what we measure, and whether it agrees.

The rows are read from the stored results of the other studies; nothing is measured here. A row
whose study has no stored result says so and names the command.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks import store
from benchmarks.pages import PageTable
from benchmarks.reproduction_rows import ROWS
from benchmarks.timing import print_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmarks.reproduction_row import Row

NOT_RUN = "not run for this page"


def run() -> list[dict[str, str]]:
    """Return the rows of the page."""
    rows = [_collected(row) for row in ROWS]
    print_table(("item", "agrees"), [(row["item"], row["agrees"]) for row in rows])
    return rows


def _collected(row: Row) -> dict[str, str]:
    stored = store.load(row.study) if row.study else {}
    parts = [*row.parts, *(part for part in row.more if part in stored)]
    entries = [stored.get(part) for part in parts]
    for other in row.beside:
        study, _, part = other.partition(":")
        entries.append(store.load(study).get(part))
    found = [entry for entry in entries if entry is not None]
    ours, agrees = row.tested, row.agrees
    if row.read is not None:
        figures = [line for entry in found for line in entry["figures"]]
        complete = bool(found) and len(found) == len(entries)
        ours, agrees = row.read(figures) if complete else (NOT_RUN, "open")
    listed = [f"{row.study}:{','.join(parts)}", *row.beside]
    command = f"python -m benchmarks {' '.join(listed)}" if parts else row.test
    return {
        "paper": row.paper,
        "item": row.item,
        "says": row.says,
        "ours": ours,
        "agrees": agrees,
        "why": row.why,
        "command": command,
        "commit": ", ".join(sorted({entry["commit"] for entry in found})),
    }


def _of_paper(paper: str) -> Any:
    def table(parts: Mapping[str, Any]) -> PageTable:
        header = ("item", "the paper", "here", "agrees", "remarks", "command, commit")
        rows = [
            (
                row["item"],
                row["says"],
                row["ours"],
                row["agrees"],
                row["why"],
                f"`{row['command']}`" + (f", {row['commit']}" if row["commit"] else ""),
            )
            for row in parts[store.ALL]
            if row["paper"] == paper
        ]
        return PageTable(header, rows, [store.ALL])

    return table


def _summary(parts: Mapping[str, Any]) -> PageTable:
    """Return how many rows of each paper agree."""
    answers = ("yes", "partly", "no", "data")
    rows = []
    for paper in dict.fromkeys(row["paper"] for row in parts[store.ALL]):
        of = [row["agrees"] for row in parts[store.ALL] if row["paper"] == paper]
        rows.append((paper, str(len(of)), *(str(of.count(one)) for one in answers)))
    return PageTable(("paper", "rows", *answers), rows, [store.ALL])


TABLES = {
    **{paper: _of_paper(paper) for paper in dict.fromkeys(row.paper for row in ROWS)},
    "summary": _summary,
}
