"""Where the real tables are, if they are: a neighbouring folder or ``SHOAL_DATA``."""

from __future__ import annotations

import os
from pathlib import Path


def find_data(name: str) -> Path | None:
    """Return the CSV file of a real table such as ``adult30k``, or None where it is absent."""
    given = os.environ.get("SHOAL_DATA")
    project = Path(__file__).resolve().parent.parent
    folders = (
        [Path(given)] if given else [above / "shared" / "data" for above in project.parents[:2]]
    )
    for folder in folders:
        table = folder / name / f"{name}.csv.gz"
        if table.is_file():
            return table
    return None
