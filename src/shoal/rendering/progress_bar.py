"""A progress bar for notebooks: plain HTML that is redrawn, no widget and no script."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

from shoal.rendering.progress_text import progress_figures

if TYPE_CHECKING:
    from collections.abc import Callable

    from shoal.rendering.progress_text import ProgressLike

_REDRAWN = 0.25  # seconds
_QUIET = 0.5  # what is done by then needs no bar


@dataclass(slots=True)
class ProgressBar:
    """Draws how far a run is, and redraws it in place.

    Parameters
    ----------
    draw
        Shows a fragment of HTML in place of the last one.
    clock
        Returns the time in seconds.
    """

    draw: Callable[[str], None]
    clock: Callable[[], float] = time.monotonic
    _began: float | None = field(default=None, init=False)
    _stage: tuple[str, float] = field(default=("", 0.0), init=False)
    _drawn: float | None = field(default=None, init=False)

    def __call__(self, progress: ProgressLike) -> None:
        """Show progress, unless it was shown just now or the run has hardly begun."""
        now = self.clock()
        if self._began is None:
            self._began = now
        if progress.stage != self._stage[0]:
            self._stage = (progress.stage, now)
        just_now = self._drawn is not None and now - self._drawn < _REDRAWN
        if just_now or now - self._began < _QUIET:
            return
        self._drawn = now
        self.draw(bar_html(progress, now - self._stage[1]))

    def close(self) -> None:
        """Take the bar away."""
        if self._drawn is not None:
            self.draw("")


def bar_html(progress: ProgressLike, elapsed: float) -> str:
    """Return the bar of one moment."""
    share = min(max(progress.fraction, 0.0), 1.0)
    parts = [f"{progress.stage} {100 * share:.0f} %", f"{elapsed:.0f} s"]
    if progress.limit is not None:
        parts.append(f"{max(progress.limit - elapsed, 0):.0f} s left")
    elif share > 0.05:
        parts.append(f"about {elapsed / share - elapsed:.0f} s left")
    parts += progress_figures(progress)
    text = escape(" · ".join(parts))
    return (
        f"<div role='progressbar' aria-valuemin='0' aria-valuemax='100' "
        f"aria-valuenow='{share * 100:.0f}' aria-label='{text}' style='max-width:40em;"
        f"font:13px system-ui,sans-serif'><div style='height:8px;border-radius:4px;"
        f"background:#8884'><div style='height:8px;border-radius:4px;background:#2a7f62;"
        f"width:{share * 100:.1f}%'></div></div>{text}</div>"
    )


def notebook_bar() -> ProgressBar | None:
    """Return a bar in the cell that runs, or nothing outside of notebooks."""
    shell: Any = sys.modules.get("IPython")
    running = shell.get_ipython() if shell is not None else None
    if running is None or not hasattr(running, "kernel"):
        return None
    display: Any = shell.display
    shown: list[Any] = []

    def draw(fragment: str) -> None:
        if shown:
            shown[0].update(display.HTML(fragment))
        else:
            shown.append(display.display(display.HTML(fragment), display_id=True))

    return ProgressBar(draw)
