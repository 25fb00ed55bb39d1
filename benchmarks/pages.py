"""Tables of the documentation, generated from stored results.

A page shows one between ``<!-- begin figures:STUDY.NAME -->`` and its end. NAME is a part of the
study, or a pattern such as ``sets-*`` for several parts, whose rows are shown as they are stored;
or an entry of the study's ``TABLES`` or of :mod:`benchmarks.page_tables`, a function from the
figures of all parts to a :class:`PageTable`, where rows and columns are to be arranged otherwise.
"""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
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
    command = getattr(module, "COMMAND", f"python -m benchmarks {study}")
    crosswise = importlib.import_module("benchmarks.page_tables").TABLES.get(study, {})
    arranged = {**crosswise, **getattr(module, "TABLES", {})}
    return write(table, store.load(study), arranged, command)


def write(table: str, stored: Parts, arranged: Mapping[str, TableOfFigures], command: str) -> str:
    """Return a table as Markdown.

    Parameters
    ----------
    table
        Its name among those that are arranged, else a pattern for the names of parts.
    stored
        Entries of all parts, with their figures and where these come from.
    arranged
        How tables are arranged from figures.
    command
        The command that measures them.
    """
    found = {part: entry["figures"] for part, entry in stored.items()}
    shown = arranged[table](found) if table in arranged else _as_stored(table, found)
    lines = [shown.header, ["---"] * len(shown.header), *shown.rows]
    cells = (" | ".join(cell.replace("|", r"\|") for cell in line) for line in lines)
    body = "".join(f"| {line} |\n" for line in cells)
    return f"{body}\n{_origin(command, [stored[part] for part in shown.parts])}\n"


def _as_stored(pattern: str, parts: Parts) -> PageTable:
    """Return the rows of all parts that match, under the names that the study gave them."""
    chosen = _chosen(pattern, parts)
    if not chosen:
        raise KeyError(pattern)
    rows: list[Mapping[str, Any]] = []
    for part in chosen:
        figures = parts[part]
        rows += figures if isinstance(figures, list) else [figures]
    header = list(dict.fromkeys(key for row in rows for key in row))
    cells = [[number(row.get(key)) for key in header] for row in rows]
    return PageTable([key.replace("_", " ") for key in header], cells, chosen)


def _chosen(pattern: str, parts: Parts) -> list[str]:
    return sorted((part for part in parts if fnmatchcase(part, pattern)), key=_by_numbers)


def _by_numbers(name: str) -> list[tuple[bool, int | str]]:
    """Return what sorts the numbers in names by size.

    >>> sorted(["k100", "k20", "k9"], key=_by_numbers)
    ['k9', 'k20', 'k100']
    """
    return [(one.isdigit(), int(one) if one.isdigit() else one) for one in re.split(r"(\d+)", name)]


def pivot(
    pattern: str, rows: Sequence[str], column: str, cell: Callable[[Mapping[str, Any]], str]
) -> TableOfFigures:
    """Return how figures are shown crosswise.

    Parameters
    ----------
    pattern
        Names of the parts whose figures are shown.
    rows
        What a row of the table depends on; rows are sorted by it.
    column
        What is compared side by side.
    cell
        Formats a cell.
    """

    def arrange(parts: Parts) -> PageTable:
        chosen = _chosen(pattern, parts)
        figures = [figure for part in chosen for figure in parts[part]]
        compared = list(dict.fromkeys(figure[column] for figure in figures))
        found: dict[tuple[Any, ...], dict[Any, str]] = {}
        for figure in figures:
            found.setdefault(tuple(figure[key] for key in rows), {})[figure[column]] = cell(figure)
        body = [
            [*map(number, key), *(cells.get(one, "") for one in compared)]
            for key, cells in sorted(found.items(), key=lambda entry: entry[0])
        ]
        return PageTable([*rows, *map(number, compared)], body, chosen)

    return arrange


def number(value: object) -> str:
    """Return a figure as tables show it: four significant digits, thousands apart.

    >>> number(0.031142), number(12960), number(12.345), number(None), number("auto")
    ('.03114', '12,960', '12.35', '', 'auto')
    """
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def _origin(command: str, entries: Sequence[Mapping[str, Any]]) -> str:
    """Return one sentence on where the figures come from."""
    commits = ", ".join(sorted({f"`{entry['commit']}`" for entry in entries}))
    dates = sorted({entry["date"] for entry in entries})
    span = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    machines = {
        f"{entry['machine']['processor']}, {entry['machine']['cores']} cores" for entry in entries
    }
    again = all(not entry.get("measured_once") for entry in entries)
    how = f"`{command}`" if again else "Measured once"
    return f"*{how}, commit {commits}, {span}, {'; '.join(sorted(machines))}.*"


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
