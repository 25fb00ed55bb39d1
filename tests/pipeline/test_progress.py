"""Tasks in a thread of their own, and interrupts at awkward moments."""

from __future__ import annotations

import threading
import time

import pytest

from shoal.algorithms.run import Run
from shoal.errors import Cancelled
from shoal.pipeline.progress import Stages, watched


@pytest.mark.parametrize("begun", [True, False])
def test_an_interrupt_while_the_thread_starts_ends_the_task(*, begun: bool) -> None:
    run = Run(seed=1)
    ended = threading.Event()

    def task() -> None:
        while not run.control.cancelled:
            time.sleep(0.01)
        ended.set()
        raise Cancelled("The task saw it.")

    def interrupted(thread: threading.Thread) -> None:
        if begun:
            thread.start()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        watched("solve", task, run, Stages(None), keep=True, start=interrupted)
    assert run.control.abandoned
    assert ended.is_set() == begun
