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
    """One check that the verifier made, and its result.

    ``detail`` names rows by number (the first is 1) and columns by name, never values of
    identifier or sensitive columns.
    """

    name: str
    passed: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Question:
    """What a verdict is about: it holds for these columns and models, and for no others.

    Parameters
    ----------
    k
        The smallest class, or number of counterparts, that is allowed.
    quasi
        The quasi-identifiers: the columns by which an outsider is assumed to recognize people.
    sensitive
        The sensitive columns.
    models
        The privacy models that every class was held to.
    form
        The guarantee: ``classes``, ``freeform``, or one that counts counterparts; ``anatomy`` for
        a release in two tables, where ``k`` is its l.
    """

    k: int
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    form: str = "classes"

    def __str__(self) -> str:
        columns = ", ".join(self.quasi)
        letter = "l" if self.form == "anatomy" else "k"
        goal = f"{letter} = {self.k} on the quasi-identifiers {columns}"
        return f"{goal}; {', '.join(self.models)}" if self.models else goal


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
        Groups of equal quasi-identifiers in the release; starred records are one of them.
    smallest_class
        Size of the smallest class in what k counts: records, or persons (without a row map: as
        many persons as could be proved).
    starred
        Released records that are ``*`` throughout. They are held to k and to every model as a
        class of their own.
    withheld
        Records of the original that are not in the release: ``n - released``, or 0.
    set_aside
        Those among the withheld that miss a quasi-identifier and were dropped by policy.
    proof
        What was done to match records with originals, and what that shows.
    question
        What the verdict is about. Where the guarantee is not ``classes``, ``classes`` counts the
        different records and ``smallest_class`` is the number of counterparts that was proved for
        each.
    exact
        Whether ``smallest_class`` is exact; otherwise it is what was proved, and classes may be
        larger: numbers of persons without a row map, and numbers of counterparts.
    """

    passed: bool
    checks: tuple[Check, ...]
    n: int
    released: int
    classes: int
    smallest_class: int
    starred: int
    withheld: int
    proof: str
    question: Question
    set_aside: int = 0
    exact: bool = True

    def __bool__(self) -> bool:
        return self.passed

    @property
    def form(self) -> str:
        """The guarantee that the release was held to."""
        return self.question.form

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain dictionaries, lists, texts and numbers."""
        plain = asdict(self)
        plain["checks"] = list(plain["checks"])
        question = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in plain.pop("question").items()
        }
        return {**plain, **question}

    @property
    def hiding(self) -> str:
        """How records hide, and among how many, in words."""
        if self.form == "classes":
            least = "" if self.exact else "at least "
            classes = counted(self.classes, "class")
            return f"in {classes}, the smallest of {least}{self.smallest_class:,}"
        if not self.smallest_class:
            return f"({self.form}), no counterparts proved"
        return f"({self.form}), each hiding among at least {self.smallest_class:,}"

    def _repr_html_(self) -> str:
        # Imported here: only notebooks show it.
        from shoal.rendering.notebook import heading_html, table_html

        summary = f"{str(self).splitlines()[0]}. Checked: {self.question}"
        answers = [
            [check.name, "passed" if check.passed else "FAILED", check.detail]
            for check in self.checks
        ]
        return heading_html(summary, passed=self.passed) + table_html(
            ["check", "answer", "finding"], answers
        )

    def __str__(self) -> str:
        width = max((len(check.name) for check in self.checks), default=0)
        summary = (
            f"{'PASSED' if self.passed else 'FAILED'}: {self.released:,} released records of "
            f"{self.n:,} {self.hiding}; "
            f"{self.starred:,} starred, {self.withheld:,} withheld"
        )
        answers = [
            f"  {'pass' if check.passed else 'FAIL'}  {check.name:<{width}}  {check.detail}"
            for check in self.checks
        ]
        ends = [f"  checked: {self.question}", f"  proof: {self.proof}"]
        return "\n".join([summary, *answers, *ends])


def name_rows(rows: Sequence[int] | NDArray[np.int64]) -> str:
    """Return the first few rows by number (given from 0, named from 1) and how many more."""
    shown = ", ".join(f"{int(row) + 1:,}" for row in rows[:_ROWS_NAMED])
    more = len(rows) - _ROWS_NAMED
    noun = "row" if len(rows) == 1 else "rows"
    return f"{noun} {shown} and {more:,} more" if more > 0 else f"{noun} {shown}"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural where it needs to be.

    >>> counted(1, "original"), counted(1200, "original")
    ('1 original', '1,200 originals')
    """
    plural = noun if number == 1 else f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    plural = f"{noun}es" if number != 1 and noun.endswith("s") else plural
    return f"{number:,} {plural}"
