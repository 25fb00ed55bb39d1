"""The course of a search, in figures and reports; and the bar that shows it in notebooks."""

from __future__ import annotations

import pytest

import shoal
from shoal.pipeline.progress import Progress
from shoal.rendering.progress_bar import ProgressBar, bar_html, notebook_bar
from tests.tables import MIXED, mixed_table


def test_a_search_of_any_algorithm_is_drawn() -> None:
    release = shoal.anonymize(
        mixed_table(1500, 3, spread=25), k=5, algorithm="refine", time=1.0, seed=1, **MIXED
    )
    losses = [loss for _, loss in release.figures.search]
    assert losses
    assert losses == sorted(losses, reverse=True)
    search = release.report().search
    assert search is not None
    assert search.points[-1].loss == release.figures.loss
    assert len(search.points) == len(losses) + 1
    assert [list(point) for point in release.figures.search] == release.figures.to_dict()["search"]


@pytest.fixture
def drawn() -> list[str]:
    return []


def test_the_bar_shows_what_is_known(drawn: list[str]) -> None:
    seconds = iter([0.0, 1.0, 1.1, 2.0])
    bar = ProgressBar(drawn.append, lambda: next(seconds))
    bar(Progress("solve", 0.0))
    assert drawn == []  # the run has hardly begun
    bar(Progress("solve", 0.25, 0.125, 0.1, 4.0))
    bar(Progress("solve", 0.3, 0.125, 0.1, 4.0))  # too soon after the last
    assert len(drawn) == 1
    for part in ("solve 25%", "best loss 0.1250", "bound 0.1000", "3 s left", "width:25.0%"):
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
