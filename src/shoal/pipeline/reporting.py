"""From a release to its report."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from shoal import __version__
from shoal.hierarchies import as_file, file_of, is_file, is_recipe, with_file
from shoal.options import write_job
from shoal.pipeline.presentation import (
    notes_on_aggregates,
    readable_release,
    require_readable_alone,
)
from shoal.reports import NamedFile, Search, SearchPoint, Subject, make_report

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
    commands: Sequence[tuple[str, str]] = (),
    title: str | None = None,
) -> Report:
    """Return the report of a release that was just made."""
    if form.public:
        require_readable_alone(release.job)
    if original_file is None and release.custody.source_sha256 is not None:
        original_file = NamedFile("original", release.custody.source_sha256)
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
        search=_search(release),
        original_file=original_file,
        release_file=release_file,
        rows=release.custody.rows,
        commands=tuple(commands),
        job_file=job_text(release.job),
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
    """Return the options without what they must not tell.

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


def search_of_facts(facts: Facts | None) -> Search | None:
    """Return what published facts say about the search."""
    if facts is None:
        return None
    return Search(
        algorithm=facts.algorithm,
        seconds=sum(facts.seconds.values()),
        bound=facts.lower_bound,
        optimal=facts.optimal,
    )


def _search(release: Release[Any]) -> Search:
    figures = release.figures
    points: list[SearchPoint] = []
    passed = 0.0
    for step in figures.trace:
        passed += float(step["seconds"])
        if step["loss"] is not None:
            best = min(float(step["loss"]), points[-1].loss if points else float("inf"))
            points.append(SearchPoint(passed, best))
    if not points and figures.search:
        points = [SearchPoint(*point) for point in figures.search]
        # The result is known to the last digit, and later than what was last seen of it.
        points.append(
            SearchPoint(release.facts.seconds.get("solve", points[-1].seconds), figures.loss)
        )
    return Search(
        algorithm=release.facts.algorithm,
        seconds=sum(release.facts.seconds.values()),
        points=tuple(points),
        bound=figures.lower_bound,
        optimal=figures.optimal,
    )


def own_version() -> str:
    """Return the version of Shoal."""
    return __version__
