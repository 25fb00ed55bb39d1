"""Hierarchy files, written whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.io.destination import check_output
from shoal.io.staging import Staging

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.hierarchies import Hierarchy


def write_hierarchy(
    tree: Hierarchy, path: str | Path, *, separator: str = ",", force: bool = False
) -> None:
    """Write a hierarchy as ``leaf,level1,…,*``; ``-`` is standard output.

    Parameters
    ----------
    tree
        The hierarchy.
    path
        Where it goes.
    separator
        Between cells; ARX reads ``;``.
    force
        Whether a file that exists may be replaced.

    Raises
    ------
    FileError
        If the file exists and ``force`` is not set, or it cannot be written; then nothing is.
    """
    # Imported here: many tables have no hierarchy.
    from shoal.hierarchies import format_hierarchy

    check_output(path, force, table=False)
    with Staging() as staging:
        staging.text(format_hierarchy(tree, separator), path)
        staging.commit()
