"""What a report is about: a release, its original, and what is known about them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from shoal.rendering.bounds import shown_bound

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from shoal.table import Schema
    from shoal.verifier import Verdict


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file by its name, without its folder, and the SHA-256 of its bytes."""

    name: str
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class SearchPoint:
    """The best loss at a moment of the search."""

    seconds: float
    loss: float


@dataclass(frozen=True, slots=True)
class Search:
    """How a release was found.

    Parameters
    ----------
    algorithm
        The algorithm.
    seconds
        All seconds of the run.
    points
        The best loss so far, in the order of time; none where it is not known.
    bound
        A loss that no release of this form can go below, where one was proved.
    optimal
        Whether the loss was proved to be the least possible.
    stopped
        Whether somebody stopped it, so that the release is the best found until then.
    in_custody
        Whether its course would stand in a custody file that was not given.
    """

    algorithm: str
    seconds: float | None = None
    points: tuple[SearchPoint, ...] = ()
    bound: float | None = None
    optimal: bool = False
    stopped: bool = False
    in_custody: bool = False

    @property
    def shown_bound(self) -> str | None:
        """The bound with four digits, rounded down; ``None`` where that leaves nothing of it.

        >>> Search("mondrian", bound=0.02088).shown_bound
        '0.0208'
        >>> Search("mondrian", bound=0.00001).shown_bound is None
        True
        """
        return None if self.bound is None else shown_bound(self.bound)


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """A release with everything that a report may draw on.

    Parameters
    ----------
    source, released
        The original and the release.
    schema
        What the columns of the original are.
    options
        The options of the job that differ from their defaults; a seed is never shown.
    verdict
        The verifier's answer about the two tables.
    search
        How the release was found, where that is known.
    original_file, release_file
        The files of both, where they are files.
    facts_file
        The name of the facts file, where there is one.
    rows
        For each released record its row in the source, where the custodian knows it; needed to
        count persons.
    commands
        What a reader can run, each with what it does; made from the names of the files unless
        given.
    job_file
        The job as TOML, without a seed, to make such a release again.
    population
        The people that the original is a sample of, where they are known.
    notes
        What a custodian should read, in sentences.
    """

    source: pl.DataFrame = field(repr=False)
    released: pl.DataFrame = field(repr=False)
    schema: Schema
    options: Mapping[str, Any]
    verdict: Verdict
    search: Search | None = None
    original_file: NamedFile | None = None
    release_file: NamedFile | None = None
    facts_file: str | None = None
    rows: NDArray[np.int64] | None = field(default=None, repr=False)
    commands: tuple[tuple[str, str], ...] = ()
    job_file: str = ""
    population: pl.DataFrame | None = field(default=None, repr=False)
    notes: tuple[str, ...] = ()

    @property
    def k(self) -> int:
        """The requested k."""
        return int(self.options["k"])

    @property
    def in_classes(self) -> bool:
        """Whether the release is held to equivalence classes."""
        return self.verdict.form == "classes"
