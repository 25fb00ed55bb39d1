"""From a release to its report."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from shoal import __version__
from shoal.hierarchies import as_file, file_of, is_file, is_recipe, with_file
from shoal.options import write_job
from shoal.pipeline.population import read_population
from shoal.pipeline.presentation import (
    notes_on_aggregates,
    readable_release,
    require_readable_alone,
)
from shoal.reports import NamedFile, Search, SearchPoint, Subject, make_report

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.options import Job
    from shoal.pipeline.facts import Facts
    from shoal.pipeline.release import Release
    from shoal.reports import Report, ReportForm


def report_of(
    release: Release[Any],
    form: ReportForm,
    *,
    release_file: NamedFile | None = None,
    original_file: NamedFile | None = None,
    facts_file: str | None = None,
    title: str | None = None,
) -> Report:
    """Return the report of a release that was just made."""
    if form.public:
        require_readable_alone(release.job)
    if original_file is None and release.custody.source_sha256 is not None:
        original_file = NamedFile("ORIGINAL", release.custody.source_sha256)
    subject = Subject(
        source=release.original,
        released=readable_release(
            release.table,
            release.schema,
            release.job,
            release.original,
            release.custody.rows,
        ),
        schema=release.schema,
        options=shown_options(release.job.to_dict()),
        verdict=release.verdict,
        search=search_of(release.facts, release.figures.to_dict()),
        original_file=original_file,
        release_file=release_file,
        rows=release.custody.rows,
        facts_file=facts_file,
        job_file=job_text(release.job),
        population=None if form.public else read_population(release.job),
        notes=(*release.custody.notes, *notes_on_aggregates(release.schema, release.job)),
    )
    return make_report(
        subject,
        audience=form.audience,
        made=release.facts.date,
        version=release.facts.shoal_version,
        **titled(title),
    )


def titled(title: str | None) -> dict[str, str]:
    """Return the title as an option, if there is one."""
    return {} if title is None else {"title": title}


def shown_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options without what they must not reveal.

    A seed undoes the shuffling, and a hierarchy that is listed in full may hold values of withheld
    records.
    """
    shown = {name: value for name, value in options.items() if name != "seed"}
    if "hierarchy" in shown:
        shown["hierarchy"] = _named_trees(shown["hierarchy"])
    return shown


def job_text(job: Job) -> str:
    """Return a job as TOML, without the seed; hierarchies are named without their folders."""
    trees = _named_trees(job.hierarchy)
    return write_job(job.model_copy(update={"seed": None, "hierarchy": trees}))


def _named_trees(trees: Mapping[str, str]) -> dict[str, str]:
    """Return hierarchies by recipe or file; one that is listed in full is named by its column."""
    return {
        column: tree
        if is_recipe(tree)
        else with_file(tree, PurePath(file_of(tree)).name)
        if is_file(tree)
        else as_file(f"{column}.csv")
        for column, tree in trees.items()
    }


def search_of(facts: Facts | None, figures: Mapping[str, Any] | None = None) -> Search | None:
    """Return how a release was found.

    Parameters
    ----------
    facts
        The published facts; nothing is known of the search without them.
    figures
        The exact figures, as custody holds them: they show its course.
    """
    if facts is None:
        return None
    exact = figures or {}
    seconds: Mapping[str, float] = exact.get("seconds", {})
    return Search(
        algorithm=facts.algorithm,
        seconds=sum(seconds.values()) if seconds else None,
        points=_points(exact, seconds.get("solve")),
        bound=exact.get("lower_bound"),
        optimal=exact.get("optimal", False),
        stopped=facts.stopped_early,
        in_custody=figures is None,
    )


def _points(figures: Mapping[str, Any], solved: float | None) -> tuple[SearchPoint, ...]:
    """Return the best loss at moments of a search: of the steps of ``auto``, or as it was seen."""
    steps = [
        (float(step["seconds"]), None if step["loss"] is None else float(step["loss"]))
        for step in figures.get("trace", ())
    ]
    points: list[SearchPoint] = []
    passed = 0.0
    for seconds, loss in steps:
        passed += seconds
        if loss is not None:
            points.append(SearchPoint(passed, min([loss, *(one.loss for one in points[-1:])])))
    seen = figures.get("search", ())
    if not points and seen:
        points = [SearchPoint(float(seconds), float(loss)) for seconds, loss in seen]
        # The result is known to the last digit, and later than what was last seen of it.
        points.append(SearchPoint(solved or points[-1].seconds, float(figures["loss"])))
    return tuple(points)


def own_version() -> str:
    """Return the version of Shoal."""
    return __version__
