"""Several releases of one table side by side: every combination of some options, each verified."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import asdict, dataclass, fields
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shoal.algorithms import find_algorithm
from shoal.algorithms.constants import DEFAULT_RECORDS, DEFAULT_SECONDS, SMALL
from shoal.errors import InfeasibleError, InputError, ParameterError
from shoal.hierarchies import file_of
from shoal.io import Staging
from shoal.options import Job
from shoal.pipeline.coding import with_codes
from shoal.pipeline.compatibility import AUTO
from shoal.pipeline.reporting import own_version
from shoal.pipeline.run import run_job, schema_of
from shoal.risks.classes import Classes
from shoal.table.oddities import all_oddities

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from shoal.pipeline.release import Release

_SMALL_SECONDS = 2.0  # what auto takes on a small table, at most
_SEARCH_SECONDS = {"optimal": 60.0, "ff-optimal": 60.0}  # the longest searches without a limit
# What a release takes beside the search: reading, verifying, measuring.
_LEAST_SECONDS, _SECONDS_PER_RECORD = 1.0, 1e-5
# What classifiers take; a study of 30,000 records takes about a minute.
_STUDY_PER_RECORD, _LEAST_STUDY = 60 / 30_000, 5.0
_TRIES_FOR_TARGET = 4


@dataclass(frozen=True, slots=True)
class Setting:
    """One combination of the options that are compared; ``number`` is its place, from 1."""

    number: int
    k: int
    algorithm: str
    suppression: float
    models: tuple[str, ...]

    @property
    def options(self) -> dict[str, Any]:
        """The options that it sets."""
        return {
            "k": self.k,
            "algorithm": self.algorithm,
            "suppression": self.suppression,
            "models": list(self.models),
        }


@dataclass(frozen=True, slots=True)
class Row:
    """What one combination gives.

    Parameters
    ----------
    loss
        Share of detail lost (GCP).
    classes, smallest_class, suppressed
        Of the release.
    risk_average, risk_highest
        Chance of picking the right record of a person; ``None`` where the form bounds none.
    error_release, error_original
        Share of the records whose target is predicted wrong, learned from the release and from the
        original; only with a target.
    seconds
        Of the whole run.
    verified
        Whether the verifier accepted it.
    problem
        Why there is no release, where there is none.
    """

    number: int
    k: int
    algorithm: str
    suppression: float
    models: str
    loss: float | None = None
    classes: int | None = None
    smallest_class: int | None = None
    suppressed: int | None = None
    risk_average: float | None = None
    risk_highest: float | None = None
    error_release: float | None = None
    error_original: float | None = None
    seconds: float | None = None
    verified: bool = False
    problem: str = ""


def settings_of(
    k: Sequence[int],
    algorithm: Sequence[str],
    suppression: Sequence[float],
    models: Sequence[Sequence[str]],
) -> list[Setting]:
    """Return every combination.

    Raises
    ------
    ParameterError
        If nothing is left to compare.
    """
    found = [
        Setting(number, *values)
        for number, values in enumerate(
            product(k, algorithm, suppression, map(tuple, models)), start=1
        )
    ]
    if not found:
        raise ParameterError(
            "There is nothing to compare.", remedy="Give at least one `k` and one `algorithm`."
        )
    return found


def estimated_seconds(
    settings: Sequence[Setting], options: Mapping[str, Any], records: int
) -> float:
    """Return about how long the runs of these combinations take.

    With a target, classifiers are trained on every release, and ``auto`` makes several to choose
    from.
    """
    each = max(_LEAST_SECONDS, _SECONDS_PER_RECORD * records)
    tries = 1
    if options.get("target"):
        each += max(_LEAST_STUDY, _STUDY_PER_RECORD * records)
        tries = _TRIES_FOR_TARGET
    limit = options.get("time")
    return sum(
        each
        + search_seconds(one.algorithm, records, limit) * (tries if one.algorithm == AUTO else 1)
        for one in settings
    )


def search_seconds(algorithm: str, records: int, limit: float | None = None) -> float:
    """Return about how long an algorithm searches: up to its limit, or as it does without one.

    >>> search_seconds("auto", 1_000_000), search_seconds("mondrian", 1_000_000)
    (10.0, 0.0)
    """
    if not find_algorithm(algorithm).traits.anytime:
        return 0.0
    if limit is not None:
        return float(limit)
    if algorithm == AUTO and records <= SMALL:
        return _SMALL_SECONDS
    usual = _SEARCH_SECONDS.get(algorithm, DEFAULT_SECONDS)
    return usual * max(1.0, records / DEFAULT_RECORDS)


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """A table, the options that all runs share, and where results are kept.

    Parameters
    ----------
    store
        A folder: results are kept there one by one, so that an interrupted comparison goes on.
        They hold figures, no cell of the table.
    """

    source: pl.DataFrame
    options: Mapping[str, Any]
    store: Path | None = None

    def job(self, setting: Setting) -> Job:
        """Return the job of one combination."""
        return Job.from_dict({**self.options, **setting.options})

    def release(self, setting: Setting) -> Release[Any]:
        """Return the verified release of one combination."""
        return run_job(self.source, self.job(setting))

    def notes(self, setting: Setting) -> list[str]:
        """Return what looks odd in the table as one combination reads it."""
        job = self.job(setting)
        source = with_codes(self.source, job)
        schema = schema_of(source, job)
        return all_oddities(source, schema.quasi, schema.untouched)

    def to_run(self, settings: Sequence[Setting]) -> list[Setting]:
        """Return the combinations whose results are not in the store."""
        return [one for one in settings if (kept := self._kept(one)) is None or not kept.exists()]

    def rows(
        self, settings: Sequence[Setting], watch: Callable[[Setting], None] | None = None
    ) -> Iterator[Row]:
        """Yield the result of each combination, from the store or from a run."""
        for setting in settings:
            place = self._kept(setting)
            if place is not None and place.exists():
                yield Row(**{**json.loads(place.read_text("utf-8")), "number": setting.number})
                continue
            if watch is not None:
                watch(setting)
            row, lasts = self._run(setting)
            if place is not None and lasts:
                with Staging() as staging:
                    staging.text(json.dumps(asdict(row)) + "\n", place, private=True)
                    staging.commit()
            yield row

    def _run(self, setting: Setting) -> tuple[Row, bool]:
        """Return a result, and whether it would be the same again.

        Raises
        ------
        KeyboardInterrupt
            If the search was stopped: its release is not what the combination gives.
        """
        named = {**asdict(setting), "models": ", ".join(setting.models)}
        started = time.perf_counter()
        try:
            release = self.release(setting)
        except (InfeasibleError, InputError) as error:
            # A combination that cannot be is a result, too; a file that is missing may be there
            # next time.
            return Row(**named, problem=error.what), isinstance(error, InfeasibleError)
        facts, figures = release.facts, release.figures
        if facts.stopped_early:
            raise KeyboardInterrupt
        utility = figures.utility or {}
        learned = utility.get("learning", {}).get("classifiers", {})
        errors = {
            side: min((one[side]["mean"] for one in learned.values()), default=None)
            for side in ("release", "original")
        }
        average, highest = risk_of(release)
        row = Row(
            **named,
            loss=figures.measures["gcp"],
            classes=facts.classes,
            smallest_class=release.verdict.smallest_class,
            suppressed=facts.suppressed,
            risk_average=average,
            risk_highest=highest,
            error_release=errors["release"],
            error_original=errors["original"],
            seconds=round(time.perf_counter() - started, 3),
            verified=release.verdict.passed,
        )
        return row, True

    def _kept(self, setting: Setting) -> Path | None:
        """Return where the result of a combination is kept."""
        return None if self.store is None else self.store / f"{self._key(setting)}.json"

    def _key(self, setting: Setting) -> str:
        """Return a name that changes with the table, the options, their files and the version."""
        job = self.job(setting)
        columns = [(name, str(dtype)) for name, dtype in self.source.schema.items()]
        key = json.dumps([own_version(), columns, job.to_dict()], sort_keys=True, default=str)
        digest = hashlib.sha256(key.encode())
        for named in (*job.hierarchy.values(), job.population):
            if isinstance(named, str) and Path(file_of(named)).is_file():
                digest.update(hashlib.sha256(Path(file_of(named)).read_bytes()).digest())
        digest.update(np.ascontiguousarray(self.source.hash_rows().to_numpy()).tobytes())
        return digest.hexdigest()[:24]


def risk_of(release: Release[Any]) -> tuple[float, float] | tuple[None, None]:
    """Return the average and the highest chance of picking the right record of a person.

    Forms whose counterparts need not be equally likely bound no chance.
    """
    if release.verdict.form == "freeform":
        chance = 1.0 / max(release.verdict.smallest_class, 1)
        return chance, chance
    if release.verdict.form != "classes":
        return None, None
    names = [column for column in release.table.columns if column not in release.schema.untouched]
    persons = None
    if release.schema.person is not None:
        persons = release.original[release.schema.person].gather(release.custody.rows)
    classes = Classes.of(release.table, names, persons)
    risks = 1.0 / classes.members
    return float(risks @ classes.records) / classes.n, float(risks.max())


def frame_of(rows: Sequence[Row]) -> pl.DataFrame:
    """Return results as a frame, in the order of their numbers."""
    kinds = {int: pl.Int64, float: pl.Float64, str: pl.String, bool: pl.Boolean}
    schema = {
        field.name: next(kind for one, kind in kinds.items() if one.__name__ in str(field.type))
        for field in fields(Row)
    }
    return pl.DataFrame([asdict(row) for row in rows], schema=schema)
