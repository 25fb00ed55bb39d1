"""Tables of the documentation, generated from stored results.

A study that a page shows has ``TABLES``: for each name a function from the figures of its parts to
a :class:`PageTable`. A page shows it between ``<!-- begin figures:STUDY.NAME -->`` and its end.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks import store

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Parts = Mapping[str, Any]
    TableOfFigures = Callable[[Parts], "PageTable"]


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table as a page shows it.

    Parameters
    ----------
    header, rows
        Cells; numbers are formatted already.
    parts
        The parts whose figures it shows, for the line that says where they come from.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    parts: Sequence[str]


def render(study: str, table: str) -> str:
    """Return a table of a study as Markdown, with the command, commit and machine behind it.

    Raises
    ------
    KeyError
        If the study has no such table, or its parts have not been run.
    """
    module = importlib.import_module(f"benchmarks.{study}")
    stored = store.load(study)
    shown = module.TABLES[table]({part: entry["figures"] for part, entry in stored.items()})
    lines = [shown.header, ["---"] * len(shown.header), *shown.rows]
    cells = (" | ".join(cell.replace("|", r"\|") for cell in line) for line in lines)
    body = "".join(f"| {line} |\n" for line in cells)
    return f"{body}\n{_origin(study, [stored[part] for part in shown.parts])}\n"


def _origin(study: str, entries: Sequence[Mapping[str, Any]]) -> str:
    """Return one sentence on where the figures come from."""
    commits = ", ".join(sorted({f"`{entry['commit']}`" for entry in entries}))
    dates = sorted({entry["date"] for entry in entries})
    span = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    machines = {
        f"{entry['machine']['processor']}, {entry['machine']['cores']} cores" for entry in entries
    }
    return (
        f"*`python -m benchmarks {study}`, commit {commits}, {span}, "
        f"{'; '.join(sorted(machines))}.*"
    )


def share(value: float | None, digits: int = 4) -> str:
    """Return a share without its leading zero, as papers print them: ``.0311``.

    >>> share(0.03114), share(1.0), share(None)
    ('.0311', '1.0000', '')
    """
    if value is None:
        return ""
    return f"{value:.{digits}f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.{digits}f}"


def percent(value: float | None) -> str:
    """Return a share as whole percent.

    >>> percent(0.294), percent(None)
    ('29 %', '')
    """
    return "" if value is None else f"{value:.0%}".replace("%", " %")
