"""One-to-one matches of released records with originals: a given one checked, or one found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.verifier.verdict import Check, counted, name_rows
from shoal.verifier.witness import check_cover, check_row_map, check_untouched

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from shoal.verifier.transport import Watch
    from shoal.verifier.witness import Tables


@dataclass(frozen=True, slots=True)
class Match:
    """How released records match originals.

    Parameters
    ----------
    checks
        The checks and their answers.
    proof
        What was done, and what that shows.
    witness
        For each released row the row of its original, where the match holds.
    """

    checks: tuple[Check, ...]
    proof: str
    witness: NDArray[np.int64] | None = None

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return all(check.passed for check in self.checks)


def check_match(tables: Tables, witness: NDArray[np.int64]) -> Match:
    """Check a given row map record by record."""
    row_map = check_row_map(witness, tables)
    if not row_map.passed:
        return Match((row_map,), "none: the row map does not match records one-to-one")
    checks = (row_map, check_cover(witness, tables), check_untouched(witness, tables))
    proof = "each released row was checked against the original that the row map gives it"
    return Match(checks, proof, witness if all(check.passed for check in checks) else None)


def find_match(
    tables: Tables,
    apart: Sequence[int] | NDArray[np.int64] = (),
    *,
    watch: Watch | None = None,
) -> Match:
    """Search for a match, and check what was found as if it were given.

    Parameters
    ----------
    apart
        Rows of originals that cannot be released ones.
    watch
        Called with the progress of the search.
    """
    # Loaded here because the solver is heavy, and checking a row map does not need it.
    from shoal.verifier.assignment import assign

    eligible = tables.kept.copy()
    eligible[list(apart)] = False
    found = assign(tables, eligible, watch=watch)
    name = "records match originals"
    if found.witness is None:
        reached = f"only {found.reached:,} originals" if found.reached else "no original"
        detail = (
            f"no one-to-one match exists: release {name_rows(found.short_rows)} "
            f"({len(found.short_rows):,} in all) can be made from {reached}, if cells are to cover "
            "them and sensitive and other values are to be equal"
        )
        if len(apart):
            verb = "is" if len(apart) == 1 else "are"
            apart_from = f"the {counted(len(apart), 'original')} that too few records cover"
            detail += f", and if {apart_from} {verb} withheld"
        proof = f"{found.effort}, fell short: the named rows reach fewer originals than they are"
        return Match((Check(name, passed=False, detail=detail),), proof)
    again = check_match(tables, found.witness)
    if not again.passed:
        return Match(again.checks, f"{found.effort}, found a match that does not hold when checked")
    detail = (
        f"each of the {len(tables.released):,} released records has an original of its own that "
        "its cells cover, with equal sensitive and other values"
    )
    proof = (
        f"{found.effort}, found a one-to-one match, which was then checked record by record; "
        "it shows that the release can come from the original, not which record came from which"
    )
    return Match((Check(name, passed=True, detail=detail),), proof, found.witness)
