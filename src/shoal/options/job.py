"""A job: every option of a release, in one validated object that is also a TOML file.

A job never holds a drawn seed; only an explicit one, which must stay secret.
"""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.options.definition import ReleaseOptions
from shoal.options.hierarchy_paths import hierarchies_from, with_found_files
from shoal.options.job_file import job_text, read_job
from shoal.options.reading import ReadingOptions
from shoal.options.values import with_name_of_algorithm, with_special_columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Literal

    from shoal.algorithms import AlgorithmLike
    from shoal.hierarchies import Hierarchy, Recipe
    from shoal.models import Model
    from shoal.options.values import Form, Limit
    from shoal.pipeline.progress import Watcher
    from shoal.pipeline.release import FrameT, Release


class Job(ReleaseOptions):
    """What to release and how: all options of :func:`shoal.anonymize` in one object.

    Parameters
    ----------
    **options
        The options of :func:`shoal.anonymize`, which describes them, and those for reading files.

    Raises
    ------
    ParameterError
        If options are unknown, missing or out of range; every one is named.

    Examples
    --------
    >>> import shoal
    >>> job = shoal.Job(k=5, quasi=["age", "zip"], hierarchy={"age": "ranges:5,10"})
    >>> job.to_dict()
    {'k': 5, 'quasi': ['age', 'zip'], 'hierarchy': {'age': 'ranges:5,10'}}
    >>> job
    Job(k=5, quasi=('age', 'zip'), hierarchy={'age': 'ranges:5,10'})
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
            personal_k: Sequence[str] = (),
            columns: Mapping[str, str] | None = None,
            kind: Mapping[str, str] | None = None,
            hierarchy: Mapping[str, Hierarchy | Recipe | str | PathLike[str]] | None = None,
            suppress_only: Sequence[str] = (),
            order: Mapping[str, Sequence[str]] | None = None,
            date_format: Mapping[str, str] | None = None,
            value_range: Mapping[str, tuple[Limit, Limit] | str] | None = None,
            round_to: Mapping[str, float] | None = None,
            min_level: Mapping[str, int] | None = None,
            max_level: Mapping[str, int] | None = None,
            top: Mapping[str, float] | None = None,
            bottom: Mapping[str, float] | None = None,
            weight: Mapping[str, float] | None = None,
            set_loss: Literal["share", "paper", "binary"] = "share",
            hierarchy_loss: Literal["leaves", "levels"] = "leaves",
            missing: Literal["value", "drop"] = "value",
            suppression: float = 0.0,
            suppress_for: Literal["total", "released"] = "total",
            suppressed: Literal["star", "withhold"] = "star",
            population: str | None = None,
            sampling_fraction: float | None = None,
            models: Sequence[Model | str] = (),
            measure: str | None = None,
            form: Form | None = None,
            target: str | None = None,
            keep_marginals: Sequence[str] = (),
            marginal_weight: float = 1.0,
            algorithm: AlgorithmLike | str = "auto",
            param: Mapping[str, Any] | None = None,
            time: float | None = None,
            steps: int | None = None,
            engine: Literal["local", "disk", "spark"] = "local",
            cell_records: int = 100000,
            cut_sample: int | None = None,
            memory: float | None = None,
            bound_seconds: float | None = None,
            threads: int | None = None,
            seed: int | None = None,
            utility: bool = False,
            keep_order: bool = False,
            notation: Literal["text", "min_max", "midpoint", "label", "json"] = "text",
            aggregate: Mapping[str, Literal["mean", "median", "mode", "midpoint"]] | None = None,
            escape_formulas: bool = False,
            separator: str | None = None,
            encoding: str | None = None,
            null_values: Sequence[str] = (),
            special_values: Sequence[str] = (),
            header: str | None = None,
            decimal: Literal[".", ","] = ".",
            thousands: Literal[",", ".", " ", "'", "_"] | None = None,
            sheet: str | None = None,
            table: str | None = None,
            query: str | None = None,
        ) -> None: ...

    else:

        def __init__(self, **options: Any) -> None:
            """Check and set the options."""
            super().__init__(**with_name_of_algorithm(with_special_columns(options)))

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """Return the options that differ from their defaults; a seed is secret, and not shown."""
        for name, field in type(self).model_fields.items():
            value = getattr(self, name)
            if value != field.get_default(call_default_factory=True):
                yield name, "…" if name == "seed" else value

    def __dir__(self) -> list[str]:
        """Return the options and methods of a job, without those of pydantic."""
        own = (name for name in vars(Job) if not name.startswith(("_", "model_")))
        return sorted({*type(self).model_fields, *own})

    @property
    def guarantee(self) -> str:
        """What the release guarantees and the verifier checks: classes, or a freeform guarantee."""
        return "classes" if self.form in {None, "hierarchy", "full-domain"} else str(self.form)

    def reading(self) -> dict[str, Any]:
        """Return how the source is read, as ``read_table`` takes it."""
        return {name: getattr(self, name) for name in ReadingOptions.model_fields}

    def to_dict(self) -> dict[str, Any]:
        """Return the options as a job file holds them: defaults left out, ready for JSON."""
        options = self.model_dump(exclude_defaults=True, mode="json", by_alias=True)
        # Beside a target the default measure is a choice too: unless set, auto tries several.
        chosen = self.target is not None and "measure" in self.model_fields_set
        return {**options, "measure": self.measure} if chosen else options

    @classmethod
    def from_dict(cls, options: Mapping[str, Any]) -> Job:
        """Return the job with these options, by their names in Python or in job files.

        Raises
        ------
        ParameterError
            If options are unknown, missing or out of range; all of them are named.
        """
        return cls(**options)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Job:
        """Return the job in a TOML file; relative paths in it start from its folder.

        Raises
        ------
        FileError
            If the file cannot be read or is not TOML.
        ParameterError
            If options are unknown, missing or out of range; all of them are named.
        """
        return cls(**with_found_files(read_job(path), Path(path).parent))

    def save(self, path: str | PathLike[str], *, force: bool = False) -> None:
        """Write the job as a TOML file, whole or not at all.

        Parameters
        ----------
        path
            The file. Hierarchy files are named relative to its folder. A job with a seed is
            readable by you alone.
        force
            Whether a file that exists is replaced.

        Raises
        ------
        FileError
            If the file exists or cannot be written.
        """
        from shoal.io import Staging, check_output

        name = fspath(path)
        check_output(name, force, table=False)
        moved = {"hierarchy": hierarchies_from(self.hierarchy, name)}
        with Staging() as staging:
            text = write_job(self.model_copy(update=moved))
            staging.text(text, name, private=self.seed is not None)
            staging.commit()

    def run(self, frame: FrameT, *, watch: Watcher | None = None) -> Release[FrameT]:
        """Return the verified release of a frame that this job describes.

        Parameters
        ----------
        frame
            As for :func:`shoal.anonymize`.
        watch
            Called with a :class:`shoal.Progress` from time to time.
        """
        from shoal.api.anonymize import anonymize_by_job

        return anonymize_by_job(frame, self, watch=watch)


def write_job(job: Job) -> str:
    """Return the job as TOML, defaults left out.

    ``read_job`` of the result gives an equal job.
    """
    return job_text(job.to_dict())
