"""Among how many counterparts each record was found to hide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shoal.verifier.verdict import Check


@dataclass(frozen=True, slots=True)
class AnonymitySet:
    """Among how many each record hides, and what shows it.

    Parameters
    ----------
    checks
        The checks and their answers.
    least
        The number of equally likely counterparts that was proved, or the fewest released records
        that cover an original where that is less than k.
    proof
        What was done, and what that shows.
    """

    checks: tuple[Check, ...]
    least: int
    proof: str
