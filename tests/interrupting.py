"""Interrupt work in the middle: when it has begun, not after some time."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from shoal.errors import Cancelled

if TYPE_CHECKING:
    from collections.abc import Callable

    from shoal._core import kernels

Result = TypeVar("Result")


class Interrupted(Generic[Result]):
    """A task that is interrupted as soon as it has begun.

    Another thread watches a kernel at work. Python code is watched by a profile function at every
    call, since it may be done before the other thread gets its turn.

    Parameters
    ----------
    task
        What to do, in a thread of its own.
    control
        Its control.
    begun
        Tells whether it has begun; unless given, when it has made some progress.
    stop
        Whether to ask for the best so far instead of cancelling.
    """

    def __init__(
        self,
        task: Callable[[], Result],
        control: kernels.Control,
        *,
        begun: Callable[[], bool] | None = None,
        stop: bool = False,
    ) -> None:
        outcome: list[Any] = []
        has_begun = begun or (lambda: control.progress > 0.0)
        # How far it was when it was interrupted: the first entry, by whichever thread.
        reached: list[float] = []

        def interrupt() -> None:
            reached.append(control.progress)
            if stop:
                control.stop()
            else:
                control.cancel()

        def watch(*_: object) -> None:
            if reached or has_begun():
                sys.setprofile(None)
                if not reached:
                    interrupt()

        def work() -> None:
            sys.setprofile(watch)
            try:
                outcome.append(task())
            except Cancelled as error:
                outcome.append(error)
            finally:
                sys.setprofile(None)

        worker = threading.Thread(target=work, daemon=True)
        worker.start()
        while worker.is_alive() and not reached and not has_begun():
            worker.join(0.0005)
        if not reached:
            interrupt()
        self.reached: float = reached[0]
        worker.join(timeout=600)  # not a matter of speed: what ignores it would run on
        assert not worker.is_alive()
        self.outcome: Result | Cancelled = outcome[0]
        self.went_on: float = control.progress - self.reached

    @property
    def cancelled(self) -> bool:
        """Whether it ended without a result."""
        return isinstance(self.outcome, Cancelled)
