"""A verified, k-anonymous release of a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.hierarchies import Hierarchy, Recipe, as_file
from shoal.io import CallerFrame
from shoal.options import make_job
from shoal.pipeline.progress import Stages
from shoal.pipeline.run import run_job

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from shoal.pipeline.progress import Watcher
    from shoal.pipeline.release import FrameT, Release

    Hierarchies = Mapping[str, Hierarchy | Recipe | str | Path]


def anonymize(
    frame: FrameT,
    *,
    hierarchy: Hierarchies | None = None,
    watch: Watcher | None = None,
    **words: Any,
) -> Release[FrameT]:
    """Return a k-anonymous, verified release of a frame.

    Parameters
    ----------
    frame
        pandas, polars or pyarrow table, or anything with the Arrow C stream. It is not changed;
        the release comes back in the same type.
    hierarchy
        For each hierarchical column its tree, the file that holds it, or how to make it: ``auto``,
        ``ranges:5,10,20``, ``quantiles:4``, ``cuts:18,65``, ``stars``, ``dates``;
        ``groups:FILE`` is a grouping table.
    watch
        Called with a :class:`shoal.Progress` from time to time.
    **words
        The words of a job: ``k``, ``quasi``, ``sensitive``, ``algorithm``, … as in
        :class:`shoal.options.Job` and ``shoal anonymize --help``.

    Raises
    ------
    InputError
        If the input or the words cannot be taken.
    InfeasibleError
        If no release can meet the goal.
    VerificationError
        If the verifier refuses the release; that is a bug, and no release comes back.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> people = pl.DataFrame({"age": [35, 36, 37, 61, 62, 66], "sex": list("FFFMMM"),
    ...                        "disease": ["flu", "cold", "flu", "gout", "flu", "cold"]})
    >>> release = shoal.anonymize(people, k=3, quasi=["age", "sex"], sensitive=["disease"])
    >>> sorted(release.frame["age"].unique())
    ['[35..37]', '[61..66]']
    >>> release.verdict.passed
    True
    """
    caller = CallerFrame.of(frame)
    given = hierarchy or {}
    trees = {column: tree for column, tree in given.items() if isinstance(tree, Hierarchy)}
    # What can be written down is part of the job, so that the facts tell how to do it again.
    named = {
        column: tree if isinstance(tree, str) else _named(tree)
        for column, tree in given.items()
        if not isinstance(tree, Hierarchy)
    }
    job = make_job({**words, "hierarchy": named})
    return run_job(caller.polars, job, hierarchy=trees, stages=Stages(watch), caller=caller)


def _named(tree: Recipe | Path) -> str:
    return str(tree) if isinstance(tree, Recipe) else as_file(tree)
