"""The course of a search, in figures and reports; and the bar that shows it in notebooks."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

import shoal
from shoal.pipeline.progress import Progress
from shoal.rendering.progress_bar import ProgressBar, bar_html, notebook_bar
from shoal.reports import Search, SearchPoint
from shoal.reports.charts import charts_of
from tests.tables import MIXED, mixed_table


def test_a_search_of_any_algorithm_is_drawn() -> None:
    release = shoal.anonymize(
        mixed_table(1500, 3, spread=25), k=5, algorithm="refine", steps=2_000_000, seed=1, **MIXED
    )
    losses = [loss for _, loss in release.figures.search]
    assert losses
    assert losses == sorted(losses, reverse=True)
    search = release.report().search
    assert search is not None
    assert search.points[-1].loss == release.figures.loss
    assert len(search.points) == len(losses) + 1
    assert [list(point) for point in release.figures.search] == release.figures.to_dict()["search"]


def test_a_release_of_a_stopped_search_says_so_everywhere() -> None:
    table = mixed_table(60, 3)
    whole = shoal.anonymize(table, k=3, algorithm="mondrian", seed=1, **MIXED)
    release = replace(whole, facts=replace(whole.facts, stopped_early=True))
    for text in (str(release), release._repr_html_()):
        assert "best release found until then" in text
    report = release.report()
    for text in (report.to_html(), report.to_markdown()):
        assert "stopped by hand" in text
    assert "stopped by hand" not in whole.report().to_html() + str(whole)


def test_the_course_of_a_search_is_drawn_from_its_custody() -> None:
    table = mixed_table(60, 3)
    release = shoal.anonymize(table, k=3, steps=500, seed=1, **MIXED)
    figures = json.loads(release.custody.to_json("0" * 64))["figures"]
    released = release.frame
    job = release.job.to_dict()
    made = shoal.report(table, released, facts=release.facts, figures=figures, **job)
    assert made.search == release.report().search
    assert made.search is not None
    assert len(made.search.points) > 1
    assert 'data-chart="search"' in made.to_html()
    without = shoal.report(table, released, facts=release.facts, **job).to_html()
    assert 'data-chart="search"' not in without
    assert "is in the custody file" in without
    assert "is in the custody file" not in made.to_html()
    public = shoal.report(table, released, facts=release.facts, figures=figures, public=True, **job)
    assert public.search is None
    with pytest.raises(shoal.InputError, match="figures"):
        shoal.report(table, released, facts=release.facts, figures={"search": [1]}, **job)


@pytest.mark.parametrize(("bound", "shown"), [(0.00004, None), (0.0, None), (0.02088, "0.0208")])
def test_a_bound_that_says_nothing_is_not_told(bound: float, shown: str | None) -> None:
    points = (SearchPoint(0.0, 0.2), SearchPoint(1.0, 0.1))
    table = mixed_table(60, 3)
    whole = shoal.anonymize(table, k=3, algorithm="mondrian", seed=1, **MIXED).report()
    report = replace(whole, search=Search("mondrian", 1.0, points, bound))
    chart = charts_of(report)["search"]
    assert ("dashed" in chart.note) == (shown is not None)
    text = report.to_markdown() + chart.alternative
    assert "0.0000" not in text
    assert ("no release of this form can lose less" in text) == (shown is not None)
    assert shown is None or shown in text


@pytest.fixture
def drawn() -> list[str]:
    return []


def test_the_bar_shows_what_is_known(drawn: list[str]) -> None:
    seconds = iter([0.0, 1.0, 1.1, 2.0])
    bar = ProgressBar(drawn.append, lambda: next(seconds))
    bar(Progress("solve", 0.0))
    assert drawn == []  # the run has hardly begun
    bar(Progress("solve", 0.25, 0.125, 0.1, 4.0, rate=0.025))
    bar(Progress("solve", 0.3, 0.125, 0.1, 4.0))  # too soon after the last
    assert len(drawn) == 1
    shown = ("solve 25 %", "best loss 0.1250", "lower bound 0.1000", "3 s left", "width:25.0%")
    for part in (*shown, "falling 20.0 % per second"):
        assert part in drawn[0]
    assert "<script" not in drawn[0]
    bar.close()
    assert drawn[-1] == ""


def test_the_rest_is_estimated_where_there_is_no_limit() -> None:
    assert "about 30 s left" in bar_html(Progress("solve", 0.25), 10.0)
    assert "left" not in bar_html(Progress("solve", 0.01), 10.0)


def test_a_bar_that_drew_nothing_leaves_nothing(drawn: list[str]) -> None:
    ProgressBar(drawn.append).close()
    assert drawn == []


def test_outside_of_notebooks_there_is_no_bar() -> None:
    assert notebook_bar() is None
