"""A job: every option of a release, in one validated object that is also a TOML file.

A job never holds a drawn seed; only an explicit one, which must stay secret.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from shoal.options.definition import ReleaseOptions
from shoal.options.job_file import job_text
from shoal.options.mistakes import mistakes_of, raise_together, with_first_names
from shoal.options.reading import ReadingOptions
from shoal.options.verbs import describe_options

if TYPE_CHECKING:
    from collections.abc import Mapping


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

    def __init__(self, **options: Any) -> None:
        try:
            super().__init__(**with_first_names(options))
        except ValidationError as error:
            help_of = {option.name: option.help for option in describe_options()}
            raise_together(list(mistakes_of(error, help_of)))

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


def job_schema() -> str:
    """Return the JSON Schema of job files, so that editors can complete and check them."""
    schema = Job.model_json_schema()
    help_of = {option.key: option.help for option in describe_options()}
    properties = {
        key: {"description": help_of[key], **_plain(described)}
        for key, described in schema["properties"].items()
    }
    described = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Shoal job",
        "description": "All options of a release, as a job file in TOML holds them.",
        "type": "object",
        "properties": properties,
        "required": schema["required"],
        "additionalProperties": False,
    }
    return json.dumps(described, indent=2, ensure_ascii=False) + "\n"


def _plain(described: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a key without titles, and without null, which TOML cannot hold."""
    plain = {word: value for word, value in described.items() if word != "title"}
    (choice,) = [one for one in plain.pop("anyOf", [{}]) if one.get("type") != "null"]
    if plain.get("default", ...) is None:
        del plain["default"]
    return {**plain, **choice}
