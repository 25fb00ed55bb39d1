"""The progress of a run as text, for terminals, logs and notebooks alike."""

from __future__ import annotations

from typing import Protocol

from shoal.rendering.bounds import shown_bound

STOPPING = "stopped by hand, finishing with the best so far"
_LEAST = 0.0005  # a smaller share of the loss per second is shown as less than this


class ProgressLike(Protocol):
    """What is known of a run at one moment."""

    @property
    def stage(self) -> str:
        """What is being done."""

    @property
    def fraction(self) -> float:
        """How much of the stage is done."""

    @property
    def loss(self) -> float | None:
        """Best loss so far."""

    @property
    def bound(self) -> float | None:
        """Loss that no solution can go below."""

    @property
    def limit(self) -> float | None:
        """Seconds that the stage may take."""

    @property
    def gap(self) -> float | None:
        """The share of the loss that may be avoidable."""

    @property
    def rate(self) -> float | None:
        """By how much the best loss fell per second lately."""

    @property
    def stopping(self) -> bool:
        """Whether the user wants the run to end with the best so far."""


def progress_figures(progress: ProgressLike) -> list[str]:
    """Return best loss, improvement per second, lower bound and gap, as far as they say anything.

    >>> from shoal.pipeline.progress import Progress
    >>> progress_figures(Progress("solve", 0.5, 0.0335, 0.0301, rate=0.0002))
    ['best loss 0.0335', 'falling 0.6 % per second', 'lower bound 0.0301', 'gap 10.1 %']
    >>> progress_figures(Progress("solve", 0.5, 0.0335, 0.0, rate=0.0))
    ['best loss 0.0335', 'not falling lately']
    """
    parts = []
    if progress.loss is not None:
        parts.append(f"best loss {progress.loss:.4f}")
        if progress.rate is not None and progress.loss > 0:
            parts.append(_improvement(progress.rate / progress.loss))
    bound = None if progress.bound is None else shown_bound(progress.bound)
    if bound is not None:
        parts.append(f"lower bound {bound}")
        if progress.gap is not None:
            parts.append(f"gap {100 * progress.gap:.1f} %")
    return [*parts, *([STOPPING] if progress.stopping else [])]


def _improvement(share: float) -> str:
    if share <= 0:
        return "not falling lately"
    shown = f"{100 * share:.1f}" if share >= _LEAST else "less than 0.1"
    return f"falling {shown} % per second"
