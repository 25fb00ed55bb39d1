"""A job: every option of a release, in one validated object that is also a TOML file.

A job never holds a drawn seed; only an explicit one, which must stay secret.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.options.definition import ReleaseOptions
from shoal.options.job_file import job_text
from shoal.options.reading import ReadingOptions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike
    from typing import Literal

    from shoal.hierarchies import Recipe
    from shoal.options.values import Form, Limit


class Job(ReleaseOptions):
    """What to release and how: all options of :func:`shoal.anonymize` in one object.

    Raises
    ------
    ParameterError
        If options are unknown, missing or out of range; every one is named.

    Examples
    --------
    >>> import shoal
    >>> job = shoal.Job(k=5, quasi=["age", "zip"], hierarchy={"age": "ranges:5,10"})
    >>> job.words()
    {'k': 5, 'quasi': ['age', 'zip'], 'hierarchy': {'age': 'ranges:5,10'}}
    """

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            k: int,
            quasi: Sequence[str],
            sensitive: Sequence[str] = (),
            identifier: Sequence[str] = (),
            other: Sequence[str] = (),
            rest: Literal["other", "drop"] | None = None,
            accept: Sequence[str] = (),
            person: str | None = None,
            kind: Mapping[str, str] | None = None,
            hierarchy: Mapping[str, Recipe | str | PathLike[str]] | None = None,
            suppress_only: Sequence[str] = (),
            order: Mapping[str, Sequence[str]] | None = None,
            date_format: Mapping[str, str] | None = None,
            value_range: Mapping[str, tuple[Limit, Limit] | str] | None = None,
            weight: Mapping[str, float] | None = None,
            set_loss: Literal["share", "paper", "binary"] = "share",
            missing: Literal["value", "drop"] = "value",
            suppression: float = 0.0,
            suppressed: Literal["star", "withhold"] = "star",
            models: Sequence[str] = (),
            measure: str | None = None,
            form: Form | None = None,
            target: str | None = None,
            algorithm: str = "auto",
            param: Mapping[str, Any] | None = None,
            time: float | None = None,
            steps: int | None = None,
            bound_seconds: float | None = None,
            threads: int = 1,
            seed: int | None = None,
            utility: bool = False,
            keep_order: bool = False,
            notation: Literal["text", "min_max"] = "text",
            separator: str | None = None,
            encoding: str | None = None,
            null_values: Sequence[str] = (),
            header: str | None = None,
            sheet: str | None = None,
            table: str | None = None,
            query: str | None = None,
        ) -> None: ...

    @property
    def guarantee(self) -> str:
        """What the release guarantees, and a verifier checks: classes of any shape, or not."""
        return "classes" if self.form in {None, "hierarchy", "full-domain"} else str(self.form)

    def reading(self) -> dict[str, Any]:
        """Return how the source is read, as ``read_table`` takes it."""
        return {name: getattr(self, name) for name in ReadingOptions.model_fields}

    def words(self) -> dict[str, Any]:
        """Return the options as a job file holds them: defaults left out, ready for JSON."""
        options = self.model_dump(exclude_defaults=True, mode="json", by_alias=True)
        # Beside a target the default measure is a choice, too: unless it is set, auto takes pmi.
        chosen = self.target is not None and "measure" in self.model_fields_set
        return {**options, "measure": self.measure} if chosen else options


def make_job(options: Mapping[str, Any]) -> Job:
    """Return the job that these options describe."""
    return Job(**options)


def write_job(job: Job) -> str:
    """Return the job as TOML, defaults left out.

    ``read_job`` of the result gives an equal job.
    """
    return job_text(job.words())
