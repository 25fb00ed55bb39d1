"""Every table and figure of the five papers: what it says, what we measure, and whether it agrees.

Rows of experiments are read from the stored results of the other studies; nothing is measured here.
A row whose study has no stored result says so and names the command. Rows of worked examples,
drawings and descriptions are written by hand and name the test that holds them.
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
    rows = [collected(row) for row in ROWS]
    print_table(("item", "agrees"), [(row["item"], row["agrees"]) for row in rows])
    return rows


def collected(row: Row) -> dict[str, str]:
    """Return a row as the page shows it, from what is stored now."""
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
    """Return how many rows of each paper agree, and how many of these have measured figures."""
    answers = ("yes", "partly", "no", "data")
    rows = []
    for paper in dict.fromkeys(row["paper"] for row in parts[store.ALL]):
        of = [row for row in parts[store.ALL] if row["paper"] == paper]
        measured = sum(bool(row["commit"]) for row in of)
        found = [row["agrees"] for row in of]
        rows.append((paper, *map(str, (len(of), measured, *map(found.count, answers)))))
    return PageTable(("paper", "rows", "measured", *answers), rows, [store.ALL])


TABLES = {
    **{paper: _of_paper(paper) for paper in dict.fromkeys(row.paper for row in ROWS)},
    "summary": _summary,
}
