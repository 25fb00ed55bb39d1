"""What the page of reproductions knows of a table or figure of a paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.reproduction_reading import Answer, Figures

MILP, FREEFORM, SEQUENTIAL, ANNEALING, KGEN = (
    "milp", "freeform", "sequential", "annealing", "kgen"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """One table or figure.

    Parameters
    ----------
    paper, item, says
        Which one it is, and what it claims.
    study, parts, read
        The stored results that answer it, and how they are read.
    more
        Parts that take long; read where they are stored.
    beside
        Parts of other studies, as ``study:part``, that are read after them: what shows why.
    test, tested, agrees
        Or the test that holds it, and what that shows.
    why
        Where we differ, why; or what the reader should know.
    """

    paper: str
    item: str
    says: str
    study: str = ""
    parts: tuple[str, ...] = ()
    read: Callable[[Figures], Answer] | None = None
    test: str = ""
    tested: str = ""
    agrees: str = "yes"  # of a test
    why: str = ""
    more: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
