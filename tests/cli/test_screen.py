"""Bars and marks, with and without Unicode."""

from __future__ import annotations

import io
import sys

import pytest

from shoal.cli.screen import Screen, progress_bar
from shoal.pipeline.progress import Progress


@pytest.fixture(params=["utf-8", "ascii"])
def screen(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Screen:
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding=request.param))
    return Screen()


@pytest.mark.parametrize("share", [-0.1, 0.0, 0.001, 0.02, 0.5, 0.999, 1.0, 1.5])
def test_a_bar_is_always_as_wide(screen: Screen, share: float) -> None:
    bar = screen.bar(share).plain

    assert len(bar) == 24
    assert bar.isascii() or screen.draws


def test_a_bar_fills_with_its_share(screen: Screen) -> None:
    solid, empty = ("█", "░") if screen.draws else ("#", ".")

    assert screen.bar(0).plain == empty * 24
    assert screen.bar(0.5).plain == solid * 12 + empty * 12
    assert screen.bar(1).plain == solid * 24


def test_marks_tell_passed_from_failed(screen: Screen) -> None:
    assert screen.mark(passed=True).plain != screen.mark(passed=False).plain


def test_a_long_verdict_is_announced_once_with_what_takes_long(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with progress_bar() as feed:
        feed(Progress("solve", 0.0, expected=900.0))
        feed(Progress("count", 0.0, expected=30.0))
        assert capsys.readouterr().err == ""
        feed(Progress("index", 0.0, expected=200.0))
        feed(Progress("index", 0.5))
        feed(Progress("count", 0.0, expected=210.0))
        said = " ".join(capsys.readouterr().err.split())
        assert said.startswith("Verification takes about 3 minutes: it searches for a match")
        assert said.count("minutes") == 1
        feed(Progress("count", 0.0, expected=3600.0))
        said = " ".join(capsys.readouterr().err.split())
        assert "about 60 minutes: it counts which released records" in said
        assert "--custody" not in said
