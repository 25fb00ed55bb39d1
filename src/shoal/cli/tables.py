"""The two tables of a comparison, and the options that describe them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.cli.flag_values import options_of_facts_file, options_of_flags, override
from shoal.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl


def read_comparison(
    original: str, release: str, facts: str | None, flags: Mapping[str, Any], verb: str
) -> tuple[pl.DataFrame, pl.DataFrame, dict[str, Any]]:
    """Return an original, its release, and the options that describe them.

    Encoding and texts for missing cells concern the original alone: a release is UTF-8 with empty
    fields for missing cells.
    """
    from shoal.io import (
        STANDARD_STREAM,
        ReadOptions,
        options_of_source,
        read_release,
        read_source,
    )
    from shoal.io.formulas import is_csv, without_marks
    from shoal.options import Job
    from shoal.options.further import UtilityOptions

    if original == release == STANDARD_STREAM:
        raise FileError(
            "Both tables cannot come from standard input.", remedy="Give one as a file."
        )
    given = options_of_flags(flags, verb)
    merged = override(options_of_facts_file(facts), given) if facts is not None else given
    described = {name: merged[name] for name in merged if name not in UtilityOptions.model_fields}
    # A release can be studied without knowing its k.
    job = Job.from_dict({"k": 2, **described} if verb == "utility" else described)
    reading = options_of_source(ReadOptions.of(job.reading()), original, release)
    source = read_source(original, reading).frame
    released = read_release(release, job.separator)
    if job.escape_formulas and is_csv(release):
        released = without_marks(released)
    return source, released, merged
