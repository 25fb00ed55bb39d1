"""What a release cost, by every measure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.encoding import encode
from shoal.encoding.parse import codes_in, parse_release
from shoal.io import CallerFrame
from shoal.measures import Released, find_measure
from shoal.options import make_job
from shoal.pipeline.figures import in_classes, measured
from shoal.pipeline.private_column import private_name, private_of_release
from shoal.pipeline.run import schema_of
from shoal.table import Table

if TYPE_CHECKING:
    from shoal.pipeline.run import Hierarchies


def measure(
    original: Any, released: Any, *, hierarchy: Hierarchies | None = None, **words: Any
) -> dict[str, Any]:
    """Return every measure of a release, and the loss of each attribute.

    Parameters
    ----------
    original, released
        Frames of any type that :func:`shoal.anonymize` takes.
    **words
        The words of the job that made the release.
    """
    source = CallerFrame.of(original).polars
    job = make_job(words)
    find_measure(job.measure)
    table = Table.of(source, schema_of(source, job, hierarchy))
    encoded = encode(table)
    shown = CallerFrame.of(released).polars
    recoding, domains = parse_release(shown, encoded.domains)
    codes = tuple(map(codes_in, domains, encoded.codes, encoded.domains))
    private = None
    name = private_name(table.schema, job)
    if name is not None and (name in shown.columns or job.target is not None):
        private = private_of_release(name, table.frame, shown)
    return measured(
        Released(
            domains, encoded.weights, codes, recoding, encoded.n, job.k, private, in_classes(job)
        ),
        job,
    )
