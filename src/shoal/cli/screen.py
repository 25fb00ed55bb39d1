"""What verbs show: text for people, JSON for programs, and progress while they wait."""

from __future__ import annotations

import json
import os
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from shoal.cli.clock import Clock
    from shoal.pipeline.progress import Progress

# What a shell reports for a program that ends by the signal of a closed pipe.
CLOSED_PIPE = 141
_BAR = 24
_EIGHTHS = ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")
_PIPED_WIDTH = 100
_LOG_SECONDS = 10.0
# Longer waits are announced beforehand.
_LONG_SECONDS = 60.0
# Why verification takes long, by the stage that expects it.
_LONG_STAGES = {
    "index": "it searches for a match between the records of both files. With the custody file "
    "(--custody) it only checks one.",
    "count": "it counts which released records cover which originals.",
    "exchanges": "it searches which records can be exchanged for each other.",
}


# What may keep verification from an answer, by the stage that expects it.
_DOUBTS = {
    "many exchanges": "There may be more ways to exchange records than fit in memory. Verification "
    "then ends without a verdict.",
}


class Screen(Console):
    """A console that neither colours nor wraps what is not meant for a terminal.

    Parameters
    ----------
    stderr
        Whether it shows on standard error instead of standard output.
    """

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, markup=False, highlight=False, emoji=False)
        if not self.is_terminal and "COLUMNS" not in os.environ:
            self.width = _PIPED_WIDTH

    def on_broken_pipe(self) -> NoReturn:
        """End quietly when the reader of a pipe has gone, as other programs do."""
        self.quiet = True
        silence()
        raise SystemExit(CLOSED_PIPE)

    @property
    def draws(self) -> bool:
        """Whether the terminal can show more than ASCII."""
        return self.encoding.startswith("utf")

    def mark(self, *, passed: bool) -> Text:
        """Return a tick or a cross."""
        if self.draws:
            return Text("✓" if passed else "✗", style="green" if passed else "red")
        return Text("pass" if passed else "FAIL")

    def bar(self, share: float) -> Text:
        """Return a bar that is filled to a share, to an eighth of a character where possible."""
        parts = min(8 * _BAR, max(0, round(share * 8 * _BAR)))
        if self.draws:
            solid, empty = "█" * (parts // 8) + _EIGHTHS[parts % 8], "░"
        else:
            solid, empty = "#" * (parts // 8), "."
        return Text.assemble((solid, "yellow"), (empty * (_BAR - len(solid)), "dim"))

    def say(self, text: str | Text = "") -> None:
        """Print a line that is never wrapped by us, so that it can be copied."""
        self.print(text, soft_wrap=True)


def silence() -> None:
    """Send what is still to be printed nowhere; its reader has gone."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(nowhere, stream.fileno())


def print_json(value: Any) -> None:
    """Print one JSON object on standard output."""
    screen = Screen()
    screen.out(json.dumps(value, indent=2, ensure_ascii=not screen.draws, allow_nan=False))


def printable(text: str) -> str:
    r"""Return a text of the user's table with control characters spelled out.

    >>> printable("age" + chr(27) + "[31m")
    'age\\x1b[31m'
    """
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


def plain_table(*headers: str, right: tuple[str, ...] = ()) -> Table:
    """Return a table without frames; the columns in ``right`` hold numbers."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for header in headers:
        table.add_column(
            header,
            justify="right" if header in right else "left",
            no_wrap=header in right,
            overflow="fold",
        )
    return table


def seconds(value: float) -> str:
    """Return a time for people.

    >>> seconds(0.0123), seconds(75)
    ('0.01 s', '75 s')
    """
    return f"{value:.2f} s" if value < 10 else f"{value:.0f} s"


def minutes(value: float) -> str:
    """Return a longer time for people.

    >>> minutes(70), minutes(200)
    ('1 minute', '3 minutes')
    """
    whole = max(1, round(value / 60))
    return f"{whole} minute{'s' if whole > 1 else ''}"


@contextmanager
def progress_bar() -> Iterator[Callable[[Progress], None]]:
    """Show how far a run is on standard error while the block runs; yields what feeds it.

    On a terminal that is a bar whose clock moves in every stage; elsewhere, as in a log, a line
    every ten seconds.
    """
    from shoal.cli.clock import Clock

    screen = Screen(stderr=True)
    clock = Clock()
    shown = _bar(screen, clock) if screen.is_terminal else _log(screen, clock)
    announced = stopped = False
    longest = 0.0

    def feed(progress: Progress) -> None:
        nonlocal announced, longest, stopped
        clock.feed(progress)
        if progress.stopping and not stopped:
            stopped = True
            screen.print("Stopped by hand: the best release so far is kept and will be verified.")
        why, expected = _LONG_STAGES.get(progress.stage), progress.expected or 0.0
        if why is not None and expected >= _LONG_SECONDS and expected > 2 * longest:
            longest = expected
            screen.print(f"Verification takes about {minutes(expected)}: {why} Ctrl-C ends it.")
        if progress.stage in _DOUBTS:
            screen.print(f"{_DOUBTS[progress.stage]} Ctrl-C ends it.")
        if screen.is_terminal and progress.limit is not None and not announced:
            announced = True
            screen.print(
                f"Solving takes up to {seconds(progress.limit)} (--time sets it). "
                "Ctrl-C once keeps the best so far, twice abandons it."
            )

    with shown:
        yield feed


@contextmanager
def _bar(screen: Screen, clock: Clock) -> Iterator[None]:
    from rich.live import Live
    from rich.progress_bar import ProgressBar

    def render() -> Table:
        grid = Table.grid(padding=(0, 1))
        whole = clock.fraction if clock.fraction > 0 else None
        bar = ProgressBar(total=1.0, completed=whole or 0.0, width=30, pulse=whole is None)
        grid.add_row(bar, clock.line())
        return grid

    with Live(get_renderable=render, console=screen, transient=True, refresh_per_second=8):
        yield


@contextmanager
def _log(screen: Screen, clock: Clock) -> Iterator[None]:
    ended = threading.Event()

    def write() -> None:
        while not ended.wait(_LOG_SECONDS):
            screen.say(clock.line())

    writer = threading.Thread(target=write, name="shoal-log", daemon=True)
    writer.start()
    try:
        yield
    finally:
        ended.set()
        writer.join()
