"""ARX and Shoal side by side, measured once with ARX 3.9.2; figures for pages only.

ARX is in no package registry, so this study has no ``run``: get ``libarx`` from its maintainers,
set ``SHOAL_LIBARX`` to its path and run ``python -m benchmarks rivals``, which then includes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.pages import PageTable, share
from benchmarks.store import ALL

if TYPE_CHECKING:
    from collections.abc import Mapping


def side_by_side(parts: Mapping[str, Any]) -> PageTable:
    """Return one row per task: the loss of each tool, and what it took."""
    tasks: dict[tuple[str, int], dict[str, list[str]]] = {}
    for row in parts[ALL]:
        tool = "ARX" if row["tool"].startswith("ARX") else "Shoal"
        cells = tasks.setdefault((row["work"], row["k"]), {"ARX": [], "Shoal": []})
        worst = row["loss_at_worst"]
        loss = share(row["loss"]) + (f" to {share(worst)}" if worst != row["loss"] else "")
        cells[tool].append(f"{loss} in {row['spent']}")
    rows = [
        [work, str(k), "; ".join(cells["ARX"]), "; ".join(cells["Shoal"])]
        for (work, k), cells in tasks.items()
    ]
    return PageTable(("table", "k", "ARX 3.9.2", "Shoal"), rows, [ALL])


COMMAND = "SHOAL_LIBARX=libarx.jar python -m benchmarks rivals"
TABLES = {"side_by_side": side_by_side}
