"""The clock of a run moves in every stage, and shows no figure that says nothing."""

from __future__ import annotations

from shoal.cli.clock import Clock
from shoal.pipeline.progress import Progress, improvement
from shoal.rendering.progress_text import STOPPING, progress_figures


def test_time_moves_without_reports() -> None:
    moment = [0.0]
    clock = Clock(lambda: moment[0])
    lines = []
    for stage, fraction in (
        ("read", 0.0), ("encode", 0.0), ("encode", 1.0), ("solve", 0.0), ("solve", 0.5),
        ("recode", 0.0), ("verify", 0.0), ("write", 0.0),
    ):  # fmt: skip
        clock.feed(Progress(stage, fraction, limit=9.0 if stage == "solve" else None))
        for _ in range(3):
            moment[0] += 1.0
            lines.append(clock.line())
    assert len(set(lines)) == len(lines)
    assert lines[-1].startswith("write, 0:24 elapsed")
    assert all("left" in line for line in lines if line.startswith(("solve", "recode", "verify")))


def test_what_is_left_follows_from_the_limit_the_fraction_or_the_stages_before() -> None:
    moment = [0.0]
    clock = Clock(lambda: moment[0])
    nothing_yet = clock.remaining
    assert nothing_yet is None
    moment[0] = 4.0
    clock.feed(Progress("solve", 0.0, limit=10.0))
    # Reading took four seconds: recoding and measuring and writing half of it each, verifying all.
    assert clock.remaining == 10.0 + 4.0 * 2.5
    moment[0] = 9.0
    assert clock.remaining == 5.0 + 10.0
    clock.feed(Progress("utility", 0.25))
    moment[0] = 10.0
    assert clock.remaining == 3.0 + 4.0


def test_a_bound_of_nothing_is_not_shown() -> None:
    assert progress_figures(Progress("solve", 0.5, 0.03, 0.0)) == ["best loss 0.0300"]
    assert progress_figures(Progress("bound", 0.5, None, 0.00001)) == []
    shown = ["best loss 0.0400", "lower bound 0.0300", "gap 25.0 %"]
    assert progress_figures(Progress("solve", 0.5, 0.04, 0.03)) == shown


def test_improvement_per_second_is_shown() -> None:
    search = [(1.0, 0.5), (3.0, 0.4)]
    too_early = improvement(search[:1], 1.2)
    assert too_early is None
    assert improvement(search, 3.5) == (0.5 - 0.4) / (3.5 / 4)
    assert improvement(search, 8.0) == 0.0  # what was gained at first says nothing about now
    assert improvement(search, 30.0) == 0.0
    clock = Clock(lambda: 0.0)
    clock.feed(Progress("solve", 0.5, 0.4, rate=0.025))
    assert "best loss 0.4000, falling 6.2 % per second" in clock.line()


def test_a_search_that_was_stopped_says_so() -> None:
    clock = Clock(lambda: 0.0)
    clock.feed(Progress("solve", 0.5, 0.4, stopping=True))
    assert STOPPING in clock.line()
