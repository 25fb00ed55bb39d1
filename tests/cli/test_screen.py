"""Bars and marks, with and without Unicode."""

from __future__ import annotations

import io
import sys

import pytest

from shoal.cli.screen import Screen


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
