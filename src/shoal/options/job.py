"""A job: everything that decides a release, in one validated object that is also a TOML file.

The words are those of the command line and of :func:`shoal.anonymize`. A job never holds a drawn
seed; only an explicit one, which must stay secret.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

import tomli_w
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from shoal.errors import FileError, ParameterError, did_you_mean


def _listed(value: object) -> object:
    """Read one name, or several between commas, as a list of names."""
    return [part.strip() for part in value.split(",")] if isinstance(value, str) else value


def _listed_models(value: object) -> object:
    """Read one model, or several between commas; a comma before a number belongs to its model."""
    return re.split(r"\s*,\s*(?=[a-z])", value) if isinstance(value, str) else value


def _line(value: object) -> object:
    """Read the number of a line as its text."""
    return str(value) if type(value) is int else value


Names = Annotated[tuple[str, ...], BeforeValidator(_listed)]
Models = Annotated[tuple[str, ...], BeforeValidator(_listed_models)]


# The words that say how a source is read.
READING = ("separator", "encoding", "null_values", "header", "sheet")


class Job(BaseModel):
    """What to release and how; field names are the flags of ``shoal anonymize``."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    k: int = Field(description="smallest number of records that look alike")
    quasi: Names = Field(default=(), description="columns by which a person could be recognised")
    sensitive: Names = Field(default=(), description="columns worth protecting, kept unchanged")
    identifier: Names = Field(default=(), description="columns that name a person; removed")
    other: Names = Field(default=(), description="columns kept unchanged")
    rest: Literal["other", "drop"] | None = Field(
        default=None, description="what becomes of columns that are not declared"
    )
    kind: dict[str, str] = Field(default={}, description="kind of a column, where not inferred")
    hierarchy: dict[str, str] = Field(
        default={},
        description="hierarchy of a column: its file, or auto, ranges:…, stars, dates, …",
    )
    weight: dict[str, Annotated[float, Field(gt=0)]] = Field(
        default={}, description="weight of a column's loss"
    )
    value_range: dict[str, str] = Field(
        default={}, description="permissible lowest and highest value of a column, low:high"
    )
    order: dict[str, Names] = Field(
        default={}, description="categories of an ordered column, lowest first"
    )
    date_format: dict[str, str] = Field(
        default={}, description="how dates of a column are written, e.g. %d.%m.%Y"
    )
    missing: Literal["value", "drop"] = Field(
        default="value", description="a missing cell is a value of its own, or drops its record"
    )
    suppress_only: Names = Field(
        default=(), description="columns whose values are kept or replaced by *"
    )
    set_loss: Literal["share", "paper", "binary"] = Field(
        default="share",
        description="loss of c of A categories: (c-1)/(A-1), (c-1)/A, or c/A as A binary columns",
    )
    algorithm: str = Field(default="auto", description="how the release is found")
    param: dict[str, Any] = Field(default={}, description="parameters of the algorithm")
    measure: str = Field(default="gcp", description="loss to minimise; goal is another word for it")
    suppression: float = Field(
        default=0.0, ge=0, lt=1, description="largest share of records that may be suppressed"
    )
    suppressed: Literal["star", "withhold"] = Field(
        default="star", description="suppressed records show * or are left out"
    )
    model: Models = Field(default=(), description="further privacy models, NAME:VALUE[@column]")
    form: (
        Literal[
            "classes",
            "hierarchy",
            "full-domain",
            "freeform",
            "concealment",
            "(k,k)",
            "(k,1)",
            "(1,k)",
        ]
        | None
    ) = Field(
        default=None,
        description="what the release looks like; an algorithm other than auto decides it",
    )
    target: str | None = Field(
        default=None,
        description="column that analysts will predict; auto then minimises pmi, unless told else",
    )
    utility: bool = Field(
        default=False, description="tell in the facts what classifiers, rules and counts lose"
    )
    person: str | None = Field(
        default=None, description="column that tells persons apart; k then counts persons"
    )
    time: float | None = Field(
        default=None, ge=0, description="wall seconds for solving; auto has a default"
    )
    steps: int | None = Field(default=None, ge=1, description="deterministic budget")
    bound_seconds: float | None = Field(
        default=None, ge=0, description="wall seconds for proving a lower bound of the loss"
    )
    threads: int = Field(default=1, ge=1, le=1024, description="threads for solving")
    seed: int | None = Field(
        default=None, ge=0, lt=2**128, description="seed of all randomness; must stay secret"
    )
    keep_order: bool = Field(default=False, description="keep the rows' order instead of shuffling")
    notation: Literal["text", "min_max"] = Field(
        default="text", description="how generalized cells are written"
    )
    separator: str | None = Field(default=None, description="separator of CSV files")
    encoding: str | None = Field(default=None, description="encoding of CSV files")
    null_values: Names = Field(
        default=(), description="texts that mean a missing cell, or COLUMN=TEXT|TEXT"
    )
    header: Annotated[str | None, BeforeValidator(_line)] = Field(
        default=None, description="column names: present, absent, or the line they are in"
    )
    sheet: str | None = Field(default=None, description="sheet of a workbook")

    @property
    def guarantee(self) -> str:
        """What the release guarantees, and a verifier checks: classes of any shape, or not."""
        return "classes" if self.form in {None, "hierarchy", "full-domain"} else str(self.form)

    def reading(self) -> dict[str, Any]:
        """Return the words that say how the source is read, as ``read_table`` takes them."""
        return {word: getattr(self, word) for word in READING}

    def words(self) -> dict[str, Any]:
        """Return the words that describe the job, defaults left out, ready for JSON."""
        words = self.model_dump(exclude_defaults=True, mode="json")
        # Beside a target the default measure is a choice, too: without a word, auto takes another.
        chosen = self.target is not None and "measure" in self.model_fields_set
        return {**words, "measure": self.measure} if chosen else words


def make_job(words: dict[str, Any]) -> Job:
    """Return the job these words describe.

    Raises
    ------
    ParameterError
        If a word is unknown (the nearest one is named) or its value cannot be taken.
    """
    words = _without_goal(words)
    for unknown in words.keys() - Job.model_fields.keys():
        raise ParameterError(
            f"There is no option {unknown!r}.", remedy=did_you_mean(unknown, Job.model_fields)
        )
    if "k" not in words:
        raise ParameterError(
            "k is missing.", remedy="Choose how many records must look alike, such as `k=10`."
        )
    try:
        return Job.model_validate(words)
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(str(part) for part in problem["loc"])
        word = str(problem["loc"][0])
        raise ParameterError(
            f"{where}: {problem['msg']}.",
            remedy=f"{word} means: {Job.model_fields[word].description}.",
        ) from None


def _without_goal(words: dict[str, Any]) -> dict[str, Any]:
    """Return the words with ``goal``, if it is there, by its first name: ``measure``."""
    if "goal" not in words:
        return words
    goal, rest = words["goal"], {word: words[word] for word in words if word != "goal"}
    if rest.setdefault("measure", goal) != goal:
        raise ParameterError(
            f"The goal is {goal}, but the measure {rest['measure']}.",
            remedy="Give one of them: both are the loss to minimise.",
        )
    return rest


def read_job(path: str | Path) -> dict[str, Any]:
    """Return the words of a job file, unchecked, so that flags can override them.

    Raises
    ------
    FileError
        If the file cannot be read or is not TOML.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise FileError(
            f"Cannot read the job {path}: {error.strerror or error}.",
            remedy="Check the path.",
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FileError(
            f"The job {path} is not TOML: {error}.",
            remedy="Correct it there.",
        ) from error


def write_job(job: Job) -> str:
    """Return the job as TOML, defaults left out.

    ``read_job`` of the result gives an equal job.
    """
    return tomli_w.dumps(job.words())
