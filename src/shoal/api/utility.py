"""What analysts get out of a release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.analysis import Settings, Shown
from shoal.encoding import encode
from shoal.encoding.parse import codes_in, parse_release
from shoal.io import CallerFrame
from shoal.pipeline.progress import Stages
from shoal.pipeline.run import schema_of
from shoal.pipeline.utility import job_of_utility, records_of_rows, study_release
from shoal.table import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.pipeline.progress import Watcher
    from shoal.pipeline.run import Hierarchies


def utility(
    original: Any,
    released: Any,
    *,
    target: str,
    hierarchy: Hierarchies | None = None,
    rows: NDArray[np.int64] | None = None,
    folds: int = 10,
    queries: int = 1000,
    support: float = 0.02,
    confidence: float = 0.6,
    rules: bool = False,
    watch: Watcher | None = None,
    **words: Any,
) -> dict[str, Any]:
    """Return what analysts get out of a release, beside the original.

    Classifiers learn the target from the quasi-identifiers of the release and are tested on
    original and on released records, against ones that learned from the original and against
    the majority rule; association rules and random counting queries are compared. Needs
    scikit-learn: ``pip install 'shoal[utility]'``.

    Parameters
    ----------
    original, released
        Frames of any type that :func:`shoal.anonymize` takes.
    target
        The column to predict; released unchanged.
    rows
        For each released row its row in the original (``release.custody.rows``). Without it a
        classifier may be tested on people whose released records it learned from.
    folds
        Parts of the cross-validation.
    queries
        Number of counting queries.
    support, confidence
        Least share of records, and least share of hits, of an association rule.
    rules
        Whether the strongest rules are told; they name values of the target.
    watch
        Called with a :class:`shoal.Progress` from time to time.
    **words
        The words of the job that made the release; columns not named are ignored.

    Returns
    -------
    dict
        ``learning``, ``rules``, ``queries`` and ``notes``, ready for JSON.
    """
    source = CallerFrame.of(original).polars
    shown = CallerFrame.of(released).polars
    job = job_of_utility(target, words)
    settings = Settings(folds, queries, support, confidence, job.threads, rules)
    table = Table.of(source, schema_of(source, job, hierarchy))
    encoded = encode(table)
    recoding, domains = parse_release(shown, encoded.domains)
    codes = tuple(map(codes_in, domains, encoded.codes, encoded.domains))
    records = records_of_rows(rows, table, source.height, shown.height)
    if rows is None and job.keep_order and shown.height == table.n:
        records = np.arange(table.n)
    stages = Stages(watch)
    with stages.stage("utility"):
        return study_release(
            table,
            codes,
            Shown.recoded(domains, recoding),
            shown,
            job,
            settings,
            stages,
            records=records,
        )
