"""What the verifier found: one check after the other, and what it proved."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

_ROWS_NAMED = 5


@dataclass(frozen=True, slots=True)
class Check:
    """One question the verifier asked, and its answer.

    ``detail`` names rows by number (the first is 1) and columns by name, never values of
    identifier or sensitive columns.
    """

    name: str
    passed: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verifier's answer about one release; true when every check passed.

    Parameters
    ----------
    passed
        Whether every check passed.
    checks
        The checks, in the order they were made. A check that could not be made because an earlier
        one failed is not listed.
    n
        Records of the original table.
    released
        Records of the release, starred ones included.
    classes
        Groups of equal quasi-identifiers in the release; suppressed records form none.
    smallest_class
        Size of the smallest class in what k counts: records, or persons (without a row map: as
        many persons as could be proved). 0 when there is no class.
    suppressed
        Released records that are ``*`` throughout and too few to be a class.
    withheld
        Records of the original that are not in the release: ``n - released``, or 0.
    set_aside
        Those among the withheld that miss a quasi-identifier and were dropped by policy.
    proof
        What was done to match records with originals, and what that shows.
    form
        What the release was held to. Where it is not ``classes``, ``classes`` counts the different
        records and ``smallest_class`` is the number of counterparts that was proved for each.
    """

    passed: bool
    checks: tuple[Check, ...]
    n: int
    released: int
    classes: int
    smallest_class: int
    suppressed: int
    withheld: int
    proof: str
    set_aside: int = 0
    form: str = "classes"

    def __bool__(self) -> bool:
        return self.passed

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain dictionaries, lists, texts and numbers."""
        plain = asdict(self)
        plain["checks"] = list(plain["checks"])
        return plain

    @property
    def hiding(self) -> str:
        """How records hide, and among how many, in words."""
        if self.form == "classes":
            return f"in {self.classes:,} classes, the smallest of {self.smallest_class:,}"
        return f"({self.form}), each hiding among at least {self.smallest_class:,}"

    def __str__(self) -> str:
        width = max((len(check.name) for check in self.checks), default=0)
        summary = (
            f"{'PASSED' if self.passed else 'FAILED'}: {self.released:,} released records of "
            f"{self.n:,} {self.hiding}; "
            f"{self.suppressed:,} suppressed, {self.withheld:,} withheld"
        )
        answers = [
            f"  {'pass' if check.passed else 'FAIL'}  {check.name:<{width}}  {check.detail}"
            for check in self.checks
        ]
        return "\n".join([summary, *answers, f"  proof: {self.proof}"])


def name_rows(rows: Sequence[int] | NDArray[np.int64]) -> str:
    """Return the first few rows by number (given from 0, named from 1) and how many more."""
    shown = ", ".join(f"{int(row) + 1:,}" for row in rows[:_ROWS_NAMED])
    more = len(rows) - _ROWS_NAMED
    noun = "row" if len(rows) == 1 else "rows"
    return f"{noun} {shown} and {more:,} more" if more > 0 else f"{noun} {shown}"
