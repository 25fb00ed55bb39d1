"""Whether the files of a release hold the table and nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shoal.io.beside_table import contents_beside_table
from shoal.verifier.verdict import Check

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shoal.verifier import Verdict


def with_file_contents(verdict: Verdict, releases: Iterable[str]) -> Verdict:
    """Return a verdict that also records whether files of the release hold more than tables.

    Formats that cannot are not mentioned.
    """
    searched = [contents_beside_table(path) for path in releases]
    if all(found is None for found in searched):
        return verdict
    found = [what for one in searched for what in one or ()]
    detail = (
        f"the file also holds {', '.join(found)}: whoever gets it gets these"
        if found
        else "no further sheet, comment or metadata"
    )
    check = Check("nothing beside the table", passed=not found, detail=detail)
    return replace(verdict, passed=verdict.passed and check.passed, checks=(*verdict.checks, check))
