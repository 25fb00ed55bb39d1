"""Cancelled kernels end within a second, on two million rows."""

from __future__ import annotations

import time
from contextlib import suppress
from functools import cache
from threading import Thread

import pytest

from shoal._core import kernels
from shoal.errors import Cancelled
from tests.core.kernel_calls import Call, Inputs, kernel_calls

NAMES = tuple(kernel_calls(Inputs(20)))
ROWS = 2_000_000


@cache
def calls() -> dict[str, Call]:
    return kernel_calls(Inputs(ROWS))


def seconds_until_it_ends(call: Call, after: float) -> float:
    """Cancel a call after so many seconds of work, and say how much work it did since then.

    Both are processor time of this process, so that other processes do not count.
    """
    control = kernels.Control()

    def work() -> None:
        with suppress(Cancelled):
            call(control, 1)

    worker = Thread(target=work)
    if after == 0:
        control.cancel()
    started = time.process_time()
    worker.start()
    while after > 0 and worker.is_alive() and time.process_time() - started < after:
        worker.join(0.01)
    control.cancel()
    cancelled = time.process_time()
    worker.join()
    return time.process_time() - cancelled


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_kernel_ends_within_a_second_of_work(name: str) -> None:
    for after in (0.0, 0.3, 1.5):
        assert seconds_until_it_ends(calls()[name], after) < 1.0, f"cancelled after {after} s"
